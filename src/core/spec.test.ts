/**
 * SPEC.md and the titles of the tests name the same rules. This compares names only: `npm run mutants` shows that the named
 * tests fail where a rule is broken.
 */
import { expect, test } from "vitest";
import { RULES, TITLED } from "../../scripts/rules.ts";

test("the rules of each letter are numbered from 1 on, without a gap", () => {
  const numbers = Map.groupBy(RULES, (rule) => rule.charAt(0));
  expect([...numbers.keys()].join("")).toBe("WSRPVNCLB");
  for (const [letter, rules] of numbers) {
    expect(rules).toEqual(rules.map((_, index) => `${letter}${index + 1}`));
  }
});

test.each(RULES)("rule %s has a test", (rule) => {
  expect(TITLED.filter(({ rules }) => rules.includes(rule))).not.toEqual([]);
});

test("no title names a rule that SPEC.md does not have", () => {
  expect(TITLED.filter(({ rules }) => rules.some((rule) => !RULES.includes(rule)))).toEqual([]);
});
