import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textRules } from "../generated/text_rules.ts";
import { validateUsage } from "../generated/validators.js";
import { RecordSchema } from "./record_schema.ts";
import { scanPage } from "./scan.ts";

/** The learned shapes. All pages of this file share them, as all pages of a stream do. */
const SCHEMA = new RecordSchema(validateUsage, textRules.usage);

/** Every record's members as they are seen, with its own bytes as text; null where the page is not plain. */
function scanned(body: Buffer) {
  const page = scanPage(body, () => undefined);
  if (page === null) return null;
  const seen: { members: unknown; text: string }[] = [];
  const warn = (): never => expect.unreachable();
  page.records.each(
    SCHEMA,
    ({ value, start, end }, index) => {
      expect(index).toBe(seen.length);
      const members = Object.assign({}, value); // the next record replaces them
      seen.push({ members, text: body.toString("utf8", start, end + 1) });
    },
    warn,
  );
  expect(seen).toHaveLength(page.records.length);
  return { envelope: page.envelope, seen };
}

const REST = '"next_cursor":null,"as_of":"2026-01-10T00:00:00Z"';
const pageOf = (records: readonly string[], rest = REST): Buffer =>
  Buffer.from(`{"data":[${records.join(",")}],${rest}}`);

/** Compares a page with JSON.parse: either it is not plain, or the scanner reads the same values. Gives whether it is plain. */
function agrees(body: Buffer): boolean {
  const found = scanned(body);
  if (found === null) return false;
  const { data, ...rest } = JSON.parse(body.toString("utf8"));
  expect(found.envelope).toEqual({ ...rest, data: [] });
  expect(found.seen.map(({ members }) => members)).toEqual(data);
  expect(found.seen.map(({ text }) => text)).toEqual(
    data.map((each: unknown) => JSON.stringify(each)),
  );
  return true;
}

const name = fc.oneof(
  fc.constantFrom("a", "b", "data", "constructor", "__proto__", "x_ReadingId", "7", "é", ""),
  fc.string({ maxLength: 4 }),
);
const value = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("", "one", "another", "null", "2026-01-01", "},{", null),
  },
  { weight: 4, arbitrary: fc.string({ maxLength: 6 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(1.5, true, [], {}) },
);
const record = fc.dictionary(name, value, { minKeys: 1, maxKeys: 6 });
/** Records that are alike, as those of a page are: each a change of a first one. */
const alike = fc
  .tuple(
    fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom("x", "yy", null), {
      minKeys: 1,
    }),
    fc.array(
      fc.dictionary(fc.constantFrom("a", "b", "c", "e"), fc.oneof(fc.string(), fc.constant(null))),
    ),
  )
  .map(([first, changes]) => [first, ...changes.map((change) => ({ ...first, ...change }))]);
const records = fc.oneof(fc.array(record, { maxLength: 8 }), alike);

describe("scanPage()", () => {
  test("takes plain records of many shapes, texts in any script", () => {
    const all = [
      { id: "1", name: "José", tier: null },
      { id: "2", name: "José", tier: "null" },
      { id: "2", name: "東京", tier: null },
      { id: "3", tier: "b" },
      { id: "44", name: "José", tier: "" },
      { id: "3", tier: "b" },
    ];
    expect(agrees(pageOf(all.map((each) => JSON.stringify(each))))).toBe(true);
    expect(agrees(pageOf(all.slice(3, 4).map((each) => JSON.stringify(each))))).toBe(true);
    expect(agrees(pageOf([]))).toBe(true);
  });

  test("finds the list wherever it stands in the page", () => {
    const body = Buffer.from(`{${REST}, "data":[{"a":"1"},{"a":"2"}]}`);
    expect(agrees(body)).toBe(true);
  });

  test.each([
    ["an escape", '{"a":"\\n"}'],
    ["a control character", '{"a":"\t"}'],
    ["a number", '{"a":1}'],
    ["a blank", '{"a": "b"}'],
    ["an empty record", "{}"],
    ["a text in place of a record", '"a"'],
    ["a member given twice", '{"a":"1","a":"2"}'],
    ["a number for a name", '{"b":"1","7":"2"}'],
    ["a prototype", '{"__proto__":"x"}'],
    ["the property that we add", '{"x_ReadingId":"theirs"}'],
    ["a line separator", '{"a":"\u2028"}'],
    ["a paragraph separator", '{"a":"\u2029"}'],
    ["a next line", '{"a":"\u0085"}'],
    [
      "more members than any record has",
      JSON.stringify(Object.fromEntries(Array.from({ length: 97 }, (_, at) => [`a${at}`, ""]))),
    ],
  ])("leaves %s to the plain path, first in a page and after others", (_what, odd) => {
    expect(scanned(pageOf([odd]))).toBeNull();
    expect(scanned(pageOf(['{"a":"1"}', '{"a":"2"}', odd, '{"a":"3"}']))).toBeNull();
  });

  test.each([
    ["two lists of records", '{"data":[{"a":"1"}],"data":[{"a":"2"}]}'],
    ["a list that lies deeper", '{"page":{"data":[{"a":"1"}]},"next_cursor":null}'],
    ["a comma too many", '{"data":[{"a":"1"},],"next_cursor":null}'],
    ["a body that ends early", '{"data":[{"a":"1"},{"a":"2"'],
    ["more after its end", '{"data":[{"a":"1"}]} {'],
    ["a byte order mark", '\uFEFF{"data":[{"a":"1"}]}'],
    ["no object", '["data":[{"a":"1"}]]'],
    ["no list", '{"next_cursor":null}'],
  ])("leaves a page with %s to the plain path", (_what, body) => {
    expect(scanned(Buffer.from(body))).toBeNull();
  });

  test("leaves what is no UTF-8 to the plain path", () => {
    const body = pageOf(['{"a":"?"}']);
    body[body.indexOf("?")] = 0xe9;
    expect(scanned(body)).toBeNull();
  });

  test("is what JSON.parse says, or nothing, for arbitrary records", () => {
    let plain = 0;
    fc.assert(
      fc.property(records, (all) => {
        if (agrees(pageOf(all.map((each) => JSON.stringify(each))))) plain += 1;
      }),
      { numRuns: 2000 },
    );
    expect(plain).toBeGreaterThan(200);
  });

  test("is what JSON.parse says, or nothing, where bytes were changed", () => {
    const change = fc.record({
      at: fc.nat(),
      cut: fc.integer({ min: 0, max: 3 }),
      put: fc.constantFrom(
        "",
        '"',
        ",",
        "}",
        "{",
        "[",
        "]",
        ":",
        "null",
        '",',
        '"a":',
        "\n",
        "x",
        "\u0085",
        '"data":[',
      ),
    });
    fc.assert(
      fc.property(alike, fc.array(change, { minLength: 1, maxLength: 3 }), (all, changes) => {
        let body = pageOf(all.map((each) => JSON.stringify(each)));
        for (const { at, cut, put } of changes) {
          const from = at % body.length;
          body = Buffer.concat([
            body.subarray(0, from),
            Buffer.from(put),
            body.subarray(from + cut),
          ]);
        }
        agrees(body);
      }),
      { numRuns: 5000 },
    );
  });
});

test("L1: a page of records without number is not plain", () => {
  const isPlain = (count: number): boolean =>
    scanPage(pageOf(Array.from({ length: count }, () => '{"a":null}')), () => undefined) !== null;
  expect(isPlain(200_000)).toBe(true);
  expect(isPlain(300_000)).toBe(false);
});
