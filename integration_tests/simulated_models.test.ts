/** The models that ship judge the rows of lives, and the truth of the simulated provider judges the models. */
import { expect, test } from "vitest";
import { live } from "../simulation/life.ts";
import { faultsOf, modelLife } from "./support/model_lives.ts";
import {
  FORMS,
  judgedDays,
  type JudgedDay,
  type Snapshot,
  snapshotOf,
} from "./support/simulated_models.ts";
import { drawWorld } from "../simulation/world.ts";
import { isTrial, type Trial } from "../simulation/trials.ts";

/** Each life after some of its syncs, and at its end. */
async function snapshotsOf(
  from: number,
  count: number,
  trials: readonly Trial[],
): Promise<readonly Snapshot[]> {
  const snapshots: Snapshot[] = [];
  for (let seed = from; seed < from + count; seed++) {
    const world = { ...drawWorld(seed, { kind: "any", trials }), reports: true };
    let syncs = 0;
    await live(world, false, (connection) => {
      if (++syncs % 4 === 0) snapshots.push(snapshotOf(seed, connection));
    });
  }
  return snapshots;
}

const keyOf = ({ snapshot, stream, day }: JudgedDay): string =>
  `SEED=${snapshot.seed} at ${snapshot.at} ${stream} ${day}`;

test("R4 R10: the models prove no wrong day, in both forms of the tables", async () => {
  // In one of the first lives a row moves while another row of its day is restated.
  const days = await judgedDays([
    ...(await snapshotsOf(730_000_016, 2, ["long", "stirs"])),
    ...(await snapshotsOf(720_000_001, 3, ["posted", "stirs", "reports"])),
  ]);
  const proven = days.filter(({ status }) => status === "proven");
  expect(proven.length).toBeGreaterThan(500);
  expect(proven.flatMap(faultsOf)).toEqual([]);
  const [append, dedup] = FORMS.map(
    (form) => new Map(days.filter((day) => day.form === form).map((day) => [keyOf(day), day])),
  );
  // A deduplicated table has lost facts. It may prove less, and never more.
  const more = [...(dedup ?? [])].filter(
    ([key, { status }]) => status === "proven" && append?.get(key)?.status !== "proven",
  );
  expect(more.map(([key]) => key)).toEqual([]);
});

test.each([
  [
    "two windows show strays of each other's days, and each page has an `as_of` of its own",
    3_500_500_177,
    "posted",
  ],
  [
    "the strays of a window are written again after a sync without export_windows",
    3_600_004_022,
    "posted,switches",
  ],
  [
    "a day of an interrupted pass lies near the end of a shortened retention",
    3_600_008_017,
    "posted,changes",
  ],
])(
  "R10: the models prove each right day at the end of a life in which %s",
  async (_name, seed, more) => {
    const trials = ["proven", ...more.split(",")].filter(isTrial);
    expect((await modelLife(seed, drawWorld(seed, { kind: "any", trials }))).faults).toEqual([]);
  },
);
