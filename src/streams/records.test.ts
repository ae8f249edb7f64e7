import fc from "fast-check";
import { expect, test } from "vitest";
import { MAXIMUM_EMPTY_PAGES } from "../core/listing.ts";
import { Sightings } from "../core/sightings.ts";
import { DAY } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import type { Fields } from "../records/fields.ts";
import { ParsedRecords } from "../records/parsed.ts";
import { scanPage } from "../records/scan.ts";
import { costs } from "./costs.ts";
import type { WindowContext } from "./record_filter.ts";
import { judgePage, type LineOptions, type Lines } from "./records.ts";
import type { RecordRules } from "./invalid.ts";
import { Strays } from "./strays.ts";
import { costRecord, DAY_ONE, usageRecord } from "./testing.ts";
import { usage } from "./usage.ts";

type OfContext =
  | "window"
  | "planFrom"
  | "planEnd"
  | "withTotals"
  | "memory"
  | "purpose"
  | "writes"
  | "strays"
  | "form";
interface Changes
  extends Partial<Omit<RecordRules, "warn">>, Partial<Pick<WindowContext, OfContext>> {}

function contextOf(changes: Changes = {}): WindowContext & { warnings: string[] } {
  const warnings: string[] = [];
  const { stream = usage, granularity = "1d", invalidRecords = "fail" } = changes;
  return {
    rules: {
      stream,
      granularity,
      invalidRecords,
      warn: (kind, message) => void warnings.push(`${kind}: ${message}`),
    },
    window: changes.window ?? { start: DAY_ONE, end: DAY_ONE + DAY },
    readingId: "r1",
    planFrom: changes.planFrom ?? DAY_ONE,
    planEnd: changes.planEnd ?? DAY_ONE + 31 * DAY,
    withTotals: changes.withTotals ?? false,
    memory: changes.memory ?? new Sightings().open(),
    purpose: changes.purpose ?? { kind: "window", withStrays: true },
    writes: changes.writes ?? (() => true),
    strays: changes.strays ?? new Strays([]),
    form: changes.form ?? "present",
    warnings,
  };
}

const doubtful: Range = { start: Infinity, end: Infinity };
const options: LineOptions = {
  emittedAt: 7,
  take: (length) => Buffer.alloc(length),
  also: [],
};

/** A page from its body's text, as the wire has it: scanned where it is plain, else parsed. */
const fromText = (body: string, context: WindowContext, more = options): Lines => {
  const plain = scanPage(Buffer.from(body), () => undefined);
  return judgePage({ records: plain?.records ?? parsedFrom(body), doubtful }, context, false).write(
    more,
  );
};
const parsedFrom = (body: string, release = (): void => undefined): ParsedRecords => {
  const { data }: { data: unknown[] } = JSON.parse(body);
  return new ParsedRecords(data, body, release);
};
const fromRecords = (records: readonly unknown[], context: WindowContext, more = options): Lines =>
  fromText(JSON.stringify({ data: records }), context, more);
const textOf = ({ bytes }: Lines): string => bytes.toString("utf8");
const dataOf = (lines: Lines): Fields[] =>
  textOf(lines)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).record.data);

/** Pages for both ways to lines: a plain page is scanned; a page with spaces inside records is not plain and is written again. */
const PATHS = [
  ["plain", (records: readonly unknown[]) => JSON.stringify({ data: records })],
  ["rewritten", (records: readonly unknown[]) => JSON.stringify({ data: records }, null, 2)],
] as const;

test.each(PATHS)(
  "R3: a record of a %s page is emitted as it came, its reading's id last",
  (_path, bodyOf) => {
    const start = "2026-01-01T00:00:00+00:00";
    const record = usageRecord("a", { ChargePeriodStart: start });
    const lines = fromText(bodyOf([record]), contextOf());
    expect(textOf(lines)).toBe(
      `{"type":"RECORD","record":{"stream":"usage","data":${JSON.stringify(record).slice(0, -1)},` +
        `"x_ReadingId":"r1"},"emitted_at":7}}\n`,
    );
    expect(lines).toMatchObject({ count: 1, records: 1 });
  },
);

test.each(PATHS)(
  "R3: members of a %s page that the interface does not name stay, and stand in x_ProviderColumns",
  (path, bodyOf) => {
    const record = usageRecord("a", { x_Foo: "bär", x_Bar: null });
    const plain = usageRecord("b");
    const isScanned = scanPage(Buffer.from(bodyOf([record, plain])), () => undefined) !== null;
    expect(isScanned).toBe(path === "plain");
    const lines = fromText(bodyOf([record, plain]), contextOf());
    expect(dataOf(lines)).toEqual([
      { ...record, x_ProviderColumns: { x_Foo: "bär", x_Bar: null }, x_ReadingId: "r1" },
      { ...plain, x_ReadingId: "r1" },
    ]);
    expect(Object.keys(dataOf(lines)[0] ?? {}).slice(-2)).toEqual([
      "x_ProviderColumns",
      "x_ReadingId",
    ]);
  },
);

test("R3: a provider's own x_ReadingId and x_ProviderColumns give way to ours and stand there", () => {
  const own = { x_ReadingId: "theirs", x_ProviderColumns: { a: [1] } };
  const lines = fromRecords([usageRecord("a", own)], contextOf());
  expect(dataOf(lines)[0]).toEqual({
    ...usageRecord("a"),
    x_ProviderColumns: own,
    x_ReadingId: "r1",
  });
  expect(textOf(lines).split('"theirs"')).toHaveLength(2); // no member stands twice in a line
});

