/**
 * `npm run mutants [-- RULE...]`: shows that the tests hold the rules of `src/core/SPEC.md`. Each mutant of
 * `mutants/table.ts` breaks one rule in a temporary copy of the tree, and the test that the mutant names must fail there.
 * Prints the mutants that survive, and exits with 1 where there is one. Takes ten minutes or more.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { type Mutant, partsOf } from "./mutants/mutant.ts";
import { MUTANTS } from "./mutants/table.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Copies of the tree, each with one test process at a time. */
const COPIES = 2;

/** Milliseconds; a defect may make a test run endlessly, which then counts as a failure. */
const LEAST_PATIENCE = 120_000;
/** A test that takes so many times as long as all named tests of its file took without a defect does not end by itself. */
const PATIENCE_TIMES = 4;
/** For the tests without a defect, on a machine that is busy with other work. */
const GREEN_PATIENCE = 900_000;

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/** Passed, failed, or not found among the results. */
type Result = "passed" | "failed" | "missing";

/** A copy of the files that git knows or does not ignore, with a link to the installed packages. */
function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), "mutants-"));
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", list, { cwd: ROOT, encoding: "utf8" }).split("\0");
  for (const file of files.filter((name) => name !== "")) {
    cpSync(join(ROOT, file), join(folder, file));
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/**
 * The regular expression of the full name of a test: its groups and its title, with ` > ` between them in the option of vitest and a
 * blank in its report. A placeholder of `test.each`, such as `%s`, stands for any text.
 */
function patternOf(test: string): string {
  const { group, title } = partsOf(test);
  const names = group === undefined ? [title] : [group, title];
  const patterns = names.map((name) =>
    name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/%[a-z]/g, ".*"),
  );
  return `(?:^| )${patterns.join("(?: >)? ")}$`;
}

/** Runs the named tests of one file in a copy; resolves to the result of each. */
async function runTests(
  folder: string,
  file: string,
  tests: readonly string[],
  patience: number,
): Promise<Result[]> {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const names = tests.map(patternOf).join("|");
  const options = [
    "--reporter=json",
    `--outputFile=${report}`,
    `--testNamePattern=${names}`,
    `--testTimeout=${patience}`, // a busy machine is no defect
  ];
  const command = [vitest, "run", file, ...options];
  const child = spawn(process.execPath, command, { cwd: folder, stdio: "ignore", detached: true });
  const timer = setTimeout(() => killGroup(child), patience);
  await once(child, "close");
  clearTimeout(timer);
  const isOver = child.signalCode === null;
  return isOver ? tests.map((test) => resultOf(report, test)) : tests.map(() => "failed");
}

/** Ends vitest and its workers, which a defect may keep in an endless loop: together they are a process group. */
function killGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, "SIGKILL");
}

function resultOf(report: string, test: string): Result {
  const { testResults } = reportSchema.parse(JSON.parse(readFileSync(report, "utf8")));
  const pattern = new RegExp(patternOf(test));
  const results = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ fullName }) => pattern.test(fullName));
  if (results.some(({ status }) => status === "failed")) return "failed";
  return results.some(({ status }) => status === "passed") ? "passed" : "missing";
}

/** Applies a mutant to a copy, runs its test there, and restores the file. */
async function tryMutant(
  folder: string,
  { file, from, to, test }: Mutant,
  patienceOf: Patience,
): Promise<Result> {
  const path = join(folder, file);
  const source = readFileSync(path, "utf8");
  const parts = source.split(from);
  if (parts.length !== 2) {
    throw new Error(`${file} holds "${from}" ${parts.length - 1} times; it must hold it once`);
  }
  writeFileSync(path, parts.join(to));
  try {
    const { file: testFile } = partsOf(test);
    const [result = "missing"] = await runTests(folder, testFile, [test], patienceOf(testFile));
    return result;
  } finally {
    writeFileSync(path, source);
  }
}

/** The longest time that a test of a file may take, in milliseconds. */
type Patience = (testFile: string) => number;

/** Throws where a named test does not pass without a defect: its failure would then show nothing. */
async function requireGreen(folder: string, mutants: readonly Mutant[]): Promise<Patience> {
  const took = new Map<string, number>();
  const byFile = Map.groupBy(
    new Set(mutants.map(({ test }) => test)),
    (test) => partsOf(test).file,
  );
  for (const [file, tests] of byFile) {
    const began = performance.now();
    const results = await runTests(folder, file, tests, GREEN_PATIENCE);
    took.set(file, performance.now() - began);
    const bad = tests.filter((_, index) => results[index] !== "passed");
    if (bad.length > 0) throw new Error(`not green without a mutant:\n${bad.join("\n")}`);
  }
  return (file) => Math.ceil(Math.max(LEAST_PATIENCE, PATIENCE_TIMES * (took.get(file) ?? 0)));
}

async function tryAll(
  folders: readonly string[],
  mutants: readonly Mutant[],
  patienceOf: Patience,
): Promise<number> {
  const queue = [...mutants];
  let survivors = 0;
  const work = async (folder: string): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const result = await tryMutant(folder, mutant, patienceOf);
      if (result === "failed") continue;
      survivors += 1;
      const { rule, file, from, to, test } = mutant;
      console.log(`${rule} survives: ${file}: "${from}" -> "${to}" (${test}: ${result})`);
    }
  };
  await Promise.all(folders.map(work));
  return survivors;
}

const rules = process.argv.slice(2);
const chosen = MUTANTS.filter(({ rule }) => rules.length === 0 || rules.includes(rule));
const folders = Array.from({ length: COPIES }, copyTree);
try {
  const [first = ""] = folders;
  const patienceOf = await requireGreen(first, chosen);
  const survivors = await tryAll(folders, chosen, patienceOf);
  console.log(`${chosen.length} mutants, ${survivors} survive`);
  process.exitCode = survivors === 0 && chosen.length > 0 ? 0 : 1;
} finally {
  for (const folder of folders)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
