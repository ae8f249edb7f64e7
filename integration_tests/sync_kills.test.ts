/**
 * `sync`, killed by SIGKILL at drawn requests and at drawn writes to its database, and run again: rows and sums are the
 * provider's, and nothing is there twice. `SEED=n` replays one schedule; `npm run soak -- --syncs 200` runs 200.
 */
import { test } from "vitest";
import { seedsOf } from "../simulation/seeds.ts";
import { runSyncSchedule } from "./sync_kills/run.ts";

test.for(seedsOf(process.env, { few: 1, all: 3 }))(
  "sync killed anywhere loses and doubles nothing (seed %i)",
  async (seed, { expect }) => {
    const { faults, log } = await runSyncSchedule(seed);
    expect(faults, `SEED=${seed}\n${log.join("\n")}`).toEqual([]);
  },
);
