import { expect, test } from "vitest";
import { DAY } from "../core/time.ts";
import { GroupReports } from "./group_reports.ts";
import type { WrittenStray } from "./stray_listings.ts";

const day = Date.UTC(2026, 0, 1);
const window = { start: day + 2 * DAY, end: day + 3 * DAY };
const strayOf = (hash: string): WrittenStray => ({ hash, id: hash, day, readingId: "r1", window });
const [a, b, c] = [strayOf("a"), strayOf("b"), strayOf("c")];

/** The lists of one read. */
function listing() {
  let written: readonly WrittenStray[] = [];
  const taken: { standing: readonly WrittenStray[] } = { standing: [] };
  const told: string[] = [];
  const reports = new GroupReports(
    { fewer: [], keptFrom: -Infinity },
    () => written,
    taken,
    (strays) => told.push(...strays.map(({ hash }) => hash)),
  );
  /** Gives the numbers of rows that the report of a reading lists. `shown`: the number of strays of the group that the reading has shown. */
  const list = (id: string, shown: number, left: readonly WrittenStray[], isMoved = false) => {
    const standing = shown === 0 ? [] : [{ day, rowsReadingId: "r1", records: shown }];
    const whole = isMoved ? { start: Infinity, end: -Infinity } : window;
    written = left;
    return reports
      .listed({ ...window, id, standing, resumed: false }, whole)
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

test("P5: a group that is gone is listed once without rows, and no later report lists it", () => {
  const { reports, list } = listing();
  reports.gone(a);
  expect(list("r5", 2, [])).toEqual([0]);
  expect(list("r6", 2, [])).toEqual([]);
});

test("R10: a reading whose listing moved lists no group of which it may have skipped a row", () => {
  const { list } = listing();
  expect(list("r5", 1, [a, b], true)).toEqual([]);
  expect(list("r6", 1, [a, b])).toEqual([1]);
  expect(list("r7", 2, [a, b], true)).toEqual([2]);
});
