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

/** The same for a text of several lines. */
export const cleanedLines = (text: string): string => text.split("\n").map(cleaned).join("\n");

/** The most characters of a message: a view of a foreign database may raise an error of any length. */
const MESSAGE = 10_000;

/** A message of one or more lines, fit for a terminal: a database or a server may have chosen some of its words. */
export function cleanedMessage(text: string): string {
  const shown = text.length > MESSAGE ? `${text.slice(0, MESSAGE)}…` : text;
  return cleanedLines(shown.toWellFormed());
}

/** JSON in which such characters are escaped, so that its reader gets them, and a terminal that shows it does not. */
export const cleanedJson = (json: string): string =>
  json.replaceAll(STEERING, (marks) =>
    marks.replaceAll(/./gs, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );

/** Characters that a terminal shows in two columns: those of East Asian scripts, and emoji. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]/gu;

/** Characters that take no column: marks on the letter before, and those that nobody sees. */
const NARROW = /[\p{Mn}\p{Me}\p{Cf}]/gu;

/** The columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  const seen = text.replaceAll(NARROW, "");
  return Array.from(seen).length + (seen.match(WIDE)?.length ?? 0);
}

/** A text with spaces behind it, or before it, up to so many columns. */
export function padded(text: string, width: number, align: "left" | "right" = "left"): string {
  const spaces = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "right" ? `${spaces}${text}` : `${text}${spaces}`;
}

/** The most columns of a name in a table for people. */
const NAME = 40;

/** A name, fit for a table on a terminal. It is never cut within a character. */
export function shortName(name: string): string {
  const clean = cleaned(name);
  if (widthOf(clean) <= NAME) return clean;
  let kept = "";
  let width = 0;
  for (const character of clean) {
    width += widthOf(character);
    if (width > NAME - 1) break;
    kept += character;
  }
  return `${kept}…`;
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
  // A pivot makes titles of the values of a provider.
  const clean = [columns.map(({ title }) => title), ...rows].map((row) => row.map(cleaned));
  const widths = columns.map((_, index) =>
    clean.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? "")), 0),
  );
  const aligned = (row: readonly string[]): string =>
    columns
      .map(({ align }, index) => padded(row[index] ?? "", widths[index] ?? 0, align))
      .join("  ")
      .trimEnd();
  return clean.map(aligned);
}
