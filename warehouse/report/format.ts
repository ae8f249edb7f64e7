/** Formats figures and dates, for the document and for the tooltips of its charts. */
import { ratio, rounded } from "../decimals.ts";

/** A plain decimal with separated thousands: `-1234.5` as `−1,234.5`. Keeps all digits. */
export function decimal(text: string): string {
  const [whole = "", fraction] = text.replace(/^-/, "").split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${text.startsWith("-") ? "−" : ""}${grouped}${fraction === undefined ? "" : `.${fraction}`}`;
}

/** Money with so many digits after the point: `-1234.567` as `−1,234.57`. */
export const money = (amount: string, digits: number): string => decimal(rounded(amount, digits));

/** A change with its sign: `+12.00`, `−3.50`, `0.00`. */
export const signedMoney = (amount: string, digits: number): string =>
  `${Number(amount) > 0 ? "+" : ""}${money(amount, digits)}`;

/** The change from `before` in percent, such as `+12%`; empty where there is nothing to compare with. */
export function percent(change: string, before: string): string {
  if (Number(before) <= 0) return "";
  const share = Number(rounded(ratio(change, before, 100), 0));
  if (share === 0) return "±0%";
  return `${share > 0 ? "+" : "−"}${decimal(String(Math.abs(share)))}%`;
}

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

/** `1 day`, `1,094 days`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${decimal(String(number))} ${number === 1 ? one : many}`;