test.each([
  ["a number for text", { ConsumedQuantity: 12.5 }, "ConsumedQuantity must be string"],
  ["an exponent", { ConsumedQuantity: "1e-7" }, "ConsumedQuantity must match pattern"],
  ["a plus sign", { ConsumedQuantity: "+1" }, "ConsumedQuantity must match pattern"],
  ["a line feed after a decimal", { ConsumedQuantity: "1\n" }, "ConsumedQuantity must match"],
  ["no leading zero", { ConsumedQuantity: ".5" }, "ConsumedQuantity must match pattern"],
  ["another offset", { x_RecordUpdatedAt: "2026-01-02T00:00:00+02:00" }, "x_RecordUpdatedAt"],
  ["an impossible date", { x_RecordUpdatedAt: "2026-02-30T00:00:00Z" }, "x_RecordUpdatedAt"],
  ["no instant", { ChargePeriodEnd: "" }, "ChargePeriodEnd"],
  ["an instant without zone", { ChargePeriodEnd: "2026-01-02T00:00:00" }, "ChargePeriodEnd"],
  ["a missing member", { ServiceName: undefined }, 'property "ServiceName" is missing'],
  ["another granularity", { x_Granularity: "1h" }, 'x_Granularity must be "1d"'],
  ["another category", { ServiceCategory: "Compute" }, '"AI and Machine Learning"'],
  ["a usage type of nobody's", { x_UsageType: "dreams" }, "x_UsageType must match pattern"],
])("V1: %s fails the stream, or passes with a warning", (_what, changes, rule) => {
  const record = usageRecord("a", changes);
  expect(() => fromRecords([record], contextOf())).toThrow(
    expect.objectContaining({ code: "invalid_record", message: expect.stringContaining(rule) }),
  );
  const tolerant = contextOf({ invalidRecords: "warn" });
  const lines = fromRecords([record], tolerant);
  expect(dataOf(lines)[0]).toEqual(JSON.parse(JSON.stringify({ ...record, x_ReadingId: "r1" })));
  expect(tolerant.warnings).toEqual([expect.stringContaining(rule)]);
});

test.each([
  ["no object", "text"],
  ["null", null],
  ["a list", []],
  ["no id", usageRecord("")],
  ["no charge period", usageRecord("a", { ChargePeriodStart: undefined })],
  ["a charge period that is no text", usageRecord("a", { ChargePeriodEnd: 5 })],
])("V1: a record with %s always fails", (_what, record) => {
  const context = contextOf({ invalidRecords: "warn" });
  expect(() => fromRecords([usageRecord("ok"), record], context)).toThrow(
    expect.objectContaining({ code: "invalid_record" }),
  );
});

test.each(PATHS)(
  "V1: a tolerated record of a %s page without a start counts on the window's first day",
  (_path, bodyOf) => {
    const context = contextOf({ invalidRecords: "warn" });
    const lines = fromText(bodyOf([usageRecord("a", { ChargePeriodStart: "" })]), context);
    expect(lines).toMatchObject({ count: 1, records: 1, hasStrays: false });
    expect(lines.digests.map(({ day }) => day)).toEqual([DAY_ONE]);
  },
);

test("V1: a record nested too deeply is an error that says so, wherever the nesting is", () => {
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  for (const member of ["x_Extra", "SkuMeter"]) {
    const body = JSON.stringify({ data: [usageRecord("a", { [member]: "HERE" })] });
    const context = contextOf({ invalidRecords: "warn" });
    expect(() => fromText(body.replace('"HERE"', deep), context)).toThrow(
      expect.objectContaining({
        code: "invalid_record",
        message: expect.stringContaining("nested too deeply"),
      }),
    );
  }
});

test("V1: an object where a text should be passes, whatever its members are called", () => {
  const odd = { toString: 1, valueOf: null };
  const used = usageRecord("a", { x_RecordUpdatedAt: odd, x_UsageType: odd, ConsumedUnit: odd });
  const lines = fromRecords([used], contextOf({ invalidRecords: "warn", withTotals: true }));
  expect(dataOf(lines)).toEqual([{ ...used, x_ReadingId: "r1" }]);
  const cost = costRecord("b", { BillingCurrency: odd, ChargeCategory: odd });
  const context = contextOf({
    stream: costs,
    granularity: null,
    invalidRecords: "warn",
    withTotals: true,
  });
  expect(dataOf(fromRecords([cost], context))).toEqual([{ ...cost, x_ReadingId: "r1" }]);
});

test("a tolerated currency of any name breaks no sum", () => {
  const records = ["constructor", "__proto__", "eur", "EUR"].map((currency, index) =>
    costRecord(`c${index}`, { BillingCurrency: currency, x_CostStatus: "provisional" }),
  );
  const context = contextOf({ stream: costs, granularity: null, invalidRecords: "warn" });
  const { provisional, count } = fromRecords(records, context);
  expect(count).toBe(4);
  expect(provisional.map(({ records: number, billed }) => [number, Object.keys(billed)])).toEqual([
    [4, ["EUR"]],
  ]);
});

test("L4: a record's id is cleaned before a message shows it", () => {
  const id = `\u001b[31ma\nb\u202e${"x".repeat(300)}`;
  const context = contextOf({ invalidRecords: "warn" });
  fromRecords([usageRecord(id, { ServiceName: "" })], context);
  expect(context.warnings[0]).toContain(`"a b${"x".repeat(197)}…"`);
});

test("V1: the message names the record and the way out, and no value of it", () => {
  const record = usageRecord("rec-7", { ConsumedQuantity: "secret-value" });
  expect(() => fromRecords([record], contextOf())).toThrow(/"rec-7".*invalid_records to "warn"/s);
  expect(() => fromRecords([record], contextOf())).not.toThrow(/secret-value/);
});

