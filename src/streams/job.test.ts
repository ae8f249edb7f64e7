import { expect, test } from "vitest";
import { DAY } from "../core/time.ts";
import { jobOf, replanned } from "./job.ts";
import type { Purpose } from "./record_filter.ts";

const month = { start: 0, end: 31 * DAY };
const WHOLE: Purpose = { kind: "window", withStrays: true };
const left = { start: DAY, end: 31 * DAY };

test.each<[string, Purpose, readonly Purpose[]]>([
  ["a reading stays one", WHOLE, [WHOLE]],
  [
    "a look stays a look, because it must not write",
    { kind: "look", days: [] },
    [{ kind: "look", days: [] }],
  ],
  ["strays are seen anew", { kind: "strays", ids: new Set(["a"]) }, [WHOLE]],
  ["a second reading is one of the whole rest", { kind: "rewrite" }, [WHOLE]],
  ["days that leave retention need no proof", { kind: "confirm", days: [DAY] }, []],
])("S4 P5: of a window that has partly left retention %s", (_, purpose, expected) => {
  const jobs = replanned(jobOf(month, purpose), [left], true);
  expect(jobs.map((job) => job.purpose)).toEqual(expected);
  for (const { window, reading } of jobs)
    expect({ window, reading }).toEqual({ window: left, reading: null });
});
