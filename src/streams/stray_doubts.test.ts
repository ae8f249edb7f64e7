import { expect, test } from "vitest";
import type { KnownStray } from "../core/state.ts";
import { DAY, HOUR } from "../core/time.ts";
import { StrayDoubts, type Viewed } from "./stray_doubts.ts";
import { isWritten } from "./stray_groups.ts";
import type { WrittenStray } from "./stray_listings.ts";
import { StrayTable } from "./stray_table.ts";
import { DAY_ONE } from "./testing.ts";

const WINDOW = { start: DAY_ONE + DAY, end: DAY_ONE + 3 * DAY };
const OTHER = { start: DAY_ONE, end: DAY_ONE + 4 * DAY };
const NOW = DAY_ONE + 10 * DAY;

const strayOf = (index: number, changes: Partial<KnownStray> = {}): KnownStray => ({
  hash: `h${index}`,
  id: `i${index}`,
  day: DAY_ONE,
  readingId: "r1",
  window: WINDOW,
  ...changes,
});
const straysOf = (count: number, changes: Partial<KnownStray> = {}): KnownStray[] =>
  Array.from({ length: count }, (_, index) => strayOf(index, changes));
/** A reading of a window that begins and ends at an instant. */
const readAt = (at: number, changes: Partial<Viewed> = {}): Viewed => ({
  ...WINDOW,
  id: `r${at}`,
  beganAt: at,
  endedAt: at,
  firstAsOf: new Date(at).toISOString(),
  ...changes,
});
/** The strays that are doubted if a reading lacks the first ones. */
const doubtedOf = (
  table: StrayTable,
  lacks: number,
  reading: Viewed,
  rowsOf = (_day: number): number => 0,
): readonly (readonly [string, number | undefined])[] => {
  const missing = [...table.values()].filter(isWritten).slice(0, lacks);
  const found: readonly WrittenStray[] = new StrayDoubts(rowsOf).add(missing, table, reading);
  return found.map(({ hash, missedAt }) => [hash, missedAt]);
};

test.each([
  [10, 6, 6],
  [10, 5, 0],
  [9, 9, 0],
])(
  "R8: of %i strays of a day a reading lacks %i: it is not believed to miss %i",
  (count, lacks, doubted) => {
    const table = new StrayTable(straysOf(count));
    expect(doubtedOf(table, lacks, readAt(NOW))).toHaveLength(doubted);
    const marked = [...table.values()].filter(({ missedAt }) => missedAt === NOW);
    expect(marked).toHaveLength(doubted);
  },
);
test.each([
  ["few strays, which are most of its rows", 7, 7, 4, 7],
  ["few strays, and has fewer than ten rows with them", 7, 7, 2, 0],
  ["few strays, which are not most of its rows", 7, 7, 7, 0],
  ["many strays, whatever rows it has of its own", 12, 7, 1000, 7],
])(
  "R8: the own rows of a day count, because it may have taken over strays: it has %s",
  (_, count, lacks, rows, doubted) => {
    const table = new StrayTable(straysOf(count));
    const rowsOf = (day: number): number => (day === DAY_ONE ? rows : 0);
    expect(doubtedOf(table, lacks, readAt(NOW), rowsOf)).toHaveLength(doubted);
  },
);
test("R8: strays of other days and of windows that the reading does not contain do not count, nor do those that their day owns", () => {
  const others = [
    strayOf(20, { day: DAY_ONE - DAY }),
    strayOf(21, { window: { start: WINDOW.start, end: WINDOW.end + DAY } }),
    strayOf(22, { readingId: null }),
  ];
  const table = new StrayTable([...straysOf(9), ...others]);
  expect(doubtedOf(table, 9, readAt(NOW))).toEqual([]);
});
test.each([
  ["an hour later", HOUR, {}, 0],
  ["less than an hour later", HOUR - 1, {}, 10],
  ["of an earlier view", HOUR, { firstAsOf: new Date(NOW).toISOString() }, 10],
  ["of a view that stands still, 20 hours later", 20 * HOUR, { firstAsOf: null }, 0],
  ["of another day, if the clock was years ahead", 2 * DAY, {}, 0],
])(
  "R8: a reading %s decides whether strays that an earlier one has lacked are missing",
  (_, later, changes, doubted) => {
    const table = new StrayTable(straysOf(10, { missedAt: NOW }));
    expect(doubtedOf(table, 10, readAt(NOW + later, changes))).toHaveLength(doubted);
  },
);
test("R8: if a reading also lacks another stray, none of them is missing yet, and each keeps the end of the first reading that has lacked it", () => {
  const [, ...lacking] = straysOf(10, { missedAt: NOW });
  const table = new StrayTable([...lacking, strayOf(0)]);
  const found = new Map(doubtedOf(table, 10, readAt(NOW + 2 * HOUR)));
  expect(found.get("h1")).toBe(NOW);
  expect(found.get("h0")).toBe(NOW + 2 * HOUR);
});
test("R8: an end that a clock years ahead has made counts as a day later", () => {
  const table = new StrayTable(straysOf(10, { missedAt: NOW + 400 * DAY }));
  expect(doubtedOf(table, 10, readAt(NOW))[0]).toEqual(["h0", NOW + DAY]);
});
test("R8 R5: such strays count in their groups as shown, and a warning says so once", () => {
  const doubts = new StrayDoubts(() => 0);
  const table = new StrayTable(straysOf(12));
  const reading = readAt(NOW);
  const missing = [...table.values()].filter(isWritten).slice(0, 8);
  doubts.add(missing, table, reading);
  const other = { day: DAY_ONE, rowsReadingId: "r2", records: 1 };
  const standing = [{ day: DAY_ONE, rowsReadingId: "r1", records: 4 }, other];
  expect(doubts.shownBy({ ...reading, standing }).standing).toEqual([
    { day: DAY_ONE, rowsReadingId: "r1", records: 12 },
    other,
  ]);
  expect(doubts.shownBy({ id: "another", standing }).standing).toBe(standing);
  expect(doubts.takeWarnings()).toEqual([
    "the window 2026-01-02 to 2026-01-04 shows 4 records of 2026-01-01, of which it had shown 12. This may be an outage: the earlier " +
      "rows keep standing until a reading of newer data, an hour or more later, shows the same.",
  ]);
  doubts.add(missing, table, readAt(NOW + HOUR / 2));
  expect(doubts.takeWarnings()).toEqual([]);
  doubts.add(missing, table, { ...readAt(NOW), ...OTHER });
  expect(doubts.takeWarnings()).toHaveLength(1);
});
test.each([
  ["before", DAY_ONE, WINDOW.start],
  ["behind", DAY_ONE + 9 * DAY, WINDOW.end - DAY],
])(
  "R8 R2: if such strays start %s their window, the nearest day of the window keeps its provisional sums",
  (_, of, kept) => {
    const doubts = new StrayDoubts(() => 0);
    const table = new StrayTable(straysOf(10, { day: of }));
    const reading = readAt(NOW);
    doubts.add([...table.values()].filter(isWritten), table, reading);
    const shrunk = [{ day: WINDOW.start, most: 20, records: 1 }];
    const days = doubts.keepingCosts(reading, { shrunk }).map(({ day }) => day);
    expect(days).toEqual([WINDOW.start, kept]);
  },
);
