/** Rows as CSV (RFC 4180), for programs and spreadsheets: every value as it is, decimals with all their digits. */
import { cleanedLines } from "./text.ts";

/** A result, fit for a program or for a terminal: a terminal gets CSV without the characters that would steer it. */
export const fitFor = (
  isTerminal: boolean,
  text: string,
  format: "text" | "csv" | "json",
): string => (isTerminal && format === "csv" ? cleanedLines(text.replaceAll("\r\n", "\n")) : text);

/** One row with its line break. A value is quoted only where it must be. */
export const csvLine = (values: readonly string[]): string => `${values.map(quoted).join(",")}\r\n`;

const quoted = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
