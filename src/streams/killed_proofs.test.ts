/**
 * A report that proves a day never proves rows of two moments, wherever processes die and whatever a platform drops (R4, R5). The
 * property draws exports that change between the processes, and judges the table after each of them.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { IncrementalState } from "../core/state.ts";
import { DAY, formatInstant, HOUR } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import type { Fields } from "../records/fields.ts";
import { costs } from "./costs.ts";
import type { ReadingReport } from "./ended_reading.ts";
import { Table } from "./scripted/table.ts";
import { at, isReport, lastState, readScript, type Run } from "./scripted/testing.ts";
import { versionAt } from "./scripted/worlds.ts";
import type { FetchedPage } from "./stream.ts";
import { costRecord, DAY_ONE, pageOf } from "./testing.ts";

const DAYS = 3;
const MINUTE = HOUR / 60;

const change = fc.constantFrom("kept", "kept", "kept", "toggled", "restated");
const record = fc.record({
  day: fc.nat(DAYS - 1),
  isThere: fc.constantFrom(true, true, true, false),
  changes: fc.tuple(change, change, change),
});
const death = fc.record({
  /** The point where a process dies: behind so many thousandths of its output, or behind its first report. */
  at: fc.oneof(fc.nat(1000), fc.constant(1000), fc.constant("report" as const)),
  /** Whether the platform keeps rows behind the last STATE. It keeps reports in any case. */
  keepsRows: fc.boolean(),
});
const lives = fc.record({
  records: fc.array(record, { minLength: 1, maxLength: 9 }),
  perPage: fc.constantFrom(1, 1, 2, 3),
  lanes: fc.constantFrom(1, 2),
  stateInterval: fc.constantFrom(0, 0, DAY),
  /** Whether rows wait until some windows are read. */
  holds: fc.boolean(),
  /** Whether a window has all days, or one. */
  isWide: fc.boolean(),
  /** Whether each answer has an `as_of` of its own. Else it stands still until a record changes. */
  ticks: fc.boolean(),
  deaths: fc.tuple(death, death, death, death),
});
type Life = typeof lives extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** The records after so many changes, in the order of their days. */
function recordsAt({ records }: Life, phase: number): Fields[] {
  const shown = records.flatMap((drawn, index) => {
    const version = versionAt(drawn, phase);
    const { day } = drawn;
    return version === null ? [] : [{ day, fields: costOf(`r${index}`, day, version) }];
  });
  return shown.toSorted((a, b) => a.day - b.day).map(({ fields }) => fields);
}

const costOf = (id: string, day: number, version: number): Fields => ({
  ...costRecord(id),
  ChargePeriodStart: formatInstant(DAY_ONE + day * DAY),
  ChargePeriodEnd: formatInstant(DAY_ONE + (day + 1) * DAY),
  x_RecordUpdatedAt: formatInstant(DAY_ONE + version * HOUR),
  BilledCost: `${version + 1}`,
});

const keyOf = (fields: Fields): string =>
  `${String(fields["ChargePeriodStart"])} ${String(fields["x_RecordId"])}`;

/** The instant of the last change before a phase. */
function changedAt(life: Life, phase: number): number {
  const isSame = (one: number, other: number): boolean =>
    JSON.stringify(recordsAt(life, one)) === JSON.stringify(recordsAt(life, other));
  let last = phase;
  while (last > 0 && isSame(last, last - 1)) last -= 1;
  return DAY_ONE + DAYS * DAY + last * MINUTE;
}

/** The reports that count: for each day, the report of the newest reading; of several reports of this reading, the last one. */
function deciding({ reports }: Table) {
  const newest = new Map<number, ReadingReport["days"][number] & { readonly id: string }>();
  for (const { reading, days } of reports) {
    for (const report of days) {
      if (reading.id >= (newest.get(report.day)?.id ?? ""))
        newest.set(report.day, { ...report, id: reading.id });
    }
  }
  return newest;
}

