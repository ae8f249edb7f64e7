/** Rows of the providers' reports, as far as `verify` looks at them. */
import { decimalOf, type JsonObject } from "../src/adapters/exact.ts";
import { reportFault, textIn } from "../src/adapters/shape.ts";
import { addDecimals, isSummable } from "../src/core/decimal.ts";
import { DAY, floorTo, formatInstant } from "../src/core/time.ts";
import { confirmed, contradicted, counted, type Judgment, notSeen, unseen } from "./judgment.ts";

/** Exact sums by unit: a currency in upper case, or `tokens`. */
export type Amounts = Readonly<Record<string, string>>;

/** Sums by UTC day. The key is the start of the day, in milliseconds since 1970. */
export type DaySums = ReadonlyMap<number, Amounts>;

/** A member as a decimal that may be added up; `0` if the row does not have it. `places` moves the point. */
export function decimalIn(row: JsonObject, name: string, places = 0): string {
  const text = textIn(row, name);
  const decimal = text === null ? "0" : decimalOf(text, places);
  if (!isSummable(decimal)) throw reportFault(`${name} is no amount`);
  return decimal;
}

/** The currency of a row in upper case. */
export function currencyIn(row: JsonObject): string {
  const text = (textIn(row, "currency") ?? "").toUpperCase();
  if (!/^[A-Z]{3}$/.test(text)) throw reportFault("a row has no currency");
  return text;
}

/** Adds an amount to a day. */
export function addTo(
  sums: Map<number, Amounts>,
  at: number | undefined,
  unit: string,
  amount: string,
): void {
  if (at === undefined) throw reportFault("a row has no day");
  const day = floorTo(DAY, at);
  const before = sums.get(day) ?? {};
  sums.set(day, { ...before, [unit]: addDecimals(before[unit] ?? "0", amount) });
}

/** Refuses an answer that is cut into pages: sums of a part would look like sums that have changed. */
export function assertWhole(body: JsonObject): void {
  if (body["has_more"] !== true) return;
  throw unseen("the answer to a request for sums is cut into pages");
}

/** The bounds of a range, as Anthropic's reports take them. */
export const rangeOf = (start: number, end: number): readonly (readonly [string, string])[] => [
  ["starting_at", formatInstant(start)],
  ["ending_at", formatInstant(end)],
];

/**
 * Judges whether groups tell rows apart.
 *
 * @param keys a text for each row: its bucket and its groups
 */
export function judgeApart(keys: readonly string[], what: string): Judgment {
  const twice = keys.length - new Set(keys).size;
  if (twice > 0)
    return contradicted(`${twice} of ${counted(keys.length, "row")} of ${what} share their groups`);
  return keys.length < 2
    ? notSeen(`there are fewer than two rows of ${what}`)
    : confirmed(`all ${keys.length} rows of ${what} differ in their groups`);
}
