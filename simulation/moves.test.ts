/** The judge of moved rows finds one that stands on no day: a judge that sees nothing would never find a fault. */
import { expect, test } from "vitest";
import { DAY, dayOf, HOUR, iso } from "./calendar.ts";
import { judgeMoves } from "./moves.ts";
import { restate } from "./posted.ts";
import { lifeOf, plainRules, scripted } from "./scripted.ts";
import { CALM } from "./step.ts";
import { verdictsOf } from "./testing.ts";

const NOON = Date.UTC(2026, 4, 12) + 12 * HOUR;
const [OLD, NEW] = [Date.UTC(2026, 4, 8), Date.UTC(2026, 4, 6)];
const usage = plainRules("usage");

test("R10: a row that moved stands on no day if one pass proves its new day before the move and its old day after it", async () => {
  const from = lifeOf(usage, "moves", OLD, { at: OLD + HOUR });
  const to = lifeOf(usage, "moves", NEW, { at: NOON + 100 });
  from.withdrawnAt = NOON + 100;
  const hidden = lifeOf(usage, "hidden1", OLD, { at: OLD + HOUR });
  const lives = [from, to, hidden, lifeOf(usage, "stays", NEW, { at: NEW + HOUR })];
  const connection = scripted(NOON - HOUR, [usage], lives);
  await connection.sync({ ...CALM, asked: { ...CALM.asked, startDate: NEW } });
  connection.scheduler.skipTo(NOON);
  await connection.sync({ ...CALM, asked: { ...CALM.asked, startDate: NEW } });
  expect(connection.faults).toEqual([]);
  const { warehouse, states } = connection;
  const state = states.get("usage")?.value;
  const judge = (
    due: readonly [string, string][] = [],
    today = dayOf(NOON),
    before = state,
    rules = usage,
    uncovered: readonly string[] = [],
  ): string[] =>
    judgeMoves(rules, {
      lives,
      warehouse,
      state: state && { ...state, due },
      before,
      uncovered: new Set(uncovered),
      today,
    });
  expect(judge()).toEqual([]);
  for (const [day, at] of [
    [NEW, NOON + 50],
    [OLD, NOON + 200],
  ] as const) {
    const report = warehouse.reportsOf("usage", iso(day).slice(0, 10)).at(-1);
    if (report === undefined) throw new Error("no report");
    warehouse.report({
      ...report,
      reading_id: `z${report.reading_id}`,
      pass_began_at: iso(NOON),
      first_as_of: iso(at),
      last_as_of: iso(at),
    });
  }
  expect(judge()).toEqual([
    expect.stringMatching(/^R10: moves moved from 2026-05-08 to 2026-05-06/),
  ]);
  expect(judge([[iso(NEW), iso(NEW + DAY)]])).toEqual([]);
  expect(judge([], NEW)).toEqual([]);
  expect(judge([], dayOf(NOON), state && { ...state, days: [] })).toEqual([]);
  const [report] = warehouse.reportsOf("usage", iso(NEW).slice(0, 10)).slice(-1);
  expect(judge([], dayOf(NOON), state, usage, [report?.reading_id ?? ""])).toEqual([]);
  const ofOld = warehouse.reportsOf("usage", iso(OLD).slice(0, 10)).slice(0, -1);
  const covered = ofOld.map(({ reading_id: id }) => id);
  expect(judge([], dayOf(NOON), state, usage, covered.slice(1))).toHaveLength(1);
  expect(judge([], dayOf(NOON), state, usage, covered)).toEqual([]);
  const outage = { start: NOON - 2 * HOUR, end: NOON - HOUR, showsOneOf: Infinity };
  expect(judge([], dayOf(NOON), state, { ...usage, outages: [outage] })).toEqual([]);
  const hiding = (start: number): typeof usage => ({
    ...usage,
    outages: [{ start, end: start + HOUR, showsOneOf: 3 }],
  });
  expect(judge([], dayOf(NOON), state, hiding(NOON - 3 * HOUR))).toHaveLength(1);
  expect(judge([], dayOf(NOON), state, hiding(NOON - 1.5 * HOUR))).toEqual([]);
  lives.push(lifeOf(usage, "gained", OLD, { at: NOON + 150 }));
  expect(judge()).toEqual([]);
});

test("R10: no later state can miss a row that only a lost state knew; the models call its new day unproven", async () => {
  const from = lifeOf(usage, "moves", OLD, { at: OLD + HOUR });
  const to = lifeOf(usage, "moves", NEW);
  const connection = scripted(
    NOON - HOUR,
    [usage],
    [from, to, lifeOf(usage, "stays", OLD, { at: OLD + HOUR })],
  );
  const step = { ...CALM, concurrency: 1, asked: { ...CALM.asked, startDate: NEW } };
  await connection.sync(step);
  const { provider } = connection.world;
  provider.onPage = (next) => {
    if (provider.exchanges.at(-1)?.start !== NEW || from.withdrawnAt < Infinity) return;
    from.withdrawnAt = next;
    restate(connection, to, next);
  };
  connection.scheduler.skipTo(NOON);
  await connection.sync({ ...step, reset: { stream: "usage", kind: "state" } });
  expect(from.withdrawnAt).toBeLessThan(Infinity);
  connection.scheduler.skipTo(NOON + HOUR);
  await connection.sync(step);
  expect(connection.faults).toEqual([]);
  const verdicts = await verdictsOf(connection, "usage");
  const statusOf = (day: number): string | undefined => verdicts.get(iso(day).slice(0, 10))?.status;
  expect([statusOf(NEW), statusOf(OLD)]).toEqual(["unproven", "proven"]);
});
