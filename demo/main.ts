/** `npm run demo`: shows the whole system on one machine, without any account. */
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isFakeName } from "../fake_providers/index.ts";
import { tellOfFake } from "./fake.ts";
import { readCompany, tellOfCompany } from "./company/story.ts";
import { type Places, tell } from "./story.ts";
import * as terminal from "./terminal.ts";

const HELP = `Usage: npm run demo [-- options]

Reads the real spend of the reference provider through the connector into a DuckDB file, in five syncs between
which rows come late, costs settle, a closed period is corrected and a charge is withdrawn, and makes a report of it.
Exits with 0 only where the warehouse and the provider agree to the last digit.

  --as NAME   the same on a fake of the own reports of anthropic, openai or openrouter, read by an adapter, with
              invented numbers, in three syncs
  --out DIR   where the files go (default demo/out); those of an earlier run are replaced
  --help      print this
`;

const DEFAULT_OUT = fileURLToPath(new URL("out", import.meta.url));

const QUERY =
  "SELECT model_id, sum(billed_cost) FROM current_costs GROUP BY ALL ORDER BY 2 DESC LIMIT 5";

/**
 * Makes a folder and those above it, one after the other. A recursive mkdir never returns below /proc, where a folder
 * exists but answers ENOENT to every new one.
 */
async function makeFolder(path: string): Promise<void> {
  if (existsSync(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path);
}

/**
 * Tells of the real spend, then of the company. The company is read in the background meanwhile, because one story keeps only one
 * processor busy. Both are told, even if the first one finds a difference.
 */
async function tellAll(places: Places): Promise<boolean> {
  const company = readCompany(places.directory, places.report);
  company.catch(() => undefined); // told later
  const isRealRight = await tell(places);
  return (await tellOfCompany(company)) && isRealRight;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      as: { type: "string" },
      out: { type: "string", default: DEFAULT_OUT },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const { as: name } = values;
  if (name !== undefined && !isFakeName(name))
    throw new RangeError("--as takes anthropic, openai or openrouter");
  await makeFolder(resolve(values.out));
  const database = join(values.out, "billing.duckdb");
  const config = join(values.out, "config.json");
  const company = ["company.duckdb", "company.duckdb.wal", "company.json"].map((file) =>
    join(values.out, file),
  );
  for (const path of [database, `${database}.wal`, config, ...company])
    await rm(path, { force: true });
  terminal.title(
    "source-ai-billing",
    name === undefined
      ? "Two years of real AI usage and spend, from a provider's billing export into a DuckDB file."
      : "AI usage and spend, from a provider's own reports into a DuckDB file. Nobody has run this against a live account yet.",
  );
  const report = join(values.out, "report.html");
  const realReport = join(values.out, "real_spend.html");
  const places = { directory: values.out, database, report, realReport };
  const sources: readonly (readonly [page: string, database: string])[] =
    name === undefined
      ? [
          [report, join(values.out, "company.duckdb")],
          [realReport, database],
        ]
      : [[report, database]];
  const agreed = name === undefined ? await tellAll(places) : await tellOfFake(name, places);
  const shown = relative(process.cwd(), database);
  terminal.section("To look around", "all of it stays until the next run");
  for (const [page, source] of sources) {
    const from = relative(process.cwd(), source);
    terminal.line(`${relative(process.cwd(), page)}, for a browser: the report of ${from}`);
  }
  terminal.line(`bin/source-ai-billing query --database ${shown} "${QUERY}"`);
  process.stdout.write("\n");
  process.exitCode = agreed ? 0 : 1;
}

// The reader of stdout has gone (`npm run demo | head`), so nobody needs the rest.
// oxlint-disable-next-line unicorn/no-process-exit
process.stdout.on("error", () => process.exit(1));

try {
  await main();
} catch (error) {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
