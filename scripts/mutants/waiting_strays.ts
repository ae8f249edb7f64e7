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
    from: "this.#refused.size > 0 && !this.#hasTold",
    to: "this.size >= this.#limits.pendingStrays && !this.#hasTold",
    test: "src/streams/completion.test.ts: P5 L1: one warning tells of strays that find no room to wait, and none of others (room for %i)",
  },
  {
    rule: "L1",
    file: "src/streams/pending_strays.ts",
    from: "this.#refused.size > 0 && !this.#hasTold",
    to: "this.#refused.size > 0",
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
