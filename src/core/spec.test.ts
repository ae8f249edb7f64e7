/**
 * SPEC.md and the tests name the same rules: each rule has a test, and no test names a rule that SPEC.md does not have.
 * This compares names only. `npm run mutants` shows that the named tests fail where a rule is broken.
 */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../..", import.meta.url).pathname;
const TESTS = ["cli", "src", "integration_tests", "simulation"].map(
  (folder) => `${folder}/**/*.test.ts`,
);
const HIGHEST = { W: 5, S: 8, R: 10, P: 6, V: 4, C: 5 } as const;

/** The tests that SPEC.md names, by rule: `path: title`. */
const named = new Map<string, string[]>();
for (const section of readFileSync(`${root}src/core/SPEC.md`, "utf8").split(/^### /m).slice(1)) {
  const lines = (section.split(/^## /m)[0] ?? "").split("\n");
  const cited = lines.flatMap(
    (line) => /^- `(?<file>[^`]+)`: (?<title>.+)$/.exec(line)?.slice(1) ?? [],
  );
  const pairs = cited.flatMap((file, index) =>
    index % 2 === 0 ? [`${file}: ${cited[index + 1]}`] : [],
  );
  named.set(lines[0] ?? "", pairs);
}

/** The titles of a test file, as they are written in its source. */
function titlesOf(file: string): string[] {
  const source = readFileSync(`${root}${file}`, "utf8");
  const quoted = source.matchAll(/"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\\n]|\\.)+)`/g);
  return [...quoted].map((match) => (match[1] ?? match[2] ?? "").replaceAll('\\"', '"'));
}

const numbered = Object.entries(HIGHEST).flatMap(([letter, highest]) =>
  Array.from({ length: highest }, (_, index) => `${letter}${index + 1}`),
);
const rules = [...numbered, "L1", "L2", "L3", "L4"];

test.each(rules)("rule %s is in SPEC.md with a test that exists", (rule) => {
  const tests = named.get(rule) ?? [];
  expect(tests).not.toEqual([]);
  for (const cited of tests) {
    const [file = "", title = ""] = cited.split(/: (.*)/s);
    expect(titlesOf(file), cited).toContain(title);
  }
});

test("SPEC.md has no rule that the design does not have", () => {
  expect([...named.keys()].toSorted()).toEqual(rules.toSorted());
});

test("every test that is titled with a rule's number is named under that rule", () => {
  const unnamed = globSync(TESTS, { cwd: root }).flatMap((file) =>
    titlesOf(file).flatMap((title) => {
      const numbers = /^((?:[WSRPVCL]\d+ )*[WSRPVCL]\d+): /.exec(title)?.[1]?.split(" ") ?? [];
      return numbers
        .filter((rule) => !(named.get(rule) ?? []).includes(`${file}: ${title}`))
        .map((rule) => `${rule} does not name ${file}: ${title}`);
    }),
  );
  expect(unnamed).toEqual([]);
});