/** The days that are proven by rows which the provider never had together. */
function wrongProofs(life: Life, table: Table, phase: number): string[] {
  return [...deciding(table)].flatMap(([day, { confirmed, shrunk, rows, rowsReadingId }]) => {
    const own = [...table.newest.values()].filter(
      (row) => row.day === day && row.readingId === rowsReadingId,
    );
    if (!confirmed || shrunk || own.length !== rows) return [];
    const there = own.map(({ text }) => text).toSorted();
    const moments = Array.from({ length: phase + 1 }, (_, past) =>
      recordsAt(life, past)
        .filter((fields) => fields["ChargePeriodStart"] === formatInstant(day))
        .map((fields) => JSON.stringify(fields))
        .toSorted(),
    );
    const isTrue = moments.some((texts) => JSON.stringify(texts) === JSON.stringify(there));
    return isTrue ? [] : [`${formatInstant(day)}, phase ${phase}: ${there.join(" ")}`];
  });
}

/** The provider at a phase, with cursors that name the last record. */
function scriptOf(life: Life, phase: number) {
  const records = recordsAt(life, phase);
  let answers = 0;
  return function* ({ start, end }: Range, cursor: string | null): Iterable<FetchedPage> {
    let after = cursor ?? "";
    for (;;) {
      const left = records.filter((fields) => {
        const begins = Date.parse(String(fields["ChargePeriodStart"]));
        return begins >= start && begins < end && keyOf(fields) > after;
      });
      const page = left.slice(0, life.perPage);
      const last = page.at(-1);
      const isLast = last === undefined || left.length === page.length;
      answers += 1;
      const asOf = changedAt(life, phase) + (life.ticks ? answers : 0);
      after = isLast ? after : keyOf(last);
      yield pageOf(page, isLast ? null : after, { asOf: formatInstant(asOf) });
      if (isLast) return;
    }
  };
}

/** A process that reads all days, with all of its output. */
async function processOf(life: Life, phase: number, stored: IncrementalState | null): Promise<Run> {
  const { lanes, stateInterval, isWide, holds } = life;
  const input = {
    ...at,
    now: DAY_ONE + (DAYS + 0.5) * DAY + phase * MINUTE,
    endDate: DAY_ONE + DAYS * DAY,
    lookback: DAYS * DAY,
    maximumWindowDays: isWide ? 31 : 1,
    byMonth: isWide,
  };
  const limits = holds ? {} : { heldPageBytes: 0 };
  const policy = { stream: costs, marksReports: true, lanes, stateInterval, limits };
  return await readScript(scriptOf(life, phase), { input, stored, ...policy });
}

const isState = ({ type }: { readonly type: string }): boolean => type === "STATE";

/** The wrong proofs after a chain of processes. A part of the output of each process reaches the platform. */
async function faultsOf(life: Life): Promise<string[]> {
  let table = new Table();
  let stored: IncrementalState | null = null;
  for (const [phase, { at: lastLine, keepsRows }] of life.deaths.entries()) {
    const run = await processOf(life, phase, stored);
    const share = typeof lastLine === "number" ? (run.outputs.length * lastLine) / 1000 : null;
    const length = Math.round(share ?? run.outputs.findIndex(isReport) + 1);
    const written = run.outputs.slice(0, length);
    const kept = keepsRows ? length : written.findLastIndex(isState) + 1;
    table = new Table(table.with(run, kept).rows, table.with(run, length).reports);
    const states = run.states.slice(0, written.filter(isState).length);
    const state = states.length === 0 ? null : lastState({ ...run, states });
    if (state?.mode === "incremental") stored = state;
    const wrong = wrongProofs(life, table, phase);
    if (wrong.length > 0) return wrong;
  }
  return [];
}

test("R4 R5: a day that is proven has the rows of one moment, wherever processes die and whatever rows a platform drops", async () => {
  await fc.assert(
    fc.asyncProperty(lives, async (life) => {
      expect(await faultsOf(life)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
