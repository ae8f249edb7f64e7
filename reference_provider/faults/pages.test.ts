import { expect, test } from "vitest";
import { validatePage } from "../../src/generated/validators.js";
import { readChain, recordsOf } from "../testing.ts";
import { COSTS, USAGE, idsOf, start } from "./testing.ts";

test("pages are empty, short or long, and the chain still has every record once", async () => {
  await using bench = await start();
  const whole = await idsOf(bench, COSTS);
  bench.provider.fault(
    { kind: "empty_page", when: { page: [2, 4] } },
    { kind: "short_page", records: 3, when: { page: 5 } },
    { kind: "long_page", when: { page: 6 } },
  );
  const { records, pages } = await readChain(bench, `${COSTS}&limit=10`, "costs");
  expect(pages.map((page) => recordsOf(page, "costs").length)).toEqual([
    10, 0, 0, 0, 3, 11, 10, 10, 6,
  ]);
  expect(records.map((record) => record["x_RecordId"])).toEqual(whole);
});

test("next_cursor is missing, empty, the same, or runs in a cycle", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "next_cursor", id: "c", value: "missing" });
  expect("next_cursor" in (await bench.get(`${COSTS}&limit=5`)).body).toBe(false);
  bench.provider.fault({ kind: "next_cursor", id: "c", value: "empty" });
  expect((await bench.get(`${COSTS}&limit=5`)).body["next_cursor"]).toBe("");
  const distinct = async (value: "same" | "cycle", length: number) => {
    bench.provider.fault({
      kind: "next_cursor",
      id: "c",
      value,
      length,
      when: { page: length + 1 },
    });
    const { pages } = await readChain(bench, `${COSTS}&limit=5`, "costs", 12);
    return [pages.length, new Set(pages.map((page) => page.body["next_cursor"])).size];
  };
  expect(await distinct("cycle", 2)).toEqual([12, 2]);
  expect(await distinct("cycle", 3)).toEqual([12, 3]);
  bench.provider.fault({ kind: "next_cursor", id: "c", value: "same", when: { page: 2 } });
  expect(
    new Set(
      (await readChain(bench, `${COSTS}&limit=5`, "costs", 5)).pages.map(
        (page) => page.body["next_cursor"],
      ),
    ).size,
  ).toBe(1);
});

test("cursors hold characters that an address must escape", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "cursor_text" });
  expect(String((await bench.get(`${COSTS}&limit=20`)).body["next_cursor"])).toMatch(/^a\+b\/=&% /);
  expect(await idsOf(bench, `${COSTS}&limit=20`)).toHaveLength(50);
});

test("records come twice, on one page or on two, alike or not", async () => {
  await using bench = await start();
  bench.provider.fault({
    kind: "duplicate",
    id: "d",
    on: "same_page",
    records: 2,
    set: { BilledCost: "7" },
    when: { page: 1 },
  });
  const first = recordsOf(await bench.get(`${COSTS}&limit=10`), "costs");
  expect(first).toHaveLength(10);
  expect([first[8]?.["x_RecordId"], first[8]?.["BilledCost"]]).toEqual([
    first[0]?.["x_RecordId"],
    "7",
  ]);
  bench.provider.fault({ kind: "duplicate", id: "d", on: "next_page", records: 3 });
  const ids = await idsOf(bench, `${COSTS}&limit=10`);
  expect([new Set(ids).size, ids.length > 50]).toEqual([50, true]);
});

test("a record lies outside the window, or has another granularity than asked for", async () => {
  await using bench = await start();
  bench.provider.fault(
    { kind: "stray_record", days: -40 },
    { kind: "other_granularity", when: { operation: "usage" } },
  );
  expect(recordsOf(await bench.get(COSTS), "costs").at(-1)?.["ChargePeriodStart"]).toBe(
    "2025-08-22T00:00:00Z",
  );
  expect(recordsOf(await bench.get(USAGE), "usage")[0]?.["x_Granularity"]).toBe("1h");
});

test("fields of records are dropped, replaced, added, and keep all their digits", async () => {
  await using bench = await start();
  bench.provider.fault(
    { kind: "record", drop: ["BilledCost"] },
    {
      kind: "record",
      which: 1,
      raw: { BilledCost: "12345678901234567.890", x_Extra: "[1e400]", __proto__x: "1" },
    },
    {
      kind: "record",
      which: 2,
      set: {
        ChargePeriodStart: "2026-02-30T00:00:00+02:00",
        ChargeDescription: "\u2028\u2029\u0085\u0000\ud800",
      },
    },
    { kind: "record", which: 3, members: '"__proto__":{"polluted":true},"BilledCost":"1"' },
    { kind: "record", which: "last", replace: "null" },
  );
  const { text } = await bench.get(COSTS);
  const page: unknown = JSON.parse(text);
  expect(validatePage(page)).toBe(true);
  expect(text.includes('"BilledCost":12345678901234567.890')).toBe(true);
  expect(text.includes('"x_Extra":[1e400]')).toBe(true);
  expect(text.includes('\u2028\u2029\u0085\\u0000\\ud800"')).toBe(true);
  expect(
    text.includes('"x_CorrectsRecordId":null,"__proto__":{"polluted":true},"BilledCost":"1"}'),
  ).toBe(true);
  expect(text.includes(',null],"next_cursor"')).toBe(true);
  expect(page).toMatchObject({
    data: [
      expect.not.objectContaining({ BilledCost: expect.anything() }),
      {},
      { ChargePeriodStart: "2026-02-30T00:00:00+02:00" },
      ...Array(46).fill(expect.anything()),
      null,
    ],
  });
});

test("the envelope lacks a property or has one too many", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "page", id: "p", set: { total: 50 } });
  expect((await bench.get(COSTS)).body).toMatchObject({ total: 50, data: expect.any(Array) });
  bench.provider.fault({ kind: "page", id: "p", drop: ["data", "as_of"] });
  expect(Object.keys((await bench.get(COSTS)).body).toSorted()).toEqual([
    "available_through",
    "next_cursor",
  ]);
});
