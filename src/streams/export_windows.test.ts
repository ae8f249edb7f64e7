import { expect, test } from "vitest";
import { daysOf, digestOf } from "../core/digests.ts";
import { readingId, ReadingIds } from "../core/identity.ts";
import { beginReading, type Reading, readPage } from "../core/reading.ts";
import type { DayReport } from "../core/settle.ts";
import { DAY, HOUR } from "../core/time.ts";
import type { ReadingReport } from "./ended_reading.ts";
import { ExportWindows, newestReadingOf, type ReadingContext } from "./export_windows.ts";
import { Outlet } from "./flow.ts";
import { DAY_ONE } from "./testing.ts";
import type { Output } from "../protocol.ts";

const context: ReadingContext = {
  owner: {
    base_url: "https://a.example",
    dataset: "costs",
    granularity: "1d",
    account: "prod",
  },
  chain: "chain",
  bucket: DAY,
  retentionDays: 30,
  now: DAY_ONE + 10 * DAY,
};

function readingOf(id: string, days: number, availableThrough: number): Reading {
  const window = { start: DAY_ONE, end: DAY_ONE + days * DAY };
  const totals = [
    {
      day: DAY_ONE,
      inside: true,
      records: 2,
      groups: [
        {
          labels: { currency: "USD\u2028" },
          amounts: { billed: "1.5", effective: "1.5" },
          records: 2,
        },
      ],
    },
    { day: DAY_ONE - DAY, inside: false, records: 1, groups: [] },
  ];
  const page = {
    nextCursor: null,
    asOf: "2026-01-11T00:00:00Z",
    availableThrough,
    records: 3,
    provisional: [],
    totals,
    digests: [{ day: DAY_ONE, records: 2, digest: "0".repeat(24) }],
    incomplete: [],
    hasStrays: false,
    standing: [{ day: DAY_ONE - DAY, rowsReadingId: "r0", records: 1 }],
  };
  const begun = beginReading(window, { id, limit: 10, beganAt: context.now, withTotals: true });
  return readPage(begun, page, context.now);
}

/** The report of a reading whose own rows stand for all its days, beside strays that an earlier reading wrote. */
function reportOf(reading: Reading, changes: Partial<DayReport> = {}): ReadingReport {
  const days = daysOf(reading).map((day) => {
    const { records } = digestOf(reading.digests, day);
    const said = { day, records, rowsReadingId: reading.id, rows: records };
    return { ...said, confirmed: true, shrunk: false, ...changes };
  });
  const pass = { beganAt: DAY_ONE, earlierEnded: true };
  return { reading, pass, endedAt: context.now + 1, isWhole: true, days, strays: reading.standing };
}

/** All that is written while `work` reports. */
async function outputsOf(
  work: (manifest: ExportWindows) => Promise<unknown>,
  stored: unknown = null,
): Promise<Output[]> {
  const outlet = new Outlet<Output>();
  const clock = { now: () => 0, sleep: async () => undefined };
  const manifest = new ExportWindows({ outlet, clock, ids: new ReadingIds(3000), stored });
  const done = work(manifest).finally(() => outlet.close());
  const outputs: Output[] = [];
  for await (const output of outlet) outputs.push(output);
  await done;
  return outputs;
}

const linesOf = (outputs: readonly Output[]): Record<string, unknown>[] =>
  outputs
    .filter((output) => output.type === "RECORD_LINES")
    .flatMap(({ bytes }) => Buffer.from(bytes).toString().trim().split("\n"))
    .map((line) => JSON.parse(line).record.data);
/** The rows of days, and then those of strays. */
const rowsOf = (outputs: readonly Output[]): Record<string, unknown>[] =>
  linesOf(outputs).toSorted(
    (one, other) => Number(other["inside_window"]) - Number(one["inside_window"]),
  );
const statesOf = (outputs: readonly Output[]): unknown[] =>
  outputs.flatMap((output) => (output.type === "STATE" ? [output.state.stream.stream_state] : []));

