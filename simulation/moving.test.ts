/** The judge of proofs forgives a record that a moving listing has skipped (P6), and no other one. */
import { expect, test } from "vitest";
import { HOUR } from "./calendar.ts";
import { judgeProofs } from "./current.ts";
import { FAIR } from "./network.ts";
import { asked, BASE, day, lifeIn, unreported } from "./posted.ts";
import { lifeOf, plainRules, scripted, standing } from "./scripted.ts";
import type { Life } from "./records.ts";
import { HONEST } from "./world.ts";

/** The faults of a proven day that lacks the record "to come". */
const MISSES = ["append", "dedup"].map((table) =>
  expect.stringContaining(`${table} misses to come`),
);

test("P6: a listing that moves may skip a record that is new since the reading before, also if no report tells of that reading", async () => {
  const usage = plainRules("usage", { cursors: "offset", retentionDays: 60 });
  const lives = ["old", "older"].map((id) => lifeOf(usage, id, day(-2), { at: day(-2) + HOUR }));
  const fresh = lifeOf(usage, "to come", day(-2), { at: day(0) + 4 * HOUR });
  const connection = scripted(day(0) + 3 * HOUR, [usage], [...lives, fresh]);
  const step = { ...BASE, pageSize: 2, asked: asked({ startDate: day(-2) }) };
  await connection.sync(unreported(step));
  // Between the two pages of the listing, of which the second one begins behind the second record.
  const began = day(0) + 27 * HOUR;
  lifeIn(lives, "old").withdrawnAt = began + 1500;
  connection.scheduler.skipTo(began);
  await connection.sync({ ...step, weather: { ...FAIR, latency: 300 } });
  const report = connection.warehouse.reportsOf("usage", "2026-05-10").at(-1);
  expect(report).toMatchObject({ moved: true, confirmed: true, rows: 2 });
  expect(connection.faults).toEqual([]);
  for (const version of fresh.versions) Object.assign(version, { at: day(-2) + HOUR });
  expect(judgeProofs(connection)).toEqual(MISSES);
});

test("P6: a listing that moves may skip the first record of a day that had none when it was today, and of which no report tells", async () => {
  const usage = plainRules("usage", { cursors: "offset", maximumWindowDays: 31 });
  usage.frontier = standing(day(-2));
  const old = lifeOf(usage, "old", day(-2), { at: day(-2) + HOUR });
  const fresh = lifeOf(usage, "to come", day(0), { at: day(0) + 4 * HOUR });
  const connection = scripted(day(0) + 3 * HOUR, [usage], [old, fresh]);
  const step = { ...BASE, pageSize: 1, asked: asked({ startDate: day(-2) }) };
  await connection.sync(step);
  usage.frontier = HONEST;
  const began = day(0) + 27 * HOUR;
  old.withdrawnAt = began + 500;
  connection.scheduler.skipTo(began);
  await connection.sync({ ...step, weather: { ...FAIR, latency: 300 } });
  const report = connection.warehouse.reportsOf("usage", "2026-05-12").at(-1);
  expect(report).toMatchObject({ moved: true, confirmed: true, rows: 0 });
  expect(connection.faults).toEqual([]);
  for (const version of fresh.versions) Object.assign(version, { at: day(0) + HOUR });
  expect(judgeProofs(connection)).toEqual(MISSES);
});

