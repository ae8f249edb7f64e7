/**
 * The days that the models call overtaken are due (R10). The property draws small exports, whose rows vanish while several lanes
 * read windows, and syncs that fail or die. After a complete sync it compares the days that the models would call overtaken with
 * the days that the next sync reads.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { dueDays } from "../core/due.ts";
import type { PlanInput } from "../core/plan.ts";
import type { IncrementalState } from "../core/state.ts";
import { DAY, formatDay, formatInstant, HOUR } from "../core/time.ts";
import { subtract, dayRange, type Range } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import type { Fields } from "../records/fields.ts";
import { costs } from "./costs.ts";
import { Table } from "./scripted/table.ts";
import { at, readScript, refused, type Run } from "./scripted/testing.ts";
import { stateAfter } from "./scripted/worlds.ts";
import type { FetchedPage } from "./stream.ts";
import { costRecord, DAY_ONE, pageOf } from "./testing.ts";

/** The place of a page in a sync: the number of its query, and its number in the answer to this query. */
interface Place {
  readonly query: number;
  readonly page: number;
}

interface Sync {
  /** The charges that go when the sync asks for a page. */
  readonly gone: readonly number[];
  readonly from: Place;
  readonly fault: (Place & { readonly code: "unavailable" | "cursor_refused" }) | null;
  /** The STATE behind which the process dies, from the end, and the outputs behind it that the platform keeps; null if it does not die. */
  readonly dies: { readonly state: number; readonly more: number } | null;
  /** Whether the next sync follows within the hour, and not on the next day. */
  readonly isSoon: boolean;
}

interface Charge {
  readonly day: number;
  /** The day whose window alone shows the charge, because the provider selects by the end; null if its own day does. */
  readonly shownOn: number | null;
}

interface World {
  readonly days: number;
  readonly charges: readonly Charge[];
  readonly perPage: number;
  readonly windowDays: number;
  readonly lanes: number;
  readonly lookback: number;
  readonly deepFrom: number | null;
  /** Whether a listing stays as it was when its first page came. */
  readonly isSnapshot: boolean;
  /** The days that are due after the first sync. */
  readonly due: Range;
  /** The first sync meets no fault, so that none of its windows begins again: R10 says nothing of rows that no STATE knows. */
  readonly first: Pick<Sync, "gone" | "from">;
  readonly syncs: readonly Sync[];
}

const place: fc.Arbitrary<Place> = fc.record({ query: fc.nat(9), page: fc.nat(3) });

