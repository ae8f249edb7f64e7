/**
 * A sync that is interrupted loses nothing (S2, S4, P4). Each property draws small exports that change between syncs. It compares the
 * rows after an interruption and three complete syncs with the rows after the same syncs without an interruption.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { IncrementalState } from "../core/state.ts";
import { DAY, HOUR } from "../core/time.ts";
import { includes, type Range } from "../core/window.ts";
import { Claims, Table } from "./scripted/table.ts";
import type { Run } from "./scripted/testing.ts";
import {
  type Charge,
  type Fault,
  readWorld,
  recordsAt,
  shownDaysOf,
  stateAfter,
  type Sync,
  type World,
  worlds,
} from "./scripted/worlds.ts";
import { DAY_ONE } from "./testing.ts";

/** A charge that the interrupted sync finds restated. */
const restated = (id: string, day: number, changes: Partial<Charge> = {}): Charge => ({
  id,
  day,
  shownOn: null,
  alsoOn: null,
  isOwned: true,
  isShort: false,
  provisional: 0,
  isThere: true,
  changes: ["restated", "kept"],
  ...changes,
});

const small: World = {
  days: 4,
  charges: [],
  perPage: 1,
  windowDays: 1,
  lanes: 1,
  lookback: 1,
  deepFrom: null,
  byMonth: false,
  due: { start: DAY_ONE, end: DAY_ONE + 2 * DAY },
  before: 1,
  isSoon: false,
};
/** Days that are due and that differ. Another lane sent a STATE between the two readings of a window. */
const differing: World = {
  ...small,
  lanes: 2,
  charges: ["a", "b", "c"].flatMap((name) => [restated(`${name}0`, 0), restated(`${name}1`, 1)]),
};
/** Only the window of a day that is due shows a charge. */
const waiting: World = { ...small, charges: [restated("s", 0, { shownOn: 1, isOwned: false })] };
/** The window of the last day shows a charge of a day that is read only for the sake of this charge. */
const owned: World = {
  ...small,
  days: 2,
  due: { start: DAY_ONE, end: DAY_ONE },
  charges: [restated("s", 0, { shownOn: 1 }), restated("a", 0)],
};

/** The rows and the state that a platform has after some syncs. */
interface Kept {
  readonly table: Table;
  readonly stored: IncrementalState | null;
}

const NOTHING: Kept = { table: new Table(), stored: null };

/** The instant of a sync, which is a day after the sync before. */
const noonOf = ({ days }: World, number: number): number => DAY_ONE + (days + number + 0.5) * DAY;

/**
 * The rows and the state that a platform has if the process dies behind a STATE.
 *
 * @param more outputs behind the STATE that it keeps too: some destinations keep rows that no STATE covers
 */
function keptBehind({ table, stored }: Kept, run: Run, number: number, more: number): Kept {
  const state = run.states[number];
  if (state === undefined) return { table, stored };
  const length = run.outputs.indexOf(state) + 1 + more;
  return { table: table.with(run, length), stored: stateAfter(run, number) };
}

/** The rows and the state that a platform has after a whole run. A run without a STATE leaves the state as it was. */
const keptOf = ({ table, stored }: Kept, run: Run): Kept => ({
  table: table.with(run),
  stored: stateAfter(run, run.states.length - 1) ?? stored,
});

/** The days and strays that a STATE of a run names, and whose rows did not come before the STATE. */
function lackingIn(run: Run, table: Table): string[] {
  const claims = new Claims(table);
  let number = 0;
  return run.outputs.flatMap((output) => {
    claims.add(output);
    const state = output.type === "STATE" ? stateAfter(run, number++) : null;
    return state === null ? [] : claims.lacking(state);
  });
}

async function synced(world: World, kept: Kept, sync: Omit<Sync, "stored">): Promise<Kept> {
  const { run } = await readWorld(world, { ...sync, stored: kept.stored });
  expect(run.succeeded || sync.fault !== undefined).toBe(true);
  expect(lackingIn(run, kept.table)).toEqual([]);
  return keptOf(kept, run);
}

/** The syncs before the interrupted one. */
async function begun(world: World): Promise<Kept> {
  let kept = NOTHING;
  for (let number = 0; number < world.before; number++)
    kept = await synced(world, kept, { number, now: noonOf(world, number) });
  const { table, stored } = kept;
  const due = world.due.start < world.due.end ? [world.due] : [];
  return { table, stored: stored === null ? null : { ...stored, due } };
}

/** The syncs after the interrupted one. */
async function goneOn(world: World, from: Kept): Promise<Table> {
  const { before: number, isSoon } = world;
  const first = noonOf(world, number) + (isSoon ? HOUR : DAY);
  let kept = from;
  for (let day = 0; day < 3; day++)
    kept = await synced(world, kept, { number, now: first + day * DAY });
  return kept.table;
}

/** Whether one of these windows shows the charge. */
const isShownIn = (windows: readonly Range[], { charges }: World, id: string): boolean =>
  charges
    .filter((charge) => charge.id === id)
    .flatMap(shownDaysOf)
    .some((day) => includes(windows, DAY_ONE + day * DAY));

const isStray = ({ charges }: World, id: string): boolean =>
  charges.some((charge) => charge.id === id && charge.shownOn !== null);

