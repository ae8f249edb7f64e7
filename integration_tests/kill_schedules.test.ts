/**
 * The real process, killed and stopped at random points while the provider misbehaves, and resumed from the last STATE
 * that was received until it succeeds; then rows, versions and sums are the provider's. `SEED=n` replays one schedule.
 */
import { inject, test } from "vitest";
import { drawSchedule } from "./kills/schedule.ts";
import { tell } from "./kills/story.ts";

const one = process.env["SEED"];
const seeds =
  one === undefined ? Array.from({ length: 50 }, (_, index) => index + 1) : [Number(one)];

test.concurrent.for(seeds)(
  "S1 S3 S7 P5: killed anywhere, resumed until it succeeds, rows and sums are the provider's (seed %i)",
  async (seed, { expect }) => {
    const { faults, log } = await tell(drawSchedule(seed), inject("catalog"));
    expect(faults, `SEED=${seed}\n${log.join("\n")}`).toEqual([]);
  },
);
