/** Formats figures and dates, for the document and for the tooltips of its charts. */
import { plain, ratio, rounded, subtract } from "../decimals.ts";

/** A plain decimal with separated thousands: `-1234.5` as `−1,234.5`. Keeps all digits. */
export function decimal(text: string): string {
  const [whole = "", fraction] = text.replace(/^-/, "").split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${text.startsWith("-") ? "−" : ""}${grouped}${fraction === undefined ? "" : `.${fraction}`}`;
}

/**
 * Money with so many digits after the point: `-1234.567` as `−1,234.57`. An amount that would be shown as 0 has its first two digits that
 * are not 0: `0.00012345` as `0.00012`.
 */
export function money(amount: string, digits: number): string {
  const text = rounded(amount, digits);
  if (/[1-9]/.test(text) || !/[1-9]/.test(amount)) return decimal(text);
  const zeros = /\.(0*)/.exec(amount)?.[1]?.length ?? 0;
  return decimal(rounded(amount, zeros + 2));
}

/**
 * Money of amounts that stand beside one another, with so many digits, or as many more as it takes to tell different amounts apart:
 * `37.036` and `37.035` as `37.036` and `37.035`, although both round to `37.04`.
 */
export function moneyApart(amounts: readonly string[], digits: number): string[] {
  const different = new Set(amounts.map(plain));
  const most = Math.max(digits, ...[...different].map((each) => each.split(".")[1]?.length ?? 0));
  let enough = digits;
  const areApart = (): boolean =>
    new Set([...different].map((each) => money(each, enough))).size === different.size;
  while (enough < most && !areApart()) enough += 1;
  return amounts.map((each) => money(each, enough));
}

/** A change with its sign: `+12.00`, `−3.50`, `0.00`. */
export const signedMoney = (amount: string, digits: number): string =>
  `${Number(amount) > 0 ? "+" : ""}${money(amount, digits)}`;

/** The change from `before` in percent, such as `+12%`; empty where there is nothing to compare with. */
export function percent(change: string, before: string): string {
  if (Number(before) <= 0) return "";
  const share = rounded(ratio(change, before, 100), 0);
  if (share === "0") return "±0%";
  return `${share.startsWith("-") ? "" : "+"}${decimal(share)}%`;
}

/** Whether parts have shares of their sum. After a credit a part may be more than all of it: then no share says anything. */
export const haveShares = (parts: readonly string[], sum: string): boolean =>
  Number(sum) > 0 && parts.every((part) => Number(subtract(part, sum)) <= 0);

const DATE = new Intl.DateTimeFormat("en-US", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});
const SHORT_DATE = new Intl.DateTimeFormat("en-US", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});
const MONTH = new Intl.DateTimeFormat("en-US", { month: "long", year: "numeric", timeZone: "UTC" });

/** `2025-10-17` or an instant of that day as `October 17, 2025`. */
export const longDate = (instant: string): string => DATE.format(Date.parse(instant));

const WEEKDAY = new Intl.DateTimeFormat("en-US", { weekday: "long", timeZone: "UTC" });

/** `2025-10-17` as `Friday`. */
export const weekday = (day: string): string => WEEKDAY.format(Date.parse(day));

/** `2025-10-17` or an instant of that day as `Oct 17`. */
export const shortDate = (instant: string): string => SHORT_DATE.format(Date.parse(instant));

/** `2025-10-01` as `October 2025`. */
export const month = (day: string): string => MONTH.format(Date.parse(day));

/**
 * A day of a chart of two months, such as `through Nov 5`. A day that only the month before has is told with the date of that month.
 *
 * @param day 0 for the first day
 */
export function throughDay(
  { month: first, daysInMonth }: { readonly month: string; readonly daysInMonth: number },
  day: number,
): string {
  const date = new Date(first);
  const months = date.getUTCMonth() - (day < daysInMonth ? 0 : 1);
  return `through ${SHORT_DATE.format(Date.UTC(date.getUTCFullYear(), months, day + 1))}`;
}

/** The name of a billing period: its month, and its first day if that is not the first of the month. */
export const billingPeriod = (first: string): string =>
  isFirstOfMonth(first) ? month(first) : `${month(first)} from ${shortDate(first)}`;

const isFirstOfMonth = (day: string): boolean => day.slice(8, 10) === "01";

/** The same for a table of findings: `2026-10`, or the first day of a period that begins within a month. */
export const billingPeriodCode = (first: string): string =>
  isFirstOfMonth(first) ? first.slice(0, 7) : first.slice(0, 10);

/** The running month, such as `October so far`, or a month that is over, such as `October`. */
export function monthName(
  { month: first, isOver }: { readonly month: string; readonly isOver: boolean },
  hasYear = false,
): string {
  const name = month(first);
  return `${hasYear ? name : (name.split(" ")[0] ?? "")}${isOver ? "" : " so far"}`;
}

/** `1 day`, `1,094 days`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${decimal(String(number))} ${number === 1 ? one : many}`;

/** Characters of a name on the page. Providers and users may give longer ones. */
const NAME = 60;

/** The beginning of a name that is too long for a line. */
export function shortName(name: string): string {
  const letters = Array.from(name);
  return letters.length > NAME ? `${letters.slice(0, NAME - 1).join("")}…` : name;
}
