import { expect, test } from "vitest";
import { addTotals, PageTotals } from "./totals.ts";

const amounts = (unit: string) => ({ labels: { unit }, amounts: { quantity: "1" } });

function totalsOf(units: readonly (string | null)[]): ReturnType<PageTotals["result"]> {
  const totals = new PageTotals();
  for (const unit of units) totals.add(0, true, unit === null ? null : amounts(unit));
  return totals.result();
}
const many = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `unit ${from + index}`);

test("L1: a day of more than 200 groups has no totals, in a page and over pages", () => {
  expect(totalsOf(many(0, 200))[0]?.groups).toHaveLength(200);
  expect(totalsOf(many(0, 201))).toMatchObject([{ records: 201, groups: null }]);
  const sum = addTotals(totalsOf(many(0, 150)), totalsOf(many(100, 150)));
  expect(sum).toMatchObject([{ records: 300, groups: null }]);
  expect(addTotals(sum, totalsOf(["a"]))).toMatchObject([{ records: 301, groups: null }]);
  expect(addTotals(totalsOf(["a"]), sum)).toMatchObject([{ records: 301, groups: null }]);
});

test("L1: a day with a label of more than 200 characters, or a record that is not added up, has no totals", () => {
  expect(totalsOf(["a", "x".repeat(200)])[0]?.groups).toHaveLength(2);
  expect(totalsOf(["a", "x".repeat(201), "a"])).toMatchObject([{ records: 3, groups: null }]);
  expect(totalsOf(["a", null, "a"])).toMatchObject([{ records: 3, groups: null }]);
});
