/** `costs`: the costs of a period by a label, with bars, a total and the proof, for people who write no SQL. */
import { ConnectorError } from "../src/errors.ts";
import { literal } from "./columns.ts";
import { csvLine, fitFor } from "./csv.ts";
import { Database } from "./database.ts";
import { add, plain, ratio, rounded } from "./decimals.ts";
import { databaseError } from "./failures.ts";
import type { WarehouseHost } from "./host.ts";
import { missingModel, modelsOfOthers } from "./missing_model.ts";
import {
  CONVERTED,
  makeClock,
  makeCosts,
  makeDays,
  ofCurrency,
  spendingSince,
} from "./report/clock.ts";
import { currenciesOf } from "./report/data.ts";
import { count, decimal, haveShares, longDate, money } from "./report/format.ts";
import { namesOf } from "./report/words.ts";
import { reportingWithin } from "./reporting.ts";
import { padded, paintFor, shortName, widthOf } from "./text.ts";

/** The labels of `--by`, each with its column in `report_costs`. */
export const BY = {
  model: "model_id",
  project: "project_name",
  key: "api_key_name",
  team: "team",
  provider: "service_provider_name",
  day: "strftime(day, '%Y-%m-%d')",
  month: "strftime(day, '%Y-%m')",
} as const;
export type By = keyof typeof BY;

/** Labels whose values follow each other in time. All of them are shown, in that order. */
export const isTime = (by: By): boolean => by === "day" || by === "month";

export interface CostsOptions {
  readonly database: string;
  readonly by: By;
  /** The first and the last day; absent for the month of the report, up to its newest complete day. */
  readonly period: { readonly from: string | undefined; readonly through: string | undefined };
  /** The first of a month, instead of a period. */
  readonly month: string | undefined;
  /** How many values a person gets; absent for all. */
  readonly top: number | undefined;
  readonly format: "text" | "csv" | "json";
}

interface Period {
  readonly from: string;
  readonly through: string;
}

interface Costs extends Period {
  readonly currency: string;
  readonly total: string;
  readonly provisional: string;
  /** How many costs are provisional: after a credit they may add up to 0. */
  readonly provisional_records: number;
  readonly rows: readonly { readonly value: string; readonly billed_cost: string }[];
  /** Costs after the last day of the period, in the same month: they are not in the total. */
  readonly later: string;
}

/** The costs of all currencies in one, each at the rate of its day. */
interface Converted extends Costs {
  /** The costs without a rate, which are not in the total. */
  readonly missing: readonly { readonly currency: string; readonly billed_cost: string }[];
}

/** The days of the period in each account, and how many of them are proven. */
interface Proof {
  readonly days: number;
  readonly proven: number;
  /** Accounts of which no day of costs was ever read. */
  readonly unread: readonly string[];
}

/** @throws ConnectorError `database`, or `invalid_arguments` for a period that ends before it begins */
export async function costs(options: CostsOptions, host: WarehouseHost): Promise<void> {
  const text = await textOf(options, host.hasColors);
  await host.say(fitFor(host.isTerminal, text, options.format));
}

/** The costs as a text. It says nothing itself, so that a full disk behind stdout is not taken for that of the database. */
async function textOf(options: CostsOptions, hasColors: boolean): Promise<string> {
  const database = await Database.open(options.database, "read");
  try {
    await database.lock();
    await makeDays(database);
    await makeClock(database);
    const period = await periodOf(database, options);
    const found: Costs[] = [];
    for (const currency of await currenciesOf(database)) {
      await makeCosts(database, ofCurrency(currency));
      found.push(await costsOf(database, { currency, by: options.by, period }));
    }
    const together = await convertedOf(database, { by: options.by, period });
    const proof = await proofOf(database, period);
    return written(options, { found, together, period, proof }, hasColors);
  } catch (reason) {
    const error = databaseError(reason, options.database);
    if (error instanceof ConnectorError) throw error;
    const text = reason instanceof Error ? reason.message : String(reason);
    const remedy = (await missingModel(database, text)) ?? modelsOfOthers(database, text);
    throw remedy === undefined ? error : new ConnectorError("database", remedy, { detail: text });
  } finally {
    database.close();
  }
}

