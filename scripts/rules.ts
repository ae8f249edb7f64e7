/**
 * The rules of `src/core/SPEC.md`, the tests that prove them, and `src/core/TESTS.md`, which is made from the titles of the
 * tests: a title begins with the ids of the rules that the test proves, such as `W1 W2: …`. The title of a test in Python is the first
 * line of its text.
 */
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const root = new URL("../", import.meta.url).pathname;

/** The title of a test as its source has it; in `test.each` a placeholder such as `%s` stands for the case. */
export interface TitledTest {
  readonly rules: readonly string[];
  readonly file: string;
  readonly title: string;
}

/** The ids of the rules, in the order of the page. */
export const RULES: readonly string[] = [
  ...readFileSync(`${root}src/core/SPEC.md`, "utf8").matchAll(/^### (.+?)\. /gm),
].map(([, rule = ""]) => rule);

const exclude = (path: string): boolean => /^(node_modules|dist|\..*)$/.test(basename(path));

const TITLES = {
  ts: /\(\s*(?:"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\\n]|\\.)+)`)/g,
  py: /^def test_\w+\(.*\):\n {4}"""([^"\n]+)/gm,
};

/** Every title that begins with ids, whether SPEC.md has these rules or not. */
export const TITLED: readonly TitledTest[] = [
  ...globSync("*/**/*.test.ts", { cwd: root, exclude }),
  ...globSync("dbt/tests_python/test_*.py", { cwd: root }),
]
  .toSorted()
  .flatMap((file) => {
    const titles = [
      ...readFileSync(`${root}${file}`, "utf8").matchAll(
        TITLES[file.endsWith(".py") ? "py" : "ts"],
      ),
    ];
    return titles.flatMap(([, quoted, template = ""]) => {
      const title = (quoted ?? template).replaceAll('\\"', '"');
      const ids = /^((?:[A-Z]\d+ )*[A-Z]\d+): /.exec(title)?.[1];
      return ids === undefined ? [] : [{ rules: ids.split(" "), file, title }];
    });
  });

/** The section of one rule: its tests by file, in the order of the source. */
function section(rule: string): string {
  const byFile = Map.groupBy(
    TITLED.filter(({ rules }) => rules.includes(rule)),
    ({ file }) => file,
  );
  const lines = [...byFile].flatMap(([file, tests]) => [
    `- \`${file}\``,
    ...tests.map(({ title }) => `  - ${title}`),
  ]);
  return `## ${rule}\n\n${lines.join("\n")}\n`;
}

/** `src/core/TESTS.md`: the tests of each rule. */
export function testsPage(): string {
  return `<!-- Made by \`npm run generate\` from the titles of the tests. Do not edit. -->

# The tests of each rule

[\`SPEC.md\`](SPEC.md) has the text of the rules. A test that proves several rules stands under each of them.

${RULES.map(section).join("\n")}`;
}
