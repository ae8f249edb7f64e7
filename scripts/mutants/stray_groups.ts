/** The mutants of groups of strays (P5, R10). */
import type { Mutant } from "./mutant.ts";

const GROUPS = "src/streams/stray_groups.test.ts: P5 R10: ";
const FORGOTTEN =
  "the state forgets all of a group if it forgets one of them before a new stray of the day is written; their window is due, so the next sync judges it";
const LISTED =
  "a window of such a group stays due if a newer reading of another window has listed the group in the meantime";

export const STRAY_GROUPS: readonly Mutant[] = [
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "if (isGone && isWritten(stray)) broken.add(groupOf(stray));",
    to: "",
    test:
      GROUPS +
      "if a window no longer shows one of two strays that a reading wrote on a day, the other one is written again",
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "if (this.#pending.size + again.length > this.#limits.pendingStrays) return new Set();",
    to: "",
    test: "src/streams/strays.test.ts: P5: if a window no longer shows a written stray, the ones that its reading wrote on the same day wait once more, if there is room for all",
  },
  {
    rule: "P5",
    file: "src/streams/completion.ts",
    from: ", ...(broken.size > 0 ? [reading] : [])]",
    to: "]",
    test:
      GROUPS +
      "the report that lists such a group no longer goes out behind a STATE that names the window as due, in case the process dies between the two",
  },
  {
    rule: "R10",
    file: "src/streams/strays.ts",
    from: "if (isListed) this.listings.judgeNext([window]);",
    to: "",
    test: GROUPS + LISTED,
  },
  {
    rule: "R10",
    file: "src/streams/stray_listings.ts",
    from: "if (!this.isListedAfter(hash, readingId)) this",
    to: "this",
    test: GROUPS + LISTED,
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "of [...gone, ...broken])",
    to: "of gone)",
    test: GROUPS + FORGOTTEN,
  },
  {
    rule: "R10",
    file: "src/streams/strays.ts",
    from: "this.listings.judgeNext(broken.map((stray) => stray.window));",
    to: "",
    test: GROUPS + FORGOTTEN,
  },
];