test("R5: a reading is reported day by day, up to where it is covered, strays apart", async () => {
  const reading = readingOf("r1", 3, DAY_ONE + 1.5 * DAY);
  const outputs = await outputsOf((manifest) => manifest.report(reportOf(reading), context));
  const rows = rowsOf(outputs);
  expect(rows.map(({ day, inside_window: inside }) => [day, inside])).toEqual([
    ["2026-01-01", true],
    ["2026-01-02", true],
    ["2026-01-03", true],
    ["2025-12-31", false],
  ]);
  expect(rows[0]).toMatchObject({
    reading_id: "r1",
    earlier_ended: true,
    account: "prod",
    covered_from: "2026-01-01T00:00:00Z",
    covered_through: "2026-01-02T00:00:00Z",
    records: 2,
    totals: [{ currency: "USD\u2028", records: 2, billed: "1.5", effective: "1.5" }],
  });
  for (const row of rows.slice(1))
    expect(row).toMatchObject({ covered_from: null, covered_through: null });
});

test("R5 P5: the rows of strays come before those of days, in case the process dies between two rows", async () => {
  const reading = readingOf("r1", 3, context.now);
  const lines = linesOf(await outputsOf((m) => m.report(reportOf(reading), context)));
  expect(lines.map((row) => row["inside_window"])).toEqual([false, true, true, true]);
});

test("R5: nothing within a day of the retention floor is proven", async () => {
  const reading = readingOf("r1", 3, context.now);
  const near = { ...context, retentionDays: 10 };
  const rows = rowsOf(await outputsOf((manifest) => manifest.report(reportOf(reading), near)));
  expect(rows.map((row) => row["covered_from"])).toEqual([
    null,
    null,
    "2026-01-03T00:00:00Z",
    null,
  ]);
});

test("R5: an hourly reading covers whole hours of its day", async () => {
  const reading = readingOf("r1", 1, DAY_ONE + 5.5 * HOUR);
  const hourly = { ...context, bucket: HOUR } as const;
  const [row] = rowsOf(await outputsOf((manifest) => manifest.report(reportOf(reading), hourly)));
  expect(row).toMatchObject({ covered_through: "2026-01-01T05:00:00Z" });
});

test("R5: a reading of a part of a day covers this part, although data is available up to the end of the day", async () => {
  const whole = readingOf("r1", 1, context.now);
  const hours = { start: DAY_ONE + 6 * HOUR, end: DAY_ONE + 9 * HOUR };
  const hourly = { ...context, bucket: HOUR } as const;
  const [row] = rowsOf(
    await outputsOf((manifest) => manifest.report(reportOf({ ...whole, ...hours }), hourly)),
  );
  expect(row).toMatchObject({
    covered_from: "2026-01-01T06:00:00Z",
    covered_through: "2026-01-01T09:00:00Z",
  });
});

test("V4: a report is one line to every reader", async () => {
  const outputs = await outputsOf((m) =>
    m.report(reportOf(readingOf("r1", 1, context.now)), context),
  );
  const lines = outputs.find((output) => output.type === "RECORD_LINES");
  expect(
    Buffer.from(lines?.bytes ?? [])
      .toString()
      .split(/[\n\u2028]/),
  ).toHaveLength(3);
});

test("S2: a STATE counts the reports since the last one, and comes only where there are any", async () => {
  const [first, second, third] = [1, 2, 3].map((number) => readingId(number, "chain"));
  const outputs = await outputsOf(async (manifest) => {
    const report = (id = "") => manifest.report(reportOf(readingOf(id, 1, context.now)), context);
    await Promise.all([first, second].map(report));
    await manifest.sendState();
    await manifest.sendState();
    await report(third);
    await manifest.finish(true);
    await manifest.sendState();
  });
  expect(statesOf(outputs)).toEqual(
    [null, second, third].map((id) => ({
      version: 1,
      last_reading_id: id,
      newest_reading_id: readingId(3100, "chain"),
      streams: ["costs"],
      under_way: ["costs"],
      reported: id === null ? [] : [["costs", first, id === second ? 2 : 3]],
    })),
  );
  const counts = outputs.flatMap((output) =>
    output.type === "STATE" ? [output.state.sourceStats.recordCount] : [],
  );
  expect(counts).toEqual([0, 4, 2]); // each report has two rows: one for its day and one for its strays
});

