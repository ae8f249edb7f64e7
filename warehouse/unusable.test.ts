import { expect, it } from "vitest";
import { warnOfUnusables, wordsOf } from "./unusable.ts";
import type { Unusable } from "./unusable_values.ts";

const VALUE: Unusable = {
  dataset: "costs",
  account: null,
  record: "c-1",
  day: "2026-03-08",
  column: "BilledCost",
  value: "10000000000000",
  reason: "too large to be summed",
};

const said = (rows: number, first: readonly Unusable[]): string[] => {
  const texts: string[] = [];
  warnOfUnusables({ rows, first }, (text) => texts.push(text));
  return texts;
};

it("a value is named with its row, and foreign text neither floods nor steers a terminal", () => {
  expect(wordsOf(VALUE)).toBe(
    'costs "c-1" of 2026-03-08: BilledCost 10000000000000 (too large to be summed)',
  );
  const hostile = { ...VALUE, record: "c\u001B[31m\u202E1", day: "", value: "9".repeat(5000) };
  expect(wordsOf(hostile)).toBe(
    `costs "c [31m 1" of an unknown day: BilledCost ${"9".repeat(60)}… (5000 characters) (too large to be summed)`,
  );
  const missing = { ...VALUE, value: "", reason: "missing" };
  expect(wordsOf(missing)).toBe('costs "c-1" of 2026-03-08: BilledCost (missing)');
});

it("a warning names the newest values, and says where all of them are", () => {
  expect(said(0, [])).toEqual([]);
  expect(said(1, [VALUE])).toEqual([
    expect.stringMatching(
      /^1 row has a value that is in no sum, .*: costs "c-1" .*\(too large to be summed\)\. Tell/,
    ),
  ]);
  const [text = ""] = said(7, [VALUE, VALUE, VALUE, VALUE]);
  expect(text.match(/c-1/g)).toHaveLength(3);
  expect(text).toContain("7 rows have values that are in no sum");
  expect(text).toContain('query "FROM invalid_rows" lists all');
});