test("V3: numbers in unknown properties keep every digit", () => {
  const numbers = "1.0, 12345678901234567890.123456789, 1E400, -0, 0.1000";
  const body = JSON.stringify({ data: [usageRecord("a", { x_Extra: "HERE" }), usageRecord("b")] });
  const lines = fromText(body.replace('"HERE"', `{"deep":[${numbers}]}`), contextOf());
  const extra = `"x_Extra":{"deep":[${numbers.replaceAll(" ", "")}]}`;
  expect(textOf(lines).split("\n")[0]).toContain(
    `${extra},"x_ProviderColumns":{${extra}},"x_ReadingId":"r1"}`,
  );
  expect(lines.count).toBe(2);
});

test("L1: a decimal that is too long to be added up passes as it is, and its day has no totals", () => {
  const quantity = "7".repeat(1_000_000);
  const records = [usageRecord("a"), usageRecord("b", { ConsumedQuantity: quantity })];
  const lines = fromRecords(records, contextOf({ withTotals: true }));
  expect(dataOf(lines)[1]?.["ConsumedQuantity"]).toBe(quantity);
  expect(lines.totals).toMatchObject([{ records: 2, groups: null }]);
  const cost = costRecord("c", { BilledCost: quantity });
  const context = contextOf({ stream: costs, granularity: null });
  expect(fromRecords([cost], context).provisional).toMatchObject([{ records: 1, billed: {} }]);
});

test("V3: decimals of any length stay as they are", () => {
  const long = `${"9".repeat(400)}.${"0".repeat(30)}1`;
  for (const ConsumedQuantity of [long, "-0", "-0.00", "1.10"]) {
    const [data] = dataOf(fromRecords([usageRecord("a", { ConsumedQuantity })], contextOf()));
    expect(data?.["ConsumedQuantity"]).toBe(ConsumedQuantity);
  }
});

test("V2: unknown properties pass, whatever their names", () => {
  const body = `{"data":[${JSON.stringify(usageRecord("a")).slice(0, -1)},"__proto__":{"x":1},"constructor":null}]}`;
  const text = textOf(fromText(body, contextOf()));
  expect(text).toContain('"__proto__":{"x":1}');
  expect(text).toContain('"constructor":null');
});