test("S2: a reading that is reported in parts, with another one between, gives no two equal STATEs", async () => {
  const [first, second] = [1, 2].map((number) => readingId(number, "chain"));
  const outputs = await outputsOf(async (manifest) => {
    for (const id of [first, second, first, second, second]) {
      await manifest.report(reportOf(readingOf(id ?? "", 1, context.now)), context);
      await manifest.sendState();
    }
    await manifest.finish(true);
  });
  const states = statesOf(outputs).map((state) => JSON.stringify(state));
  expect(states).toHaveLength(6);
  expect(new Set(states).size).toBe(states.length);
  // Only the third and the fifth STATE have the last reading of one before with the same newest id.
  expect(new Set(statesOf(outputs).map(newestReadingOf)).size).toBe(3);
});

test("L1: a day without totals proves nothing", async () => {
  const reading = readingOf("r1", 1, context.now);
  const totals = reading.totals?.map((total) => ({ ...total, groups: null })) ?? null;
  const rows = rowsOf(await outputsOf((m) => m.report(reportOf({ ...reading, totals }), context)));
  expect(rows[0]).toMatchObject({ records: 2, rows: 2, totals: null });
});

test("S2: without a reading the state is what it was", async () => {
  const stored = {
    version: 1,
    last_reading_id: "r0",
    newest_reading_id: "r1",
    streams: ["costs"],
    under_way: ["usage"],
    reported: [["costs", "r0", 3]],
  };
  expect(statesOf(await outputsOf((manifest) => manifest.finish(true), stored))).toEqual([stored]);
  const none = { last_reading_id: null, newest_reading_id: null, streams: [], under_way: [] };
  expect(statesOf(await outputsOf((manifest) => manifest.finish(true), "garbage"))).toEqual([
    { version: 1, ...none, reported: [] },
  ]);
});

