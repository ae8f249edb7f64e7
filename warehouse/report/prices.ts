/** Unit costs of one currency, each kind of token by itself; the days on which a price changed; and what caching saved. */
import { labels } from "../../src/generated/labels.ts";
import { literal } from "../columns.ts";
import { PLACE } from "./clock.ts";
import type { Asked } from "../database.ts";
import { plain, ratio, rounded, subtract } from "../decimals.ts";
import { longDate, money, month, percent } from "./format.ts";
import type { PriceChange, PriceChanges, Savings, UnitCost } from "./model.ts";
import { DIGITS } from "./tables.ts";

/** Lines in the chart of unit costs, and its weeks. */
const LINES = 6;
const WEEKS = 26;

/** The largest number of price changes in the report. */
const CHANGES = 6;

/** A model, the kind of token, and what else makes a price of its own. */
const OTHERS = labels.prices.map(({ name }) => name).filter((name) => name !== "model_id");
const NAME = `concat_ws(', ', model_id || ' ' || replace(replace(usage_type, 'x_', ''), '_', ' '), ${OTHERS.join(", ")})`;

const priced = (currency: string): string => `(
  SELECT *, ${NAME} AS name, date_trunc('week', day)::DATE AS week FROM prices
  WHERE billing_currency = ${literal(currency)} AND lower(unit) IN ('tokens', 'token') AND model_id IS NOT NULL)`;

/**
 * Effective cost per million tokens by week, of the kinds of tokens that cost most. It ends with the day of the page: of a later day usage
 * and costs are often known through different hours, and their quotient is no price.
 */
export async function unitCosts(database: Asked, currency: string): Promise<UnitCost[]> {
  const rows = await database.query(`
    WITH priced AS (
      SELECT * FROM ${priced(currency)} WHERE day <= (SELECT through_day FROM report_clock) AND day_status <> 'incomplete'),
    latest AS (SELECT * FROM priced WHERE week > (SELECT max(week) FROM priced) - ${7 * WEEKS}),
    largest AS (SELECT name FROM latest GROUP BY 1 ORDER BY sum(effective_cost) DESC, 1 LIMIT ${LINES})
    SELECT week, name, sum(effective_cost), sum(quantity) FROM latest SEMI JOIN largest USING (name)
    GROUP BY ALL ORDER BY name, week`);
  return rows.map(([week = "", name = "", cost = "0", tokens = "1"]) => ({
    week,
    name,
    perMillion: ratio(cost, tokens, 1_000_000),
  }));
}

/** The newest changes of effective prices. If there are several accounts, each change has those in which it happened. */
export async function priceChanges(database: Asked, currency: string): Promise<PriceChanges> {
  const rows = await database.query(`
    SELECT day, priced.name, round(effective_price_before, 6) AS before, round(effective_price, 6) AS now,
           CASE WHEN (SELECT count(*) FROM report_accounts) > 1 THEN string_agg(DISTINCT accounts.name, ', ' ORDER BY accounts.name) END AS whose,
           count(*) OVER ()
    FROM (SELECT *, ${PLACE} AS place FROM ${priced(currency)}) AS priced LEFT JOIN report_accounts AS accounts USING (place)
    WHERE is_effective_price_change GROUP BY day, priced.name, before, now
    ORDER BY day DESC, priced.name, whose, before, now LIMIT ${CHANGES}`);
  const found = rows.map(([day = "", name = "", before = "0", now = "0", accounts = "null"]) => ({
    day,
    name,
    accounts: accounts === "null" ? null : accounts,
    before: plain(before),
    now: plain(now),
  }));
  return { found, more: Number(rows[0]?.[5] ?? 0) - found.length };
}

/** The money that caching saved in the month of the report; null if no token of this month was cached, or all have prices in other currencies. */
export async function savingsOf(database: Asked, currency: string): Promise<Savings | null> {
  const [row = []] = await database.query(`
    WITH savings AS (SELECT cache_savings.* FROM cache_savings JOIN report_clock USING (month)),
    own AS (FROM savings WHERE billing_currency = ${literal(currency)}),
    models AS (SELECT DISTINCT account, base_url, service_provider_name, model_id, cached_tokens FROM savings),
    -- Another view tells of the tokens that have a price in its currency.
    others AS (SELECT coalesce(sum(priced_tokens), 0) AS tokens FROM savings WHERE billing_currency <> ${literal(currency)})
    SELECT month, (SELECT coalesce(sum(cached_tokens), 0) FROM models) - (SELECT others.tokens FROM others),
           (SELECT coalesce(sum(priced_tokens), 0) FROM own), (SELECT coalesce(sum(saved_cost - write_surcharge), 0) FROM own),
           (SELECT sum(possible_saved_cost) FROM own), (SELECT others.tokens > 0 FROM others)
    FROM report_clock WHERE month IS NOT NULL`);
  const [first = "", cached = "0", tokens = "0", saved = "0", possible = "null", hasOthers] = row;
  if (Number(cached) === 0) return null;
  return {
    month: first,
    cachedTokens: plain(cached),
    hasOthers: hasOthers === "true",
    pricedTokens: plain(tokens),
    saved: plain(saved),
    possible: possible === "null" ? null : plain(possible),
  };
}

/** The savings in words, with the share of tokens that they are about. */
export function savingsWords(savings: Savings, currency: string): string {
  const { cachedTokens, hasOthers, pricedTokens, saved, possible } = savings;
  const within = `in ${month(savings.month)}`;
  if (Number(pricedTokens) === 0)
    return `Nobody can tell what caching saved ${within}: no cost of a complete day in ${currency} is the price of a cached token.`;
  const share = rounded(ratio(pricedTokens, cachedTokens, 100), 0);
  const elsewhere = hasOthers ? " that have no price in another currency" : "";
  const others =
    share === "100" ? "" : ", and nothing is known of the others, which may have another price";
  const more =
    possible === null
      ? ""
      : ` Had all other input tokens of these models been cached, it would have saved up to ${money(possible, DIGITS)} ${currency} more.`;
  return `Caching saved ${money(saved, DIGITS)} ${currency} ${within}. That is about ${share}% of the cached tokens${elsewhere}${others}.${more}`;
}

/** Digits behind the point with which both prices are less than a 500th off, so that neither they nor their difference mislead. */
function digitsOf(prices: readonly string[]): number {
  const isNear = (digits: number): boolean =>
    prices.every(
      (price) =>
        Math.abs(Number(rounded(price, digits)) - Number(price)) <= Math.abs(Number(price)) / 500,
    );
  return [2, 3, 4, 5].find(isNear) ?? 6;
}

/** A change of a price in words. A price that was 0 has no percentage. */
export function changeWords(
  { day, name, accounts, before, now }: PriceChange,
  currency: string,
): string {
  const share = percent(subtract(now, before), before);
  const digits = digitsOf([before, now]);
  return `${name}${accounts === null ? "" : ` of ${accounts}`}: ${money(before, digits)} until then, ${money(now, digits)} ${currency} from ${longDate(day)} on${share === "" ? "" : ` (${share})`}.`;
}
