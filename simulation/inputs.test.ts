/** Pages, states, configs and catalogs that are nearly right. `SEED=n` replays one. */
import { expect, test } from "vitest";
import { feed } from "./inputs/feed.ts";

const one = process.env["SEED"];
const INPUTS = 20_000;
/** Inputs before other tests have their turn. */
const BATCH = 1000;

const batches = Array.from({ length: INPUTS / BATCH }, (_, index) => 1 + index * BATCH);

/** Everything that is wrong, each with the seed that shows it again. */
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
