/** The judge of strays finds one that no longer stands: a judge that sees nothing would never find a fault. */
import { expect, test } from "vitest";
import { DAY, dayOf, HOUR, iso } from "./calendar.ts";
import { CALM } from "./step.ts";
import type { ReportRow } from "./platform.ts";
import { lifeOf, plainRules, scripted } from "./scripted.ts";
import { judgeStrays } from "./strays.ts";

const NOON = Date.UTC(2026, 4, 12) + 12 * HOUR;
const START = Date.UTC(2026, 4, 6);
const POSTED = START + 3 * DAY;
const costs = plainRules("costs", { selects: "posting" });

/** A connection that has read a cost of a day without other costs, and a judge of what happens after that. */
async function synced() {
  const late = lifeOf(costs, "late", START, { at: POSTED + HOUR });
  Object.assign(late, { postedAt: POSTED });
  const connection = scripted(NOON, [costs], [late]);
  const asked = { ...CALM.asked, startDate: START, reconcileDays: 0, scrubDays: 0 };
  await connection.sync({ ...CALM, asked });
  expect(connection.faults).toEqual([]);
  const { warehouse, states } = connection;
  const reports: ReportRow[] = [];
  const range = { start: START, end: NOON };
  const tooOldFor = new Set<string>();
  const facts = {
    warehouse,
    reports,
    tooOldFor,
    mayReselect: false,
    startedAt: NOON,
    endedAt: NOON,
    asked: range,
    keptFrom: -Infinity,
    today: dayOf(NOON),
  };
  const state = states.get("costs")?.value;
  const judge = (due: readonly [string, string][] = []): string[] =>
    judgeStrays(costs, { ...facts, state: state && { ...state, due } });
  const reportOf = (day: number): ReportRow => {
    const report = warehouse.reportsOf("costs", iso(day).slice(0, 10)).at(-1);
    if (report === undefined) throw new Error("no report");
    return { ...report, reading_id: `z${report.reading_id}` };
  };
  const report = (row: ReportRow): void => warehouse.report(row);
  return { judge, late, reports, reportOf, report, tooOldFor };
}

test("R10: a stray no longer stands if its day is proven without it, and its window does not list it after that", async () => {
  const { judge, report, reportOf, tooOldFor } = await synced();
  expect(judge()).toEqual([]);
  const proof = reportOf(START);
  report({ ...proof, confirmed: false, rows_reading_id: proof.reading_id });
  expect(judge()).toEqual([]);
  report({ ...proof, rows_reading_id: proof.reading_id });
  expect(judge()).toEqual([expect.stringMatching(/^R10: the stray late of 2026-05-06 .* its day/)]);
  expect(judge([[iso(POSTED), iso(POSTED + DAY)]])).toEqual([]);
  tooOldFor.add(proof.id);
  expect(judge()).toEqual([]);
});

test("R10: a stray no longer stands if a whole reading of its window does not list it", async () => {
  const { judge, report, reportOf } = await synced();
  const whole = reportOf(POSTED);
  report({ ...whole, resumed: true });
  expect(judge()).toEqual([]);
  report(whole);
  expect(judge()).toEqual([expect.stringMatching(/^R10: the stray late .* its window was read/)]);
});

test("R10: a stray that is gone does not stand once a sync has read its window", async () => {
  const { judge, late, reports, reportOf } = await synced();
  const whole = reportOf(POSTED);
  reports.push({ ...whole, moved: true });
  late.withdrawnAt = NOON - 1;
  expect(judge()).toEqual([]);
  reports.push(whole);
  expect(judge()).toEqual([expect.stringMatching(/^R10: the stray late .* stands, and z/)]);
  late.withdrawnAt = NOON;
  expect(judge()).toEqual([]);
});