test("V4: a line is a line to every reader", () => {
  const marks = "\u0085\u2028\u2029";
  const lines = fromRecords(
    [usageRecord("a", { ServiceName: `x${marks}y` }), usageRecord("b")],
    contextOf(),
  );
  expect(textOf(lines).split(/[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/)).toHaveLength(3);
  expect(dataOf(lines)[0]?.["ServiceName"]).toBe(`x${marks}y`);
});

test("V4: half a character becomes U+FFFD with a warning; escapes that look like one stay", () => {
  const context = contextOf();
  const ServiceName = "a\ud800b \\ud800 \u{1f600}";
  const lines = fromRecords([usageRecord("a", { ServiceName })], context);
  expect(dataOf(lines)[0]?.["ServiceName"]).toBe("a\ufffdb \\ud800 \u{1f600}");
  expect(context.warnings).toHaveLength(1);
  expect(lines.bytes.toString("utf8").isWellFormed()).toBe(true);
});

test("V4: x_ProviderColumns is fit for a line too", () => {
  const context = contextOf();
  const lines = fromRecords([usageRecord("a", { x_note: "a\u2028b\ud800" })], context);
  expect(dataOf(lines)[0]?.["x_ProviderColumns"]).toEqual({ x_note: "a\u2028b\ufffd" });
  expect(textOf(lines)).not.toMatch(/\u2028|\\ud800/);
});

test("P5: what a provider repeats is emitted once, in a page and across pages", () => {
  const context = contextOf();
  const first = fromRecords([usageRecord("a"), usageRecord("b"), usageRecord("a")], context);
  expect(dataOf(first).map((data) => data["x_RecordId"])).toEqual(["a", "b"]);
  expect(first).toMatchObject({ count: 2, records: 2 });
  const second = fromRecords([usageRecord("b"), usageRecord("c")], context);
  expect(dataOf(second).map((data) => data["x_RecordId"])).toEqual(["c"]);
});

test("P5: two versions of one id are both emitted; a warning where neither is the newer", () => {
  const context = contextOf();
  const newer = usageRecord("a", { x_RecordUpdatedAt: "2026-01-03T00:00:00Z" });
  expect(fromRecords([usageRecord("a"), newer], context).count).toBe(2);
  expect(context.warnings).toEqual([]);
  const other = usageRecord("a", { ConsumedQuantity: "9" });
  expect(fromRecords([other], context).count).toBe(1);
  expect(context.warnings).toEqual([expect.stringContaining('"a" came twice')]);
});

const STRAY_WINDOW = { start: DAY_ONE + DAY, end: DAY_ONE + 2 * DAY };
const allOf = (strays: Strays): ReadonlySet<string> =>
  strays.pending.toWrite(STRAY_WINDOW, () => false);

test("P5: a record that starts outside its window waits, and is neither written nor counted with it", () => {
  const strays = new Strays([]);
  const window = STRAY_WINDOW;
  const context = contextOf({ window, strays, withTotals: true });
  const own = usageRecord("own", { ChargePeriodStart: "2026-01-02T00:00:00Z" });
  const lines = fromRecords([usageRecord("stray"), own], context);
  expect(dataOf(lines).map((data) => data["x_RecordId"])).toEqual(["own"]);
  expect(lines).toMatchObject({ records: 1, hasStrays: true, standing: [] });
  expect(lines.digests.map(({ day, records }) => [day, records])).toEqual([[DAY_ONE + DAY, 1]]);
  expect(strays.pendingDays()).toEqual([DAY_ONE]);
  expect(strays.hasPending(window)).toBe(true);
});

test("P5: a stray is no stray once a window returned it as its own, whichever window is first", () => {
  const windows = [{ start: DAY_ONE, end: DAY_ONE + DAY }, STRAY_WINDOW];
  for (const order of [windows, windows.toReversed()]) {
    const strays = new Strays([]);
    const sightings = new Sightings();
    const counts = order.map((window) => {
      const context = contextOf({ window, strays, memory: sightings.open() });
      return fromRecords([usageRecord("edge")], context).count;
    });
    expect(counts).toEqual(order === windows ? [1, 0] : [0, 1]);
    expect(strays.pendingDays()).toEqual([]);
  }
});

test("L3 R10: a second reading notes that its listing goes on, also by records of days that it does not compare", () => {
  const memory = new Sightings().open();
  const purpose = { kind: "confirm", days: [] } as const;
  const window = { start: DAY_ONE, end: DAY_ONE + DAY };
  for (let page = 0; page <= MAXIMUM_EMPTY_PAGES; page++) {
    fromRecords([usageRecord(`r${page}`)], contextOf({ window, memory, purpose }));
    expect(memory.endPage(null)).toBeNull();
  }
});

test("P5: a reading for strays writes those that are asked for, with totals of their own", () => {
  const strays = new Strays([]);
  const window = STRAY_WINDOW;
  const records = [usageRecord("a"), usageRecord("b")];
  fromRecords(records.slice(0, 1), contextOf({ window, strays }));
  const ids = allOf(strays);
  const context = contextOf({
    window,
    strays,
    withTotals: true,
    purpose: { kind: "strays", ids },
  });
  const lines = fromRecords(
    [...records, usageRecord("c", { ChargePeriodStart: "2026-01-02T00:00:00Z" })],
    context,
  );
  expect(dataOf(lines).map((data) => data["x_RecordId"])).toEqual(["a"]);
  expect(lines.strays.ids).toEqual(ids);
  expect([...lines.strays.rows.values()]).toMatchObject([{ day: DAY_ONE }]);
  expect(lines.totals).toMatchObject([{ day: DAY_ONE, inside: false, records: 1 }]);
});

test("P5: a reading for strays writes all that comes under their ids, but no row that stands or that another window owns", () => {
  const strays = new Strays([]);
  const sightings = new Sightings();
  const of = (purpose: WindowContext["purpose"], window = STRAY_WINDOW) =>
    contextOf({ window, strays, purpose, memory: sightings.open() });
  const [a, b, c] = ["a", "b", "c"].map((id) => usageRecord(id));
  fromRecords([a, b, c], of({ kind: "window", withStrays: true }));
  const ids = allOf(strays);
  const restated = (id: string) => usageRecord(id, { x_RecordUpdatedAt: "2026-01-03T00:00:00Z" });
  fromRecords(
    [restated("b")],
    of({ kind: "window", withStrays: true }, { start: DAY_ONE, end: DAY_ONE + DAY }),
  );
  const lines = fromRecords([restated("a"), restated("b")], of({ kind: "strays", ids }));
  expect(dataOf(lines)).toMatchObject([restated("a")]);
  expect(lines.strays.ids.size).toBe(2);
  expect(strays.wrote(ids, lines.strays, STRAY_WINDOW, "r1")).toBe(1);
  expect(allOf(strays).size).toBe(0);
  const again = fromRecords([restated("a")], of({ kind: "strays", ids }));
  expect(again).toMatchObject({ count: 0, strays: { ids: new Set([...ids].slice(0, 1)) } });
});

/** The strays that a state knows after a sync has written a record as a stray of {@link STRAY_WINDOW}. */
function straysWith(record: Fields, changes: Changes = {}): Strays {
  const strays = new Strays([]);
  const of = { ...changes, window: STRAY_WINDOW, strays };
  fromRecords([record], contextOf(of));
  const purpose = { kind: "strays", ids: allOf(strays) } as const;
  const written = fromRecords([record], contextOf({ ...of, purpose }));
  strays.wrote(purpose.ids, written.strays, STRAY_WINDOW, "r0");
  return new Strays(strays.known);
}

test("P5: a stray that an earlier sync wrote is reported as standing, and not written again", () => {
  const strays = straysWith(usageRecord("a"));
  const lines = fromRecords([usageRecord("a")], contextOf({ window: STRAY_WINDOW, strays }));
  const standing = [{ day: DAY_ONE, rowsReadingId: "r0", records: 1 }];
  expect(lines).toMatchObject({ count: 0, hasStrays: false, standing });
});

test("P5: a stray that a provider repeats within one reading is written, counted and reported once", () => {
  const strays = new Strays([]);
  const window = STRAY_WINDOW;
  const twice = [usageRecord("a"), usageRecord("a")];
  fromRecords(twice, contextOf({ window, strays }));
  const purpose = { kind: "strays", ids: allOf(strays) } as const;
  const lines = fromRecords(twice, contextOf({ window, strays, purpose, withTotals: true }));
  expect(lines).toMatchObject({ count: 1, records: 1, totals: [{ records: 1 }] });
  strays.wrote(purpose.ids, lines.strays, window, "r0");
  const next = fromRecords(twice, contextOf({ window, strays: new Strays(strays.known) }));
  expect(next.standing).toEqual([{ day: DAY_ONE, rowsReadingId: "r0", records: 1 }]);
});

test("P5: what a restart brings again is not emitted, but counts for its reading", () => {
  const first = contextOf({ stream: costs, granularity: null, withTotals: true });
  const before = fromRecords([costRecord("a"), costRecord("b")], first);
  first.memory.restart();
  const again = fromRecords([costRecord("a"), costRecord("c")], first);
  expect(before).toMatchObject({ count: 2, records: 2 });
  expect(again).toMatchObject({ count: 1, records: 2 });
  expect(again.totals[0]).toMatchObject({ records: 2, inside: true, day: DAY_ONE });
  expect(again.provisional).toEqual([{ day: DAY_ONE, records: 2, billed: { USD: "2.2" } }]);
});

test("R2: provisional costs are counted by day in exact sums, final ones are not", () => {
  const records = [
    costRecord("a", { BilledCost: "0.1" }),
    costRecord("b", { BilledCost: "0.2" }),
    costRecord("c", { BilledCost: "5", BillingCurrency: "EUR" }),
    costRecord("d", { x_CostStatus: "final" }),
  ];
  const lines = fromRecords(records, contextOf({ stream: costs, granularity: null }));
  expect(lines.provisional).toEqual([
    { day: DAY_ONE, records: 3, billed: { USD: "0.3", EUR: "5" } },
  ]);
});

test("R2: a provisional cost of many days is kept under the day of its start, whichever window returns it", () => {
  const month = costRecord("m", { ChargePeriodEnd: "2026-02-01T00:00:00Z" });
  const windowOf = (day: number): { start: number; end: number } => ({
    start: DAY_ONE + day * DAY,
    end: DAY_ONE + (day + 1) * DAY,
  });
  const daysOf = (day: number, planFrom: number): number[] => {
    const context = contextOf({
      stream: costs,
      granularity: null,
      window: windowOf(day),
      planFrom,
    });
    return fromRecords([month], context).provisional.map((entry) => entry.day);
  };
  expect(daysOf(0, DAY_ONE)).toEqual([DAY_ONE]);
  expect(daysOf(1, DAY_ONE)).toEqual([]);
  expect(daysOf(3, DAY_ONE + 3 * DAY)).toEqual([DAY_ONE + 3 * DAY]); // where reading begins
  expect(daysOf(-5, DAY_ONE - 9 * DAY)).toEqual([DAY_ONE - 5 * DAY]); // no part of it lies in the window
});

test("R2 S6: every reading that is judged counts the provisional costs of strays, whatever its purpose", () => {
  const long = costRecord("m", { ChargePeriodEnd: "2026-02-01T00:00:00Z" });
  const provisionalFor = (purpose: WindowContext["purpose"]): Lines["provisional"] => {
    const context = contextOf({
      stream: costs,
      granularity: null,
      window: STRAY_WINDOW,
      planFrom: STRAY_WINDOW.start,
      purpose,
    });
    return fromRecords([long], context).provisional;
  };
  const counted = [{ day: STRAY_WINDOW.start, records: 1, billed: { USD: "1.1" } }];
  expect(provisionalFor({ kind: "window", withStrays: true })).toEqual(counted);
  expect(provisionalFor({ kind: "window", withStrays: false })).toEqual(counted);
  expect(provisionalFor({ kind: "rewrite" })).toEqual(counted);
  expect(provisionalFor({ kind: "look", days: [] })).toEqual([]);
});

test("R2: a stray that is written counts under the day of its start, unless that day lies before the plan or far behind it", () => {
  const dayOf = (
    planFrom: number,
    start: string,
    planEnd = DAY_ONE + 31 * DAY,
  ): number | undefined => {
    const strays = new Strays([]);
    const record = costRecord("m", {
      ChargePeriodStart: start,
      ChargePeriodEnd: "2026-02-01T00:00:00Z",
    });
    const plan = { planFrom, planEnd };
    const context = { stream: costs, granularity: null, window: STRAY_WINDOW, ...plan, strays };
    fromRecords([record], contextOf(context));
    const purpose = { kind: "strays", ids: allOf(strays) } as const;
    return fromRecords([record], contextOf({ ...context, purpose })).provisional[0]?.day;
  };
  expect(dayOf(DAY_ONE, "2026-01-01T00:00:00Z")).toBe(DAY_ONE);
  expect(dayOf(DAY_ONE, "2026-01-03T00:00:00Z")).toBe(STRAY_WINDOW.end);
  expect(dayOf(STRAY_WINDOW.start, "2026-01-01T00:00:00Z")).toBe(STRAY_WINDOW.start);
  expect(dayOf(DAY_ONE, "2027-01-05T00:00:00Z", STRAY_WINDOW.end)).toBe(STRAY_WINDOW.end - DAY);
});

test("R2: a written stray counts on its day in the window that wrote it, unless that day lies before the plan", () => {
  const long = costRecord("m", { ChargePeriodEnd: "2026-02-01T00:00:00Z" });
  const of = { stream: costs, granularity: null } as const;
  const window = { start: STRAY_WINDOW.end, end: STRAY_WINDOW.end + DAY };
  const daysOf = (planFrom: number): number[] => {
    const context = contextOf({ ...of, window, planFrom, strays: straysWith(long, of) });
    return fromRecords([long], context).provisional.map(({ day }) => day);
  };
  expect(daysOf(STRAY_WINDOW.start)).toEqual([]);
  expect(daysOf(window.start)).toEqual([window.start]);
});

test("V4: a label of control totals has U+FFFD for half a character, like the record that is written", () => {
  const records = ["\ud800", "\udc00"].map((unit, index) =>
    usageRecord(`${index}`, { ConsumedUnit: unit }),
  );
  const { totals, bytes } = fromRecords(records, contextOf({ withTotals: true }));
  expect(bytes.toString()).toContain('"ConsumedUnit":"\uFFFD"');
  expect(totals).toMatchObject([{ groups: [{ labels: { unit: "\uFFFD" }, records: 2 }] }]);
});

test("R5: control totals by day and group, without records that start outside the window", () => {
  const records = [
    usageRecord("a"),
    usageRecord("b", { ConsumedQuantity: "0.5" }),
    usageRecord("c", { x_UsageType: "requests", ConsumedUnit: "Requests" }),
    usageRecord("d", { ChargePeriodStart: "2025-12-31T00:00:00Z" }),
  ];
  const { totals } = fromRecords(records, contextOf({ withTotals: true }));
  expect(totals).toEqual([
    {
      day: DAY_ONE,
      inside: true,
      records: 3,
      groups: [
        {
          labels: { usage_type: "input_tokens", unit: "Tokens" },
          amounts: { quantity: "13" },
          records: 2,
        },
        {
          labels: { usage_type: "requests", unit: "Requests" },
          amounts: { quantity: "12.50" },
          records: 1,
        },
      ],
    },
  ]);
});

const columnsOf = (record: Fields): Fields => {
  const foreign = Object.entries(record).filter(([name]) => !usage.schema.isNamed(name));
  return foreign.length === 0 ? {} : { x_ProviderColumns: Object.fromEntries(foreign) };
};

test("the hot path equals the plain path on arbitrary pages", { timeout: 30_000 }, () => {
  const record = fc.record({
    id: fc.string({ minLength: 1, maxLength: 3, unit: "binary" }),
    name: fc.string({ minLength: 1, unit: "binary" }),
    extra: fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 20 }), (parts) => {
      const records = parts.map(({ id, name, extra }) =>
        usageRecord(id, { ServiceName: name, ...(extra === undefined ? {} : { x_Extra: extra }) }),
      );
      const body = JSON.stringify({ data: records });
      const lines = fromText(body, contextOf());
      const parsed = judgePage({ records: parsedFrom(body), doubtful }, contextOf(), false).write(
        options,
      );
      expect(textOf(lines)).toBe(textOf(parsed));
      expect(lines.digests).toEqual(parsed.digests);
      const plain = new Map<string, Fields>();
      for (const data of JSON.parse(body).data) {
        plain.set(JSON.stringify(data), { ...data, ...columnsOf(data), x_ReadingId: "r1" });
      }
      expect(dataOf(lines)).toEqual([...plain.values()]);
      expect(textOf(lines).split("\n")).toHaveLength(lines.count + 1);
    }),
  );
});

