/** The judge of control totals compares exact sums: one that sees nothing would never find a fault. */
import { expect, test } from "vitest";
import { addUp } from "./totals.ts";

const rows = (member: string, ...amounts: string[]) =>
  amounts.map((amount) => ({ text: JSON.stringify({ [member]: amount }) }));

test("R5: rows add up to the control totals of all groups together", () => {
  const usage = { dataset: "usage", totals: [{ quantity: "1.500001" }, { quantity: "-0.5" }] };
  expect(addUp(usage, rows("ConsumedQuantity", "0.900001000", "0.1"))).toBe(true);
  expect(addUp(usage, rows("ConsumedQuantity", "0.900002", "0.1"))).toBe(false);
  expect(addUp(usage, [])).toBe(false);
  const costs = { dataset: "costs", totals: [{ billed: "9000000000000.000001" }] };
  expect(addUp(costs, rows("BilledCost", "9000000000000.000001"))).toBe(true);
  expect(addUp(costs, rows("BilledCost", "9000000000000"))).toBe(false);
});

test("R5: a report that names the rows of an earlier reading has no totals, and one without rows has no groups", () => {
  expect(addUp({ dataset: "usage", totals: null }, rows("ConsumedQuantity", "1"))).toBe(true);
  expect(addUp({ dataset: "usage", totals: [] }, [])).toBe(true);
});
