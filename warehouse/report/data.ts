/** Queries the models for the data of the report. */
import { literal } from "../columns.ts";
import type { Asked } from "../database.ts";
import { add, plain } from "../decimals.ts";
import { removedCosts } from "../figures.ts";
import { findingsOf } from "../findings.ts";
import { reportingOf } from "../reporting.ts";
import { unusables } from "../unusable.ts";
import { idleBudgets } from "../inputs.ts";
import { dimensionsOf } from "./dimensions.ts";
import type { Answers } from "./answers.ts";
import { nameIn, PLACE, reaches } from "./clock.ts";
import { changes, headline, teams } from "./first_screen.ts";
import { invoices } from "./invoices.ts";
import { movesOf } from "./moves.ts";
import { priceChanges, savingsOf, unitCosts } from "./prices.ts";
import { anomalies } from "./unusual.ts";
import type { ProofRange, ReportData, Screen, Status, View } from "./model.ts";

/** The currencies of all costs; the one with the most records first. */
export const currenciesOf = (database: Asked): Promise<string[]> =>
  firstColumn(
    database,
    `SELECT billing_currency FROM (
       SELECT billing_currency, 1 AS counted FROM current_costs WHERE is_counted
       UNION ALL SELECT billing_currency, 0 FROM invalid_rows WHERE dataset = 'costs')
     WHERE billing_currency IS NOT NULL GROUP BY 1 ORDER BY sum(counted) DESC, 1`,
  );

/** The first screen of each currency. */
export async function screensOf(answers: Answers): Promise<Screen[]> {
  const screens: Screen[] = [];
  const currencies = await currenciesOf(answers);
  for (const currency of currencies) {
    answers.about(currency);
    const head = await headline(answers, currency);
    screens.push({
      currency,
      headline: head,
      moves: head.comparison === null ? null : await movesOf(answers),
      anomalies: await anomalies(answers, currency),
      changes: await changes(answers, currency),
      teams: await teams(answers, currency, head),
      invoices: await invoices(answers, currency, currencies),
    });
  }
  return screens;
}

/**
 * All data of the report.
 *
 * @param madeBy the command that makes the report
 */
export async function reportData(
  answers: Answers,
  screens: readonly Screen[],
  madeBy: string,
): Promise<ReportData> {
  const views: View[] = [];
  for (const screen of screens) views.push(await viewOf(answers, screen));
  return {
    providers: await firstColumn(
      answers,
      `SELECT service_provider_name FROM current_costs WHERE service_provider_name IS NOT NULL
       GROUP BY 1 ORDER BY count(*) DESC, 1`,
    ),
    accounts: await firstColumn(answers, `SELECT DISTINCT ${ACCOUNT} FROM completeness ORDER BY 1`),
    asOf:
      (
        await firstColumn(
          answers,
          "SELECT strftime(max(CAST(ended_at AS TIMESTAMP)), '%Y-%m-%dT%H:%M:%SZ') FROM export_windows WHERE ended_at IS NOT NULL HAVING count(*) > 0",
        )
      )[0] ?? "",
    views,
    reporting: await reportingOf(answers),
    ranges: await proofRanges(answers),
    withoutCosts: await withoutCosts(answers),
    removed: await removedCosts(answers),
    faults: await faultsOf(answers),
    findings: await findingsOf(answers),
    unusable: await unusables(answers),
    madeBy,
  };
}

/** The accounts of which no costs are known: those never read, and those of which a table has usage only. */
const withoutCosts = (database: Asked): Promise<string[]> =>
  firstColumn(
    database,
    `SELECT name FROM report_unread
     UNION
     SELECT ${ACCOUNT} FROM completeness
     WHERE dataset = 'usage' AND ${PLACE} NOT IN (SELECT place FROM report_days)
       AND ${PLACE} NOT IN (SELECT unnest(reported) FROM report_unread)
     ORDER BY 1`,
  );

async function faultsOf(database: Asked): Promise<string[]> {
  const unusable = await firstColumn(
    database,
    "SELECT input || ': ' || given || ': ' || why FROM invalid_inputs ORDER BY 1",
  );
  const idle = await idleBudgets(database);
  return [...unusable, ...idle.map(({ given, why }) => `budgets: ${given}: ${why}`)];
}

const ACCOUNT = nameIn("completeness");

async function firstColumn(database: Asked, sql: string): Promise<string[]> {
  return (await database.query(sql)).map(([value = ""]) => value);
}

async function viewOf(answers: Answers, screen: Screen): Promise<View> {
  const { currency, headline: head, moves, anomalies: unusual, changes: late } = screen;
  answers.about(currency);
  const [row] = await answers.query(`
    SELECT coalesce(sum(billed_cost), 0),
           coalesce(sum(billed_cost) FILTER (cost_status IS DISTINCT FROM 'final'), 0)
    FROM current_costs WHERE is_counted AND billing_currency = ${literal(currency)}`);
  const [gone = "0"] = await firstColumn(
    answers,
    `SELECT coalesce(sum(billed_cost), 0) FROM removed_rows WHERE dataset = 'costs' AND billing_currency = ${literal(currency)}`,
  );
  const [current = "0", provisional = "0"] = (row ?? []).map(plain);
  const { days, dimensions } = await dimensionsOf(answers);
  return {
    currency,
    headline: head,
    days,
    dimensions,
    reaches: await reaches(answers, days[0]),
    moves,
    anomalies: unusual,
    changes: late,
    units: await unitCosts(answers, currency),
    priceChanges: await priceChanges(answers, currency),
    savings: await savingsOf(answers, currency),
    teams: screen.teams,
    invoices: screen.invoices,
    naive: add([current, plain(gone)]),
    current,
    provisional,
  };
}

const STATUSES: ReadonlySet<string> = new Set<Status>(["proven", "unproven", "incomplete"]);
const isStatus = (text: string): text is Status => STATUSES.has(text);

async function proofRanges(database: Asked): Promise<ProofRange[]> {
  const rows = await database.query(`
    WITH numbered AS (
      SELECT dataset, ${ACCOUNT} AS account, day, status, coalesce(why, '') AS why, current_rows,
             day - row_number() OVER (
               PARTITION BY dataset, account, base_url, status, why ORDER BY day)::INTEGER AS run
      FROM completeness)
    SELECT dataset, account, min(day), max(day), count(*), sum(current_rows), status, why
    FROM numbered GROUP BY dataset, account, status, why, run ORDER BY dataset, account, min(day)`);
  return rows.map(
    ([
      dataset = "",
      account = "",
      from = "",
      through = "",
      days = "0",
      count = "0",
      status = "",
      why = "",
    ]) => ({
      dataset,
      account,
      from,
      through,
      days: Number(days),
      rows: Number(count),
      status: isStatus(status) ? status : "incomplete",
      why,
    }),
  );
}