/** A record's data as it is written: `x_ReadingId` is ours; the provider's is in `x_ProviderColumns`, as all unnamed members. */
function expectedOf(json: string): Fields {
  const record: Fields = JSON.parse(json);
  const { x_ReadingId: _, ...own } = record;
  return { ...own, ...columnsOf(record), x_ReadingId: "r1" };
}

test(
  "records are taken out of their page only where that is what they say",
  { timeout: 30_000 },
  () => {
    // Texts that look like the seam between two records, or make a record longer than necessary.
    const tricks = [
      "",
      "},{",
      '"},{"a',
      "},{a",
      "}]",
      "[",
      "\\",
      "\n",
      "é",
      "\u2028",
      "data",
      "\ud800",
    ];
    const text = fc
      .array(fc.oneof(fc.constantFrom(...tricks), fc.constantFrom("a", "B", " ")), { maxLength: 4 })
      .map((parts) => parts.join(""));
    const member = fc.constantFrom(
      '"x_New":"new"',
      '"x_New":{"deep":"}"}',
      '"x_New":[{"a":"b"},{"c":"d"}]',
      '"x_New":1.50',
      '"x_New":"1","x_New":"22"',
      '"x_ReadingId":"theirs"',
      '"7":"first"',
      '"":null',
    );
    const record = fc.record({ name: text, more: fc.option(member, { freq: 8 }) });
    const layout = fc.constantFrom(
      (records: readonly string[]) => `{"data":[${records.join(",")}]}`,
      (records: readonly string[]) =>
        `{"data":[{"a":"b"},{"c":"d"}],"data":[${records.join(",")}]}`,
      (records: readonly string[]) => `{ "data" : [ ${records.join(" , ")} ] }`,
      (records: readonly string[]) => `{"data":[${records.join("\n,")}],"meta":{"e":[{"f":"g"}]}}`,
    );
    fc.assert(
      fc.property(fc.array(record, { maxLength: 6 }), layout, (parts, layOut) => {
        const members = parts.map(({ name, more }, index) => {
          const plain = JSON.stringify(usageRecord(`id${index}`, { ServiceName: `s${name}` }));
          return more === null ? plain : `${plain.slice(0, -1)},${more}}`;
        });
        const lines = fromText(layOut(members), contextOf());
        const expected = members.map((json) => expectedOf(json.replaceAll(/\\ud800/g, "\ufffd")));
        expect(dataOf(lines)).toEqual(expected);
        expect(textOf(lines).split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(lines.count + 1);
      }),
      { numRuns: 500 },
    );
  },
);

test("a record is the same to P5 whether it was copied or written again", () => {
  const context = contextOf();
  const records = ["a", "b", "c"].map((id) => usageRecord(id));
  expect(fromRecords(records, context).count).toBe(3);
  expect(fromText(JSON.stringify({ data: records }, null, 2), context).count).toBe(0);
  expect(fromRecords(records.toReversed(), context).count).toBe(0);
});

const dayTwo = { ChargePeriodStart: "2026-01-02T00:00:00Z" };
const twoDays = { start: DAY_ONE, end: DAY_ONE + 2 * DAY };
const idsOf = (lines: Lines): unknown[] => dataOf(lines).map((data) => data["x_RecordId"]);

test("R6: a known day is counted and digested, but written only where the page is all of its window and it differs", () => {
  const records = [usageRecord("a"), usageRecord("b", dayTwo)];
  const known = { window: twoDays, writes: () => false, withTotals: true };
  const compared = fromRecords(records, contextOf(known));
  expect(compared).toMatchObject({ count: 0, records: 2, totals: [{}, {}] });
  expect(compared.digests.map(({ records: count }) => count)).toEqual([1, 1]);
  const page = { records: parsedFrom(JSON.stringify({ data: records })), doubtful };
  const judged = judgePage(page, contextOf(known), true);
  expect(judged.digests).toEqual(compared.digests);
  const lines = judged.write({ ...options, also: [DAY_ONE + DAY] });
  expect(idsOf(lines)).toEqual(["b"]);
  expect(lines.written).toEqual(new Map([[DAY_ONE + DAY, 1]]));
});

test("R6: days that nothing is known of are written beside known ones", () => {
  const writes = (day: number): boolean => day > DAY_ONE;
  const records = [usageRecord("a"), usageRecord("b", dayTwo)];
  expect(idsOf(fromRecords(records, contextOf({ window: twoDays, writes })))).toEqual(["b"]);
});

test("R6: a second reading counts, digests and writes only the days that differed", () => {
  const writes = (day: number): boolean => day > DAY_ONE;
  const purpose = { kind: "rewrite" } as const;
  const lines = fromRecords(
    [
      usageRecord("a"),
      usageRecord("b", dayTwo),
      usageRecord("c", { ChargePeriodStart: "2026-01-05T00:00:00Z" }),
    ],
    contextOf({ window: twoDays, writes, purpose, withTotals: true }),
  );
  expect(idsOf(lines)).toEqual(["b"]);
  expect(lines).toMatchObject({ records: 1, hasStrays: false });
  expect(lines.digests.map(({ day }) => day)).toEqual([DAY_ONE + DAY]);
  expect(lines.totals.map(({ day }) => day)).toEqual([DAY_ONE + DAY]);
});

test.each([
  ["collect", { records: 0, digests: [] }, [DAY_ONE + 4 * DAY]],
  ["look", { records: 1, digests: [{ day: DAY_ONE, records: 1 }] }, []],
] as const)(
  "P5: a reading to %s at strays writes nothing; a look compares the days of its window",
  (kind, counted, pending) => {
    const strays = new Strays([]);
    const stray = usageRecord("s", { ChargePeriodStart: "2026-01-05T00:00:00Z" });
    const purpose = kind === "look" ? { kind, days: [] } : { kind };
    const context = contextOf({ strays, purpose, writes: () => false });
    const lines = fromRecords([usageRecord("a"), stray], context);
    expect(lines).toMatchObject({ count: 0, ...counted });
    expect(strays.pendingDays()).toEqual(pending);
  },
);

test("R6: equal digests mean equal records, whatever their order and their path; any change shows", () => {
  const record = fc.record({ id: fc.nat(5), quantity: fc.nat(3), extra: fc.option(fc.nat(3)) });
  const digestsOf = (body: string): Lines["digests"] => fromText(body, contextOf()).digests;
  fc.assert(
    fc.property(
      fc.array(record, { maxLength: 6 }),
      fc.array(record, { maxLength: 6 }),
      (left, right) => {
        const recordsOf = (parts: typeof left): Fields[] =>
          parts.map(({ id, quantity, extra }) =>
            usageRecord(`${id}`, {
              ConsumedQuantity: `${quantity}`,
              ...(extra === null ? {} : { x_New: extra }),
            }),
          );
        const texts = (parts: typeof left): Set<string> =>
          new Set(recordsOf(parts).map((data) => JSON.stringify(data)));
        const [plain, spaced] = PATHS.map(([, bodyOf]) => bodyOf);
        const first = digestsOf(plain?.(recordsOf(left)) ?? "");
        expect(digestsOf(spaced?.(recordsOf(left.toReversed())) ?? "")).toEqual(first);
        const isSame = texts(left).symmetricDifference(texts(right)).size === 0;
        const second = digestsOf(plain?.(recordsOf(right)) ?? "");
        if (isSame) expect(second).toEqual(first);
        else expect(second).not.toEqual(first);
      },
    ),
  );
});

/** A record with its members in four orders: as it is, reversed, sorted by name, and with its nested objects reversed. */
function ordersOf(record: Fields): Fields[] {
  const nested = (value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toReversed())
      : value;
  const entries = Object.entries(record);
  return [
    entries,
    entries.toReversed(),
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    entries.map(([name, value]) => [name, nested(value)] as const),
  ].map((members) => Object.fromEntries(members));
}

test("R6 P5: the order of members makes no day differ and no repeat another record, on both paths", () => {
  const records = [
    usageRecord("a", { x_zulu: "z", x_alpha: null, Omega: "ü" }),
    usageRecord("b", { x_new: { b: 1.0, a: [{ d: "1", c: null }] }, x_ReadingId: "theirs" }),
    usageRecord("c", { x_money: 0.1, x_line: "\u2028" }),
  ];
  for (const record of records) {
    const bodies = ordersOf(record).flatMap((one) => PATHS.map(([, bodyOf]) => bodyOf([one])));
    const digests = bodies.map((body) => fromText(body, contextOf()).digests[0]?.digest);
    expect(new Set(digests).size).toBe(1);
    const context = contextOf();
    const counts = bodies.map((body) => fromText(body, context).records);
    expect(counts).toEqual([1, ...Array.from({ length: bodies.length - 1 }, () => 0)]);
    expect(context.warnings).toEqual([]);
  }
});

test("R6: the usual order stays that of 0.2.0", () => {
  const others = { Alpha: "1", "a-b": "2", z: "3" };
  const cost = costRecord("c", { x_UsageType: "requests", x_CorrectsRecordId: null, ...others });
  const shown = [
    [usageRecord("a", others), {}],
    [cost, { stream: costs, granularity: null }],
  ] as const;
  for (const [record, context] of shown) {
    for (const [, bodyOf] of PATHS) {
      const lines = fromText(bodyOf([record]), contextOf({ ...context, form: "both" }));
      expect(lines.digests[0]?.former).toBe(lines.digests[0]?.digest);
    }
  }
});

test("R6: every value makes a day differ, also where members or records swap their values", () => {
  const [a, b] = [usageRecord("a", { SkuId: "1" }), usageRecord("b", { SkuId: "2" })];
  const money = (text: string): string =>
    JSON.stringify({ data: [{ ...usageRecord("a"), x_money: 0 }] }).replace(
      '"x_money":0',
      `"x_money":${text}`,
    );
  const bodies = [
    [a, b],
    [
      { ...a, SkuId: "2" },
      { ...b, SkuId: "1" },
    ],
    [{ ...a, SkuId: a["SkuMeter"], SkuMeter: "1" }, b],
    [{ ...a, x_one: "1", x_two: "2" }, b],
    [{ ...a, x_one: "2", x_two: "1" }, b],
    [{ ...a, x_one: "12", x_two: "" }, b],
    [{ ...a, x_one: "12" }, b],
    [{ ...a, x_one: "12", x_two: null }, b],
    [{ ...a, x_one: { p: "1", q: "2" } }, b],
    [{ ...a, x_one: { p: "2", q: "1" } }, b],
    [{ ...a, x_one: ["1", "2"] }, b],
    [{ ...a, x_one: ["2", "1"] }, b],
  ].map((records) => JSON.stringify({ data: records }));
  bodies.push(money("1"), money("1.0"), money("0.1"), money('0.1,"x_money":0.10'));
  const first = (text: string): string =>
    money("null").replace('{"x_RecordId"', `{"x_other":${text},"x_RecordId"`);
  bodies.push(first("1"), first("1.0"), first("1e0"), first("9007199254740993"));
  const orders = [(body: string) => body, reversedOrder];
  for (const order of orders) {
    const digests = bodies.map((body) => fromText(order(body), contextOf()).digests[0]?.digest);
    expect(new Set(digests).size).toBe(bodies.length);
  }
});

test("R6: the members of each record of a page count, whatever the records before it were", () => {
  const text = fc.constantFrom("1", "2", "30", "ü", null);
  const record = fc.record({ SkuId: fc.constantFrom("1", "22", "3"), x_one: text, x_two: text });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 8 }), (parts) => {
      const records = parts.map((changes, index) => usageRecord(`${index}`, changes));
      const reversed = records.map((one) => Object.fromEntries(Object.entries(one).toReversed()));
      const digestOf = (shown: readonly Fields[]) => fromRecords(shown, contextOf()).digests;
      expect(digestOf(reversed)).toEqual(digestOf(records));
    }),
  );
});

