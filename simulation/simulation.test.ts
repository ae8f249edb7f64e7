/** Lives of many seeds: no record is lost or doubled under any fault. `SEED=n` replays one, `SEEDS=all` lives 100. */
import { expect, test } from "vitest";
import type { Report } from "./connection.ts";
import { live, refresh } from "./life.ts";
import { seedsOf } from "./seeds.ts";
import type { Trial } from "./trials.ts";
import { drawWorld } from "./world.ts";

const one = process.env["SEED"];
/** The number of lives between two pauses for other tests. */
const BATCH = 25;

type Kind = "plain" | "any" | "refresh";

async function lifeOf(seed: number, kind: Kind, without: readonly Trial[] = []): Promise<Report> {
  if (kind === "refresh") return refresh(drawWorld(seed, { kind: "any" }));
  return live(drawWorld(seed, { kind, without }), kind === "plain");
}

/** All broken rules, each with the seed that replays it. */
async function broken(
  from: number,
  count: number,
  kind: Kind,
  without: readonly Trial[] = [],
): Promise<string[]> {
  const faults: string[] = [];
  for (let seed = from; seed < from + count; seed++) {
    const report = await lifeOf(seed, kind, without).catch((error: unknown) => ({
      faults: [String(error)],
    }));
    faults.push(...report.faults.map((fault) => `SEED=${seed} ${fault}`));
  }
  return faults;
}

/** The number of seeds of a kind of lives that run now, from 1 on. */
const countOf = (counts: { readonly few: number; readonly all: number }): number =>
  seedsOf({ ...process.env, SEED: undefined }, counts).length;

test("one seed gives the same life twice, byte for byte", async () => {
  for (let seed = 1; seed <= countOf({ few: 2, all: 8 }); seed++) {
    const [first, second] = [await lifeOf(seed, "any"), await lifeOf(seed, "any")];
    expect(second.log).toEqual(first.log);
  }
});

test("lives with honest providers and a good network", async () => {
  expect(await broken(1, countOf({ few: 8, all: 30 }), "plain")).toEqual([]);
});

test("full refreshes", async () => {
  expect(await broken(1, countOf({ few: 12, all: 50 }), "refresh")).toEqual([]);
});

/** The trials that worlds did not have when the seeds below were found. */
const LATER: readonly Trial[] = ["switches", "small", "resets", "slow", "bursts"];

/** Lives that broke earlier drafts of the rules or of their judges. */
test.for([
  ["a resumed window whose strays were collected goes on to write them, and the sync ends", 40_063],
  [
    "a window lists its strays after all others, also if no window of the plan has read some of its days",
    185_003_175,
  ],
  ["a reading that only lists strays writes no record that its window shows", 220_000_459],
  [
    "a provisional cost that a longer retention shows again is due until the bound of due windows lets a sync read it",
    220_001_506,
  ],
  [
    "rows that are newer than the STATE which the platform gave back may win over a newer version (R4)",
    230_001_050,
  ],
  [
    "a STATE that is too old for the rows that a platform kept does not follow their provisional costs (R4)",
    230_019_420,
  ],
  [
    "the same of rows whose reading was never reported, because the process died before the end of their window (R4)",
    952_014_779,
  ],
  [
    "a killed sync whose clock was ahead had a day out of its retention: the scrub finds the day's changes (W3)",
    260_002_255,
  ],
  [
    "a stray that was restated after its day was read replaces a row of the day, so that the day is due (P5, R10)",
    330_004_195,
  ],
  [
    "a withdrawn stray is judged although the windows of later syncs have other bounds (P5)",
    420_006_604,
  ],
  [
    "a sync whose end date lies before all due days asks nothing, also if its deep re-read is due",
    470_002_811,
  ],
  [
    "a stray is not lost if a process dies within the report of a window that the pass has read once more (P5)",
    510_004_680,
  ],
  [
    "a window of hours whose strays are judged on a later day is read up to the end of its last day (W1, P5)",
    520_003_132,
  ],
  [
    "windows that show a group of strays in parts do not list it, so that the group's own window does (P5, R10)",
    620_002_421,
  ],
  [
    "of a day that was read in part, the state knows the number that this reading shows (R8)",
    530_000_892,
  ],
  [
    "two windows with a day in common are judged one after the other, and write the day once (P5)",
    910_000_134,
  ],
  [
    "of a day that had left retention by a clock that was ahead the state knows no number, also if no state covers its rows (W3, R8)",
    952_011_288,
  ],
  [
    "a withdrawn stray whose process died within the report is gone once its day was read (P5)",
    913_010_418,
  ],
  ["of a known day no number counts that a reading has shown which was given up (R8)", 976_000_862],
  ["a suspected day stays due if a reading of it is given up (R8, R10)", 978_001_374],
  [
    "a frontier that says all data are there does not wait for a record that the view of a window does not show yet (R1)",
    2_400_000_185,
  ],
  [
    "rows of a resumed reading count for those that the platform lost behind a report that it kept, until the reading is complete (R4)",
    2_400_004_891,
  ],
  [
    "no state knows of a row that only killed processes had written before it moved, so that no day is due for it (R10)",
    2_810_004_990,
  ],
  [
    "the old day of a row that moves while its last page is still to come is unproven until the scrub (R10)",
    2_710_006_651,
  ],
  [
    "a look at a part of a window that waits for its strays hides no stray from the process that goes on (P5, R10)",
    2_810_009_493,
  ],
  [
    "a suspected day stays known if a reading of it is given up, so that its window writes all of it where it begins again (R8, S4)",
    2_910_000_223,
  ],
] as const)("%s", async ([, seed]) => {
  expect(await broken(seed, 1, "any", LATER)).toEqual([]);
});

const batches = seedsOf(process.env, { few: 25, all: 100 }).filter(
  (seed) => (seed - 1) % BATCH === 0,
);

test.skipIf(one !== undefined).for(batches)("seeds from %i on", async (from) => {
  expect(await broken(from, BATCH, "any")).toEqual([]);
});

test.runIf(one !== undefined)(`seed ${one}`, async () => {
  const report = await lifeOf(Number(one), "any");
  expect(report.faults, report.log.join("\n")).toEqual([]);
});
