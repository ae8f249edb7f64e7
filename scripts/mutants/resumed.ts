/** The mutants of windows that an earlier process began, and of readings that begin again (S1, S4, R10, P5). */
import type { Mutant } from "./mutant.ts";

export const RESUMED: readonly Mutant[] = [
  {
    rule: "P5",
    file: "src/streams/completion.ts",
    from: 'if (shows !== "part") this.#reads.read.push(reading);',
    to: "this.#reads.read.push(reading);",
    test: "src/streams/resumed.test.ts: P5: a resumed window is looked at once more for the owner of a stray, here behind %s",
  },
  {
    rule: "P5",
    file: "src/streams/completion.ts",
    from: 'if (shows !== "part") this.#reads.read.push(reading);',
    to: "if (isWhole) this.#reads.read.push(reading);",
    test: "src/streams/resumed.test.ts: P5: a resumed window is looked at once more for the owner of a stray, here behind %s",
  },
  {
    rule: "P5",
    file: "src/streams/job.ts",
    from: "reading.digests.filter(({ day }) => writes(day));",
    to: "reading.digests;",
    test: "src/streams/resumed.test.ts: P5: a resumed window is looked at once more for the owner of a stray, here behind %s",
  },
  {
    rule: "P5",
    file: "src/streams/job.ts",
    from: "    missesStrays,\n    isLook: job.isLook,\n    hasStrays: missesStrays ||",
    to: "    isLook: job.isLook,\n    hasStrays: missesStrays ||",
    test: "src/streams/resumed.test.ts: P5: strays on pages that an earlier process read are written, also if their window is read a second time",
  },
  {
    rule: "P5",
    file: "src/streams/job.ts",
    from: "hasStrays: missesStrays || hasPending",
    to: "hasStrays: hasPending",
    test: "src/streams/resumed.test.ts: P5: strays are not lost where one process after the other dies in the second reading of their window, nor where that begins again",
  },
  {
    rule: "P5",
    file: "src/streams/job.ts",
    from: "hasStrays: rewrites !== null && hasStrays",
    to: "hasStrays: false",
    test: "src/streams/resumed.test.ts: P5: strays are not lost where one process after the other dies in the second reading of their window, nor where that begins again",
  },
  {
    rule: "P5",
    file: "src/streams/job.ts",
    from: "hasStrays: rewrites !== null && hasStrays",
    to: "hasStrays",
    test: "src/streams/resumed.test.ts: P5 S4: a first reading that a later process begins again takes note of strays anew, and asks for none that is gone",
  },
  {
    rule: "S4",
    file: "src/streams/job.ts",
    from: "job.rewrites !== null && job.missesStrays",
    to: "job.missesStrays",
    test: "src/streams/resumed.test.ts: P5 S4: a first reading that a later process begins again takes note of strays anew, and asks for none that is gone",
  },
  {
    rule: "S1",
    file: "src/streams/job.ts",
    from: "isFormer: rewrites !== null && isFormer,\n    availableThrough,",
    to: "isFormer: rewrites !== null && isFormer,",
    test: "src/streams/resumed.test.ts: S1: a second reading that a later process begins again claims no later instant than the first one of its window",
  },
  {
    rule: "S1",
    file: "src/streams/job.ts",
    from: "{ ...jobOf(window, purpose), availableThrough }",
    to: "jobOf(window, purpose)",
    test: "src/streams/completion.test.ts: S1 S4 P5: a window whose strays were written counts up to where its data was available, also if the last reading began again",
  },
  {
    rule: "W3",
    file: "src/streams/reader.ts",
    from: "job.reading === null && job.window.start < edge",
    to: "job.window.start < edge",
    test: "src/streams/resumed.test.ts: S3 W3: a window whose first day has left retention since its first page was read goes on at the next page",
  },
  {
    rule: "R6",
    file: "src/streams/job.ts",
    from: "isFormer: rewrites !== null && isFormer",
    to: "isFormer",
    test: "src/streams/former.test.ts: R6: a window that 0.2.0 had half read and that begins again is known by today's digests",
  },
];
