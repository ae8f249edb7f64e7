/** Small exports of costs that change between syncs, drawn at random, and syncs that read them. */
import fc from "fast-check";
import type { PlanInput } from "../../core/plan.ts";
import type { IncrementalState } from "../../core/state.ts";
import { DAY, formatInstant, HOUR } from "../../core/time.ts";
import type { Range } from "../../core/window.ts";
import { ConnectorError } from "../../errors.ts";
import type { Fields } from "../../records/fields.ts";
import { costs } from "../costs.ts";
import type { FetchedPage } from "../stream.ts";
import { costRecord, DAY_ONE } from "../testing.ts";
import { at, lastState, pagesOf, readScript, refused, type Run } from "./testing.ts";

/** The change of a charge between two syncs. */
type Change = "kept" | "restated" | "toggled";

/** The version of a record after so many changes, from 0 on; null if the provider does not have the record then. */
export function versionAt(
  { isThere, changes }: { readonly isThere: boolean; readonly changes: readonly Change[] },
  count: number,
): number | null {
  const past = changes.slice(0, count);
  const isToggled = past.filter((change) => change === "toggled").length % 2 === 1;
  return isThere === isToggled ? null : past.filter((change) => change === "restated").length;
}

export interface Charge {
  readonly id: string;
  /** The day of its start, by its number from 0; a day below 0 lies before the plan. */
  readonly day: number;
  /** The day whose window shows the charge as a stray; null if no other window shows it. */
  readonly shownOn: number | null;
  /** A later day whose window shows it as a stray, too; null if there is none. */
  readonly alsoOn: number | null;
  /** Whether the window of its own day returns it. */
  readonly isOwned: boolean;
  /** Whether it lasts its own day only, although the window of another day shows it: a correction, by its posting day. */
  readonly isShort: boolean;
  /** So many of its versions are provisional. */
  readonly provisional: number;
  /** Whether the first sync finds it. */
  readonly isThere: boolean;
  /** One for each later sync. */
  readonly changes: readonly Change[];
}

export interface World {
  readonly days: number;
  readonly charges: readonly Charge[];
  readonly perPage: number;
  readonly windowDays: number;
  readonly lanes: number;
  readonly lookback: number;
  /** The first day of the deep re-read; null if there is none. */
  readonly deepFrom: number | null;
  readonly byMonth: boolean;
  /** The days that are due when the interrupted sync begins. */
  readonly due: Range;
  /** The syncs before the one that is interrupted. */
  readonly before: number;
  /** Whether the next sync follows within the hour, and not on the next day. */
  readonly isSoon: boolean;
}

/** The syncs between which charges change. */
const SYNCS = 3;

const life = {
  provisional: fc.nat(2),
  isThere: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
  changes: fc.array(
    fc.oneof(
      { weight: 2, arbitrary: fc.constant<Change>("kept") },
      { weight: 3, arbitrary: fc.constant<Change>("restated") },
      fc.constant<Change>("toggled"),
    ),
    { minLength: SYNCS - 1, maxLength: SYNCS - 1 },
  ),
};

/** Charges of one day each, the same number on each day. All change in the same way, as when a provider makes a month final. */
const plain = (days: number, most: number): fc.Arbitrary<Charge[]> =>
  fc.tuple(fc.oneof(fc.nat(most), fc.constant(most)), fc.record(life)).map(([perDay, lived]) =>
    Array.from({ length: days * perDay }, (_, index) => {
      const day = index % days;
      return {
        ...lived,
        id: `p${index}`,
        day,
        isOwned: true,
        isShort: false,
        shownOn: null,
        alsoOn: null,
      };
    }),
  );

/** A charge that the window of a day shows as a stray, and perhaps that of a later day. */
const strayOf = (
  charge: Omit<Charge, "shownOn" | "alsoOn">,
  shownOn: number,
  more: number,
  days: number,
): Charge => ({
  ...charge,
  shownOn,
  alsoOn: more === 0 || shownOn + more >= days ? null : shownOn + more,
});

/**
 * Charges that may last for days. If the window of its own day hides a charge, no window holds both this day and the day that
 * shows the charge: else the records of the export would depend on the windows that are asked for.
 */
const special = (days: number, windowDays: number, most: number): fc.Arbitrary<Charge[]> =>
  fc
    .array(
      fc.record({
        ...life,
        day: fc.integer({ min: -1, max: days - 1 }),
        gap: fc.nat(4),
        /** The days from the window that shows it to another one that does; 0 if no other one does. */
        more: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3 })),
        /** Whether the last day shows the charge. Each sync reads the last day. */
        isLate: fc.boolean(),
        isOwned: fc.boolean(),
        isShort: fc.boolean(),
      }),
      { maxLength: most },
    )
    .map((drawn) =>
      drawn.map(({ gap, more, isLate, ...charge }, index) => {
        const id = `s${index}`;
        const soonest = charge.day + Math.max(gap, charge.isOwned ? 1 : windowDays);
        const shownOn = isLate ? Math.max(soonest, days - 1) : soonest;
        return (gap === 0 || shownOn >= days) && charge.day >= 0
          ? { ...charge, id, isOwned: true, shownOn: null, alsoOn: null }
          : strayOf({ ...charge, id }, Math.min(shownOn, days - 1), more, days);
      }),
    );

/** How large worlds may be: their days, the plain charges of a day, and the other charges. */
export interface Size {
  readonly days: number;
  readonly plain: number;
  readonly special: number;
}

