/**
 * The real process, killed and stopped at random points while the provider misbehaves, and resumed from the last STATE
 * that was received until it succeeds; then rows, versions and sums are the provider's. `SEED=n` replays one schedule,
 * `SEEDS=all` runs 50.
 */
import { inject, test } from "vitest";
import { seedsOf } from "../simulation/seeds.ts";
import { drawSchedule } from "./kills/schedule.ts";
import { runSchedule } from "./kills/run.ts";

test.concurrent.for(seedsOf(process.env, { few: 4, all: 50 }))(
  "S1 S3 S7 P5: killed anywhere, resumed until it succeeds, rows and sums are the provider's (seed %i)",
  async (seed, { expect }) => {
    const { faults, log } = await runSchedule(drawSchedule(seed), inject("catalog"));
    expect(faults, `SEED=${seed}\n${log.join("\n")}`).toEqual([]);
  },
);
