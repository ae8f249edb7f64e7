/** The account that versions 0.1.0 and 0.2.0 have read, and what changes in it until {@link AFTER}. */
import type { Account } from "../../reference_provider/accounts.ts";
import { cost, dayAfter, usage, world } from "../support/world.ts";

export const FIRST = "2026-03-01";
/** The provider's time when the present version goes on. The older ones read at 06:00 on the 10th. */
export const AFTER = "2026-03-12T06:00:00Z";
const CHANGED_AT = "2026-03-11T12:00:00Z";

const dayOf = (number: number): string => dayAfter(FIRST, number - 1);
const numbers = Array.from({ length: 11 }, (_, index) => index + 1);

const restated = (changes: Readonly<Record<string, string>>) => ({
  restated: [{ at: CHANGED_AT, changes }],
});

/** A usage and a cost a day; among them restated, settled, late and withdrawn ones. */
export function account(): Account {
  const used = numbers.map((number) =>
    usage(
      `u-${number}`,
      dayOf(number),
      `${number}00.5`,
      number === 4 ? restated({ ConsumedQuantity: "444" }) : {},
    ),
  );
  const spent = numbers.map((number) => {
    const amount = `${number}.25`;
    const fates = new Map<number, Parameters<typeof cost>[3]>([
      [5, restated({ BilledCost: "5.75", EffectiveCost: "5.5" })],
      [6, { withdrawn_at: CHANGED_AT }],
      [7, { finalized: { at: CHANGED_AT, changes: { BilledCost: "7.000000000000000001" } } }],
    ]);
    const fields = number === 7 ? { x_CostStatus: "provisional" } : {};
    return cost(`c-${number}`, dayOf(number), amount, fates.get(number), fields);
  });
  const late = cost("c-late", dayOf(3), "0.75", { visible_from: CHANGED_AT });
  return world({ usage: used, costs: [...spent, late], limits: { maximum_window_days: 3 } });
}
