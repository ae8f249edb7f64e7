/** The table of mutants stays usable: `npm run mutants` itself is no part of the tests. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { partsOf } from "./mutants/mutant.ts";
import { MUTANTS } from "./mutants/table.ts";
import { RULES, TITLED } from "./rules.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test("every rule of SPEC.md has a mutant", () => {
  const ruled = new Set(MUTANTS.map(({ rule }) => rule));
  expect(RULES.filter((rule) => !ruled.has(rule))).toEqual([]);
});

test("every mutant replaces a text that stands once in its file", () => {
  const counts = MUTANTS.map(({ file, from }) => [file, from, read(file).split(from).length - 1]);
  expect(counts.filter(([, , count]) => count !== 1)).toEqual([]);
});

test("every mutant names a test that exists, or its group, under its rule", () => {
  const titled = new Map(TITLED.map(({ file, title, rules }) => [`${file}: ${title}`, rules]));
  const others = MUTANTS.filter(({ rule, test: named }) => {
    const { file, group, title } = partsOf(named);
    return !titled.get(`${file}: ${group ?? title}`)?.includes(rule);
  });
  expect(others).toEqual([]);
});

/** The call that a title stands in, by the nearest one before it: `test`, `describe` or none. */
function callOf(source: string, title: string): string | undefined {
  const quoted = JSON.stringify(title);
  const [before = "", ...more] = source.split(quoted);
  if (more.length !== 1) return undefined;
  return [...before.matchAll(/\b(test|describe)(?:\.each\b|\()/g)].at(-1)?.[1];
}

test("every mutant names one test, and no group of tests", () => {
  const vague = MUTANTS.filter(({ test: named }) => {
    const { file, group, title } = partsOf(named);
    const source = read(file);
    const isOneTest = callOf(source, title) === "test" && /[^%]{2}/.test(title);
    return !isOneTest || (group !== undefined && callOf(source, group) !== "describe");
  });
  expect(vague).toEqual([]);
});