const worlds: fc.Arbitrary<World> = fc.integer({ min: 2, max: 5 }).chain((days) =>
  fc
    .record({
      days: fc.constant(days),
      charges: fc.array(
        fc.record({
          day: fc.nat(days - 1),
          shownOn: fc.option(fc.integer({ min: 1, max: days - 1 }), { freq: 3 }),
        }),
        { minLength: 1, maxLength: 10 },
      ),
      perPage: fc.constantFrom(1, 2, 3),
      windowDays: fc.constantFrom(1, 1, 2, 3),
      lanes: fc.constantFrom(1, 2, 4),
      lookback: fc.integer({ min: 1, max: days }),
      deepFrom: fc.option(fc.nat(days)),
      isSnapshot: fc.boolean(),
      due: fc.tuple(fc.nat(days), fc.nat(days)),
      first: fc.record({ gone: fc.array(fc.nat(9), { maxLength: 2 }), from: place }),
      syncs: fc.array(
        fc.record({
          gone: fc.array(fc.nat(9), { maxLength: 2 }),
          from: place,
          fault: fc.option(
            fc.record({
              query: fc.nat(9),
              page: fc.nat(3),
              code: fc.constantFrom("unavailable" as const, "cursor_refused" as const),
            }),
            { freq: 2 },
          ),
          dies: fc.option(fc.record({ state: fc.nat(6), more: fc.constantFrom(0, 0, 1, 3) }), {
            freq: 3,
          }),
          isSoon: fc.boolean(),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    })
    .map(({ due: [one, other], charges, ...rest }) => ({
      ...rest,
      // If the window of its own day hides a charge, no window holds both this day and the day that shows the charge.
      charges: charges.map(({ day, shownOn }) => ({
        day,
        shownOn: shownOn !== null && shownOn >= day + rest.windowDays ? shownOn : null,
      })),
      due: {
        start: DAY_ONE + Math.min(one, other) * DAY,
        end: DAY_ONE + Math.max(one, other) * DAY,
      },
    })),
);

/** The provider through all syncs: the charges that are gone, and how often it has changed. */
class Provider {
  readonly #world: World;
  readonly #gone = new Set<number>();
  #changes = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** The answers to the queries of a sync, page by page, as the provider is when the page is asked for. */
  script({
    gone,
    from,
    fault,
  }: Sync): (window: Range, cursor: string | null) => Iterable<FetchedPage | ConnectorError> {
    let asked = -1;
    return (window, cursor) => {
      asked += 1;
      return this.#answers(window, cursor, { query: asked, gone, from, fault });
    };
  }

  *#answers(
    window: Range,
    cursor: string | null,
    { query, gone, from, fault }: Pick<Sync, "gone" | "from" | "fault"> & { query: number },
  ): Generator<FetchedPage | ConnectorError> {
    const first = cursor === null ? 0 : Number(cursor.slice(1));
    let kept: readonly FetchedPage[] | null = null;
    for (let page = first; ; page++) {
      const number = page - first;
      if (query > from.query || (query === from.query && number >= from.page)) this.#drop(gone);
      const isFault = fault !== null && fault.query === query && fault.page === number;
      if (isFault && fault.code === "unavailable") yield new ConnectorError("unavailable", "Down.");
      if (isFault && fault.code === "cursor_refused" && page > 0) yield refused("cursor_refused");
      const pages: readonly FetchedPage[] = kept ?? this.#pages(window);
      if (this.#world.isSnapshot) kept = pages;
      const shown = pages[page];
      if (shown === undefined) return;
      yield shown;
      if (shown.nextCursor === null) return;
    }
  }

  #drop(gone: readonly number[]): void {
    const { charges } = this.#world;
    const more = gone.filter((number) => number < charges.length && !this.#gone.has(number));
    for (const number of more) this.#gone.add(number);
    if (more.length > 0) this.#changes += 1;
  }

  /** A charge that goes leaves a gap on its page, so that no other charge moves to a page that was read already. */
  #pages({ start, end }: Range): readonly FetchedPage[] {
    const { charges, perPage } = this.#world;
    const own = [...charges.entries()].filter(([, { day, shownOn }]) => {
      const on = DAY_ONE + (shownOn ?? day) * DAY;
      return start <= on && on < end;
    });
    const count = Math.max(1, Math.ceil(own.length / perPage));
    const asOf = formatInstant(DAY_ONE + 40 * DAY + this.#changes * HOUR);
    return Array.from({ length: count }, (_, page) => {
      const records = own
        .slice(page * perPage, (page + 1) * perPage)
        .filter(([number]) => !this.#gone.has(number))
        .map(([number, charge]) => recordOf(charge, number));
      const next = page + 1 < count ? `p${page + 1}` : null;
      return pageOf(records, next, { asOf, availableThrough: end + 40 * DAY });
    });
  }
}

const recordOf = ({ day, shownOn }: Charge, number: number): Fields =>
  costRecord(`c${number}`, {
    ChargePeriodStart: formatInstant(DAY_ONE + day * DAY),
    ChargePeriodEnd: formatInstant(DAY_ONE + ((shownOn ?? day) + 1) * DAY),
    BilledCost: `${number}.10`,
  });

/** The rows and the state that a platform has after some syncs. */
interface Kept {
  readonly table: Table;
  readonly stored: IncrementalState | null;
}

function after({ table, stored }: Kept, run: Run, dies: Sync["dies"]): Kept {
  const number = run.states.length - 1 - (dies?.state ?? 0);
  const state = run.states[number];
  if (dies === null || state === undefined)
    return { table: table.with(run), stored: stateAfter(run, run.states.length - 1) ?? stored };
  const length = run.outputs.indexOf(state) + 1 + dies.more;
  return { table: table.with(run, length), stored: stateAfter(run, number) };
}

const QUIET: Sync = {
  gone: [],
  from: { query: 0, page: 0 },
  fault: null,
  dies: null,
  isSoon: false,
};

/** The days that would be unproven without being due, after each complete sync. */
async function notDue(world: World): Promise<string[]> {
  const provider = new Provider(world);
  const { lanes, days, lookback, windowDays, deepFrom } = world;
  let now = DAY_ONE + (days + 0.5) * DAY;
  let kept: Kept = { table: new Table(), stored: null };
  const found: string[] = [];
  const sync = async (each: Sync): Promise<void> => {
    const input: PlanInput = {
      ...at,
      now,
      endDate: DAY_ONE + days * DAY,
      lookback: lookback * DAY,
      maximumWindowDays: windowDays,
      reconcileFrom: deepFrom === null ? null : DAY_ONE + deepFrom * DAY,
    };
    let clock = now;
    const run = await readScript(provider.script(each), {
      stored: kept.stored,
      input,
      lanes,
      stream: costs,
      marksReports: true,
      providerNow: () => clock++,
    });
    kept = after(kept, run, each.dies);
    now += each.isSoon ? HOUR : DAY;
    if (!run.succeeded || each.dies !== null || kept.stored === null) return;
    const due = dueDays(kept.stored, true);
    const missing = kept.table
      .overtaken()
      .filter((day) => subtract([dayRange(day)], due).length > 0);
    found.push(...missing.map((day) => formatDay(day)));
  };
  await sync({ ...QUIET, ...world.first });
  if (kept.stored !== null && world.due.start < world.due.end)
    kept = { ...kept, stored: { ...kept.stored, due: [world.due] } };
  for (const each of world.syncs) await sync(each);
  await sync(QUIET);
  return found;
}

const WORLD: World = {
  days: 5,
  charges: [],
  perPage: 1,
  windowDays: 1,
  lanes: 1,
  lookback: 1,
  deepFrom: null,
  isSnapshot: false,
  due: { start: DAY_ONE, end: DAY_ONE },
  first: { gone: [], from: { query: 0, page: 0 } },
  syncs: [],
};

test.each<[string, Partial<World>]>([
  [
    "a stray and a row vanish from one listing",
    {
      days: 4,
      charges: [
        { day: 1, shownOn: null },
        { day: 1, shownOn: 3 },
        { day: 1, shownOn: 3 },
        { day: 0, shownOn: null },
      ],
      due: { start: DAY_ONE, end: DAY_ONE + DAY },
      first: { gone: [0], from: { query: 2, page: 0 } },
      syncs: [{ ...QUIET, gone: [1] }],
    },
  ],
  [
    "a process dies while a day awaits strays, and the next one finds a row of the day missing",
    {
      charges: [
        { day: 0, shownOn: null },
        { day: 0, shownOn: null },
        { day: 2, shownOn: null },
        { day: 2, shownOn: null },
        { day: 0, shownOn: 4 },
        { day: 2, shownOn: 4 },
        { day: 2, shownOn: null },
        { day: 0, shownOn: 1 },
      ],
      first: { gone: [5], from: { query: 5, page: 0 } },
      syncs: [
        { ...QUIET, dies: { state: 5, more: 0 }, isSoon: true },
        { ...QUIET, gone: [2] },
        QUIET,
      ],
    },
  ],
])(
  "R10: a day has lost rows, and its report proves it only later: the loss counts once more then (%s)",
  async (_name, world) => {
    expect(await notDue({ ...WORLD, ...world })).toEqual([]);
  },
);

test("R10: each day that the models call overtaken after a complete sync is due", async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      expect(await notDue(world)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
