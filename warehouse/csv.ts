/** Rows as CSV (RFC 4180), for programs and spreadsheets: every value as it is, decimals with all their digits. */

/** One row with its line break. A value is quoted only where it must be. */
export const csvLine = (values: readonly string[]): string => `${values.map(quoted).join(",")}\r\n`;

const quoted = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