test("P6: a listing that moves may agree with a loss that the reading before had found, and skip a record that is new since", async () => {
  const usage = plainRules("usage", { cursors: "offset", retentionDays: 60 });
  const recordOf = (id: string, hour: number): Life =>
    lifeOf(usage, id, day(-1), { at: day(0) + hour * HOUR });
  const [known, stays, gone] = [recordOf("0", -24), recordOf("1", 20), recordOf("2", 21)];
  const fresh = recordOf("to come", 28);
  const connection = scripted(day(0) + 3 * HOUR, [usage], [known, stays, gone, fresh]);
  const step = { ...BASE, pageSize: 1, asked: asked({ startDate: day(-1) }) };
  await connection.sync(step);
  const paced = { ...step, weather: { ...FAIR, latency: 300 } };
  // Between the two readings of the day.
  known.withdrawnAt = day(0) + 26 * HOUR;
  gone.withdrawnAt = day(0) + 27 * HOUR + 1500;
  connection.scheduler.skipTo(day(0) + 27 * HOUR);
  await connection.sync(paced);
  // Between the two pages of the day.
  stays.withdrawnAt = day(0) + 30 * HOUR + 1400;
  connection.scheduler.skipTo(day(0) + 30 * HOUR);
  await connection.sync(paced);
  const [before, report] = connection.warehouse.reportsOf("usage", "2026-05-11").slice(-2);
  expect(before).toMatchObject({ confirmed: false, rows: 1 });
  expect(report).toMatchObject({ moved: true, confirmed: true, rows: 1 });
  expect(report?.rows_reading_id).toBe(report?.reading_id);
  expect(connection.faults).toEqual([]);
  for (const version of fresh.versions) Object.assign(version, { at: day(0) + 22 * HOUR });
  // With offset cursors both listings may have skipped an older record.
  expect(judgeProofs(connection)).toEqual([]);
  Object.assign(usage, { cursors: "keyset" });
  expect(judgeProofs(connection)).toEqual(MISSES);
});

test("P6: two listings that move may skip the same older record, if the provider has offset cursors", async () => {
  const usage = plainRules("usage", { cursors: "offset", retentionDays: 60 });
  const [away, ...others] = ["0", "1", "to come"].map((id) =>
    lifeOf(usage, id, day(-2), { at: day(-2) + HOUR }),
  );
  if (away === undefined) throw new Error("no record");
  const connection = scripted(day(0) + 3 * HOUR, [usage], [away, ...others]);
  const { provider } = connection.world;
  // The first record is away between the two pages of each listing, so that the second page begins behind the last record.
  provider.onPage = (next) => {
    const isBetween = provider.exchanges.at(-1)?.nextCursor !== null;
    away.withdrawnAt = isBetween ? next : Infinity;
  };
  await connection.sync({ ...BASE, pageSize: 2, asked: asked({ startDate: day(-2) }) });
  const report = connection.warehouse.reportsOf("usage", "2026-05-10").at(-1);
  expect(report).toMatchObject({ moved: true, confirmed: true, rows: 2 });
  expect(connection.faults).toEqual([]);
  // A listing of another kind skips no record that was there before.
  Object.assign(usage, { cursors: "keyset" });
  expect(judgeProofs(connection)).toEqual(MISSES);
});

test("P6: a listing that moves may skip a record that an outage hid from the reading before, if the provider has offset cursors", async () => {
  const usage = plainRules("usage", { cursors: "offset", maximumWindowDays: 31 });
  const [began, again] = [day(0) + 3 * HOUR, day(0) + 27 * HOUR];
  usage.outages.push({ start: began, end: again - HOUR, showsOneOf: Infinity });
  const recordOf = (id: string, of: number): Life => lifeOf(usage, id, day(of), { at: day(-2) });
  const [away, ...others] = [recordOf("0", -3), recordOf("1", -3), recordOf("to come", -2)];
  const connection = scripted(began, [usage], [away, ...others]);
  const step = { ...BASE, pageSize: 1, asked: asked({ startDate: day(-3), lookbackDays: 5 }) };
  await connection.sync(step);
  connection.scheduler.skipTo(again);
  const { provider } = connection.world;
  // The third page begins behind the last record, because the first one has left.
  provider.onPage = (next) => {
    if (provider.exchanges.length === 2) away.withdrawnAt = next;
  };
  await connection.sync(step);
  const report = connection.warehouse.reportsOf("usage", "2026-05-10").at(-1);
  expect(report).toMatchObject({ moved: true, confirmed: true, rows: 0 });
  expect(connection.faults).toEqual([]);
  const outages = usage.outages.splice(0);
  expect(judgeProofs(connection)).toEqual(MISSES);
  usage.outages.push(...outages);
  Object.assign(usage, { cursors: "keyset" });
  expect(judgeProofs(connection)).toEqual(MISSES);
});
