import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { LAUNCHER } from "../bin/process.ts";
import { decimal, money } from "../warehouse/report/format.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Shell } from "./support/shell.ts";

const run = promisify(execFile);
const DEMO = fileURLToPath(new URL("../demo/main.ts", import.meta.url));

describe("npm run demo", () => {
  let directory = "";
  let output = "";

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "demo-"));
    // Rejects where the demo does not exit with 0.
    const { stdout } = await run(process.execPath, [DEMO, "--out", directory]);
    output = stdout;
  }, 180_000);

  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  it("ends reconciled to the last digit, where the naive sum is wrong", () => {
    expect(output).toMatch(/^ {2}billed USD +98 +1740\.1816 +96 +1721\.5886 +96 +1721\.5886 +0\n/m);
    expect(output).toContain(
      "The naive sum, 1740.1816 USD, counts 18.593 USD that the provider took back.",
    );
    expect(output).toContain(
      "Reconciled: current 1721.5886 USD = provider 1721.5886 USD, equal to the last digit.",
    );
    expect(output).toContain(
      "Billed: 1724.2103 USD of real spend, -2.6217 USD by the correction of a closed period.",
    );
  });

  it("agrees after every sync, while costs come late, settle, are issued anew, corrected and withdrawn", () => {
    expect(output.match(/^ {2}billed USD: .*$/gm)?.map((line) => line.trim())).toEqual([
      "billed USD: naive 1723.3347, current 1723.3347 = provider 1723.3347, 1.3045 of it provisional",
      "billed USD: naive 1724.2347, current 1724.2347 = provider 1724.2347, 2.2045 of it provisional",
      "billed USD: naive 1725.1103, current 1724.2103 = provider 1724.2103, all of it final",
      "billed USD: naive 1740.1816, current 1739.2816 = provider 1739.2816, 17.693 of it provisional",
      "billed USD: naive 1740.1816, current 1721.5886 = provider 1721.5886, all of it final",
    ]);
  });

  it("names the rows that the provider took back", () => {
    const rows = output.matchAll(/^ {2}(\S+) +(\S+) +(\d{4}-\d\d-\d\d \d\d:\d\d)$/gm);
    expect([...rows].map(([, ...cells]) => cells)).toEqual([
      ["cost-2025-10-03-2a3d9ddda4b6", "0.900", "2025-10-05 06:00"],
      ["repeated-2025-08-25-aaec65062a00", "17.693", "2025-10-16 06:00"],
    ]);
  });

  it("proves every day that is over and inside retention, each equal to its control totals", () => {
    const rows = output.matchAll(/^ {2}(usage|costs) +(\d+) +(\d+) +(\d+) +\d+ +(\d+)$/gm);
    expect([...rows].map(([, ...cells]) => cells)).toEqual([
      ["costs", "1106", "0", "3", "0"],
      ["usage", "1107", "0", "2", "0"],
    ]);
  });

  it("shows late rows as new, settled ones as new or changed, and the correction that the deep re-read finds", () => {
    const rows = output.matchAll(/^ {2}(usage|costs) +\d+ +\S+ +\d+ +(\d+) +(\d+) /gm);
    expect([...rows].map(([, ...cells]) => cells)).toEqual([
      ["usage", "240", "0"],
      ["costs", "94", "0"],
      ["usage", "3", "0"],
      ["costs", "1", "0"],
      ["usage", "0", "0"],
      ["costs", "1", "1"],
      ["usage", "0", "0"],
      ["costs", "2", "0"],
      ["usage", "0", "0"],
      ["costs", "0", "0"],
    ]);
  });

  it("is shown in the README as it is", async () => {
    const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
    // The number of requests differs from run to run, because windows that were read side by side with a loss are read once more.
    const linesOf = (text = ""): string[] =>
      text.split("\n").map((line) => line.replace(/^( {2}(?:usage|costs)) +\d+/, "$1"));
    const shown = linesOf(/```\n(Sync 5[^`]*)\n```/.exec(readme)?.[1]);
    const lines = new Set(linesOf(output));
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.filter((line) => !lines.has(line))).toEqual([]);
  });

  it("leaves a report of the real spend that says the same", async () => {
    const report = await readFile(join(directory, "real_spend.html"), "utf8");
    const [, table = ""] = /id="naive">(.*?)<\/table>/s.exec(report) ?? [];
    const amounts = [...table.matchAll(/value="([^"]+)"/g)].map(([, amount]) => amount);
    expect(amounts).toEqual(["1740.1816", "1721.5886", "18.593", "0"]);
  });

  it("reads a company's bill with its teams and budgets, and leaves the report of it", async () => {
    expect(output).toMatch(/^ {2}Report {2}.*report\.html$/m);
    expect(output).toMatch(/\/report\.html, for a browser: the report of .*company\.duckdb$/m);
    expect(output).toMatch(/\/real_spend\.html, for a browser: the report of .*billing\.duckdb$/m);
    const report = await readFile(join(directory, "report.html"), "utf8");
    expect(report).toMatch(/<h1>November so far: [\d,.]+ USD, \+\d+% against the month before/);
    expect(report).toContain("Customer Care");
  });

  it("is explained in docs/sums.md: each sum of November there is the demo's", async () => {
    const whole = await readFile(new URL("../docs/sums.md", import.meta.url), "utf8");
    const page = whole.replace(/^## Several accounts$.*?(?=^## )/ms, ""); // test_page.py has its own company for this part
    const queries = [...page.matchAll(/^-- (-?[\d.]+)\n(SELECT .*);$/gm)];
    expect(queries).toHaveLength(5);
    const database = join(directory, "company.duckdb");
    await using shell = await Shell.open();
    for (const [, amount, sql = ""] of queries) {
      const line = ["query", "--json", "--database", database, sql];
      const [answer] = JSON.parse((await shell.here(line)).stdout);
      expect(Object.values(answer), sql).toEqual([amount]);
    }
    const [bill, use, toDate] = queries.map(([, amount = ""]) => decimal(amount));
    expect(output).toContain(`November so far: ${money(queries[2]?.[1] ?? "", 2)} USD, `);
    const report = await readFile(join(directory, "report.html"), "utf8");
    expect(report).toContain(`"toDate":"${queries[2]?.[1]}"`);
    expect(page.match(/^\| .* \| ([\d,.]+) \|$/gm)?.map((row) => row.split(" | ").at(-1))).toEqual(
      [bill, use, toDate].map((sum) => `${sum} |`),
    );
  });

  it("prints plain text where there is no terminal", () => {
    expect(output).not.toMatch(/[\r\x1B]/);
  });

  it("leaves a database that answers queries exactly", async () => {
    const database = join(directory, "billing.duckdb");
    const sql =
      "SELECT model_id, sum(billed_cost) FROM current_costs GROUP BY ALL ORDER BY 2 DESC LIMIT 1";
    const { stdout } = await run(LAUNCHER, ["query", "--database", database, sql]);
    expect(stdout).toMatch(/o1-2024-12-17 \(high\) +186\.4958$/m);
  });
});

describe("npm run demo -- --as", () => {
  it("reads a fake's reports through an adapter, and agrees with it after every sync", async () => {
    const directory = await mkdtemp(join(tmpdir(), "demo-"));
    const line = [DEMO, "--as", "openrouter", "--out", directory];
    const { stdout } = await run(process.execPath, line);
    expect(stdout).toContain("Usage and costs can be read from OpenRouter.");
    expect(stdout.match(/Reconciled: \d{3} sums by day, model and meter equal/g)).toHaveLength(3);
    expect(stdout).toMatch(/^ {2}costs +32 +0 +3 +64 +0\n {2}usage +33 +0 +2 +99 +0$/m);
    expect(await readFile(join(directory, "report.html"), "utf8")).toContain("OpenRouter");
    await rm(directory, { recursive: true });
  });

  it("takes no other name", async () => {
    await expect(run(process.execPath, [DEMO, "--as", "toString"])).rejects.toMatchObject({
      code: 1,
      stderr: "demo: --as takes anthropic, openai or openrouter\n",
    });
  });
});

it.skipIf(process.platform !== "linux")(
  "ends where no folder can be made, as below /proc",
  async () => {
    const line = [DEMO, "--out", "/proc/1/demo"];
    await expect(run(process.execPath, line, { timeout: 30_000 })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("mkdir '/proc/1/demo'"),
    });
  },
);

it("names the DuckDB that wrote a file which cannot be opened", async () => {
  const folder = await mkdtemp(join(tmpdir(), "newer-"));
  const database = join(folder, "newer.duckdb");
  const header = Buffer.alloc(4096);
  header.write("DUCK", 8, "latin1");
  header.writeUInt8(255, 12); // a storage version of the future
  header.write("v9.8.7", 52, "latin1");
  await writeFile(database, header);
  await expect(run(LAUNCHER, ["query", "--database", database, "SELECT 1"])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/DuckDB v9\.8\.7 wrote the file; this is DuckDB v1\./),
  });
  await rm(folder, { recursive: true });
});
