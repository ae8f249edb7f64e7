/**
 * The real process over each adapter, killed at random points and resumed: sums by day and model are the provider's.
 * `SEED=n` replays one schedule; `npm run soak -- --adapters 200` runs 200.
 */
import { inject, test } from "vitest";
import { seedsOf } from "../simulation/seeds.ts";
import { drawFakeSchedule, runFakeSchedule } from "./adapters/kills.ts";

test.for(seedsOf(process.env, { few: 1, all: 4 }))(
  "an adapter's sync killed anywhere loses and doubles nothing (seed %i)",
  async (seed, { expect }) => {
    const { faults, log } = await runFakeSchedule(drawFakeSchedule(seed), inject("catalog"));
    expect(faults, `SEED=${seed}\n${log.join("\n")}`).toEqual([]);
  },
);