export const worlds = (most: Size): fc.Arbitrary<World> =>
  fc
    .tuple(fc.integer({ min: 1, max: most.days }), fc.integer({ min: 1, max: 3 }))
    .chain(([days, windowDays]) =>
      fc
        .record({
          days: fc.constant(days),
          windowDays: fc.constant(windowDays),
          plain: plain(days, most.plain),
          special: special(days, windowDays, most.special),
          perPage: fc.constantFrom(1, 2, 2, 3),
          lanes: fc.constantFrom(1, 2, 2, 4),
          lookback: fc.constantFrom(1, 1, 2, 3),
          deepFrom: fc.option(fc.integer({ min: Math.max(0, days - 4), max: days })),
          byMonth: fc.boolean(),
          due: fc.tuple(fc.nat(days), fc.nat(days)),
          before: fc.integer({ min: 1, max: SYNCS - 1 }),
          isSoon: fc.boolean(),
        })
        .map(({ plain: many, special: few, due: [one, other], ...rest }) => ({
          ...rest,
          charges: [...many, ...few],
          due: {
            start: DAY_ONE + Math.min(one, other) * DAY,
            end: DAY_ONE + Math.max(one, other) * DAY,
          },
        })),
    );

const lastDayOf = ({ day, shownOn, alsoOn, isShort }: Charge): number =>
  isShort ? day : (alsoOn ?? shownOn ?? day);

/** The days whose windows show a charge. */
export const shownDaysOf = ({ day, isOwned, shownOn, alsoOn }: Charge): number[] =>
  [isOwned ? day : null, shownOn, alsoOn].filter((on) => on !== null);

/** A charge as the provider shows it to a sync; none if the provider does not. */
function recordOf(charge: Charge, sync: number): readonly Fields[] {
  const version = versionAt(charge, sync);
  if (version === null) return [];
  const record = costRecord(charge.id, {
    x_RecordUpdatedAt: formatInstant(DAY_ONE + version * HOUR),
    ChargePeriodStart: formatInstant(DAY_ONE + charge.day * DAY),
    ChargePeriodEnd: formatInstant(DAY_ONE + (lastDayOf(charge) + 1) * DAY),
    BilledCost: `${version + 1}.10`,
    x_CostStatus: version < charge.provisional ? "provisional" : "final",
  });
  return [record];
}

/** The records that the provider has at a sync, by id. */
export function recordsAt({ charges }: World, sync: number): ReadonlyMap<string, Fields> {
  const records = charges.flatMap((charge) => recordOf(charge, sync));
  return new Map(records.map((record) => [String(record["x_RecordId"]), record]));
}

/** A fault of one query of a sync; `query` is the number of the query. */
export interface Fault {
  readonly query: number;
  /** The page that does not come, and the answer in its place; null if all pages come. */
  readonly page: number;
  readonly code: "unavailable" | "cursor_refused" | null;
  /** The query that hides a charge. */
  readonly hides?: { readonly query: number; readonly id: string };
}

export interface Sync {
  readonly number: number;
  readonly now: number;
  readonly stored: IncrementalState | null;
  readonly fault?: Fault;
}

/** The pages of a window from a cursor on. */
function pagesAt(
  { charges, perPage }: World,
  { number, fault }: Sync,
  asked: Range & { readonly query: number; readonly cursor: string | null },
): FetchedPage[] {
  const isIn = (of: number): boolean => {
    const day = DAY_ONE + of * DAY;
    return asked.start <= day && day < asked.end;
  };
  const hidden = fault?.hides?.query === asked.query ? fault.hides.id : null;
  const shown = charges.flatMap((charge) => {
    const isShown = shownDaysOf(charge).some(isIn) && charge.id !== hidden;
    return isShown ? recordOf(charge, number) : [];
  });
  const { cursor, end: availableThrough } = asked;
  const asOf = formatInstant(DAY_ONE + (40 + number) * DAY);
  return pagesOf(shown, perPage)
    .slice(cursor === null ? 0 : Number(cursor.slice(1)))
    .map((page) => ({ ...page, asOf, availableThrough }));
}

const errorOf = (code: "unavailable" | "cursor_refused"): ConnectorError =>
  code === "unavailable" ? new ConnectorError(code, "It is down.") : refused(code);

/** Reads the provider as it is at a sync. Returns all `faults` that its queries could have met, too. */
export async function readWorld(
  world: World,
  sync: Sync,
): Promise<{ readonly run: Run; readonly faults: readonly Fault[] }> {
  const { stored, now, fault } = sync;
  const faults: Fault[] = [];
  let query = -1;
  const script = (window: Range, cursor: string | null): (FetchedPage | ConnectorError)[] => {
    query += 1;
    const pages = pagesAt(world, sync, { ...window, cursor, query });
    for (const page of pages.keys()) {
      faults.push({ query, page, code: "unavailable" });
      if (page > 0 || cursor !== null) faults.push({ query, page, code: "cursor_refused" });
    }
    const code = fault?.query === query ? fault.code : null;
    return code === null ? pages : [...pages.slice(0, fault?.page), errorOf(code)];
  };
  const { lanes, days, lookback, windowDays, deepFrom, byMonth } = world;
  const input: PlanInput = {
    ...at,
    now,
    endDate: DAY_ONE + days * DAY,
    lookback: lookback * DAY,
    maximumWindowDays: windowDays,
    reconcileFrom: deepFrom === null ? null : DAY_ONE + deepFrom * DAY,
    byMonth,
  };
  const run = await readScript(script, { stored, input, lanes, stream: costs, marksReports: true });
  return { run, faults };
}

/** The state behind a STATE of a run, by its number; null if the run has none. */
export function stateAfter(run: Run, number: number): IncrementalState | null {
  const state = lastState({ ...run, states: run.states.slice(0, number + 1) });
  return state?.mode === "incremental" ? state : null;
}
