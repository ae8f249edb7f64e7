import { expect, test } from "vitest";
import { DAY } from "../core/time.ts";
import { GroupReports } from "./group_reports.ts";
import type { WrittenStray } from "./stray_listings.ts";

const day = Date.UTC(2026, 0, 1);
const window = { start: day + 2 * DAY, end: day + 3 * DAY };
const strayOf = (hash: string): WrittenStray => ({
  hash,
  id: `id of ${hash}`,
  day,
  readingId: "r1",
  window,
});
const [a, b, c] = [strayOf("a"), strayOf("b"), strayOf("c")];

/** The lists of one read. `keptFrom`: the first day that is surely within retention. */
function listing(keptFrom = -Infinity, known: readonly WrittenStray[] | null = null) {
  let written: readonly WrittenStray[] = [];
  const taken: { standing: readonly WrittenStray[] } = { standing: [] };
  const told: string[] = [];
  const reports = new GroupReports(
    { fewer: known === null ? [] : [a], keptFrom, known: known ?? [] },
    () => written,
    taken,
    (strays) => told.push(...strays.map(({ hash }) => hash)),
  );
  /** Gives the numbers of rows that the report of a reading lists. `shown`: the number of strays of the group that the reading has shown. */
  const list = (
    id: string,
    shown: number,
    left: readonly WrittenStray[],
    { isMoved = false, resumed = false } = {},
  ) => {
    const standing = shown === 0 ? [] : [{ day, rowsReadingId: "r1", records: shown }];
    const whole = isMoved ? { start: Infinity, end: -Infinity } : window;
    written = left;
    return reports
      .listed({ ...window, id, standing, resumed }, whole)
      .map(({ records }) => records);
  };
  const isBehind = (standing: readonly WrittenStray[] = []): boolean => {
    taken.standing = standing;
    return reports.isBehind;
  };
  return { reports, list, isBehind, told };
}

test("P5: a reading lists a replaced group with the rows that are left, whatever it has shown before", () => {
  const { reports, list, told } = listing();
  reports.replaced(a);
  expect(list("r5", 3, [b, c])).toEqual([2]);
  expect(told).toEqual(["b", "c"]);
  reports.replaced(b);
  reports.replaced(c);
  expect(list("r6", 0, [])).toEqual([0]);
  // It began before the rows were replaced, and ends after the report that says so.
  expect(list("r7", 2, [])).toEqual([0]);
  expect(list("r8", 0, [])).toEqual([]);
});

test("P5: the report of a reading that began before another one does not say that rows are gone: the group needs a report of its own", () => {
  const { reports, list, isBehind } = listing();
  list("r6", 3, [a, b, c]);
  reports.replaced(a);
  expect(list("r5", 0, [b, c])).toEqual([]);
  // The old row still stands.
  expect(isBehind([a])).toBe(false);
  expect(isBehind()).toBe(true);
  expect(list("r7", 0, [b, c])).toEqual([2]);
  expect(isBehind()).toBe(false);
});

test("P5: the state does not name a group while the old rows of all its strays stand", () => {
  const { reports, isBehind } = listing();
  reports.replaced(a);
  reports.replaced(b);
  const after = (standing: readonly WrittenStray[]): number => {
    isBehind(standing);
    return reports.fewer.length;
  };
  // The old row of "c" stands, too. It is not one of those that the group has lost.
  expect([[a, b], [a], [a, c], []].map(after)).toEqual([0, 1, 1, 1]);
});

test("P5: a group that is gone is listed once without rows, and no later report lists it", () => {
  const { reports, list } = listing();
  reports.gone(a);
  expect(list("r5", 2, [])).toEqual([0]);
  expect(list("r6", 2, [])).toEqual([]);
});

test("R10: a reading whose listing moved lists no group of which it may have skipped a row", () => {
  const { list } = listing();
  expect(list("r5", 1, [a, b], { isMoved: true })).toEqual([]);
  expect(list("r6", 1, [a, b])).toEqual([1]);
  expect(list("r7", 2, [a, b], { isMoved: true })).toEqual([2]);
});

test("P5: a row that a day has yet to replace counts in its group: one that is listed without it may be a part, and is listed again later", () => {
  const { reports, list, isBehind } = listing();
  isBehind([b]);
  expect(list("r5", 1, [a], { isMoved: true })).toEqual([]);
  reports.replaced(b);
  expect(list("r6", 0, [a])).toEqual([2]);
  expect(isBehind()).toBe(true);
  expect(list("r7", 0, [a])).toEqual([1]);
  expect(isBehind()).toBe(false);
});

test("P5: an older reading that has shown rows of such a group tells nothing new, and neither does a resumed one", () => {
  const { reports, list, isBehind } = listing();
  list("r6", 3, [a, b, c]);
  reports.loses(a);
  expect(list("r5", 3, [b, c])).toEqual([2]);
  expect(isBehind()).toBe(true);
  expect(list("r5", 3, [])).toEqual([0]);
  expect(list("r7", 0, [], { resumed: true })).toEqual([]);
  expect([reports.takeLoss(), isBehind()]).toEqual([false, true]);
  expect(list("r8", 0, [])).toEqual([0]);
  expect([reports.takeLoss(), isBehind()]).toEqual([true, false]);
});

test("R10: the list of a reading is not newer than the reading itself", () => {
  const { reports, list } = listing();
  list("r5", 3, [a, b, c]);
  const isBehind = (id: string) => reports.isListedBehind(`${day} r1`, id);
  expect(["r4", "r5", "r6"].map(isBehind)).toEqual([true, false, false]);
});

test("W3: the strays of a window whose days have left retention are listed without being shown, by no other window", () => {
  const { reports, list } = listing(day + DAY);
  expect(list("r5", 0, [a, b])).toEqual([2]);
  expect(reports.leftIn(window, [a, b])).toEqual([a, b]);
  expect(reports.leftIn({ ...window, start: day + 2.5 * DAY }, [a, b])).toEqual([]);
  expect(listing(day).reports.leftIn(window, [a, b])).toEqual([]);
});

test("P5 W3: a window may have left retention by the next sync if it begins before the second day that is surely kept", () => {
  const { reports } = listing(day);
  const isLeaving = [0, 1, 2].map((after) =>
    reports.isLeaving({ start: day + (after * DAY) / 2 + DAY / 2, end: day + 9 * DAY }),
  );
  expect(isLeaving).toEqual([true, false, false]);
});

const waiting = { ...a, hash: a.id ?? "" };
const ofOther = { ...b, readingId: "r2" };
test.each([
  ["there is none left", [], true],
  ["they are to be written again", [waiting, ofOther], true],
  ["one of them stands as it is", [waiting, b], false],
])(
  "P5 R10: a group of which no report has told yet has lost strays if the state has no content of the others: %s",
  (_, known, isLosing) => {
    const { reports, list } = listing(-Infinity, known);
    expect(list("r5", 0, [b])).toEqual([1]);
    // The models see a loss, and not the replacement of a row.
    expect(reports.fewer).toHaveLength(isLosing ? 1 : 0);
    reports.replaced(b);
    expect(list("r6", 0, [])).toEqual([0]);
    expect(reports.takeLoss()).toBe(isLosing);
  },
);
