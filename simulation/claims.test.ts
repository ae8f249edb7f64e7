/** The judge of STATEs finds a false STATE: a judge that sees nothing would never find a fault. */
import { expect, test } from "vitest";
import { DAY, HOUR } from "./calendar.ts";
import { judgeClaims } from "./claims.ts";
import type { Connection } from "./connection.ts";
import { CALM } from "./step.ts";
import type { Item } from "./platform.ts";
import { Warehouse } from "./platform.ts";
import { lifeOf, plainRules, scripted } from "./scripted.ts";

const BEGIN = Date.UTC(2026, 4, 12) + 3 * HOUR;
const costs = plainRules("costs", { selects: "overlap" });

/** The lines of two syncs. The account has a short cost and a long one; in the second sync the first day owns the long cost. */
async function syncs(): Promise<{ connection: Connection; items: readonly (readonly Item[])[] }> {
  const short = lifeOf(costs, "short", BEGIN - 5 * DAY, { at: BEGIN - 5 * DAY });
  const long = Object.assign(
    lifeOf(costs, "long", BEGIN - 5 * DAY, { at: BEGIN - 5 * DAY }, { at: BEGIN + HOUR }),
    { end: BEGIN + 5 * DAY },
  );
  const connection = scripted(BEGIN, [costs], [short, long]);
  const asked = { ...CALM.asked, startDate: BEGIN - 9 * DAY, reconcileDays: 0, scrubDays: 0 };
  const first = await connection.sync({ ...CALM, asked });
  connection.scheduler.skipTo(BEGIN + 2 * HOUR);
  const second = await connection.sync({ ...CALM, asked });
  expect(connection.faults).toEqual([]);
  return { connection, items: [first.items, second.items] };
}

const without = (items: readonly Item[], id: string): readonly Item[] =>
  items.filter((item) => item.kind !== "record" || !item.text.includes(`"x_RecordId":"${id}"`));

test("R6: a STATE is false if a row that its digest counts has not come before it", async () => {
  const { connection, items } = await syncs();
  const { versions } = connection;
  const facts = { versions, warehouse: new Warehouse(), stored: undefined };
  const [first = []] = items;
  expect(judgeClaims("costs", { ...facts, items: first })).toEqual([]);
  const faults = judgeClaims("costs", { ...facts, items: without(first, "short") });
  expect(faults).toEqual([expect.stringMatching(/^R6: a STATE claims 2 rows of .*, and 1 rows/)]);
});

test("P5: a STATE is false if it says that a day owns a stray, and the day's rows are older ones", async () => {
  const { connection, items } = await syncs();
  const { versions, warehouse } = connection;
  const [first = [], second = []] = items;
  const stateOf = (lines: readonly Item[]) =>
    lines.findLast((item) => item.kind === "state" && item.stream === "costs");
  const [stored, next] = [stateOf(first), stateOf(second)];
  if (stored?.kind !== "state" || next?.kind !== "state") throw new Error("no STATE");
  expect(next.value.strays).toHaveLength(1);
  const early = { ...next, value: { ...stored.value, strays: next.value.strays ?? [] } };
  const facts = { versions, warehouse, stored: stored.value };
  expect(judgeClaims("costs", { ...facts, items: [early] })).toEqual([
    expect.stringMatching(/owns the stray/),
  ]);
});
