/** The table of mutants stays usable: `npm run mutants` itself is no part of the tests. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { partsOf } from "./mutants/mutant.ts";
import { MUTANTS } from "./mutants/table.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

/** The sections of SPEC.md by the rule that each describes. */
const sections = new Map(
  read("src/core/SPEC.md")
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.split("\n")[0] ?? "", section.split(/^## /m)[0] ?? ""]),
);

test("every rule of SPEC.md has a mutant", () => {
  const ruled = new Set(MUTANTS.map(({ rule }) => rule));
  expect([...sections.keys()].filter((rule) => !ruled.has(rule))).toEqual([]);
});

test("every mutant replaces a text that stands once in its file", () => {
  const counts = MUTANTS.map(({ file, from }) => [file, from, read(file).split(from).length - 1]);
  expect(counts.filter(([, , count]) => count !== 1)).toEqual([]);
});

test("every mutant names a test that SPEC.md lists under its rule", () => {
  const unlisted = MUTANTS.filter(({ rule, test: named }) => {
    const { file, group, title } = partsOf(named);
    return !(sections.get(rule) ?? "").includes(`- \`${file}\`: ${group ?? title}\n`);
  });
  expect(unlisted).toEqual([]);
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
