/** The mutants of windows that a read may request in part only, and that have to list their strays (R10). */
import type { Mutant } from "./mutant.ts";

const FILE = { rule: "R10", file: "src/streams/stray_listings.ts" } as const;
const STRAYS_TEST = "src/streams/strays.test.ts: ";
const IN_PART =
  "R10: a stray of a window that the read may request in part waits until all of that part was listed without it";
const BEHIND =
  "simulation/proven.test.ts: R10: a stray whose window lies %s is written again once a sync may read the window (posted on day %i)";
const AFTER_ALL = "R10: a later part of such a window may show the stray after all";

const REPLACED =
  "simulation/strays_to_come.test.ts: P5: a STATE behind a row that has replaced a stray forgets the stray, so that its version is written again if the provider goes back to it";

export const CUT_LISTINGS: readonly Mutant[] = [
  {
    ...FILE,
    from: "intersect(due, clip([window], bounds))",
    to: "clip(due, window)",
    test:
      "src/streams/posted.test.ts: R10: a later start date cuts the window of a stray: the rest of it is listed once, and not again " +
      "in each sync",
  },
  {
    ...FILE,
    from: "subtract(clip([window], this.#bounds), this.#unseen.get(hash) ?? [])",
    to: "clip([window], this.#bounds)",
    test: STRAYS_TEST + IN_PART,
  },
  {
    ...FILE,
    from: "union([...(this.#unseen.get(hash) ?? []), window])",
    to: "[window]",
    test: STRAYS_TEST + IN_PART,
  },
  {
    ...FILE,
    from: "subtract(clip([window], this.#bounds), this.#unseen",
    to: "subtract([window], this.#unseen",
    test: STRAYS_TEST + "R10: a stray waits for no window that the read may not request",
  },
  {
    ...FILE,
    from: "      this.#unseen.delete(hash);\n",
    to: "",
    test: STRAYS_TEST + AFTER_ALL,
  },
  {
    ...FILE,
    from: "this.#later = [left, { start: bounds.end, end: Infinity }];",
    to: "this.#later = [left];",
    test: BEHIND,
  },
  {
    ...FILE,
    from: "clip(windows, range))) this.judgeNext(part);",
    to: "windows)) this.judgeNext(part);",
    test: BEHIND,
  },
  {
    ...FILE,
    from: "this.#later = [left, {",
    to: "this.#later = [{",
    test:
      STRAYS_TEST +
      "W3 R10: of the window of a stray that no reading can list any more, the days are due that an end date cuts off, or a retention that was longer before",
  },
  {
    rule: "P5",
    file: "src/streams/completion.ts",
    from: "this.strays.taken.takeReplaced() ? this.#remembered(state) : state",
    to: "state",
    test: REPLACED,
  },
  {
    rule: "P5",
    file: "src/streams/taken_strays.ts",
    from: "if (isOut) this.#hasReplaced = true;",
    to: "if (isOut) return;",
    test: REPLACED,
  },
];
