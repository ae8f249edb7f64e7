/**
 * Real processes, killed and stopped at random points while the provider misbehaves, and run again until they succeed: `read`, `read`
 * over an adapter, and `sync`. Then rows and sums are the provider's, and each proven day is as the provider showed it. `SEED=n` replays
 * one life (`-t` chooses the subject), `SEEDS=all` plays those that CI plays, and `npm run soak -- --kills 500` plays many.
 */
import { type ExpectStatic, inject, test } from "vitest";
import { seedsOf } from "../simulation/seeds.ts";
import { LIVES } from "./kills/subjects.ts";

/** Many processes, beside those of the other tests. */
const LIMIT = { timeout: 600_000 };

function play(subject: keyof typeof LIVES) {
  return async (seed: number, { expect }: { readonly expect: ExpectStatic }): Promise<void> => {
    const { faults, log } = await LIVES[subject](seed, inject("catalog"));
    expect(faults, `SEED=${seed}\n${log.join("\n")}`).toEqual([]);
  };
}

test.concurrent.for(seedsOf(process.env, { few: 1, all: 5 }))(
  "S1 S3 S7 P5: read killed anywhere, resumed until it succeeds, rows and sums are the provider's (seed %i)",
  LIMIT,
  play("kills"),
);

test.concurrent.for(seedsOf(process.env, { few: 1, all: 2 }))(
  "a read over an adapter, killed anywhere, loses and doubles nothing (seed %i)",
  LIMIT,
  play("adapters"),
);

test.concurrent.for(seedsOf(process.env, { few: 1, all: 1 }))(
  "sync killed anywhere loses and doubles nothing (seed %i)",
  LIMIT,
  play("syncs"),
);
