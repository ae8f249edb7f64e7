/** The mutants of strays that wait, and of windows that are read as a whole for written strays (P5). */
import type { Mutant } from "./mutant.ts";

export const WAITING_STRAYS: readonly Mutant[] = [
  {
    rule: "P5",
    file: "src/streams/pending_strays.ts",
    from: "if (kept === undefined && this.size >=",
    to: "if (this.size >=",
    test: "src/streams/strays.test.ts: P5 L1: if no further stray can wait, one that waits already still waits for each window that shows it",
  },
  {
    rule: "L1",
    file: "src/streams/pending_strays.ts",
    from: "return this.#refused.size > 0;",
    to: "return this.size >= this.#limits.pendingStrays;",
    test: "src/streams/completion.test.ts: P5 L1: one warning tells of strays that find no room to wait, and none of others (room for %i)",
  },
  {
    rule: "L1",
    file: "src/streams/completion.ts",
    from: "this.strays.hasRefused && !this.#hasWarned",
    to: "this.strays.hasRefused",
    test: "src/streams/completion.test.ts: P5 L1: one warning tells of strays that find no room to wait, and none of others (room for %i)",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "limits.overtakenWindows - taken",
    to: "limits.overtakenWindows",
    test: "src/streams/stray_reads.test.ts: P5: the windows that are read as a whole are so many in a sync, however often it takes some",
  },
];
