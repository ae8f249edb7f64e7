/** The last lines of `.ci/run`: the counts of all suites, and the tests that failed, because the rest of the output may be cut. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const COUNT = fileURLToPath(new URL("../.ci/count.mjs", import.meta.url));

/** The lines and the exit code of a count over files with these texts. */
function counted(files: Readonly<Record<string, string>>): {
  readonly lines: readonly string[];
  readonly code: number | null;
} {
  const folder = mkdtempSync(join(tmpdir(), "count-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const { stdout, status } = spawnSync(process.execPath, [COUNT, folder], { encoding: "utf8" });
    return { lines: stdout.trimEnd().split("\n"), code: status };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const vitest = (failed: number, ...testResults: object[]): string =>
  JSON.stringify({
    success: testResults.length === 0,
    numPassedTests: 5,
    numFailedTests: failed,
    numPendingTests: 1,
    numTodoTests: 1,
    testResults,
  });

const PASSED = `<testsuites name="all"><testsuite name="one" tests="3" failures="0" errors="0" skipped="1"><testcase name="a"/></testsuite></testsuites>`;

test("all have passed", () => {
  const files = { "a.json": vitest(0), "a.exit": "0\n", "b.xml": PASSED, "b.exit": "0\n" };
  expect(counted(files)).toEqual({ lines: ["", "7 passed, 0 failed, 3 skipped"], code: 0 });
});

test("a failed test of vitest has its file, its title and the first line of its error, and so has a file that cannot be loaded", () => {
  const failed = {
    status: "failed",
    fullName: "group title",
    failureMessages: ["Error: 1\n  at x"],
  };
  const passed = { status: "passed", fullName: "group other", failureMessages: [] };
  const one = { name: "/x/a.test.ts", message: "", assertionResults: [passed, failed] };
  const other = { name: "/x/b.test.ts", message: "no such module", assertionResults: [] };
  expect(counted({ "a.json": vitest(1, one, other), "a.exit": "1\n" })).toEqual({
    lines: [
      "failed in a: a.test.ts: group title: Error: 1",
      "failed in a: b.test.ts: no such module",
      "",
      "5 passed, 1 failed, 2 skipped",
    ],
    code: 1,
  });
});

test("failures and errors in JUnit's XML have their names and messages", () => {
  const cases = [
    `<testcase classname="x" name="fine" time="1"></testcase>`,
    `<testcase classname="x" name="a &gt; b" time="1">\n <failure message="1 &lt; 2&#10;more" type="E">long</failure></testcase>`,
    `<testcase name="set up"><error message="&quot;no&quot;">long</error></testcase>`,
  ];
  const xml = `<testsuites><testsuite name="x" tests="3" failures="1" errors="1" skipped="0">${cases.join("")}</testsuite></testsuites>`;
  expect(counted({ "a.xml": xml, "a.exit": "1\n" })).toEqual({
    lines: ["failed in a: a > b: 1 < 2", 'failed in a: set up: "no"', "", "1 passed, 2 failed"],
    code: 1,
  });
});

test.each([
  ["ends without a report", { "a.exit": "3\n" }, "failed: a, with exit code 3; see its output"],
  [
    "says that all is well, and writes no report",
    { "a.exit": "0\n" },
    "failed: a, with exit code 0; see its output",
  ],
  [
    "fails outside of all tests",
    { "a.xml": PASSED, "a.exit": "1\n" },
    "failed: a, with exit code 1; see its output",
  ],
])("a suite that %s counts as one failure", (_, files, line) => {
  const { lines, code } = counted(files);
  expect(lines[0]).toBe(line);
  expect(lines.at(-1)).toContain("1 failed");
  expect(code).toBe(1);
});

test("no suite at all is a failure", () => {
  expect(counted({})).toEqual({ lines: ["", "0 passed, 1 failed"], code: 1 });
});