/** The same page with the members of each record in reverse; a page with numbers stays, because parsing would change their digits. */
function reversedOrder(body: string): string {
  if (/:[0-9]/.test(body.replaceAll(/"[^"]*"/g, '""'))) return body;
  const { data }: { data: Fields[] } = JSON.parse(body);
  const reversed = data.map((one) => Object.fromEntries(Object.entries(one).toReversed()));
  return JSON.stringify({ data: reversed });
}

test("R6: a provider's own x_ReadingId counts as content", () => {
  const digests = ["one", "two", "one"].map(
    (id) => fromRecords([usageRecord("a", { x_ReadingId: id })], contextOf()).digests[0]?.digest,
  );
  expect(digests[0]).toBe(digests[2]);
  expect(digests[0]).not.toBe(digests[1]);
});

test("C3: a page of which nothing is written takes no memory for its lines", () => {
  const take = (): Buffer => {
    throw new Error("memory was taken");
  };
  for (const [, bodyOf] of PATHS) {
    const context = contextOf({ writes: () => false });
    const lines = fromText(bodyOf([usageRecord("a")]), context, { ...options, take });
    expect(lines.bytes).toHaveLength(0);
  }
});

test("C3: the body of a page is given back once, whichever way its lines are made", () => {
  for (const [, bodyOf] of PATHS) {
    let released = 0;
    const release = (): void => void (released += 1);
    const body = bodyOf([usageRecord("a")]);
    const plain = scanPage(Buffer.from(body), release);
    const page = { records: plain?.records ?? parsedFrom(body, release), doubtful };
    judgePage(page, contextOf(), false).write(options);
    expect(released).toBe(1);
  }
});

test("L1: a page has at most 8 MiB of text in members that the interface does not name, where its rows are written", () => {
  const page = (length: number): unknown[] =>
    ["a", "b"].map((id) => usageRecord(id, { x_Foo: "ü".repeat(length) }));
  expect(fromRecords(page(4_000_000), contextOf()).count).toBe(2);
  expect(() => fromRecords(page(4_200_000), contextOf())).toThrow("more than 8 MiB of text");
  expect(fromRecords(page(4_200_000), contextOf({ writes: () => false })).count).toBe(0);
});

test.each(PATHS)("R4: a page names the days with a doubtful change (%s)", (_, bodyOf) => {
  const changedAt = (x_RecordUpdatedAt: string): Fields => ({ x_RecordUpdatedAt });
  const body = bodyOf([
    usageRecord("a", changedAt("2026-01-03T12:00:00.999Z")),
    usageRecord("b", { ...dayTwo, ...changedAt("2026-01-03T12:00:01Z") }),
    usageRecord("c", { ...dayTwo, ...changedAt("2026-01-03T12:00:01.999Z") }),
    usageRecord("d", changedAt("2026-01-03T12:00:02Z")),
    usageRecord("e", {
      ChargePeriodStart: "2026-01-05T00:00:00Z",
      ...changedAt("2026-01-03T12:00:01.500Z"),
    }),
  ]);
  const records = scanPage(Buffer.from(body), () => undefined)?.records ?? parsedFrom(body);
  const start = Date.UTC(2026, 0, 3, 12, 0, 1);
  const page = { records, doubtful: { start, end: start + 1000 } };
  const { incomplete } = judgePage(page, contextOf({ window: twoDays }), false).write(options);
  expect(incomplete).toEqual([DAY_ONE + DAY]);
});

test("R4: an `x_RecordUpdatedAt` on a whole hour tells of no change", () => {
  const record = usageRecord("a", { x_RecordUpdatedAt: "2026-01-02T00:00:00.000Z" });
  const page = {
    records: parsedFrom(JSON.stringify({ data: [record] })),
    doubtful: { start: DAY_ONE, end: DAY_ONE + 2 * DAY },
  };
  expect(judgePage(page, contextOf(), false).write(options).incomplete).toEqual([]);
});
