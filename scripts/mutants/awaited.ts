/** The mutants of days that await strays (P5): no reading proves such a day. */
import type { Mutant } from "./mutant.ts";

const NOT_BEFORE =
  "simulation/proven.test.ts: P5: no reading proves the day of a stray before the stray is written: %s (cursors: %s)";
const CUT =
  "simulation/proven.test.ts: P5: the day of a stray stays unproven once %s has cut its window, behind a process that died with its row";
const DUE =
  "src/core/plan.test.ts: P5: days that await strays are due with the window of these, if it lies within the plan, until the days leave retention";
const SHOWN = "src/core/awaited.test.ts: P5 P6: whether a window was shown whole: %s";

const NEW_STRAYS = "simulation/new_strays.test.ts: ";

export const AWAITED: readonly Mutant[] = [
  {
    rule: "P5",
    file: "src/streams/awaited_days.ts",
    from: "one.confirmed && this.has(one.day)",
    to: "false",
    test: NOT_BEFORE,
  },
  {
    rule: "P5",
    file: "src/streams/awaited_days.ts",
    from: "pending.waitsOn(days)",
    to: "false",
    test: "src/streams/awaited_days.test.ts: P5: a day awaits strays until their window was shown whole, and none of the day waits",
  },
  {
    rule: "P5",
    file: "src/streams/pending_strays.ts",
    from: "if (ids.has(pending.id)) this.#await(pending);",
    to: "if (ids.has(pending.id)) continue;",
    test: "src/streams/awaited_days.test.ts: P5 L2: of many strays that are awaited one range for each month tells, as soon as they are more than a state names",
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "this.#known.ofId(stray.id).some(isWritten)",
    to: "false",
    test: NOT_BEFORE,
  },
  {
    rule: "P5",
    file: "src/streams/announce.ts",
    from: "areNamed && isAwaitedAlike(state, sent)",
    to: "areNamed",
    test: "src/streams/announce.test.ts: P5: a STATE names the days that await strays before the report of the window that shows these, unless the last STATE did",
  },
  {
    rule: "P5",
    file: "src/core/awaited.ts",
    from: "[...state.awaited, ...told]",
    to: "[...state.awaited]",
    test: NOT_BEFORE,
  },
  {
    rule: "P5",
    file: "src/core/awaited.ts",
    from: "[...state.awaited, ...told]",
    to: "[...told]",
    test: NOT_BEFORE,
  },
  {
    rule: "P5",
    file: "src/core/awaited.ts",
    from: "!hasContent(stray) && stray.day >= floor",
    to: "!hasContent(stray)",
    test: "simulation/proven.test.ts: P5 W3: a stray that a sync without export_windows wrote keeps no window due once its day has left retention",
  },
  {
    rule: "P5",
    file: "src/core/awaited.ts",
    from: "!hasContent(stray) && stray.day >= floor",
    to: "!hasContent(stray) && stray.day > floor",
    test: "src/core/plan.test.ts: P5 W3: a day awaits strays whose ids stand in place of their contents only while it is within retention",
  },
  {
    rule: "P5",
    file: "src/core/awaited.ts",
    from: "({ window }) => contains(within, window)",
    to: "() => true",
    test: DUE,
  },
  {
    rule: "P5",
    file: "src/core/awaited.ts",
    from: "({ days }) => days.end > keepFrom",
    to: "({ window }) => window.start > keepFrom",
    test: CUT,
  },
  {
    rule: "P5",
    file: "src/core/awaited.ts",
    from: "...clip([days], within)",
    to: "days",
    test: DUE,
  },
  {
    rule: "P5",
    file: "src/core/plan.ts",
    from: "[...coming, ...subtract(state.pass",
    to: "[...subtract(state.pass",
    test: DUE,
  },
  {
    rule: "P5",
    file: "src/core/plan.ts",
    from: "union([...dueDays(state, at.reports), ...coming])",
    to: "dueDays(state, at.reports)",
    test: DUE,
  },
  {
    rule: "P5",
    file: "src/core/awaited.ts",
    from: "reads.filter((read) => contains(read, window)).length > 1",
    to: "reads.some((read) => contains(read, window))",
    test: SHOWN,
  },
  {
    rule: "P5",
    file: "src/core/awaited.ts",
    from: "sure.some((read) => contains(read, window))",
    to: "subtract([window], sure).length === 0",
    test: SHOWN,
  },
  {
    rule: "P5",
    file: "src/core/awaited.ts",
    from: "if (daysIn(window) > maximumWindowDays) return",
    to: "if (daysIn(window) < 0) return",
    test: "src/core/awaited.test.ts: P5: a window that is too long by now is shown in parts: %s",
  },
  {
    rule: "P5",
    file: "src/core/awaited.ts",
    from: "awaited.length <= most) return awaited;",
    to: "awaited.length >= 0) return awaited;",
    test: "src/core/awaited.test.ts: P5 S8: if there are too many of them, one entry stands for all days from the first to the last, of each month if these are not too many",
  },
  {
    rule: "P5",
    file: "src/streams/losses.ts",
    from: "return subtract(this.#overtaken, this.#awaited()).length > 0;",
    to: "return subtract(this.#overtaken, []).length > 0;",
    test: "src/streams/losses.test.ts: P5 R10: days that await strays are given once these are written",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "days.filter((day) => !this.awaited.has(day))",
    to: "days",
    test: "src/streams/completion.test.ts: P5 P6: a second reading of a listing that moves confirms no day that awaits strays (%s)",
  },
  {
    rule: "S8",
    file: "src/streams/bounded_state.ts",
    from: "boundedAwaited(state.awaited, 1)",
    to: "[]",
    test: "src/streams/ledger.test.ts: S8: the costs that have left retention go before the finished windows",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "...awaited].filter((own)",
    to: "].filter((own)",
    test: "src/streams/stray_reads.test.ts: P5 P6: a window %s whose strays are awaited is read as a whole, and a second time if its listing moves",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "names.has(nameOf(own)) ? 2 : 1",
    to: "names.has(nameOf(own)) ? 1 : 1",
    test: "src/streams/stray_reads.test.ts: P5 P6: a window %s whose strays are awaited is read as a whole, and a second time if its listing moves",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "!this.#left.has(nameOf(own)) &&",
    to: "true &&",
    test: "src/streams/stray_reads.test.ts: P5: such a window that waits for the next sync is not taken again",
  },
  {
    rule: "P5",
    file: "src/streams/awaited_days.ts",
    from: "contains(bounds, window)",
    to: "true",
    test: "src/streams/awaited_days.test.ts: P5: the next sync reads such days again, but not those whose window lies outside the range of the read",
  },
  {
    rule: "P5",
    file: "src/streams/awaited_days.ts",
    from: "isAwaited(reachable, day) || pending.awaits(day)",
    to: "pending.awaits(day)",
    test: "src/streams/awaited_days.test.ts: P5: the next sync reads such days again, but not those whose window lies outside the range of the read",
  },
  {
    rule: "P5",
    file: "src/streams/losses.ts",
    from: "if (days.length > 0) this.#overtaken = union",
    to: "if (days.length < 0) this.#overtaken = union",
    test: "warehouse/proofs/posted.test.ts: P5: a stray that is restated and posted again, while the plan does not reach its old window, leaves its day proven",
  },
  {
    rule: "P5",
    file: "src/streams/announce.ts",
    from: "due.areNamed(days, sent) && isAwaitedAlike(state, sent)",
    to: "due.areNamed(days, sent)",
    test: "src/streams/announce.test.ts: P5: a STATE that names the days as due does not name them as days that await strays",
  },
  {
    rule: "P5",
    file: "src/streams/awaited_days.ts",
    from: "!uncovered.includes(day) && !isAwaited(earlier, day)",
    to: "!uncovered.includes(day)",
    test: "simulation/proven.test.ts: P5: so are strays whose process has died between their report and the next STATE",
  },
  {
    rule: "P5",
    file: "src/streams/reporter.ts",
    from: 'const all = shows === "all" ?',
    to: 'const all = shows === "all" && reading.id === null ?',
    test: NOT_BEFORE,
  },
  {
    rule: "P5",
    file: "src/streams/pending_strays.ts",
    from: "return [...days].filter((day) => includes([bounds], day));",
    to: "return [...days];",
    test: "src/streams/awaited_days.test.ts: P5 L2: of many strays that are awaited one range for each month tells, as soon as they are more than a state names",
  },
  {
    rule: "P5",
    file: "src/streams/reporter.ts",
    from: ".filter(mayBeProven)",
    to: ".filter(() => true)",
    test: "src/streams/reporter.test.ts: P5: the report of a window that shows awaited strays takes the proof from the days that the state knows, and from no other",
  },
  {
    rule: "P5",
    file: "src/streams/reporter.ts",
    from: "const fresh = isPart ? []",
    to: 'const fresh = shows !== "all" ? []',
    test:
      NEW_STRAYS +
      "P5: no report proves a day without a new stray that a window has shown after the day was read (cursors: %s)",
  },
  {
    rule: "P5",
    file: "src/streams/reporter.ts",
    from: "[...fresh, ...missed, ...this",
    to: "[...missed, ...this",
    test:
      NEW_STRAYS +
      "P5: nor does one if the report of that window lists an older stray of the day (cursors: %s)",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "this.expectStrays(reading, true);",
    to: "void reading;",
    test:
      NEW_STRAYS +
      "P5: no second reading confirms a day without a new stray that a window has shown",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "if (isSecond || reading.resumed) for",
    to: "if (isSecond) for",
    test: NEW_STRAYS + "P5: nor does it if the day's own window was resumed",
  },
  {
    rule: "P5",
    file: "src/streams/pending_strays.ts",
    from: "one.isAwaited && (one.isNew || !onlyNew)",
    to: "one.isAwaited",
    test: "src/streams/awaited_days.test.ts: P5: the days of new strays are told apart from those that await newer versions of written ones",
  },
];
