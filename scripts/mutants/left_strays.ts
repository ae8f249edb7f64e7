import type { Mutant } from "./mutant.ts";

const LIVES = "simulation/left_strays.test.ts: ";
const GROUP = "P5: the report that lists a stray that no window has shown %s";
const SECOND =
  "P5 R10: nor does a second reading prove a day if a second reading has shown that a stray of the day %s (of day %d, on day %d)";
const LEFT =
  "src/streams/awaited_days.test.ts: P5: a day awaits a stray about which only a later reading can tell until the next process, whatever windows are read, and loses its proof once";

/** Strays about which only a later reading of their windows can tell (P5). */
export const LEFT_STRAYS: readonly Mutant[] = [
  {
    rule: "P5",
    file: "src/streams/group_reports.ts",
    from: "if (tells) this.#tells(own.filter(hasContent));",
    to: "",
    test: LIVES + GROUP,
  },
  {
    rule: "P5",
    file: "src/streams/reporter.ts",
    from: "...missed, ...this.#awaited.takeDoubted()]",
    to: "...missed]",
    test: LIVES + GROUP,
  },
  {
    rule: "P5",
    file: "src/streams/group_reports.ts",
    from: "this.#tells(own.filter(hasContent))",
    to: "this.#tells(own)",
    test: "src/streams/stray_groups.test.ts: P5 R10: if a window no longer shows one of two strays that a reading wrote on a day, the other one is written again",
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "this.#known.seen.add(known.hash);\n      if (isWritten(known)) this.#take",
    to: "if (isWritten(known)) this.#take",
    test: "warehouse/proofs/proofs.test.ts: P5 R6: a stray stands until the day that owns it now is written, also if the sync fails before",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "    const isRead = (day: number): boolean =>\n      this.#alsoRead",
    to: "    if (reading.resumed) return;\n    const isRead = (day: number): boolean =>\n      this.#alsoRead",
    test: `${LIVES}P5: nor does a resumed reading prove its day without a new stray that a window has shown`,
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "this.left.add([{ day",
    to: "void ([{ day",
    test: LIVES + SECOND,
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "this.left.add(missed);",
    to: "",
    test: LIVES + SECOND,
  },
  {
    rule: "P5",
    file: "src/streams/reporter.ts",
    from: "this.#provable([...shown, ...this.#awaited.takeDoubted()])",
    to: "[]",
    test: LIVES + SECOND,
  },
  {
    rule: "P5",
    file: "src/streams/awaited_days.ts",
    from: "...this.#waiting, ...this.#left]",
    to: "...this.#waiting]",
    test: LEFT,
  },
  {
    rule: "P5",
    file: "src/streams/awaited_days.ts",
    from: "const doubted = clip(this.#doubted, this.#options.bounds);",
    to: "const doubted = this.#doubted;",
    test: LEFT,
  },
  {
    rule: "P5",
    file: "src/streams/awaited_days.ts",
    from: "    this.#doubted = [];\n",
    to: "",
    test: LEFT,
  },
  {
    rule: "P5",
    file: "src/streams/left_strays.ts",
    from: "else addToMonth(this.#months, entry);",
    to: "else this.#days.set(name, entry);",
    test: "src/streams/left_strays.test.ts: L1 P5: of more days, one entry for each month of windows stands for the others",
  },
  {
    rule: "P5",
    file: "src/streams/completion.ts",
    from: "const awaiting = this.#reporter.doubted(reading);",
    to: "const awaiting = this.#reporter.doubted();",
    test: `${LIVES}P5: so does a report of %s`,
  },
  {
    rule: "P5",
    file: "src/streams/reporter.ts",
    from: 'const isPart = shows === "part" && !reading.resumed;',
    to: 'const isPart = shows === "part";',
    test: `${LIVES}P5: so does a report of %s`,
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "this.#isRefresh ? [] : strays.left.take()",
    to: "strays.left.take()",
    test: "src/streams/stray_reads.test.ts: P5: a day awaits a stray that is left to a later reading, but not in a full refresh",
  },
  {
    rule: "P5",
    file: "src/streams/completion.ts",
    from: "    this.#announce([...unproven, ...missed.before], open);\n",
    to: "",
    test: "src/streams/completion.test.ts: P5: a STATE names the day of a new stray before the report that takes the proof from the day, also if the listing moved",
  },
];
