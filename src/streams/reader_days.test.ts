/** Days that the state knows (R6, R8, P6, P5), as a stream's reader treats them: the state of one sync is the start of the next. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { daysOf as daysOfRange } from "../core/digests.ts";
import type { IncrementalState, StreamState } from "../core/state.ts";
import { DAY, formatDay, formatInstant, HOUR } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import {
  changed,
  dataOf,
  fourDays as input,
  fourWindows,
  idsOf,
  lastState,
  pagesOf,
  provider,
  readScript,
  recordOf,
  refused,
  type Run,
  saidOf,
  showing,
  startsOf,
  stateOf,
  stateWithin,
} from "./scripted/testing.ts";
import type { Fields } from "../records/fields.ts";
import type { FetchedPage } from "./stream.ts";
import { costs } from "./costs.ts";
import { costRecord, DAY_ONE, pageOf } from "./testing.ts";

const week = { start: DAY_ONE, end: DAY_ONE + 4 * DAY };

const sync = (
  records: readonly Fields[],
  stored: StreamState | null = null,
  perPage = 1000,
  now = input.now,
): Promise<Run> => readScript(provider(records, perPage), { stored, input: { ...input, now } });

/** Each day's report, over all readings of a run: the rows that stand, and of which reading. */
const daysOf = (run: Run) =>
  run.said.flatMap(({ reading, days }) =>
    days.map(({ day, rowsReadingId, ...said }) => ({
      day: formatDay(day),
      own: rowsReadingId === reading.id,
      ...said,
    })),
  );
const known = (run: Run) => {
  const state = lastState(run);
  return state?.mode === "incremental" ? state.known : undefined;
};
const four = [0, 1, 2, 3].map((day) => recordOf(`r${day}`, day));

test("R6: a second sync of an unchanged export writes nothing, and reports the earlier rows", async () => {
  const first = await sync(four);
  const second = await sync(four, lastState(first));
  expect(second.succeeded).toBe(true);
  expect(idsOf(second)).toEqual([]);
  expect(second.queries).toHaveLength(1);
  const standing = { own: false, records: 1, rows: 1, confirmed: true, shrunk: false };
  expect(daysOf(second)).toMatchObject([standing, standing, standing, standing]);
  expect(known(second)).toEqual(known(first));
});

test("R6: where a window fits a page only the days that differ are written, without a second request", async () => {
  const first = await sync(four);
  const second = await sync(changed(four, "r2"), lastState(first));
  expect(idsOf(second)).toEqual(["r2"]);
  expect(second.queries).toHaveLength(1);
  expect(daysOf(second).map(({ own }) => own)).toEqual([false, false, true, false]);
  expect(idsOf(await sync(changed(four, "r2"), lastState(second)))).toEqual([]);
});

test("R6: of several pages a second reading writes and reports only the days that differ", async () => {
  const first = await sync(four, null, 2);
  const second = await sync(changed(four, "r2"), lastState(first), 2);
  expect(idsOf(second)).toEqual(["r2"]);
  expect(second.queries).toHaveLength(2);
  expect(second.said.map(({ days }) => days.map(({ day }) => (day - DAY_ONE) / DAY))).toEqual([
    [0, 1, 3],
    [2],
  ]);
  const [one, two] = second.reports;
  expect(two?.id.localeCompare(one?.id ?? "")).toBe(1);
  expect(two?.rewrites).toHaveLength(1);
  expect(idsOf(await sync(changed(four, "r2"), lastState(second), 2))).toEqual([]);
});

test.each([1000, 2])(
  "R6: a STATE without a known day's digest goes out before the first row of the day (%i a page)",
  async (perPage) => {
    const first = await sync(four);
    const second = await sync(changed(four, "r2"), lastState(first), perPage);
    const written = second.outputs.findIndex(({ type }) => type === "RECORD_LINES");
    const before = second.outputs.slice(0, written).findLast((output) => output.type === "STATE");
    const state = before?.type === "STATE" ? before.state.stream.stream_state : {};
    const text = JSON.stringify(state["days"]);
    expect(text).toContain("2026-01-02");
    expect(text).not.toContain("2026-01-03");
    expect(state["known"]).toEqual([
      ["2026-01-01", "2026-01-03"],
      ["2026-01-04", "2026-01-05"],
    ]);
  },
);

test("R6: such a STATE goes out before the rows of each window, also where the ids are reserved already", async () => {
  const daily = { ...input, maximumWindowDays: 1 };
  const first = await sync(four);
  const exported = provider(changed(changed(four, "r1"), "r3"));
  const second = await readScript(exported, { stored: lastState(first), input: daily });
  expect(idsOf(second)).toEqual(["r1", "r3"]);
  const rows = second.outputs.flatMap(({ type }, index) =>
    type === "RECORD_LINES" ? [index] : [],
  );
  const days = rows.map((index) => {
    const before = second.outputs.slice(0, index).findLast(({ type }) => type === "STATE");
    return before?.type === "STATE" ? JSON.stringify(before.state.stream.stream_state["days"]) : "";
  });
  expect(days[0]).not.toContain("2026-01-02");
  expect(days[0]).toContain("2026-01-04");
  expect(days[1]).not.toContain("2026-01-04");
});

test("R6: a day that is empty now is reported with no rows under a reading of its own, and stays known", async () => {
  const first = await sync(four);
  const second = await sync(four.slice(0, 3), lastState(first));
  expect(idsOf(second)).toEqual([]);
  expect(daysOf(second).at(-1)).toMatchObject({ day: "2026-01-04", own: true, rows: 0 });
  expect(known(second)?.days.has(DAY_ONE + 3 * DAY)).toBe(false);
  expect(idsOf(await sync(four.slice(0, 3), lastState(second)))).toEqual([]);
});

test("R6: a full refresh writes everything, and knows nothing", async () => {
  const mode = "full_refresh";
  for (let attempt = 0; attempt < 2; attempt++) {
    const run = await readScript(provider(four), { input, mode });
    expect(idsOf(run)).toHaveLength(4);
  }
});

/** The rows of an append table and the newest report of each day. */
class Table {
  readonly #rows = new Map<string, Fields[]>();
  readonly #reports = new Map<number, { id: string; rows: string; count: number }>();

