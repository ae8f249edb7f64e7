/** The mutants of windows that list their strays once more (R10). */
import type { Mutant } from "./mutant.ts";

const POSTED = "src/streams/posted.test.ts: ";
const STRAYS_TEST = "src/streams/strays.test.ts: ";
const DUE_TEST = "src/streams/due_windows.test.ts: ";
const CONFIRMATIONS = "src/streams/confirmations.test.ts: ";
const ONCE_MORE =
  "R10: a window that shows a written stray is read once more if the day of the stray was read after it; the reading lists the stray";
const MISSED =
  "R10: a stray that its window does not list again is missing: all that was read is due, and the next sync judges the stray";
const IN_ORDER =
  "R10: windows that list their strays are read as whole days in the order of time, and none of them twice";
const NEWEST =
  "R10: a window has still to list a written stray whose day was reported by a newer reading than its last listing";
const OTHER_CAUSE =
  "R10: a window that has listed its strays stays due for any other cause: a reading, a loss, strays that wait, another listing";

const OPEN =
  "R10: a window that was due lists its strays, and so does one whose strays no reading of the pass has listed before a second reading confirms their day";

export const LISTINGS: readonly Mutant[] = [
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "this.strays.listings.reported(days, reading.id);",
    to: "",
    test: POSTED + ONCE_MORE,
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: " || this.strays.listings.hasUnlisted",
    to: "",
    test: POSTED + ONCE_MORE,
  },
  {
    rule: "R10",
    file: "src/streams/reporter.ts",
    from: "said.days.length + said.strays.length === 0",
    to: "said.days.length === 0",
    test: POSTED + ONCE_MORE,
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "remembered(this.#due.list(state, this.strays.listings.unlisted()))",
    to: "remembered(state)",
    test: POSTED + "R10: a window that is not in the plan lists its strays once their day is read",
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "this.#remembered(afterReport(marked, state, told))",
    to: "afterReport(marked, state, told)",
    test: POSTED + ONCE_MORE,
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "!reading.moved && this.strays.misses(",
    to: "this.strays.misses(",
    test: POSTED + "P6 R10: that reading %s",
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "days: agreed }, hasLost);",
    to: "days: agreed }, false);",
    test: POSTED + MISSED,
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "this.#due.mark(confirmed, [...before, ...own])",
    to: "this.#due.mark(confirmed, own)",
    test:
      POSTED +
      "R10: days that a missing stray makes due stay due if the sync fails before they are read once more",
  },
  {
    rule: "R11",
    file: "src/streams/completion.ts",
    from: "mayProve ? unlisted : []",
    to: "unlisted",
    test:
      POSTED +
      "R10 R11: a window stays due if the source hides rows before it could list its strays",
  },
  {
    rule: "P5",
    file: "src/streams/record_filter.ts",
    from: 'const isSecond = purpose.kind === "confirm";',
    to: "const isSecond = false;",
    test:
      POSTED +
      "P5 R10: no day is looked at for other strays that such a reading shows, although a stray of another window waits",
  },
  {
    rule: "R10",
    file: "src/streams/reader.ts",
    from: 'if (purpose.kind === "confirm") strays.readAgain(window, () => false);',
    to: "",
    test:
      POSTED +
      "S4 R10: a reading that begins again lists only the strays that its last passage shows",
  },
  {
    rule: "R10",
    file: "src/streams/stray_listings.ts",
    from: "missed.size === 0 ? [] : this.#written().filter(({ hash }) => missed.has(hash))",
    to: "this.#written().filter(({ hash }) => this.#missing.has(hash))",
    test:
      POSTED +
      "R10: two windows that each miss a stray make each other's days be read once more, but not again and again",
  },
  {
    rule: "R10",
    file: "src/streams/stray_listings.ts",
    from: "isShown(hash) || contains(window, dayRange(day))",
    to: "isShown(hash)",
    test:
      STRAYS_TEST +
      "R10: a second reading misses a stray once in a read; windows of many days are no exception",
  },
  {
    rule: "R10",
    file: "src/streams/strays.ts",
    from: "shown.has(hash) || this.#known.learned.has(hash);\n    const missed",
    to: "shown.has(hash);\n    const missed",
    test: STRAYS_TEST + "R10: no second reading misses a stray that was written in this read",
  },
  {
    rule: "R10",
    file: "src/streams/stray_listings.ts",
    from: 'confirmed && readingId > (this.#reported.get(day) ?? "")',
    to: "confirmed",
    test: STRAYS_TEST + NEWEST,
  },
  {
    rule: "R10",
    file: "src/streams/stray_listings.ts",
    from: "(this.#listed.get(hash) ?? readingId)",
    to: "readingId",
    test: STRAYS_TEST + NEWEST,
  },
  {
    rule: "R10",
    file: "src/streams/stray_listings.ts",
    from: "      this.#asked.delete(hash);\n",
    to: "",
    test: STRAYS_TEST + NEWEST,
  },
  {
    rule: "R10",
    file: "src/streams/confirmations.ts",
    from: "compared.some((other) => contains(other, window))",
    to: "false",
    test: CONFIRMATIONS + IN_ORDER,
  },
  {
    rule: "R10",
    file: "src/streams/confirmations.ts",
    from: "wholeDays(window)",
    to: "window",
    test: CONFIRMATIONS + IN_ORDER,
  },
  {
    rule: "R10",
    file: "src/streams/confirmations.ts",
    from: "      .toSorted((a, b) => a.start - b.start)\n",
    to: "",
    test: CONFIRMATIONS + IN_ORDER,
  },
  {
    rule: "R10",
    file: "src/streams/losses.ts",
    from: "union((pass?.reads ?? []).map(wholeDays))",
    to: "pass?.reads ?? []",
    test: "src/streams/losses.test.ts: R10 S3: the days that earlier processes have read in part are read once more as a whole",
  },
  {
    rule: "R10",
    file: "src/streams/due_windows.ts",
    from: "this.#among(about, own) });",
    to: "withDue([], [window], this.#now) });",
    test:
      DUE_TEST +
      "R10: a window that has still to list its strays is due as long as that, today excepted",
  },
  {
    rule: "R10",
    file: "src/streams/due_windows.ts",
    from: "return subtract(due, others);",
    to: "return [...due];",
    test: DUE_TEST + OTHER_CAUSE,
  },
  {
    rule: "R10",
    file: "src/streams/due_windows.ts",
    from: "[...subtract(own, inside), ...subtract(inside, due)]",
    to: "[...own, ...subtract(inside, due)]",
    test:
      DUE_TEST +
      "R10: a reading decides which days of a window that has still to list its strays are due by themselves",
  },
  {
    rule: "R10",
    file: "src/streams/stray_listings.ts",
    from: "confirmed && readingId >",
    to: "readingId >",
    test: STRAYS_TEST + NEWEST,
  },
  {
    rule: "R10",
    file: "src/streams/stray_listings.ts",
    from: "days.includes(day) && !this.#listed.has(hash)",
    to: "days.includes(day)",
    test: STRAYS_TEST + OPEN,
  },
  {
    rule: "R10",
    file: "src/streams/stray_listings.ts",
    from: "      this.#open.delete(hash);\n",
    to: "",
    test: STRAYS_TEST + OPEN,
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "this.strays.listings.confirmed(agreed);",
    to: "",
    test: POSTED + "R10: a day of strays that only a second reading proves has them listed, too",
  },
  {
    rule: "R10",
    file: "src/streams/known_strays.ts",
    from: "due: state.due,",
    to: "due: [],",
    test:
      POSTED +
      "R10: a process that goes on with a pass lists the strays of windows that are due, although a look reads such a window",
  },
  {
    rule: "R10",
    file: "src/streams/announce.ts",
    from: "[...unproven, ...unlisted], sent",
    to: "unproven, sent",
    test:
      POSTED +
      "R10: a STATE that names the window as due stands before the report that takes the proof from its stray",
  },
  {
    rule: "R10",
    file: "src/streams/announce.ts",
    from: "due.list(due.mark(state, unproven), unlisted)",
    to: "due.mark(state, unproven)",
    test:
      POSTED +
      "R10: a STATE that names the window as due stands before the report that takes the proof from its stray",
  },
  {
    rule: "P5",
    file: "src/streams/completion.ts",
    from: "    this.strays.openOthers();\n",
    to: "",
    test:
      POSTED +
      "P5 R10: a stray stands although another one of its day is written while its window is not read",
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "!this.#known.seen.has(hash) && days.has(day)",
    to: "days.has(day)",
    test:
      STRAYS_TEST +
      "P5 R10: before strays are written, the windows of others of their days have to list these, if no window has shown them and the state has no ids of them",
  },
  {
    rule: "P6",
    file: "src/streams/strays.ts",
    from: "if (!reading.moved) return this.groups.listed(this.doubts.shownBy(reading));",
    to: "if (!reading.moved) return this.groups.listed(reading);\n    if (reading.end > 0) return [];",
    test: POSTED + "P6 R10: that reading %s",
  },
  {
    rule: "R10",
    file: "src/streams/reader.ts",
    from: "if (this.#queue.length === 0) await this.#completion.goOn();",
    to: "",
    test:
      POSTED +
      "R10: a sync that has nothing else to read lists strays, too, or ends if no plan can read their window",
  },
];