/** The running month ends with the newest complete day of the report, so that its total equals that of the report. */
async function periodOf(database: Database, { period, month }: CostsOptions): Promise<Period> {
  const [[running = "", throughDay = "", first = ""] = []] = await database.query(
    "SELECT month, through_day, (SELECT min(day) FROM daily_costs WHERE records > 0) FROM report_clock WHERE month IS NOT NULL",
  );
  if (running === "") {
    throw new ConnectorError(
      "database",
      "There are no costs in the database yet: run `sync` first.",
    );
  }
  const start =
    month ?? (period.from === undefined && period.through === undefined ? running : undefined);
  if (start !== undefined) {
    const [[last = ""] = []] = await database.query(`SELECT last_day(DATE ${literal(start)})`);
    return { from: start, through: start === running && throughDay < last ? throughDay : last };
  }
  const from = period.from ?? (first === "null" ? running : first);
  const through = period.through ?? throughDay;
  if (from > through) {
    throw new ConnectorError(
      "invalid_arguments",
      `The period ends before it begins: it would go from ${longDate(from)} through ${longDate(through)}. Change --since or --until.`,
    );
  }
  return { from, through };
}

async function costsOf(
  database: Database,
  { currency, by, period: { from, through } }: { currency: string; by: By; period: Period },
): Promise<Costs> {
  const within = `records > 0 AND day BETWEEN DATE ${literal(from)} AND DATE ${literal(through)}`;
  const rows = await database.query(`
    SELECT coalesce(${BY[by]}, 'no ${by} (' || coalesce(charge_category, 'no category') || ')'), sum(billed_cost)
    FROM report_costs WHERE ${within} GROUP BY 1 ORDER BY ${isTime(by) ? "1" : "2 DESC, 1"}`);
  const [[total = "0", provisional = "0", records = "0", later = "0"] = []] = await database.query(`
    SELECT coalesce(sum(billed_cost) FILTER (${within}), 0),
           coalesce(sum(billed_cost) FILTER (${within} AND cost_status = 'provisional'), 0),
           coalesce(sum(records) FILTER (${within} AND cost_status = 'provisional'), 0),
           coalesce(sum(billed_cost) FILTER (records > 0 AND day > DATE ${literal(through)}
             AND day <= last_day(DATE ${literal(through)})), 0)
    FROM report_costs`);
  return {
    currency,
    from,
    through,
    total: plain(total),
    provisional: plain(provisional),
    provisional_records: Number(records),
    later: plain(later),
    rows: rows.map(([value = "", billed = "0"]) => ({ value, billed_cost: plain(billed) })),
  };
}

/** All currencies in the reporting currency; null without one, or if all costs of the period are in it. */
async function convertedOf(
  database: Database,
  { by, period }: { by: By; period: Period },
): Promise<Converted | null> {
  const currency = await reportingWithin(database, period);
  if (currency === null) return null;
  await makeCosts(database, CONVERTED);
  const missing = await database.query(`
    SELECT billing_currency, sum(billed_cost) FROM converted_costs
    WHERE converted_billed_cost IS NULL
      AND day BETWEEN DATE ${literal(period.from)} AND DATE ${literal(period.through)}
    GROUP BY 1 ORDER BY 1`);
  return {
    ...(await costsOf(database, { currency, by, period })),
    missing: missing.map(([of = "", billed = "0"]) => ({
      currency: of,
      billed_cost: plain(billed),
    })),
  };
}

/**
 * Counts every day of the period in every account: a day that no reading covered counts as not proven. An account that ended, with no
 * day in the period and no cost since the month before it, says nothing about the period, as on the page.
 */
async function proofOf(database: Database, { from, through }: Period): Promise<Proof> {
  const [[days = "0", proven = "0"] = []] = await database.query(`
    WITH counted AS (
      SELECT place FROM report_accounts
      WHERE is_active
         OR place IN (SELECT place FROM report_days WHERE day BETWEEN DATE ${literal(from)} AND DATE ${literal(through)})
         OR first_day > DATE ${literal(through)}
         OR place IN (${spendingSince(`DATE ${literal(from)}`)}))
    SELECT (SELECT count(*) FROM counted) * (DATE ${literal(through)} - DATE ${literal(from)} + 1),
           (SELECT count(*) FROM report_days WHERE is_proven AND day BETWEEN DATE ${literal(from)} AND DATE ${literal(through)})`);
  const unread = await database.query("SELECT name FROM report_unread ORDER BY 1");
  return {
    days: Number(days),
    proven: Number(proven),
    unread: unread.map(([name = ""]) => name),
  };
}

interface Result {
  readonly found: readonly Costs[];
  readonly together: Converted | null;
  readonly period: Period;
  readonly proof: Proof;
}