  add(run: Run): void {
    for (const output of run.outputs) {
      if (output.type !== "RECORD_LINES") continue;
      for (const line of Buffer.from(output.bytes).toString().trim().split("\n")) {
        const { x_ReadingId: id, ...data } = JSON.parse(line).record.data;
        this.#rows.set(id, [...(this.#rows.get(id) ?? []), data]);
      }
    }
    for (const { reading, days } of run.said) {
      for (const { day, rowsReadingId, rows } of days) {
        if (reading.id < (this.#reports.get(day)?.id ?? "")) continue;
        this.#reports.set(day, { id: reading.id, rows: rowsReadingId, count: rows });
      }
    }
  }

  /** The records of all days by the rule of the models: the rows that each day's newest report names. */
  records(): Fields[] {
    return [...this.#reports].flatMap(([day, { rows, count }]) => {
      const own = (this.#rows.get(rows) ?? []).filter(
        (data) => Date.parse(String(data["ChargePeriodStart"])) === day,
      );
      const distinct = [...new Map(own.map((data) => [JSON.stringify(data), data])).values()];
      expect(distinct).toHaveLength(count);
      return distinct;
    });
  }
}

test("R6 R8: whatever changes, the rows that stand are the provider's, and a settled export writes nothing", async () => {
  const draw = fc.array(fc.tuple(fc.nat(3), fc.nat(4), fc.nat(2)), { maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(draw, { minLength: 2, maxLength: 4 }),
      fc.integer({ min: 1, max: 4 }),
      async (exports, perPage) => {
        const table = new Table();
        let stored: StreamState | null = null;
        let records: Fields[] = [];
        for (const [index, drawn] of exports.entries()) {
          const byId = new Map(
            drawn.map(([day, number, value]) => [`${day} ${number}`, { day, value }]),
          );
          records = [...byId].map(([id, { day, value }]) =>
            recordOf(id, day, { ConsumedQuantity: `${value}` }),
          );
          const run: Run = await sync(records, stored, perPage, input.now + index * HOUR);
          expect(run.succeeded).toBe(true);
          table.add(run);
          stored = lastState(run);
          expect(new Set(table.records().map((data) => JSON.stringify(data)))).toEqual(
            new Set(records.map((data) => JSON.stringify(data))),
          );
        }
        expect(idsOf(await sync(records, stored, perPage))).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

const many = Array.from({ length: 12 }, (_, index) => recordOf(`m${index}`, 1));

test("S1: a second reading claims no later instant than the first one of its window", async () => {
  const pagesThrough =
    (records: readonly Fields[], throughs: readonly number[]) =>
    (query: { start: number; end: number }): FetchedPage[] => {
      const [next = 10, ...later] = throughs;
      throughs = later;
      const availableThrough = DAY_ONE + next * DAY;
      return provider(records, 2)(query, null).map((page) => ({ ...page, availableThrough }));
    };
  const first = await readScript(pagesThrough(four, [1, 1, 1, 1]), { input });
  const stored = lastState(first);
  expect(stored).toMatchObject({ position: DAY_ONE + DAY });
  const second = await readScript(pagesThrough(changed(four, "r0"), [2.5]), { input, stored });
  expect(second.queries).toHaveLength(2);
  expect(lastState(second)).toMatchObject({ position: DAY_ONE + 2 * DAY });
});

test("V1: a second reading that ends in a refused record leaves no cursor, and the next sync writes its days", async () => {
  const first = await sync(four, null, 1);
  const broken = changed(four, "r2");
  const down = [pageOf([four[0]], "p1"), pageOf([{ ...broken[2], ConsumedUnit: 5 }], "p2")];
  let asked = 0;
  const second = await readScript(
    (query, cursor) => (++asked === 1 ? provider(broken, 1)(query, cursor) : down),
    { stored: lastState(first), input },
  );
  expect(second.queries).toHaveLength(2);
  expect(lastState(second)?.pass?.open).toEqual([]);
  const third = await sync(broken, lastState(second), 1);
  expect(third.queries.every(({ cursor }) => cursor === null)).toBe(true);
  expect(idsOf(third)).toEqual(["r2"]);
  expect(idsOf(await sync(broken, lastState(third), 1))).toEqual([]);
});

test("R8: a day that shows less than half writes nothing and warns with both numbers, until it is seen again an hour later", async () => {
  const first = await sync(many);
  const outage = many.slice(0, 3);
  const second = await sync(outage, lastState(first));
  expect(idsOf(second)).toEqual([]);
  expect(saidOf(second, "WARN")).toContain("shows 3 records of 2026-01-02, which had 12");
  expect(daysOf(second)[1]).toMatchObject({
    own: false,
    records: 3,
    rows: 12,
    shrunk: true,
    confirmed: false,
  });
  const soon = await sync(outage, lastState(second), 1000, input.now + HOUR - 1);
  expect(idsOf(soon)).toEqual([]);
  const later = await sync(outage, lastState(soon), 1000, input.now + HOUR);
  expect(idsOf(later)).toEqual(["m0", "m1", "m2"]);
  expect(daysOf(later)[1]).toMatchObject({
    own: true,
    records: 3,
    rows: 3,
    shrunk: false,
    confirmed: true,
  });
});

test("R8: an outage of two readings that ends leaves the rows as they were", async () => {
  const first = await sync(many);
  const second = await sync([], lastState(first));
  const third = await sync(many, lastState(second), 1000, input.now + 2 * HOUR);
  expect(idsOf(third)).toEqual([]);
  expect(daysOf(third)[1]).toMatchObject({ own: false, rows: 12, shrunk: false, confirmed: true });
  expect(saidOf(third, "WARN")).toBe("");
});

/** A day of thirty rows, in pages of twenty; one row is restated after the first sync. */
const thirty = Array.from({ length: 30 }, (_, index) => recordOf(`t${index}`, 0));
const thirtyRestated = changed(thirty, "t0");
const remnant = thirtyRestated.slice(0, 1);
const firstPage = pageOf(thirty.slice(0, 20), "next");
const outage = { own: false, records: 1, rows: 30, shrunk: true, confirmed: false };
const down = new ConnectorError("unavailable", "It is down.");

/** A sync of a provider that changes: each element has the records for one reading, the last one also for all later readings. */
function readings(
  shown: readonly (readonly Fields[] | ConnectorError)[],
  stored: StreamState | null,
  now = input.now,
): Promise<Run> {
  let next = 0;
  return readScript(
    (query, cursor) => {
      const found = shown[Math.min(next++, shown.length - 1)] ?? [];
      return found instanceof ConnectorError ? [found] : provider(found, 20)(query, cursor);
    },
    { stored, input: { ...input, now } },
  );
}

test("R8: an outage between the two readings of a window is not believed, and the next reading writes the day again", async () => {
  const first = await readings([thirty], null);
  const second = await readings([thirtyRestated, remnant], lastState(first));
  expect(second.queries).toHaveLength(3); // the other days of the window are read once more (R10)
  expect(daysOf(second).filter(({ shrunk }) => shrunk)).toMatchObject([outage]);
  expect(saidOf(second, "WARN")).toContain("shows 1 record of 2026-01-01, which had 30");
  expect(known(second)?.forgotten.get(DAY_ONE)).toMatchObject({ most: 30, records: 30 });
  const soon = await readings([remnant], lastState(second), input.now + HOUR - 1);
  expect(daysOf(soon)[0]).toMatchObject(outage);
  const over = await readings([thirtyRestated], lastState(soon), input.now + 2 * HOUR);
  expect(idsOf(over)).toHaveLength(30);
  expect(daysOf(over)[0]).toMatchObject({ own: true, rows: 30, confirmed: true, shrunk: false });
  expect(known(over)?.forgotten.size).toBe(0);
  const agreed = await readings([remnant], lastState(soon), input.now + HOUR);
  expect(daysOf(agreed)[0]).toMatchObject({ own: true, rows: 1, confirmed: true, shrunk: false });
});

/** How syncs go that read the first page of a window, and never the second one. Each has the answers to its queries. */
type Answers = readonly (FetchedPage | ConnectorError)[];
const GIVEN_UP: readonly (readonly [how: string, syncs: readonly (readonly Answers[])[]])[] = [
  ["whose cursor is refused", [[[firstPage, refused("cursor_refused")], [pageOf(remnant)]]]],
  [
    "whose cursor is refused after a kill",
    [[[firstPage, down]], [[refused("cursor_refused")], [pageOf(remnant)]]],
  ],
  ["whose cursor gets no answer", [[[firstPage, down]], [[down]], [[pageOf(remnant)]]]],
  [
    "with a record that breaks its schema",
    [
      [[firstPage, pageOf([{ ...recordOf("bad", 0), ChargePeriodStart: "soon" }])]],
      [[pageOf(remnant)]],
    ],
  ],
];

test.each(GIVEN_UP)(
  "R8: a day is compared with the part of it that was shown by a reading %s",
  async (_, syncs) => {
    let stored: StreamState | null = null;
    for (const script of syncs.slice(0, -1)) {
      stored = lastState(await readScript(script, { stored, input }));
    }
    const run = await readScript(syncs.at(-1) ?? [], { stored, input });
    const part = { own: true, records: 1, rows: 1, shrunk: true, confirmed: false };
    expect(daysOf(run)[0]).toMatchObject(part);
    expect(known(run)?.forgotten.get(DAY_ONE)).toMatchObject({ most: 20 });
    expect(known(run)?.inPart.size).toBe(0);
    const soon = await readings([remnant], lastState(run), input.now + HOUR - 1);
    expect(daysOf(soon)[0]).toMatchObject(part);
    const agreed = await readings([remnant], lastState(run), input.now + 2 * HOUR);
    expect(daysOf(agreed)[0]).toMatchObject({ rows: 1, confirmed: true, shrunk: false });
  },
);

test("S3 R8: a window whose cursor was refused once goes on day after day, although a reading of it was given up", async () => {
  const pages = pagesOf(
    Array.from({ length: 100 }, (_, index) => recordOf(`p${index}`, 0)),
    20,
  );
  const oneDay = { ...input, endDate: DAY_ONE + DAY, lookback: DAY, retentionDays: 400 };
  let stored: StreamState | null = null;
  const asked: (string | null)[] = [];
  for (let day = 0; day < 4; day++) {
    const now = DAY_ONE + (9.5 + day) * DAY;
    let isRefused = day !== 1;
    const script = (_: unknown, cursor: string | null): (FetchedPage | ConnectorError)[] => {
      asked.push(cursor);
      if (!isRefused) {
        isRefused = true;
        return [refused("cursor_refused")];
      }
      const left = pages.slice(cursor === null ? 0 : Number(cursor.slice(1)));
      const shown = left.slice(0, 2).map((page) => ({ ...page, availableThrough: now }));
      return left.length > 2 ? [...shown, down] : shown;
    };
    stored = lastState(await readScript(script, { stored, input: { ...oneDay, now } }));
  }
  // Each sync gets two pages of five. The second sync begins again.
  expect(asked).toEqual([null, "p2", null, "p2", "p4"]);
});

test("R8: a day whose second reading fails is compared with its earlier number of rows by the next sync", async () => {
  const first = await readings([thirty], null);
  const failed = await readings([thirtyRestated, down], lastState(first));
  expect(failed.succeeded).toBe(false);
  expect(known(failed)?.ranges).not.toContainEqual(expect.objectContaining({ start: DAY_ONE }));
  const next = await readings([remnant], lastState(failed), input.now + HOUR);
  expect(next.succeeded).toBe(true);
  expect(daysOf(next)[0]).toMatchObject(outage);
  const over = await readings([thirtyRestated], lastState(next), input.now + HOUR);
  expect(daysOf(over)[0]).toMatchObject({ own: true, rows: 30, confirmed: true, shrunk: false });
});

test("R8: a process that dies between the STATE without a day and the rows of the day leaves their number", async () => {
  const first = await sync(thirty);
  const second = await sync(thirtyRestated, lastState(first));
  const [before] = second.states;
  if (before === undefined) throw new Error("no STATE");
  const killed = lastState({ ...second, states: [before] });
  const next = await sync(remnant, killed, 1000, input.now + HOUR);
  expect(daysOf(next)[0]).toMatchObject(outage);
});

test("R2 R8: a suspected day keeps its provisional costs", async () => {
  const provisional = Array.from({ length: 12 }, (_, index) => costRecord(`p${index}`));
  const read = (records: readonly Fields[], stored: StreamState | null): Promise<Run> =>
    readScript(provider(records), { stream: costs, stored, input });
  const first = await read(provisional, null);
  const second = await read(provisional.slice(0, 3), lastState(first));
  expect(daysOf(second)[0]).toMatchObject({ shrunk: true });
  const sums = [{ day: DAY_ONE, records: 12, billed: { USD: "13.2" } }];
  expect(stateOf(second).provisional).toEqual(sums);
});

/** The first of these days alone: a first sync reads each day in a window of its own. */
const oneDay = { ...input, endDate: DAY_ONE + DAY };
const [a, b] = [recordOf("a", 0), recordOf("b", 0)];

test("P6: the days of a listing that moved are unconfirmed until the next reading agrees", async () => {
  const later = { asOf: "2026-01-10T00:00:01Z" };
  const moving = [[pageOf([a], "c"), pageOf([b], null, later)]];
  const first = await readScript(moving, { input: oneDay });
  expect(daysOf(first)).toMatchObject([{ own: true, confirmed: false, rows: 2 }]);
  const second = await readScript(moving, { input: oneDay, stored: lastState(first) });
  expect(idsOf(second)).toEqual([]);
  expect(daysOf(second)).toMatchObject([{ own: false, confirmed: true, rows: 2 }]);
});

test("R4: a restart that returns less than was written leaves the day unknown, and the next sync writes it", async () => {
  const run = await readScript([[pageOf([a], "c"), refused("cursor_refused")], [pageOf([b])]], {
    input: oneDay,
  });
  expect(idsOf(run)).toEqual(["a", "b"]);
  expect(daysOf(run)).toMatchObject([{ own: true, confirmed: false, records: 1 }]);
  expect(known(run)?.ranges).toEqual([]);
  const next = await readScript([[pageOf([b])]], { input: oneDay, stored: lastState(run) });
  expect(idsOf(next)).toEqual(["b"]);
  expect(daysOf(next)).toMatchObject([{ own: true, confirmed: true, rows: 1 }]);
});

test("R4: so does a restart that returns nothing of the day: the day is not proven empty", async () => {
  const script = [[pageOf([a], "c"), refused("cursor_refused")], [pageOf([])]];
  const run = await readScript(script, { input: oneDay });
  expect(idsOf(run)).toEqual(["a"]);
  expect(daysOf(run)).toMatchObject([{ own: true, confirmed: false, records: 0 }]);
  expect(known(run)?.ranges).toEqual([]);
});

test("R4: a restart that returns the same again leaves the day known", async () => {
  const run = await readScript(
    [
      [pageOf([a], "c"), refused("cursor_refused")],
      [pageOf([a], "d"), pageOf([b])],
    ],
    { input: oneDay },
  );
  expect(idsOf(run)).toEqual(["a", "b"]);
  expect(known(run)?.ranges).toEqual([{ start: DAY_ONE, end: DAY_ONE + DAY }]);
});

test("R4: the digests of a window that was resumed count what the process before wrote", async () => {
  const killed = await readScript([[pageOf([a], "c"), down]], { input: oneDay });
  const resumed = await readScript([[pageOf([b])]], { input: oneDay, stored: lastState(killed) });
  expect(daysOf(resumed)).toMatchObject([{ own: true, confirmed: true, rows: 2 }]);
  const idle = await readScript([[pageOf([b, a])]], { input: oneDay, stored: lastState(resumed) });
  expect(idsOf(idle)).toEqual([]);
});

test("R4: a resumed window whose cursor is refused gets a reading of its own, whose rows are complete", async () => {
  const killed = await readScript([[pageOf([a], "c"), down]], { input: oneDay });
  const run = await readScript([[refused("cursor_refused")], [pageOf([a, b])]], {
    input: oneDay,
    stored: lastState(killed),
  });
  const open = lastState(killed)?.pass?.open.map(({ id }) => id);
  expect(open).toHaveLength(1);
  expect(open).not.toContain(run.reports[0]?.id);
  expect(idsOf(run)).toEqual(["a", "b"]);
  expect(daysOf(run)).toMatchObject([{ own: true, confirmed: true, rows: 2 }]);
});

test("R4: a STATE without the first passage goes out before the rows of a restarted window", async () => {
  const run = await readScript(
    [
      [pageOf([a], "c"), refused("cursor_refused")],
      [pageOf([b], "d"), pageOf([a])],
    ],
    { input: oneDay },
  );
  const rows = run.outputs.findLastIndex(({ type }) => type === "RECORD_LINES");
  const before = run.outputs.slice(0, rows).findLast(({ type }) => type === "STATE");
  const state = before?.type === "STATE" ? before.state.stream.stream_state : {};
  expect(state["pass"]).toMatchObject({ open: [] });
});

test("R4: a restarted window that a later process resumes leaves its days unknown", async () => {
  const killed = await readScript(
    [
      [pageOf([a], "c"), refused("cursor_refused")],
      [pageOf([b], "d"), down],
    ],
    { input: oneDay },
  );
  const run = await readScript([[pageOf([])]], { input: oneDay, stored: lastState(killed) });
  expect(run.queries.map(({ cursor }) => cursor)).toEqual(["d"]);
  expect(idsOf(killed)).toEqual(["a", "b"]);
  expect(daysOf(run)).toMatchObject([{ own: true, confirmed: false }]);
  expect(known(run)?.ranges).toEqual([]);
});

test("R4: so does one of which only the first passage has written rows", async () => {
  const killed = await readScript(
    [
      [pageOf([a], "c"), refused("cursor_refused")],
      [pageOf([], "d"), down],
    ],
    { input: oneDay },
  );
  const run = await readScript([[pageOf([b])]], { input: oneDay, stored: lastState(killed) });
  expect([...idsOf(killed), ...idsOf(run)]).toEqual(["a", "b"]);
  expect(run.reports.map(({ id }) => id)).toEqual([stateOf(killed).pass?.open[0]?.id]);
  expect(daysOf(run)).toMatchObject([{ own: true, confirmed: false }]);
  expect(known(run)?.ranges).toEqual([]);
});

test("R4: a resumed window that was restarted leaves its days unknown, because its repeats have another reading id", async () => {
  const killed = await readScript([[pageOf([], "c"), down]], { input: oneDay });
  const restarted = await readScript(
    [
      [pageOf([a], "d"), refused("cursor_refused")],
      [pageOf([a], "e"), down],
    ],
    { input: oneDay, stored: lastState(killed) },
  );
  expect(idsOf(restarted)).toEqual(["a"]);
  const run = await readScript([[pageOf([b])]], { input: oneDay, stored: lastState(restarted) });
  expect(run.queries.map(({ cursor }) => cursor)).toEqual(["e"]);
  expect(daysOf(run)).toMatchObject([{ own: true, confirmed: false }]);
  expect(known(run)?.ranges).toEqual([]);
});

test("R4: a resumed window that has moved leaves its days unknown, because the killed process may have written other rows", async () => {
  const killed = await readScript([[pageOf([a], "c"), down]], { input: oneDay });
  const later = { ...pageOf([b]), asOf: "2026-01-10T01:00:00Z" };
  const run = await readScript([[later]], { input: oneDay, stored: lastState(killed) });
  expect(daysOf(run)).toMatchObject([
    { own: false, confirmed: false, rows: 1 }, // before the page: it takes back the proofs that the killed process may have given
    { own: true, confirmed: false, rows: 2 },
  ]);
  expect(known(run)?.ranges).toEqual([]);
  const next = await readScript([[pageOf([a, b])]], { input: oneDay, stored: lastState(run) });
  expect(idsOf(next)).toEqual(["a", "b"]);
  expect(daysOf(next)).toMatchObject([{ own: true, confirmed: true, rows: 2 }]);
});

test("R4: such a window takes the proofs back although the state has left out its control totals", async () => {
  const killed = await readScript([[pageOf([a], "c"), down]], {
    input: oneDay,
    limits: { stateGroups: 0 },
  });
  const later = { ...pageOf([b]), asOf: "2026-01-10T01:00:00Z" };
  const run = await readScript([[later]], { input: oneDay, stored: lastState(killed) });
  // A report without control totals is not sent (R5).
  expect(run.said.map(({ reading }) => reading.totals)).toEqual([[], null]);
  expect(daysOf(run)[0]).toMatchObject({ own: false, confirmed: false, rows: 1 });
});

test("R6: a comparison that is killed goes on at its page", async () => {
  const first = await sync(four, null, 1);
  const records = changed(four, "r3");
  const pages = provider(records, 1)(week, null);
  const killed = await readScript([[...pages.slice(0, 2), down]], {
    input,
    stored: lastState(first),
  });
  expect(idsOf(killed)).toEqual([]);
  const resumed = await sync(records, lastState(killed), 1);
  expect(resumed.queries.map(({ cursor }) => cursor)).toEqual(["p2", null]);
  expect(idsOf(resumed)).toEqual(["r3"]);
  expect(daysOf(resumed)).toHaveLength(4);
});

test("R6: a second reading that is killed goes on at its page, and knows its days only then", async () => {
  const first = await sync(four, null, 1);
  const records = changed(changed(four, "r0"), "r3");
  const pages = provider(records, 1)(week, null);
  const killed = await readScript([pages, [...pages.slice(0, 2), down]], {
    input,
    stored: lastState(first),
  });
  expect(idsOf(killed)).toEqual(["r0"]);
  expect(known(killed)?.ranges).toEqual([{ start: DAY_ONE + DAY, end: DAY_ONE + 3 * DAY }]);
  const resumed = await sync(records, lastState(killed), 1);
  expect(resumed.queries.map(({ cursor }) => cursor)).toEqual(["p2"]);
  expect(idsOf(resumed)).toEqual(["r3"]);
  expect(known(resumed)?.ranges).toEqual([week]);
  expect(idsOf(await sync(records, lastState(resumed), 1))).toEqual([]);
});

/** Two days with a window each: the provider returns records by overlap with their period, or by a rule of its own. */
const twoDays = { ...input, endDate: DAY_ONE + 2 * DAY, maximumWindowDays: 1 };
const strayOf = (id: string, day: number): Fields => recordOf(id, day);
const tenOf = (name: string, day = 0): Fields[] =>
  Array.from({ length: 10 }, (_, index) => recordOf(`${name}${index}`, day));

test.each([1, 2])(
  "P5: a stray waits for the window that owns it, and is written there alone (%i lanes)",
  async (lanes) => {
    const shared = strayOf("shared", 0);
    const windows = { 0: [shared], 1: [shared, four[1] ?? {}] };
    const run = await readScript(showing(windows), { input: twoDays, lanes });
    expect(run.succeeded).toBe(true);
    expect(idsOf(run).toSorted((x, y) => x.localeCompare(y))).toEqual(["r1", "shared"]);
    expect(run.said.flatMap(({ strays }) => strays)).toEqual([]);
    expect(stateOf(run)).toMatchObject({ strays: [], position: DAY_ONE + 2 * DAY });
  },
);

test("P5: a stray that no window returns as its own is written once, by one more reading of its window", async () => {
  const windows = { 0: [], 1: [strayOf("lost", 0), four[1] ?? {}] };
  const first = await readScript(showing(windows), { input: twoDays });
  expect(first.succeeded).toBe(true);
  expect(idsOf(first)).toEqual(["r1", "lost"]);
  const { reading, strays } = first.said.find((said) => said.strays.length > 0) ?? {};
  expect(strays).toEqual([{ day: DAY_ONE, rowsReadingId: reading?.id, records: 1 }]);
  expect(reading).toMatchObject({ start: DAY_ONE + DAY, end: DAY_ONE + 2 * DAY });
  expect(stateOf(first).strays).toMatchObject([{ day: DAY_ONE, readingId: reading?.id }]);
});

test("R2: the provisional cost of a written stray is followed under its own day, until that day is read", async () => {
  /** A provider that takes the end of a window as inclusive. */
  const lateCharge =
    (status: string) =>
    ({ start, end }: { start: number; end: number }): FetchedPage[] => {
      const stray = costRecord("s", {
        ChargePeriodStart: "2026-01-05T00:00:00Z",
        ChargePeriodEnd: "2026-01-06T00:00:00Z",
        x_CostStatus: status,
      });
      return [pageOf(start <= week.end && week.end <= end ? [stray] : [])];
    };
  const provisional = (run: Run) => {
    const state = lastState(run);
    return state?.mode === "incremental" ? state.provisional : undefined;
  };
  const options = { stream: costs, input };
  const first = await readScript(lateCharge("provisional"), options);
  expect(idsOf(first)).toEqual(["s"]);
  expect(provisional(first)).toEqual([{ day: week.end, records: 1, billed: { USD: "1.1" } }]);
  const stored = lastState(first);
  const again = await readScript(lateCharge("provisional"), { ...options, stored });
  expect(provisional(again)).toEqual(provisional(first));
  const later = { ...input, endDate: week.end + DAY, lookback: 5 * DAY, now: input.now + DAY };
  const read = await readScript(lateCharge("final"), { ...options, stored, input: later });
  expect(provisional(read)).toEqual([]);
});

test("R2: a window that is resumed under a later start date keeps its provisional costs on their days", async () => {
  const early = costRecord("p", {
    ChargePeriodStart: "2026-01-02T00:00:00Z",
    ChargePeriodEnd: "2026-01-03T00:00:00Z",
    x_CostStatus: "provisional",
  });
  const month = { ...input, byMonth: true };
  const options = { stream: costs, input: month };
  const killed = await readScript([[pageOf([], "c"), down]], options);
  const later = { ...month, startDate: DAY_ONE + 3 * DAY };
  const stored = lastState(killed);
  const run = await readScript([[pageOf([early])]], { ...options, stored, input: later });
  expect(stateOf(run).provisional).toMatchObject([{ day: DAY_ONE + DAY, records: 1 }]);
});

test("P5: next time a written stray is reported as standing, and an idle second read writes nothing", async () => {
  const windows = { 0: [], 1: [strayOf("lost", 0), four[1] ?? {}] };
  const first = await readScript(showing(windows), { input: twoDays });
  const id = stateOf(first).strays[0]?.readingId;
  const second = await readScript(showing(windows), { input: twoDays, stored: lastState(first) });
  expect(idsOf(second)).toEqual([]);
  expect(second.queries).toHaveLength(2);
  expect(second.said.flatMap(({ strays }) => strays)).toEqual([
    { day: DAY_ONE, rowsReadingId: id, records: 1 },
  ]);
  expect(stateOf(second).strays).toEqual(stateOf(first).strays);
});

test("P5: a written stray that its window no longer shows leaves the reports and the state", async () => {
  const first = await readScript(showing({ 1: [strayOf("lost", 0)] }), { input: twoDays });
  const second = await readScript(showing({}), { input: twoDays, stored: lastState(first) });
  expect(second.said.flatMap(({ strays }) => strays)).toEqual([]);
  expect(stateOf(second).strays).toEqual([]);
});

test("P5: a window with strays is not finished before they are written", async () => {
  let asked = 0;
  const run = await readScript(
    ({ start }) => {
      asked += 1;
      if (asked > 2) return [down];
      return [pageOf(start === DAY_ONE ? [] : [strayOf("lost", 0)])];
    },
    { input: twoDays },
  );
  expect(run.succeeded).toBe(false);
  expect(idsOf(run)).toEqual([]);
  const { position, pass } = stateOf(run);
  expect(position).toBe(DAY_ONE + DAY);
  expect(pass?.reads.map(({ end }) => end)).toEqual([DAY_ONE + DAY]);
  const next = await readScript(showing({ 1: [strayOf("lost", 0)] }), {
    input: twoDays,
    stored: stateOf(run),
  });
  expect(idsOf(next)).toEqual(["lost"]);
});

test("P5: a stray is not lost where a process dies in the second reading of its window, nor where that begins again", async () => {
  const lost = strayOf("lost", -1);
  const pages = [pageOf(changed(four, "r0").slice(0, 2), "c"), pageOf([...four.slice(2), lost])];
  const again = [pageOf(changed(four, "r0"), "d"), pageOf([lost])];
  for (const rest of [[pageOf([])], [refused("cursor_refused")]]) {
    const first = await sync(four);
    const killed = await readScript([pages, [pageOf([], "k"), down]], {
      input,
      stored: lastState(first),
    });
    expect(idsOf(killed)).toEqual([]);
    const run = await readScript([rest, again, again, again], { input, stored: lastState(killed) });
    expect(run.succeeded).toBe(true);
    expect(idsOf(run)).toContain("lost");
  }
});

test("P5: a known day that a stray starts on is read too, and may own the stray", async () => {
  const whole = { ...input, maximumWindowDays: 1 };
  const first = await readScript(showing({ 0: [a] }), { input: whole });
  const late = { ...whole, lookback: DAY }; // the first day is no longer read
  const run = await readScript(showing({ 0: [a], 3: [a] }), {
    input: late,
    stored: lastState(first),
  });
  expect(idsOf(run)).toEqual([]);
  expect(run.queries.map(({ start }) => (start - DAY_ONE) / DAY)).toEqual([3, 0]);
  expect(stateOf(run).strays).toMatchObject([{ day: DAY_ONE, readingId: null }]);
});

test("P5 R8: strays of a known day that shows less than half are written, and the next sync writes the day again", async () => {
  const whole = { ...input, maximumWindowDays: 1 };
  const first = await readScript(showing({ 0: [a, ...tenOf("r")] }), { input: whole });
  const late = { ...whole, lookback: DAY };
  const silent = await readScript(showing({ 0: [recordOf("r0", 0)], 3: [a] }), {
    input: late,
    stored: lastState(first),
  });
  expect(idsOf(silent)).toEqual(["a"]);
  expect(known(silent)?.forgotten.get(DAY_ONE)).toMatchObject({ most: 11 });
  const healed = await readScript(showing({ 0: [a, ...tenOf("r")], 3: [a] }), {
    input: late,
    stored: lastState(silent),
  });
  expect(idsOf(healed)).toHaveLength(11);
  expect(known(healed)?.days.get(DAY_ONE)).toMatchObject({ records: 11 });
});

test("P5: a day that a look for owners shows otherwise than it was written leaves the state, and another stays", async () => {
  const day = [...tenOf("r"), a];
  /** The first day is looked at again, because so few records are remembered. */
  const lookAt = (shown: readonly Fields[]): Promise<Run> => {
    let asked = 0;
    const script = ({ start }: { start: number }): FetchedPage[] => {
      if (start === DAY_ONE) return [pageOf((asked += 1) === 1 ? day : shown)];
      return [pageOf([...tenOf("s", 1), a])];
    };
    return readScript(script, { input: twoDays, limits: { firstSightings: 4, sightings: 8 } });
  };
  const owned = await lookAt(day);
  expect(idsOf(owned)).toHaveLength(21);
  expect(known(owned)?.days.get(DAY_ONE)).toMatchObject({ records: 11 });
  const silent = await lookAt(day.slice(0, 6));
  expect(idsOf(silent).slice(21)).toEqual(["a"]);
  expect([...(known(silent)?.forgotten.keys() ?? [])]).toEqual([DAY_ONE]);
});

test("P5: so does a day whose look shows an owner that came after the day was written", async () => {
  const day = tenOf("r");
  let asked = 0;
  const script = ({ start }: { start: number }): FetchedPage[] => {
    if (start === DAY_ONE) return [pageOf((asked += 1) === 1 ? day : [...day, a])];
    return [pageOf([...tenOf("s", 1), a])];
  };
  const run = await readScript(script, {
    input: twoDays,
    limits: { firstSightings: 4, sightings: 8 },
  });
  expect(asked).toBe(2);
  expect(idsOf(run)).not.toContain("a");
  expect([...(known(run)?.forgotten.keys() ?? [])]).toEqual([DAY_ONE]);
});

test("P5: a stray that is restated between the two readings is written as it comes then", async () => {
  const lost = strayOf("lost", 0);
  const newer = { ...lost, x_RecordUpdatedAt: "2026-01-03T00:00:00Z", ConsumedQuantity: "7" };
  const [empty, shows] = [[pageOf([])], [pageOf([newer])]];
  const script = [empty, [pageOf([lost])], shows, empty, shows];
  const run = await readScript(script, { input: twoDays });
  expect(run.succeeded).toBe(true);
  expect(dataOf(run)).toMatchObject([newer]);
  const next = await readScript(showing({ 1: [newer] }), {
    input: twoDays,
    stored: lastState(run),
  });
  expect(idsOf(next)).toEqual([]);
  expect(stateOf(next)).toEqual(stateOf(run));
});

test("P5: while a window of the day and another one show different versions of a stray, both are written in each sync, the stray last", async () => {
  const row = strayOf("row", 0);
  const older = { ...row, x_RecordUpdatedAt: "2026-01-01T00:00:01Z", ConsumedQuantity: "7" };
  const script = showing({ 0: [older], 1: [row] });
  const asked = { input: { ...twoDays, lookback: 2 * DAY } };
  const first = await readScript(script, asked);
  const second = await readScript(script, { ...asked, stored: lastState(first) });
  for (const run of [first, second]) expect(dataOf(run)).toMatchObject([older, row]);
  const right = await readScript(showing({ 0: [row], 1: [row] }), {
    ...asked,
    stored: lastState(second),
  });
  expect(dataOf(right)).toMatchObject([row]);
  expect(stateOf(right)).toMatchObject({ due: [], strays: [] });
});

test("P5 R10: the day of a written stray leaves the state before the stray is written if this read has returned another version of it as the day's own", async () => {
  const row = strayOf("row", 0);
  const at = (time: string): Fields => ({ ...row, x_RecordUpdatedAt: time });
  const newer = at("2026-01-02T00:00:01Z");
  // The provider goes back to an earlier version, too.
  for (const other of [at("2026-01-01T00:00:01Z"), newer]) {
    const both = await readScript(showing({ 0: [row], 1: [other] }), { input: twoDays });
    expect(idsOf(both)).toEqual(["row", "row"]);
    expect([...(known(both)?.forgotten.keys() ?? [])]).toEqual([DAY_ONE]);
    const stray = both.outputs.findLastIndex(({ type }) => type === "RECORD_LINES");
    const before = stateWithin(both, stray);
    expect([...before.known.forgotten.keys()]).toEqual([DAY_ONE]);
    // If the provider has gone back to the day's own version by then, the day is written again all the same.
    const back = await readScript(showing({ 0: [row], 1: [row] }), {
      input: { ...twoDays, lookback: DAY },
      stored: lastState(both),
    });
    expect(dataOf(back)).toMatchObject([row]);
    expect(stateOf(back)).toMatchObject({ due: [], strays: [] });
  }
  const first = await readScript(showing({ 0: [row], 1: [newer] }), { input: twoDays });
  // Without the day that is due, the next sync would read the second day only.
  const next = await readScript(showing({ 0: [newer], 1: [newer] }), {
    input: { ...twoDays, lookback: DAY },
    stored: lastState(first),
  });
  expect(dataOf(next)).toMatchObject([newer]);
  expect(known(next)?.days.get(DAY_ONE)).toMatchObject({ records: 1 });
  expect(stateOf(next)).toMatchObject({ due: [], strays: [] });
});

test("P5: the day of a stray leaves the state if the stray has moved there since it was seen, and the read has forgotten that the day owns it", async () => {
  const moved = recordOf("moved", 0, { x_RecordUpdatedAt: "2026-01-05T00:00:00Z" });
  const day = [moved, ...tenOf("r"), a];
  let asked = 0;
  /** Only the last two days are read by themselves. The third one shows the stray before it moves, and then where it is now. */
  const script = ({ start }: { start: number }): FetchedPage[] => {
    const number = (start - DAY_ONE) / DAY;
    if (number === 0) return [pageOf(day)];
    if (number === 3) return [pageOf([a])];
    return [pageOf([(asked += 1) === 1 ? recordOf("moved", -1) : moved])];
  };
  const whole = { ...input, maximumWindowDays: 1 };
  const first = await readScript(showing({ 0: tenOf("r") }), { input: whole });
  const run = await readScript(script, {
    input: { ...whole, lookback: 2 * DAY },
    stored: lastState(first),
    limits: { firstSightings: 4, sightings: 4 },
  });
  expect(idsOf(run).filter((id) => id === "moved")).toHaveLength(2);
  expect([...(known(run)?.forgotten.keys() ?? [])]).toEqual([DAY_ONE]);
  const next = await readScript(showing({ 0: day, 2: [moved], 3: [a] }), {
    input: { ...whole, lookback: 2 * DAY },
    stored: lastState(run),
  });
  expect(idsOf(next)).toHaveLength(12);
  expect(stateOf(next)).toMatchObject({ due: [], known: { forgotten: new Map() } });
});

test("P5 R10: the day of a stray that no day shows stays known, however often the stray is restated", async () => {
  const versions = ["2026-01-03T00:00:00Z", "2026-02-03T00:00:00Z", "2026-01-20T00:00:00Z"];
  let stored: StreamState | null = null;
  for (const time of versions) {
    const row = { ...strayOf("row", 0), x_RecordUpdatedAt: time };
    const run: Run = await readScript(showing({ 0: four.slice(0, 1), 1: [row] }), {
      input: twoDays,
      stored,
    });
    expect(idsOf(run)).toContain("row");
    expect(stateOf(run).due).toEqual([]);
    expect(known(run)?.forgotten.size).toBe(0);
    stored = lastState(run);
  }
});

test("P5: a stray that does not come again leaves its window unfinished, with a warning, and the next sync tries again", async () => {
  const lost = strayOf("lost", 0);
  const script = [[pageOf([])], [pageOf([lost])], [pageOf([])]];
  const run = await readScript(script, { input: twoDays });
  expect(run.queries).toHaveLength(3);
  expect(idsOf(run)).toEqual([]);
  expect(saidOf(run, "WARN")).toMatch(/1 did not come again when they were to be written/);
  const { position, pass } = stateOf(run);
  expect(position).toBe(DAY_ONE + DAY);
  expect(pass?.reads.map(({ end }) => end)).toEqual([DAY_ONE + DAY]);
  const next = await readScript(showing({ 1: [lost] }), { input: twoDays, stored: lastState(run) });
  expect(idsOf(next)).toEqual(["lost"]);
  expect(stateOf(next)).toMatchObject({ position: DAY_ONE + 2 * DAY, pass: null });
  const gone = await readScript(showing({}), { input: twoDays, stored: lastState(run) });
  expect(saidOf(gone, "WARN")).toBe("");
  expect(stateOf(gone)).toMatchObject({ position: DAY_ONE + 2 * DAY, pass: null });
});

test("P5: of two windows that showed a stray, both wait for the one that writes it", async () => {
  const lost = strayOf("lost", -1);
  for (const again of [[lost], []]) {
    const script = [[pageOf([lost])], [pageOf([lost])], [pageOf(again)]];
    const run = await readScript(script, { input: twoDays });
    expect(run.queries).toHaveLength(3);
    expect(idsOf(run)).toEqual(again.length === 0 ? [] : ["lost"]);
    const through = again.length === 0 ? 0 : 2;
    expect(stateOf(run).position).toBe(DAY_ONE + through * DAY);
  }
});

test("P5: an idle sync of many start days of long charges asks little, and leaves the state and its proven days as they are", async () => {
  const days = 60;
  const span = { ...input, now: DAY_ONE + (days + 0.5) * DAY, endDate: DAY_ONE + days * DAY };
  const daily = { ...span, maximumWindowDays: 1, lookback: DAY, retentionDays: 90 };
  const long = Array.from({ length: 40 }, (_, day) => strayOf(`long${day}`, day));
  const shown = (records: readonly Fields[]) =>
    pageOf(records, null, { availableThrough: daily.now });
  /** The last day shows all charges that still run. */
  const overlapping = ({ start }: { start: number }): FetchedPage[] => {
    const day = (start - DAY_ONE) / DAY;
    return [shown(day === days - 1 ? long : long.slice(day, day + 1))];
  };
  const read = (stored: StreamState | null): Promise<Run> =>
    readScript(overlapping, { input: daily, stored });
  const first = await read(null);
  expect(idsOf(first)).toHaveLength(40);
  const second = await read(lastState(first));
  expect(second.queries).toHaveLength(32);
  expect(saidOf(second, "WARN")).toMatch(/9 days of such starts are left to the next sync/);
  expect(stateOf(second)).toMatchObject({ position: span.endDate, pass: { open: [] } });
  const third = await read(lastState(second));
  expect(third.queries).toHaveLength(10);
  const idle = await read(lastState(third));
  expect(idle.queries).toHaveLength(1);
  expect(stateOf(idle)).toEqual(stateOf(third));
  for (const run of [second, third, idle]) {
    expect(idsOf(run)).toEqual([]);
    expect(known(run)).toEqual(known(first));
  }
  // A charge that its day no longer returns is written, and so is one that changes.
  const changedOne = { ...strayOf("long3", 3), ConsumedQuantity: "7" };
  const later = await readScript(
    ({ start }) => [shown(start === span.endDate - DAY ? long.with(3, changedOne) : [changedOne])],
    { input: daily, stored: lastState(idle) },
  );
  expect(later.queries.map(({ start }) => (start - DAY_ONE) / DAY)).toEqual([59, 3]);
  expect(dataOf(later)).toMatchObject([{ x_RecordId: "long3", ConsumedQuantity: "7" }]);
});

test("R6: a known day outside the plan leaves the state before a stray that starts on it is written", async () => {
  const whole = { ...input, maximumWindowDays: 1 };
  const first = await readScript(showing({ 0: [a] }), { input: whole });
  const late = { ...whole, startDate: DAY_ONE + 3 * DAY };
  const run = await readScript(showing({ 3: [a] }), { input: late, stored: lastState(first) });
  expect(idsOf(run)).toEqual(["a"]);
  const rows = run.outputs.findIndex(({ type }) => type === "RECORD_LINES");
  const before = run.outputs.slice(0, rows).findLast(({ type }) => type === "STATE");
  const state = before?.type === "STATE" ? before.state.stream.stream_state : {};
  expect(state["known"]).toEqual([["2026-01-02", "2026-01-05"]]);
});

test("R6: a day that leaves retention while its reading is interrupted keeps its earlier rows", async () => {
  const night = DAY_ONE + 5 * DAY - 1.5 * HOUR; // an hour before the retention floor moves from the first day to the second
  const readAt = (now: number, stored: StreamState | null, perPage: number): Promise<Run> =>
    readScript(provider(eight, perPage), { stored, input: { ...input, retentionDays: 5, now } });
  const eight = [0, 1, 2, 3].flatMap((day) => [recordOf(`a${day}`, day), recordOf(`b${day}`, day)]);
  const first = await readAt(night, null, 1000);
  const killed = await readAt(night, lastState(first), 1);
  const [page] = killed.states;
  if (page === undefined) throw new Error("no page left a state");
  const resumed = await readAt(night + HOUR, lastState({ ...killed, states: [page] }), 1);
  expect(idsOf(resumed)).toEqual([]);
  expect(daysOf(resumed)).toHaveLength(4);
  for (const day of daysOf(resumed)) expect(day).toMatchObject({ own: false, rows: 2 });
});

test("S8: days of the future leave a state: none was ever read, and each would stay for ever", async () => {
  const stored = lastState(await sync(four));
  if (stored?.mode !== "incremental") throw new Error("no state");
  const [entry] = [...stored.known.days.values()];
  if (entry === undefined) throw new Error("no day");
  const ahead = DAY_ONE + 900 * DAY;
  const ranges = [...stored.known.ranges, { start: ahead, end: ahead + DAY }];
  const days = new Map(stored.known.days).set(ahead, { ...entry, day: ahead });
  const next = await sync(four, {
    ...stored,
    known: { ranges, days, forgotten: new Map(), inPart: new Map() },
  });
  expect(known(next)).toEqual(stored.known);
});

test("S8: provisional strays of any number of future days leave a state within its bound", async () => {
  let stored: IncrementalState | null = null;
  for (let number = 0; number < 2; number++) {
    const strays = Array.from({ length: 300 }, (_, index) => {
      const day = DAY_ONE + (400 + 300 * number + index) * DAY;
      return costRecord(`${number}-${index}`, {
        ChargePeriodStart: formatInstant(day),
        ChargePeriodEnd: formatInstant(day + DAY),
      });
    });
    const run = await readScript(() => [pageOf(strays)], {
      stream: costs,
      input: { ...input, byMonth: true, maximumWindowDays: 31, now: input.now + number * DAY },
      stored,
      limits: { stateBytes: 6000, knownStrays: 10 },
    });
    expect(idsOf(run)).toHaveLength(300);
    const sizes = run.states.map(({ state }) => JSON.stringify(state.stream.stream_state).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(6000);
    stored = stateOf(run);
    expect(stored.provisional.map(({ records }) => records)).toEqual([300]); // its window is followed
  }
});

/** Twelve days of two rows; every page has an `as_of` of its own. The next sync reads again only the last of them by itself. */
const twelve = Array.from({ length: 12 }, (_, day) => [
  recordOf(`a${day}`, day),
  recordOf(`b${day}`, day),
]).flat();
const late = { ...input, now: DAY_ONE + 12.5 * DAY, endDate: DAY_ONE + 12 * DAY, lookback: DAY };

/** The provider at noon of the thirteenth day. */
const steady =
  (records: readonly Fields[], perPage = 1000) =>
  (query: { start: number; end: number }, cursor: string | null): FetchedPage[] =>
    provider(records, perPage)(query, cursor).map((page) => ({
      ...page,
      availableThrough: late.now,
    }));

/** The same, but each page has an `as_of` of its own. */
function restless(records: readonly Fields[], perPage: number) {
  let pages = 0;
  return (query: { start: number; end: number }, cursor: string | null): FetchedPage[] =>
    steady(records, perPage)(query, cursor).map((page) => ({
      ...page,
      asOf: `2026-01-13T00:00:00.${String(pages++).padStart(3, "0")}Z`,
    }));
}
const unproven = (run: Run) => {
  const { known: days, due } = stateOf(run);
  return {
    due: due.length,
    forgotten: days.forgotten.size,
    unconfirmed: [...days.days.values()].filter(({ confirmed }) => !confirmed).length,
  };
};
const NONE = { due: 0, forgotten: 0, unconfirmed: 0 };

test("P6: a window of few pages whose listing moved is read again in the same sync, which confirms its days", async () => {
  const run = await readScript(restless(twelve, 1), { input: { ...late, lanes: 2 } });
  expect(idsOf(run)).toHaveLength(24);
  expect(unproven(run)).toEqual(NONE);
  const newest = new Map(daysOf(run).map((said) => [said.day, said]));
  expect(newest.size).toBe(12);
  for (const said of newest.values()) expect(said).toMatchObject({ rows: 2, confirmed: true });
});

test("R10 P6: the days of a long listing that moved are proven by the next sync, however old they are", async () => {
  const whole = { ...late, maximumWindowDays: 31 };
  const long = twelve.flatMap((record) => [
    record,
    { ...record, x_RecordId: `${String(record["x_RecordId"])}x` },
  ]);
  const one = await readScript(restless(long, 1), { input: whole });
  expect(unproven(one).unconfirmed).toBeGreaterThan(6);
  const two = await readScript(restless(long, 1), { input: whole, stored: lastState(one) });
  expect(idsOf(two)).toEqual([]);
  expect(unproven(two)).toEqual(NONE);
  const three = await readScript(restless(long, 1), { input: whole, stored: lastState(two) });
  expect(three.queries.map(({ start }) => start)).toEqual([DAY_ONE + 11 * DAY]);
});

test("R10: a provider that never stands still twice is not read again for ever", async () => {
  let reading = 0;
  const never = (query: { start: number; end: number }, cursor: string | null): FetchedPage[] => {
    reading += 1;
    const volatile = twelve.map((record) => ({ ...record, ConsumedQuantity: `${reading}` }));
    return restless(volatile, 1)(query, cursor);
  };
  const days: number[] = [];
  let stored: StreamState | null = null;
  for (let count = 0; count < 4; count++) {
    const run: Run = await readScript(never, { input: late, stored });
    days.push(new Set(run.queries.flatMap((query) => daysOfRange(query))).size);
    stored = lastState(run);
  }
  expect(days).toEqual([12, 12, 1, 1]);
});

/** Whether a STATE goes out in the middle of a window. */
const isHalfRead = ({ state }: Run["states"][number]): boolean =>
  JSON.stringify(state.stream.stream_state["pass"]).includes('"cursor"');

test("R10: days that a kill left unknown are read by the next sync, however old they are", async () => {
  const first = await readScript(restless(twelve, 1), { input: late });
  const states = first.states.slice(0, 1 + first.states.findIndex(isHalfRead));
  const killed = lastState({ ...first, states });
  expect(killed?.pass?.open).toHaveLength(1);
  const resumed = await readScript(restless(twelve, 1), { input: late, stored: killed });
  expect(resumed.succeeded).toBe(true);
  expect(unproven(resumed).forgotten).toBeGreaterThan(0);
  const next = await readScript(restless(twelve, 1), { input: late, stored: lastState(resumed) });
  expect(unproven(next).forgotten).toBe(0);
  const last = await readScript(restless(twelve, 1), { input: late, stored: lastState(next) });
  expect(unproven(last)).toEqual(NONE);
});

test("R10 R5: the days of a resumed reading whose control totals were left out are due, because it is not reported", async () => {
  const killed = await readScript([[pageOf(four.slice(0, 2), "c"), down]], {
    input,
    stored: lastState(await sync(four)),
    limits: { stateGroups: 0 },
  });
  const run = await readScript([[pageOf(four.slice(2))]], { input, stored: lastState(killed) });
  expect(run.said).toMatchObject([{ reading: { totals: null } }]);
  expect(stateOf(run).due).toEqual([week]);
});

test("R10: days that a pass had read before it found rows missing are read again by the next sync, and then proven", async () => {
  const first = await readScript(steady(twelve), { input: late });
  const fewer = twelve.filter((record) => record["x_RecordId"] !== "a6");
  const single = { ...late, maximumWindowDays: 1 };
  const deep = { ...single, lookback: 12 * DAY };
  const second = await readScript(steady(fewer), {
    input: deep,
    stored: lastState(first),
    limits: { overtakenWindows: 0 },
  });
  expect(idsOf(second)).toEqual(["b6"]);
  expect(stateOf(second).due).toEqual([{ start: DAY_ONE, end: DAY_ONE + 6 * DAY }]);
  const third = await readScript(steady(fewer), { input: single, stored: lastState(second) });
  expect(idsOf(third)).toEqual([]);
  const starts = third.queries.map(({ start }) => (start - DAY_ONE) / DAY);
  expect(starts).toEqual([11, 0, 1, 2, 3, 4, 5]);
  expect(unproven(third)).toEqual(NONE);
  const fourth = await readScript(steady(fewer), { input: single, stored: lastState(third) });
  expect(fourth.queries).toHaveLength(1);
});

test("R10: of a window of several pages, also the days that did not change are due after rows were missing", async () => {
  const first = await sync(twelve.slice(0, 8));
  const fewer = twelve.slice(0, 8).filter((record) => record["x_RecordId"] !== "a2");
  const second = await readScript(provider(fewer, 2), {
    input,
    stored: lastState(first),
    limits: { overtakenWindows: 0 },
  });
  expect(stateOf(second).due).toEqual([
    { start: DAY_ONE, end: DAY_ONE + 2 * DAY },
    { start: DAY_ONE + 3 * DAY, end: DAY_ONE + 4 * DAY },
  ]);
});

test("R10: recent days, where rows come and go, are read before the deep re-read, and that before the scrub", async () => {
  const first = await readScript(steady(twelve), { input: late });
  const deep = { ...late, maximumWindowDays: 1, reconcileFrom: DAY_ONE + 8 * DAY, scrubDays: 1 };
  const run = await readScript(steady(twelve), { input: deep, stored: lastState(first) });
  const starts = run.queries.map(({ start }) => (start - DAY_ONE) / DAY);
  expect(starts).toEqual([11, 8, 9, 10, 0, 1, 2, 3, 4, 5, 6, 7]);
});

test("P5 S4: a window that begins again writes no stray that another window has returned as its own", async () => {
  const monthly = recordOf("monthly", 0);
  const answers: (FetchedPage | ConnectorError)[][] = [
    [pageOf([monthly])],
    [pageOf([monthly], "c"), refused("cursor_refused")],
    [pageOf([monthly])],
  ];
  const run = await readScript(() => answers.shift() ?? [pageOf([])], { input: fourWindows });
  expect(startsOf(run)).toEqual([0, 1, 1, 2, 3]);
  expect(idsOf(run)).toEqual(["monthly"]);
});
