/** Damaged pages, states, configs and catalogs. `SEED=n` replays one, `SEEDS=all` feeds 3,000. */
import { expect, test } from "vitest";
import { feed } from "./inputs/feed.ts";
import { seedsOf } from "./seeds.ts";

const one = process.env["SEED"];
/** The number of inputs between two pauses for other tests. */
const BATCH = 1000;

const batches = seedsOf(process.env, { few: 2000, all: 3000 }).filter(
  (seed) => (seed - 1) % BATCH === 0,
);

/** All failures, each with the seed that replays it. */
async function wrong(from: number, count: number): Promise<string[]> {
  const faults: string[] = [];
  for (let seed = from; seed < from + count; seed++) {
    const fed = await feed(seed).catch((error: unknown) => ({ faults: [String(error)] }));
    faults.push(...fed.faults.map((fault) => `SEED=${seed} ${fault}`));
  }
  return faults;
}

test.skipIf(one !== undefined).for(batches)(
  "P1 P3 S5 V1 V3 V4: what is nearly right is a clear error, or just what it says (from %i on)",
  async (from) => {
    expect(await wrong(from, BATCH)).toEqual([]);
  },
);

test.runIf(one !== undefined)(`seed ${one}`, async () => {
  const { faults, log } = await feed(Number(one));
  expect(faults, log.join("\n")).toEqual([]);
});
