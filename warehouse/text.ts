/** Rows under their titles, as aligned text. */

/** `right` for numbers. Decimals align if all cells of the column have equally many digits after the point. */
export interface TextColumn {
  readonly title: string;
  readonly align?: "left" | "right";
}

/** Characters that steer a terminal or turn the direction of a text, and those that end a line. */
const STEERING = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]+/gu;

/** A text of a provider or of a user, fit for a terminal. */
export const cleaned = (text: string): string => text.replaceAll(STEERING, " ");

/** The most characters of a name in a table for people. */
const NAME = 40;

/** A name, fit for a table on a terminal. */
export function shortName(name: string): string {
  const clean = cleaned(name);
  return clean.length > NAME ? `${clean.slice(0, NAME - 1)}…` : clean;
}

/** Colors a line for a terminal; elsewhere the line stays as it is. */
export type Paint = (style: "bold" | "red", line: string) => string;

const STYLES = { bold: 1, red: 31 } as const;

export const paintFor =
  (hasColors: boolean): Paint =>
  (style, line) =>
    hasColors ? `\u001B[${STYLES[style]}m${line}\u001B[0m` : line;

/** One line for the titles and one for each row, each column as wide as its widest cell. */
export function alignedLines(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
): string[] {
  const clean = rows.map((row) => row.map(cleaned));
  const widths = columns.map(({ title }, index) =>
    clean.reduce((widest, row) => Math.max(widest, row[index]?.length ?? 0), title.length),
  );
  const aligned = (row: readonly string[]): string =>
    columns
      .map(({ align }, index) => {
        const cell = row[index] ?? "";
        const width = widths[index] ?? 0;
        return align === "right" ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  return [columns.map(({ title }) => title), ...clean].map(aligned);
}
