/** The package as npm installs it: in an empty folder, without this repository's dependencies and without a build. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeTotals } from "./adapters/totals.ts";
import { serve, startProvider } from "./support/provider.ts";
import { Shell } from "./support/shell.ts";
import { cost, usage, world } from "./support/world.ts";

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The files that `npm pack` needs. The test runs it on a copy of them, because `npm pack` replaces package.json for a moment. */
const SOURCES = [
  "package.json",
  "bin",
  "dist",
  "sql",
  "CHANGELOG.md",
  "README.md",
  "LICENSE",
  "scripts",
];

let folder = "";
let shell: Shell;
let packed: string[] = [];

async function npm(cwd: string, ...args: string[]): Promise<string> {
  // This Node also runs the scripts.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` };
  return (await exec("npm", [...args, "--no-audit", "--no-fund"], { cwd, env })).stdout;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "package-"));
  const copy = join(folder, "copy");
  for (const source of SOURCES) {
    await cp(join(ROOT, source), join(copy, source), { recursive: true });
  }
  const before = await readFile(join(copy, "package.json"), "utf8");
  const name = (await npm(copy, "pack", "--silent")).trim().split("\n").at(-1) ?? "";
  expect(await readFile(join(copy, "package.json"), "utf8")).toBe(before);
  const tarball = join(copy, name);
  packed = (await exec("tar", ["tzf", tarball])).stdout.trim().split("\n");
  const installed = join(folder, "installed");
  await mkdir(installed);
  await npm(installed, "install", "--offline", "--omit=optional", tarball);
  shell = await Shell.open(join(installed, "node_modules/.bin/source-ai-billing"));
}, 60_000);

afterAll(async () => {
  await shell[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Puts DuckDB beside the package. */
async function addDuckDb(): Promise<void> {
  const modules = join(folder, "installed/node_modules");
  for (const name of ["@duckdb", "detect-libc"]) {
    if ((await readdir(modules)).includes(name)) continue;
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
  }
}

test("holds a list of its parts, in which each package of the bundle has version, license and hash", async () => {
  const file = join(folder, "installed/node_modules/source-ai-billing/dist/sbom.cdx.json");
  const { metadata, components } = JSON.parse(await readFile(file, "utf8"));
  const { name, version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  expect(metadata.component).toMatchObject({ name, version });
  expect(components).toEqual(
    expect.arrayContaining(
      ["commander", "undici", "zod", "echarts"].map((each) =>
        expect.objectContaining({ name: each, scope: "required" }),
      ),
    ),
  );
  const names = components.map((each: { name: string }) => each.name);
  expect(names).not.toContain("vitest");
});

test("holds the bundle, the views and what a user reads, and nothing else", () => {
  const others = packed.filter((file) => !/^package\/(dist|sql)\//.test(file));
  expect(others.toSorted()).toEqual([
    "package/CHANGELOG.md",
    "package/LICENSE",
    "package/README.md",
    "package/bin/needs_node.mjs",
    "package/bin/source-ai-billing",
    "package/package.json",
  ]);
});

test("needs no package but DuckDB, which is optional", async () => {
  expect(await readdir(join(folder, "installed/node_modules"))).toEqual([
    ".bin",
    ".package-lock.json",
    "source-ai-billing",
  ]);
  const { stdout } = await shell.run(["spec"]);
  expect(JSON.parse(stdout).type).toBe("SPEC");
  const header = Buffer.alloc(3 * 4096);
  header.write("DUCK", 8, "latin1");
  await writeFile(shell.path("some.duckdb"), header);
  const { end, stderr } = await shell.run(["query", "SELECT 1", "--database", "some.duckdb"]);
  expect({ end, stderr }).toEqual({
    end: 1,
    stderr: expect.stringMatching(/needs DuckDB, which is not installed/),
  });
});

test("runs check and sync with DuckDB beside it, day after day", async () => {
  await addDuckDb();
  const costs = [cost("c-1", "2026-03-07", "1.25"), cost("c-2", "2026-03-10", "2.5")];
  await using served = await serve(
    world({
      usage: [usage("u-1", "2026-03-07", "100")],
      costs,
      limits: { retention_days: 40 },
    }),
    "2026-03-10T06:00:00Z",
  );
  await writeFile(shell.path("config.json"), JSON.stringify(served.config()));
  const check = await shell.run(["check", "--config", "config.json"]);
  expect(check.stdout).toContain("SUCCEEDED");
  for (const day of ["2026-03-10", "2026-03-11"]) {
    await served.set(`${day}T06:00:00Z`);
    expect(
      await shell.run(["sync", "--config", "config.json", "--report", "report.html"]),
    ).toMatchObject({ end: 0 });
    const sums = "SELECT count(*) AS rows, sum(billed_cost) AS billed_cost FROM current_costs";
    const { stdout } = await shell.run(["query", "--json", sums]);
    const [total] = (await served.totals()).costs.currencies;
    expect(JSON.parse(stdout)).toMatchObject([
      { rows: total?.["rows"], billed_cost: total?.["billed_cost"] },
    ]);
  }
  expect(await readFile(shell.path("report.html"), "utf8")).toContain("<!doctype html>");
});

/** Sums by day, model and usage type or currency, in the form in which the fakes give their own sums. */
const SUMS = {
  usage: `SELECT strftime(charge_period_start, '%Y-%m-%d') AS day, model_id AS model, usage_type AS meter,
            sum(consumed_quantity) AS sum FROM current_usage GROUP BY ALL HAVING sum <> 0`,
  costs: `SELECT strftime(charge_period_start, '%Y-%m-%d') AS day, model_id AS model, billing_currency AS meter,
            sum(billed_cost) AS sum FROM current_costs GROUP BY ALL HAVING sum <> 0`,
} as const;

const inOrder = (sums: readonly unknown[]): string[] =>
  sums.map((sum) => JSON.stringify(sum)).toSorted();

test.for([
  ["anthropic", "anthropic_admin_key", "2026-01-01"],
  ["openai", "openai_admin_key", "2026-01-01"],
  ["openrouter", "openrouter_management_key", "2026-02-01"],
] as const)(
  "sync makes database and report of %s with nothing but a key: sums of all days and models to the digit",
  { timeout: 240_000 },
  async ([name, type, first]) => {
    await addDuckDb();
    await using served = await startProvider("--as", name, "--now", "2026-03-03T12:00:00Z");
    const credentials = { auth_type: type, api_key: served.token };
    const config = `${name}.json`;
    // OpenAI shows two years; two months are enough here.
    const start = name === "openai" ? { start_date: first } : {};
    const settings = { base_url: served.baseUrl, credentials, ...start };
    await writeFile(shell.path(config), JSON.stringify(settings));
    const database = ["--database", `${name}.duckdb`];
    const report = `${name}.html`;
    const line = ["sync", "--config", config, ...database, "--report", report];
    // The installed package reads OpenAI only. adapters.test.ts reads each API with the bundle that the package holds.
    const said = await (name === "openai" ? shell.run(line) : shell.here(line));
    expect(said, said.stderr).toMatchObject({ end: 0 });
    expect(await readFile(shell.path(report), "utf8")).toContain("<!doctype html>");
    const truth = await fakeTotals(served, first, "2026-04-01");
    for (const dataset of ["usage", "costs"] as const) {
      const { stdout } = await shell.here(["query", ...database, "--json", SUMS[dataset]]);
      const sums = JSON.parse(stdout) as unknown[];
      expect(truth[dataset].length).toBeGreaterThan(60);
      expect(inOrder(sums)).toEqual(inOrder(truth[dataset]));
    }
  },
);