function written(options: CostsOptions, result: Result, hasColors: boolean): string {
  const { by, format } = options;
  const { found, together, period, proof } = result;
  const top = ({ rows }: Costs): Costs["rows"] =>
    options.top === undefined ? rows : shortened(rows, options.top);
  if (format === "json") {
    const currencies = found.map((each) => ({ ...each, rows: top(each) }));
    const converted = together === null ? null : { ...together, rows: top(together) };
    return `${JSON.stringify({ ok: true, by, ...period, ...proof, currencies, converted })}\n`;
  }
  if (format === "csv") {
    const lines = found.flatMap((each) =>
      top(each).map((row) => csvLine([row.value, each.currency, row.billed_cost])),
    );
    return [csvLine([by, "billing_currency", "billed_cost"]), ...lines].join("");
  }
  const paint = paintFor(hasColors);
  const shown = found.filter(({ rows }) => rows.length > 0);
  const tables = [
    ...shown.map((each) => tableOf(each, top(each)).join("\n")),
    ...(together === null ? [] : [convertedTable(together, top(together))]),
  ];
  const title = `Costs by ${by}, ${longDate(period.from)} through ${longDate(period.through)}`;
  const line = proofLine(result);
  return [
    paint("bold", title),
    ...(tables.length === 0 ? ["There are no costs."] : tables),
    proof.proven < proof.days ? paint("red", line) : line,
    "",
  ].join("\n");
}

/** The first values, and all others in one row, so that the rows still add up to the total. */
function shortened(rows: Costs["rows"], top: number): Costs["rows"] {
  const rest = rows.slice(top);
  if (rest.length < 2) return rows;
  const billed = add(rest.map((row) => row.billed_cost));
  return [
    ...rows.slice(0, top),
    { value: `${decimal(String(rest.length))} others`, billed_cost: billed },
  ];
}

/** Characters of the longest bar. */
const BAR = 24;

function tableOf({ currency, total, later }: Costs, rows: Costs["rows"]): string[] {
  const sums = [...rows, { value: `All, in ${currency}`, billed_cost: total }];
  const names = sums.map(({ value }) => shortName(value));
  const amounts = sums.map((row) => money(row.billed_cost, 2));
  const width = Math.max(...names.map(widthOf));
  const digits = Math.max(...amounts.map((amount) => amount.length));
  const largest = Math.max(...rows.map((row) => Math.abs(Number(row.billed_cost))));
  const hasShares = haveShares(
    rows.map((row) => row.billed_cost),
    total,
  );
  const lines = sums.map((row, index) => {
    const isTotal = index === rows.length;
    const figures = `${padded(names[index] ?? "", width)}  ${(amounts[index] ?? "").padStart(digits)}`;
    const share = hasShares
      ? `${decimal(rounded(ratio(row.billed_cost, total, 100), 0))}%`.padStart(6)
      : "";
    return isTotal ? figures : `${figures} ${share}  ${barOf(row.billed_cost, largest)}`.trimEnd();
  });
  const waiting = `${money(later, 2)} ${currency} of later days of the month are not in it.`;
  return [...lines, ...(later === "0" ? [] : [waiting]), ...(addUp(amounts) ? [] : [ROUNDED])];
}

const ROUNDED =
  "Each amount is rounded by itself, so those shown do not add up to their sum: --csv has all digits.";

/** Whether the amounts as they are shown add up to the last one of them. */
function addUp(shown: readonly string[]): boolean {
  const amounts = shown.map((text) => text.replaceAll(",", "").replace("−", "-"));
  return add(amounts.slice(0, -1)) === plain(amounts.at(-1) ?? "0");
}

function convertedTable(all: Converted, rows: Costs["rows"]): string {
  const missing = all.missing.map(
    ({ currency, billed_cost }) =>
      `${money(billed_cost, 2)} ${currency} have no exchange rate and are not in it.`,
  );
  const title = `All currencies in ${all.currency}, each cost at the rate of its day`;
  return ["", title, ...tableOf(all, rows), ...missing].join("\n");
}

/** A credit has a bar of another pattern. */
function barOf(amount: string, largest: number): string {
  const length = largest === 0 ? 0 : Math.round((BAR * Math.abs(Number(amount))) / largest);
  return (Number(amount) < 0 ? "░" : "█").repeat(length);
}

function proofLine({ found, proof: { days, proven, unread } }: Result): string {
  const open = found
    .filter(({ provisional_records: records }) => records > 0)
    .map(({ provisional, provisional_records: records, currency }) =>
      provisional === "0"
        ? `; ${count(records, "cost")} in ${currency} still provisional, together 0`
        : `; ${money(provisional, 2)} ${currency} of it still provisional`,
    );
  const rest = days === proven ? "" : `, ${decimal(String(days - proven))} NOT PROVEN`;
  const without = unread.length === 0 ? "" : `; the costs of ${namesOf(unread)} were never read`;
  return `Proof: ${decimal(String(proven))} of ${count(days, "day")} of costs proven${rest}${without}${open.join("")}`;
}