/** An uninterrupted sync: the windows that it had to read, and the rows right behind it and behind the syncs after it. */
interface Whole extends Pick<Run, "planned"> {
  readonly soon: Rows;
  readonly late: Rows;
}

interface Rows {
  readonly newest: Table["newest"];
  readonly standing: Table["newest"];
}

const rowsOf = (table: Table): Rows => ({ newest: table.newest, standing: table.standing() });

/**
 * The losses through an interruption: `parts` is the table with it. Each current record that is in the whole table has to be in `parts`, and
 * each that stands there has to stand in `parts`. A withdrawn row may stand in `parts` only if it stands in the whole table.
 *
 * If windows have several days, a sync reads days for the sake of their neighbors, and an interruption changes which days these are. So
 * only the rows count that the sync itself would have brought, or would have taken away, and of these only the ones that it had to read.
 * The bounds of such a window also decide whether it judges a charge that the window of another day shows. Such charges do not count if
 * they are withdrawn.
 */
function costOf(world: World, { soon, late, planned }: Whole, parts: Rows): string[] {
  const records = recordsAt(world, world.before);
  const isNarrow = world.windowDays === 1;
  const whole = isNarrow ? late : soon;
  const counts = (id: string): boolean => isNarrow || isShownIn(planned, world, id);
  const lost = [...records]
    .filter(([id]) => counts(id))
    .flatMap(([id, record]) => {
      const text = JSON.stringify(record);
      const isIn = (rows: Table["newest"]): boolean => rows.get(id)?.text === text;
      if (!isIn(whole.newest)) return [];
      if (!isIn(parts.newest)) return [`${id} is not in the table`];
      return isIn(late.standing) && !isIn(parts.standing) ? [`${id} does not stand`] : [];
    });
  const withdrawn = [...parts.standing.values()]
    .filter(({ id }) => !records.has(id) && !late.standing.has(id))
    .filter(({ id }) => isNarrow || (counts(id) && !isStray(world, id) && !soon.standing.has(id)));
  return [...lost, ...withdrawn.map(({ id }) => `${id} stands, and was withdrawn`)];
}

test("S2 S4 R6 R10 P5: wherever a sync dies, or a query fails or refuses its cursor, the next syncs bring all rows that it would have brought", async () => {
  const picks: fc.Arbitrary<number[]> = fc.array(fc.nat(), { minLength: 4, maxLength: 4 });
  const more = fc.constantFrom(0, 0, 1, 3);
  const all = Array.from({ length: 20 }, (_, way) => way);
  await fc.assert(
    fc.asyncProperty(
      worlds({ days: 12, plain: 3, special: 6 }),
      picks,
      more,
      async (world, drawn, kept) => {
        const start = await begun(world);
        const { before: number } = world;
        const sync = { number, now: noonOf(world, number), stored: start.stored };
        const { run, faults } = await readWorld(world, sync);
        expect(lackingIn(run, start.table)).toEqual([]);
        const soon = keptOf(start, run);
        const late = await goneOn(world, soon);
        const whole = { soon: rowsOf(soon.table), late: rowsOf(late), planned: run.planned };
        const ways = [...run.states.keys(), ...faults];
        for (const way of new Set(drawn.map((pick) => ways[pick % ways.length]))) {
          const parts =
            typeof way === "number"
              ? keptBehind(start, run, way, kept)
              : await synced(world, start, { ...sync, ...(way && { fault: way }) });
          const cost = costOf(world, whole, rowsOf(await goneOn(world, parts)));
          expect({ way, cost }).toEqual({ way, cost: [] });
        }
      },
    ),
    {
      numRuns: 24,
      examples: [differing, waiting].map((world): [World, number[], 0] => [world, all, 0]),
    },
  );
});

/** Faults that hide a charge from one query: from each query in turn, or from the query after a refused cursor. */
function hidesOf({ charges, before }: World, run: Run, faults: readonly Fault[]): Fault[] {
  const changed = charges.filter(
    ({ shownOn, isOwned, changes }) =>
      shownOn !== null && isOwned && changes[before - 1] !== "kept",
  );
  return changed.flatMap(({ id }) => [
    ...run.queries.keys().map((query) => ({ query, page: 0, code: null, hides: { query, id } })),
    ...faults
      .filter(({ code }) => code === "cursor_refused")
      .map((fault) => ({ ...fault, hides: { query: fault.query + 1, id } })),
  ]);
}

test("R6 P5: whatever one query hides, no STATE knows a day or a stray whose rows did not come", async () => {
  await fc.assert(
    fc.asyncProperty(worlds({ days: 3, plain: 1, special: 3 }), async (drawn) => {
      const world = { ...drawn, perPage: 1, lookback: 1, deepFrom: null };
      const start = await begun(world);
      const { before: number } = world;
      const sync = { number, now: noonOf(world, number), stored: start.stored };
      const { run, faults } = await readWorld(world, sync);
      for (const fault of hidesOf(world, run, faults)) {
        const { run: hiding } = await readWorld(world, { ...sync, fault });
        const lacking = lackingIn(hiding, start.table);
        expect({ fault, lacking }).toEqual({ fault, lacking: [] });
      }
    }),
    { numRuns: 100, examples: [[owned]] },
  );
});
