/** The last step of the demo: a made-up company's bill, read twice, and the report that its FinOps lead opens. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Database } from "../../warehouse/database.ts";
import { serveAccount } from "../provider.ts";
import { isReconciled } from "../reconciliation.ts";
import { comparisonsOf, run } from "../story.ts";
import { showSums } from "../closing.ts";
import * as terminal from "../terminal.ts";
import { companyAccount } from "./account.ts";

const SYNCS = ["2026-11-19T06:00:00Z", "2026-11-21T06:00:00Z"] as const;

const inputOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/**
 * Reads the account twice, with teams and budgets, and writes the report.
 *
 * @returns whether the database agrees with the provider
 */
export async function tellOfCompany(directory: string, report: string): Promise<boolean> {
  const running = await serveAccount(companyAccount(), SYNCS[0]);
  const [config, path] = ["company.json", "company.duckdb"].map((name) => join(directory, name));
  if (config === undefined || path === undefined) return false;
  try {
    terminal.section(
      "A company's bill",
      "made up: seven uses of three models, four teams, a budget",
    );
    const init = ["init", "--config", config, "--base-url", running.baseUrl, "--secret-stdin"];
    await run(init, running.token);
    const sync = ["sync", "--config", config, "--database", path];
    const inputs = ["--teams", inputOf("teams.csv"), "--budgets", inputOf("budgets.csv")];
    await terminal.busy("reading", () => run([...sync, ...inputs]));
    running.provider.clock.set(Date.parse(SYNCS[1]));
    const said = await terminal.busy("reading", () => run([...sync, "--report", report]));
    for (const text of said.trim().split("\n")) terminal.line(text);
    terminal.line("The report and the models have other sums of November: docs/sums.md says why.");
    const database = await Database.open(path, "read");
    try {
      const comparisons = await comparisonsOf(running.provider, database);
      if (!isReconciled(comparisons)) showSums(comparisons);
      return isReconciled(comparisons);
    } finally {
      database.close();
    }
  } finally {
    await running.provider.close();
  }
}
