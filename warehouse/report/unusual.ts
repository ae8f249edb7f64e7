/** The unusual days of one currency, from the model `cost_anomalies`, and how they are told. */
import { literal } from "../columns.ts";
import type { Asked } from "../database.ts";
import { plain, subtract } from "../decimals.ts";
import { PLACE } from "./clock.ts";
import { count, money, weekday } from "./format.ts";
import type { Anomalies, Anomaly } from "./model.ts";
import { DIGITS } from "./tables.ts";
import { costWords, labelWord } from "./words.ts";

/** An anomaly is news for so many days up to the day of the page. A change is news for so many days up to the newest reading. */
export const NEWS_DAYS = 35;

/** The largest number of anomalies of one day. Notices tell all of them; the page shows the first ones of all days. */
const ANOMALIES = 50;

/** Values of one label that are told of one account, day and kind. The others are counted. */
const VALUES = 3;

const KINDS = new Map<string, Anomaly["kind"]>([
  ["label", "label"],
  ["new", "new"],
]);

/**
 * Unusual days of the last weeks: the largest differences first. The same money is unusual in all costs of its account, in its model and
 * in its key. So of an account, a day and a kind the values of one label are shown: the finest label whose first values explain at
 * least half of the largest difference.
 */
export async function anomalies(database: Asked, currency: string): Promise<Anomalies> {
  const latest = `(
    SELECT cost_anomalies.*, ${PLACE} AS place FROM cost_anomalies
    JOIN report_clock ON day <= through_day AND day > through_day - ${NEWS_DAYS}
    WHERE billing_currency = ${literal(currency)})`;
  const rows = await database.query(`
    WITH found AS (
      SELECT *, CASE kind WHEN 'account' THEN usual_cost WHEN 'label' THEN own_usual_cost ELSE account_usual_cost END AS usual,
             CASE kind WHEN 'label' THEN own_largest_cost ELSE coalesce(usual_spread, 0) END AS spread,
             CASE kind WHEN 'label' THEN own_days ELSE days_compared END AS compared,
             CASE kind WHEN 'new' THEN billed_cost ELSE abs(billed_cost - usual) END AS difference,
             list_position(['api_key_id', 'project_id', 'model_id', 'team', 'all'], label) AS fineness
      FROM ${latest}
      WHERE is_anomaly AND (value IS NOT NULL OR label = 'all')),
    placed AS (
      SELECT *, max(difference) OVER (PARTITION BY place, day, kind) AS largest,
             row_number() OVER (PARTITION BY place, day, kind, label ORDER BY difference DESC, value) AS number,
             count(*) OVER (PARTITION BY place, day, kind, label) AS numbers
      FROM found),
    explained AS (
      SELECT *, sum(CASE WHEN number <= ${VALUES} THEN difference END) OVER (PARTITION BY place, day, kind, label) AS explained
      FROM placed),
    news AS (
      SELECT *, min(CASE WHEN 2 * explained >= largest THEN fineness END) OVER (PARTITION BY place, day, kind) AS told
      FROM explained QUALIFY number <= ${VALUES} AND fineness = told)
    SELECT CASE WHEN (SELECT count(*) FROM report_accounts) > 1 THEN coalesce(account_name, '') END, day, label,
           coalesce(shown, value, ''), billed_cost, usual, spread, compared, day_status = 'proven', kind,
           CASE WHEN number = least(numbers, ${VALUES}) THEN numbers - number ELSE 0 END, count(*) OVER (),
           md5(to_json([place, label, coalesce(value, '')])::VARCHAR)
    FROM news LEFT JOIN label_names USING (label, value) LEFT JOIN (SELECT place, name AS account_name FROM report_accounts) USING (place)
    QUALIFY row_number() OVER (PARTITION BY day ORDER BY difference DESC, account_name, label, value) <= ${ANOMALIES}
    ORDER BY difference DESC, day DESC, account_name, label, value`);
  const [counts = []] = await database.query(`
    SELECT count(*) FILTER (score IS NOT NULL OR own_days >= 8), count(*) FILTER (days_compared = 8 OR own_days >= 8), count(*)
    FROM ${latest}`);
  const [judged = 0, known = 0, all = 0] = counts.map(Number);
  return { found: rows.map(anomalyOf), number: Number(rows[0]?.[11] ?? 0), judged, known, all };
}

function anomalyOf([
  account = "null",
  day = "",
  label = "",
  value = "",
  billed = "0",
  usual = "0",
  spread = "0",
  compared = "0",
  proven,
  kind = "",
  others = "0",
  _all,
  subject = "",
]: readonly string[]): Anomaly {
  return {
    subject,
    kind: KINDS.get(kind) ?? "account",
    account: account === "null" ? null : account,
    day,
    label: labelWord(label),
    value,
    others: Number(others),
    billed: plain(billed),
    usual: plain(usual),
    spread: plain(spread),
    daysCompared: Number(compared),
    isProven: proven === "true",
  };
}

/** The account in words; empty if there is only one. */
const ofAccount = ({ account }: Anomaly): string => (account === null ? "" : ` of ${account}`);

/** The words for unusual costs, such as `all costs of Europe` or `key ci`. */
export const subjectOf = (anomaly: Anomaly): string =>
  `${costWords(anomaly.label, anomaly.value)}${ofAccount(anomaly)}`;

/** The values of the same label that have no line of their own, after the last one that has; empty without any. */
export const othersWords = ({ others, label }: Anomaly): string =>
  others === 0 ? "" : `; and ${count(others, `other ${label}`)} on this day`;

/** Why a day is unusual, in a sentence of the page. */
export const whyOf = (anomaly: Anomaly): string =>
  `${reasonOf(anomaly)}${anomaly.isProven ? "" : "; the day is not proven"}${othersWords(anomaly)}`;

function reasonOf(anomaly: Anomaly): string {
  const { kind, day, billed, usual, spread, daysCompared } = anomaly;
  const by = subtract(billed, usual);
  const more = Number(by) > 0 ? "more" : "less";
  const difference = money(by.replace("-", ""), DIGITS);
  const [often, far] = [money(usual, DIGITS), money(spread, DIGITS)];
  if (kind === "new")
    return `${newWords(anomaly)}: it had no cost in the weeks before; all costs${ofAccount(anomaly)} on a ${weekday(day)} are usually ${often}`;
  if (kind === "label")
    return `${difference} more than on its usual day: the mean of the ${daysCompared} days with costs before is ${often}, and the largest ${far}`;
  return `${difference} ${more} than usual for a ${weekday(day)}: the median of the ${daysCompared} before is ${often}, and half of them are within ${far} of it`;
}

/** A value that is new in one account may be an old one in another. */
const newWords = ({ account }: Anomaly): string => (account === null ? "new" : `new in ${account}`);

/** The usual cost of the day of an anomaly, in a few words. */
export function usualWords(anomaly: Anomaly): string {
  const { kind, day, usual } = anomaly;
  const amount = money(usual, DIGITS);
  if (kind === "new")
    return `${newWords(anomaly)}; all costs${ofAccount(anomaly)} are usually ${amount}`;
  return kind === "label" ? `its usual day: ${amount}` : `usual for a ${weekday(day)}: ${amount}`;
}
