/** The models that ship judge the rows of lives, and the truth of the simulated provider judges the models. */
import { expect, test } from "vitest";
import { judgeDay, seenSince } from "../simulation/current.ts";
import { live } from "../simulation/life.ts";
import {
  FORMS,
  judgedDays,
  type JudgedDay,
  type Snapshot,
  snapshotOf,
} from "./support/simulated_models.ts";
import { drawWorld } from "../simulation/world.ts";
import type { Trial } from "../simulation/trials.ts";

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

/** The faults of a day that the models call proven. */
function faultsOf({ snapshot, form, stream, day, readingId, rows }: JudgedDay): string[] {
  const { connection, reports, seed } = snapshot;
  const { provider, lives } = connection.world;
  const rules = provider.rules(stream);
  const report = reports.findLast(
    (row) =>
      row.dataset === stream &&
      row.day === day &&
      row.reading_id === readingId &&
      row.inside_window,
  );
  if (rules === undefined || report === undefined) return [`SEED=${seed} ${day} has no report`];
  // Strays have rules of their own (strays.ts).
  const versions = rows.filter(({ isStray }) => !isStray).map(({ version }) => version);
  const since = seenSince(stream, report, connection.warehouse);
  const wrong = rows.filter(({ version, amount }) => version.amount !== amount);
  return [
    ...judgeDay(rules, { report, since }, { table: form, versions }, lives),
    ...wrong.map(({ version, amount }) => `${version.record.id} counts ${amount}`),
  ].map((fault) => `SEED=${seed} ${fault}`);
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