/** The streams of which a stored state says something. */
async function streamsWith(
  stored: unknown,
  says: (manifest: ExportWindows, name: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  await outputsOf((manifest) => {
    found.push(...["usage", "costs"].filter((name) => says(manifest, name)));
    return Promise.resolve();
  }, stored);
  return found;
}

test("R10: the state names the streams that are reported, and a STATE names a stream before its first report", async () => {
  const newest = readingId(9000, "chain");
  const stateWith = (streams?: unknown) => ({ version: 1, newest_reading_id: newest, streams });
  const newFor = (stored: unknown): Promise<string[]> =>
    streamsWith(stored, (manifest, name) => manifest.isNewFor(name));
  for (const none of [null, "garbage", { version: 1 }])
    expect(await newFor(none)).toEqual(["usage", "costs"]);
  // A state of an earlier version names no streams, and stands for all of them.
  for (const streams of [undefined, "usage", [1]])
    expect(await newFor(stateWith(streams))).toEqual([]);
  expect(await newFor(stateWith(["usage"]))).toEqual(["costs"]);
  const outputs = await outputsOf(
    async (manifest) => {
      for (const id of [1000, 2000])
        await manifest.report(reportOf(readingOf(readingId(id, "chain"), 1, context.now)), context);
      expect(manifest.isNewFor("costs")).toBe(false);
    },
    stateWith(["usage"]),
  );
  expect(outputs.map(({ type }) => type)).toEqual(["STATE", "RECORD_LINES", "RECORD_LINES"]);
  expect(statesOf(outputs)).toMatchObject([{ streams: ["costs", "usage"] }]);
});

test("R10: no report tells of a state if none has told of its stream, or if some are missing that came before the state", async () => {
  const reported = [["costs", "r0", 3]];
  const exports = { version: 1, newest_reading_id: "r9", streams: ["costs"], reported };
  await outputsOf((manifest) => {
    expect(manifest.begins("costs", { reported: ["r0", 3] })).toBe("none");
    expect(manifest.begins("usage", { reported: ["r0", 4] })).toBe("all");
    expect(manifest.begins("costs", { reported: ["r0", 4] })).toBe("some");
    expect(manifest.reportedOf("costs")).toBe(null);
    return Promise.resolve();
  }, exports);
});

test("P5: a STATE names the streams whose pass is under way, before the first report of the pass", async () => {
  const newest = readingId(9000, "chain");
  const stateWith = (members: object) => ({ version: 1, newest_reading_id: newest, ...members });
  const underWay = (stored: unknown): Promise<string[]> =>
    streamsWith(stored, (manifest, name) => manifest.isUnderWay(name));
  for (const none of [null, "garbage", stateWith({ under_way: [] })])
    expect(await underWay(none)).toEqual([]);
  // A state of an earlier version does not know.
  expect(await underWay(stateWith({ streams: ["costs"] }))).toEqual(["usage", "costs"]);
  const outputs = await outputsOf(
    async (manifest) => {
      manifest.passEnded("costs");
      await manifest.sendState();
      for (const id of [1000, 2000])
        await manifest.report(reportOf(readingOf(readingId(id, "chain"), 1, context.now)), context);
      await manifest.sendState();
      manifest.passEnded("costs");
      await manifest.sendState();
      await manifest.sendState();
    },
    stateWith({ streams: ["costs"], under_way: [] }),
  );
  expect(outputs.map(({ type }) => type)).toEqual([
    "STATE",
    "RECORD_LINES",
    "RECORD_LINES",
    "STATE",
    "STATE",
  ]);
  const named = [["costs"], ["costs"], []].map((names) => ({ under_way: names }));
  expect(statesOf(outputs)).toMatchObject(named);
});

test("R4: the newest id that reports may have is in a STATE before the first of them, for ids to come", async () => {
  const [old, recent] = [readingId(1000, "chain"), readingId(2000, "chain")];
  let last: string | null = null;
  const outputs = await outputsOf(async (manifest) => {
    await manifest.report(reportOf(readingOf(recent, 1, context.now)), context);
    await manifest.report(reportOf(readingOf(old, 1, context.now)), context);
    await manifest.sendState();
    last = manifest.newestReading;
  });
  const reserved = readingId(3100, "chain");
  expect(last).toBe(reserved);
  expect(outputs.map(({ type }) => type)).toEqual([
    "STATE",
    "RECORD_LINES",
    "RECORD_LINES",
    "STATE",
  ]);
  const [first, stored] = statesOf(outputs);
  const more = {
    version: 1,
    newest_reading_id: reserved,
    streams: ["costs"],
    under_way: ["costs"],
  };
  expect(first).toEqual({ ...more, last_reading_id: null, reported: [] });
  const reported = [["costs", recent, 2]];
  expect(stored).toEqual({ ...more, last_reading_id: old, reported });
  await outputsOf(async (manifest) => void (last = manifest.newestReading), stored);
  expect(last).toBe(reserved);
});

test("R4: a STATE names a newer id before the first report that has an id beyond the newest one", async () => {
  const [near, far] = [readingId(3100, "chain"), readingId(3101, "chain")];
  const outputs = await outputsOf(async (manifest) => {
    for (const id of [readingId(1000, "chain"), near, far])
      await manifest.report(reportOf(readingOf(id, 1, context.now)), context);
  });
  const types = ["STATE", "RECORD_LINES", "RECORD_LINES", "STATE", "RECORD_LINES"];
  expect(outputs.map(({ type }) => type)).toEqual(types);
  expect(statesOf(outputs).map(newestReadingOf)).toEqual([near, readingId(3201, "chain")]);
});

test("R5: a reading that was begun without totals is not reported", async () => {
  const reading = { ...readingOf("r1", 1, context.now), totals: null };
  expect(await outputsOf((manifest) => manifest.report(reportOf(reading), context))).toEqual([]);
});

test("R5: a row is named by its reading and day, strays also by the reading whose rows they are", async () => {
  const reading = readingOf("r1", 1, context.now);
  const rows = rowsOf(await outputsOf((m) => m.report(reportOf(reading), context)));
  expect(rows.map(({ id, rows_reading_id: rowsReadingId }) => [id, rowsReadingId])).toEqual([
    ["r1-2026-01-01", "r1"],
    ["r1-2025-12-31-outside-r0", "r0"],
  ]);
  const shared = { chain: "chain", whole_window: true, pass_began_at: "2026-01-01T00:00:00Z" };
  for (const row of rows) expect(row).toMatchObject(shared);
  expect(rows[1]).toMatchObject({ inside_window: false, rows: 1, records: 1, totals: null });
});

test("R5: strays that an earlier reading wrote have no totals: those of this reading may be of other rows", async () => {
  const begun = readingOf("r1", 1, context.now);
  const outside = (begun.totals ?? []).map((total) => ({ ...total, inside: false }));
  const reading = { ...begun, totals: outside };
  const strays = ["r0", "r1"].map((rowsReadingId) => ({ day: DAY_ONE, rowsReadingId, records: 2 }));
  const rows = rowsOf(
    await outputsOf((m) => m.report({ ...reportOf(reading), days: [], strays }, context)),
  );
  expect(rows).toMatchObject([{ totals: null }, { totals: [{ records: 2 }] }]);
});

test("R5 P6: the strays of a listing that moved are unconfirmed, as its days are", async () => {
  for (const moved of [true, false]) {
    const reading = { ...readingOf("r1", 1, context.now), moved };
    const said = reportOf(reading, { confirmed: !moved });
    const rows = rowsOf(await outputsOf((manifest) => manifest.report(said, context)));
    expect(rows.map((row) => [row["inside_window"], row["confirmed"]])).toEqual([
      [true, !moved],
      [false, !moved],
    ]);
  }
});

test("R8: the row of a day that shrank has what was seen, and the rows that stand", async () => {
  const reading = readingOf("r1", 1, context.now);
  const shrunk = { rowsReadingId: "r0", rows: 12, shrunk: true, confirmed: false };
  const [row] = rowsOf(await outputsOf((m) => m.report(reportOf(reading, shrunk), context)));
  expect(row).toMatchObject({
    rows_reading_id: "r0",
    rows: 12,
    records: 2,
    shrunk: true,
    confirmed: false,
  });
});

test("R5: totals that do not count each record of the day prove nothing", async () => {
  const reading = readingOf("r1", 1, context.now);
  const [row] = rowsOf(
    await outputsOf((m) => m.report(reportOf(reading, { records: 3 }), context)),
  );
  expect(row).toMatchObject({ records: 3, totals: null });
});

test("L2: the totals of strays on a thousand days are not searched for each of these days", async () => {
  let searched = 0;
  const totals = Array.from({ length: 1000 }, (_, index) => ({
    get day() {
      searched += 1;
      return DAY_ONE + index * DAY;
    },
    inside: false,
    records: 1,
    groups: [],
  }));
  const reading = { ...readingOf("r1", 1, context.now), totals };
  const strays = totals.map(({ day, records }) => ({ day, rowsReadingId: "r1", records }));
  const said = { ...reportOf(reading), strays };
  const outputs = await outputsOf((manifest) => manifest.report(said, context));
  expect(rowsOf(outputs)).toHaveLength(1001);
  expect(searched).toBeLessThan(5000);
});
