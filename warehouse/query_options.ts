/** The command line of `query`. */
import type { Command as Parser } from "commander";
import { addUse, refuse } from "../src/command_options.ts";
import type { QueryFormat } from "./query.ts";
import { DATABASE, databaseOf, emptyFault, formatOf } from "./shared_options.ts";

/** The tables of a database, for the help of `query`; a test compares their names with the models. */
const TABLES = `
Statements before the last one may prepare it (SET VARIABLE, CREATE TEMP TABLE). Only the last one
may return rows.

Tables (DESCRIBE lists the columns of one):
  daily_costs, monthly_costs      costs by day or month, with model, project, key
  current_costs, current_usage    every valid record, with the proof of its day
  billed_by_invoice               the bill, by billing period and invoice
  team_costs, budget_status       costs by team, budgets beside what is spent
  unit_costs, cache_savings       cost per million tokens, what cached tokens saved
  prices, commitments             prices by day and their changes; what was committed
  month_forecasts                 where the running month ends, with a range of 80 %
  cost_movers, cost_anomalies     what grew and fell most, unusual days
  usage_against_costs             tokens of a day and model beside their cost
  cost_changes, restatements      what the provider changed, and when
  monthly_costs_as_of             a month as it looked in the past
  converted_costs                 costs in one currency, at the rate of each day
  costs_without_rate              costs that are in no converted sum
  costs_as_known                  costs by team, key, invoice, as known on a day
  showback, shared_costs          own and shared costs of teams; how they are shared
  focus_cost_and_usage            costs in the shape of FOCUS 1.4
  label_names                     names of projects, workspaces and API keys
  completeness, reconciliation    which days are proven, control totals
  removed_rows                    records that the provider no longer shows
  invalid_rows, invalid_inputs    values that cannot be used, and why
  team_map_findings               days that several teams claim, or none
  closes, close_lines             the books of closed months, and their lines
  close_entries, adjustments      what a book was made of; changes since the close
  close_shares                    what each team bears in a book, own and shared costs
  book_balance                    booked, known and pending, by month
  usage, costs, export_windows    the raw tables: not every row of them counts
  labels                          the raw table of names: each change of one
`;

/** The options of `query`, read from its command line. */
export interface QueryOptions {
  readonly database: string;
  readonly sql: string;
  readonly format: QueryFormat;
}

/** Adds the command to the tree. `found` gets the options of a line. */
export function addQuery(program: Parser, found: (options: QueryOptions) => void): void {
  const querying = program.command("query").description("run a statement on a database of `sync`");
  addUse(querying, {
    examples: [
      'query "SELECT day, model_id, billed_cost FROM daily_costs ORDER BY day"',
      "query --json \"SELECT * FROM completeness WHERE status <> 'proven'\"",
      'query "DESCRIBE daily_costs"',
      "query --csv - < statement.sql > costs.csv",
    ],
    codes:
      "0 the result is printed; 1 the statement or the database is wrong; 2 the\n" +
      "line is wrong. A person gets the first 100 rows, --csv and --json give\nall.",
    more: TABLES,
  })
    // Not needed by the parser, which would name no other fault of the line then.
    .argument("[sql]", "the statement, or - for stdin; it may only read")
    .usage("[options] <sql>")
    .option(...DATABASE)
    .option("--csv", "print all rows as CSV")
    .option("--json", "print a list of objects, with decimals as text")
    .action((sql: string | undefined, _, at: Parser) => {
      const faults = [
        ...(sql === undefined ? ["query needs a statement in quotes, or - for stdin"] : []),
        ...emptyFault(at),
      ];
      const format = formatOf(at, faults);
      const database = databaseOf(at, faults);
      if (sql === undefined || faults.length > 0) return refuse(at, faults.join("; "));
      found({ database, sql, format });
    });
}
