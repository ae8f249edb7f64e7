/** The last step of the demo: a made-up company's bill, read twice, and the report that its FinOps lead opens. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Database } from "../../warehouse/database.ts";
import { serveAccount } from "../provider.ts";
import { type Comparison, isReconciled } from "../reconciliation.ts";
import { comparisonsOf, run } from "../story.ts";
import { showSums } from "../closing.ts";
import * as terminal from "../terminal.ts";
import { companyAccount } from "./account.ts";

const SYNCS = ["2026-11-19T06:00:00Z", "2026-11-21T06:00:00Z"] as const;

const inputOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The end of the company's story, which {@link tellOfCompany} tells. */
interface Read {
  /** The words of the last `sync`. */
  readonly said: string;
  readonly comparisons: readonly Comparison[];
}

/** Reads the account twice, with teams and budgets, and writes the report. Prints nothing, so that it can run beside another story. */
export async function readCompany(directory: string, report: string): Promise<Read> {
  const running = await serveAccount(companyAccount(), SYNCS[0]);
  const config = join(directory, "company.json");
  const path = join(directory, "company.duckdb");
  try {
    const init = ["init", "--config", config, "--base-url", running.baseUrl, "--secret-stdin"];
    await run(init, running.token);
    const sync = ["sync", "--config", config, "--database", path];
    const inputs = ["--teams", inputOf("teams.csv"), "--budgets", inputOf("budgets.csv")];
    await run([...sync, ...inputs]);
    running.provider.clock.set(Date.parse(SYNCS[1]));
    const said = await run([...sync, "--report", report]);
    const database = await Database.open(path, "read");
    try {
      return { said, comparisons: await comparisonsOf(running.provider, database) };
    } finally {
      database.close();
    }
  } finally {
    await running.provider.close();
  }
}

/** Prints what came of the company's bill. Returns whether the database agrees with the provider. */
export async function tellOfCompany(reading: Promise<Read>): Promise<boolean> {
  terminal.section("A company's bill", "made up: seven uses of three models, four teams, a budget");
  const { said, comparisons } = await terminal.busy("reading", () => reading);
  for (const text of said.trim().split("\n")) terminal.line(text);
  terminal.line("The report and the models have other sums of November: docs/sums.md says why.");
  if (!isReconciled(comparisons)) showSums(comparisons);
  return isReconciled(comparisons);
}
