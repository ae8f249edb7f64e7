/** The mutants of days that would be called proven although they are wrong, or that would not become proven (R4, R5, R10, P5, P6). */
import type { Mutant } from "./mutant.ts";

const PROOFS = "warehouse/proofs/proofs.test.ts: ";
const POSTED = "warehouse/proofs/posted.test.ts: ";
const ONLY_SECOND =
  "P5 P6: a stray that only a second reading shows makes its window due, and the next sync writes the stray";

export const PROOFS_OF_STRAYS: readonly Mutant[] = [
  {
    rule: "P6",
    file: "src/streams/record_filter.ts",
    from: "strays.leave(FINGERPRINT, this.#start, window);",
    to: "void 0;",
    test: PROOFS + ONLY_SECOND,
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "[...cut, ",
    to: "[",
    test: "src/streams/stray_reads.test.ts: P5: a window that the pass has read in part, without its strays, is read as a whole, once",
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "this.taken.take(stray, isOut);",
    to: "void isOut;",
    test: "src/streams/strays.test.ts: P5: the old row of such a stray stands until the rows of a day that takes the new version over are written",
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "newestOf([...known, ...this.groups.taken], ",
    to: "newestOf(known, ",
    test: "src/streams/strays.test.ts: P5: the old row of such a stray stands until the rows of a day that takes the new version over are written",
  },
  {
    rule: "R5",
    file: "src/streams/completion.ts",
    from: "misses ? doubtsOf(settlement, reading) : []",
    to: "misses ? [] : []",
    test:
      PROOFS +
      "R5 P5: a reading that misses a stray is reported although it has still to write its only day, one %s",
  },
  {
    rule: "P5",
    file: "src/streams/completion.ts",
    from: "void this.#hold(writing, this.#reads.strayDays.map(dayRange), replaces);",
    to: "replaces satisfies boolean;",
    test: "src/streams/stray_groups.test.ts: P5: a STATE names the days of new strays before the first row of these goes out, also those that the plan does not reach",
  },
  {
    rule: "P5",
    file: "src/streams/completion.ts",
    from: "this.#reads.strayDays.map(dayRange), replaces);",
    to: "this.#reads.strayDays.map(dayRange), !replaces);",
    test: "src/streams/stray_groups.test.ts: P5: such a STATE goes out also if the plan reaches no day of the strays, and the rows before it have reserved their ids",
  },
  {
    rule: "R10",
    file: "src/streams/stray_listings.ts",
    from: "...distinct(this.#unlisted), ...this.lacking(), ",
    to: "...distinct(this.#unlisted), ",
    test: "src/streams/completion.test.ts: R10 P6: such a window is due at once, in case the sync ends before it reads the window again",
  },
  {
    rule: "P5",
    file: "src/streams/due_windows.ts",
    from: "const days = this.#held.get(nameOf(window))?.days ?? [];",
    to: "const days: Range[] = [];",
    test: "src/streams/due_windows.test.ts: P5 R10: days that are held are due until the reading that they wait for is reported, or longer if another cause makes them due",
  },
  {
    rule: "P5",
    file: "src/streams/completion.ts",
    from: "const sent = this.#hold([window], [window]);",
    to: "const sent = undefined;",
    test:
      PROOFS +
      "P5 R10: a stray is not lost if a process dies within the report of a window that it has read as a whole",
  },
  {
    rule: "W1",
    file: "src/streams/stray_reads.ts",
    from: "clip([wholeDays(own)], this.#bounds)",
    to: "clip([own], bounds)",
    test: "src/streams/stray_reads.test.ts: P5 W1: a window that ended within a day is read up to the end of the day",
  },
  {
    rule: "R10",
    file: "src/streams/due_windows.ts",
    from: "const about = [wholeDays(window)];",
    to: "const about = [window];",
    test: "src/streams/due_windows.test.ts: R10: of a window that ends within a day the whole day is due, until it has listed its strays",
  },
  {
    rule: "L3",
    file: "src/streams/record_filter.ts",
    from: "      memory.pass(FINGERPRINT);\n",
    to: "",
    test: "src/streams/records.test.ts: L3 R10: a second reading notes that its listing goes on, also by records of days that it does not compare",
  },
  {
    rule: "R10",
    file: "src/core/settle.ts",
    from: "const hasLost = records < mostOf(before.known, day);",
    to: "const hasLost = records < (before.known.days.get(day) ?? before.known.forgotten.get(day))?.records;",
    test: "src/core/settle.test.ts: R10: a day that has fewer rows than before has lost some, in each kind of reading",
  },
  {
    rule: "P5",
    file: "src/streams/group_reports.ts",
    from: "if (said.records >= (sizes.get(group) ?? 0)) groups",
    to: "groups",
    test:
      POSTED +
      "P5: windows that show a part of a group of strays leave the day of the group proven",
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "[...this.strays.listings.unlisted(), ...open]",
    to: "this.strays.listings.unlisted()",
    test: "src/streams/posted.test.ts: R10: a second reading of a day without rows judges the strays of the day, so their window lists them after it",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "const read = isDue ? this.read.filter(({ moved }) => !moved) : [];",
    to: "const read = isDue || !isDue ? this.read.filter(({ moved }) => !moved) : [];",
    test:
      POSTED +
      "P5: a window that is read in part is read as a whole once a day, with the deep re-read",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "isKnown(known, day) && !this.written.has(day)",
    to: "!this.written.has(day)",
    test: "src/streams/stray_reads.test.ts: P5: it waits for the next sync if the pass has written one of its days, or would write one, or has no room for it",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "if (now.some((other) => overlaps(other, window))) continue;",
    to: "",
    test: "src/streams/stray_reads.test.ts: P5: of windows with a day in common the longest is read first, and another one only if it is still not judged then",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "daysIn(other) - daysIn(one)",
    to: "daysIn(one) - daysIn(other)",
    test: "src/streams/stray_reads.test.ts: P5: of windows with a day in common the longest is read first, and another one only if it is still not judged then",
  },
  {
    rule: "P5",
    file: "src/streams/stray_groups.ts",
    from: "return shown.difference(new Set(ofCut));",
    to: "return ofCut.length < 0 ? new Set() : shown;",
    test:
      POSTED +
      "P5 R10: two windows that show a group in parts leave the day of the group proven, also if the day is read before them",
  },
];
