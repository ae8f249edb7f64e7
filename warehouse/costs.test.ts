/** The words of `costs` about companies whose credits outweigh what they use, and about amounts with many digits. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { costs, type CostsOptions } from "./costs.ts";
import { Database } from "./database.ts";
import { refreshModels } from "./refresh.ts";
import { hostWith } from "./testing.ts";
import { addReading } from "./testing_costs.ts";
import { prepareTables } from "./testing_refresh.ts";

let folder: string;
let path: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "costs-"));
  path = join(folder, "billing.duckdb");
  const database = await Database.open(path, "write");
  await prepareTables(database, "");
  await addReading(database, {
    id: "r1",
    at: "2026-10-04",
    first: "2026-10-01",
    end: "2026-10-04",
    records: `
      SELECT strftime(day, '%m-%d') AS id, day, 'Usage' AS category, '0.33' AS cost, 'final' AS status
      FROM range(TIMESTAMP '2026-10-01', TIMESTAMP '2026-10-04', INTERVAL 1 DAY) AS days(day)
      UNION ALL SELECT 'plan', TIMESTAMP '2026-10-02', 'Purchase', '50', 'provisional'
      UNION ALL SELECT 'grant', TIMESTAMP '2026-10-02', 'Credit', '-50', 'provisional'`,
  });
  // The control totals of the helper have cents only.
  await database.run(`UPDATE costs SET "BilledCost" = '0.333' WHERE "ChargeCategory" = 'Usage'`);
  await refreshModels(database);
  database.close();
}, 120_000);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function said(options: Partial<CostsOptions>, isTerminal = false): Promise<string> {
  let text = "";
  const host = hostWith({
    isTerminal,
    say: (more) => {
      text += more;
      return Promise.resolve();
    },
  });
  const given = { database: path, month: "2026-10-01", top: undefined, format: "text" } as const;
  await costs(
    { ...given, by: "day", period: { from: undefined, through: undefined }, ...options },
    host,
  );
  return text;
}

it("has the lines of CSV as programs want them, and at a terminal without what would steer it", async () => {
  const lines = (await said({ format: "csv" })).split("\r\n");
  expect(lines.slice(0, 2)).toEqual(["day,billing_currency,billed_cost", "2026-10-01,USD,0.333"]);
  expect(await said({ format: "csv" }, true)).toBe(lines.join("\n"));
  const page = await readFile(new URL("../SECURITY.md", import.meta.url), "utf8");
  expect(page.replaceAll(/\s+/g, " ")).toContain(
    "steers a terminal, and no value of a result does",
  );
});

it("tells costs that are provisional although a credit brings them to 0", async () => {
  expect(await said({})).toMatch(/; 2 costs in USD still provisional, together 0$/m);
  expect(await said({ format: "json" })).toContain(
    '"total":"0.999","provisional":"0","provisional_records":2',
  );
});

it("says so where the rounded amounts do not add up to the rounded sum", async () => {
  const note =
    "Each amount is rounded by itself, so those shown do not add up to their sum: --csv has all digits.";
  const byDay = (await said({})).split("\n");
  expect(byDay.find((line) => line.startsWith("All, in USD"))).toMatch(/ 1\.00$/);
  expect(byDay.filter((line) => / 0\.33 /.test(line))).toHaveLength(3);
  expect(byDay).toContain(note);
  // A single row is the sum.
  expect(await said({ by: "month" })).not.toContain(note);
});
