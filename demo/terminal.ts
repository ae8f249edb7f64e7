/** The output of the demo: sections, aligned columns, one line of progress. Colors and motion only on a terminal. */
import { styleText } from "node:util";
import { alignedLines, type TextColumn } from "../warehouse/text.ts";

type Style = Parameters<typeof styleText>[0];

const INDENT = "  ";

function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

function write(text: string): void {
  process.stdout.write(text);
}

/** The title of the demo. */
export function title(text: string, subtitle: string): void {
  write(`\n${styled("bold", text)}\n${subtitle}\n`);
}

/** Begins a section. */
export function section(text: string, aside = ""): void {
  write(`\n${styled("bold", text)}${aside === "" ? "" : `  ${styled("dim", aside)}`}\n`);
}

/** A line of a section. */
export function line(text: string): void {
  write(`${INDENT}${text}\n`);
}

/** A remark in a quieter color. */
export function remark(text: string): void {
  write(`${INDENT}${styled("dim", text)}\n`);
}

/** A line with a mark of success or failure. */
export function verdict(good: boolean, text: string): void {
  write(`${INDENT}${styled(good ? ["bold", "green"] : ["bold", "red"], text)}\n`);
}

/** Rows under their titles, each column as wide as its widest cell. */
export function table(columns: readonly TextColumn[], rows: readonly (readonly string[])[]): void {
  const [titles = "", ...lines] = alignedLines(columns, rows);
  remark(titles);
  for (const text of lines) line(text);
}

/** Shows the current work until it is done; prints nothing if there is no terminal. */
export async function busy<Result>(
  text: string,
  work: (progress: (detail: string) => void) => Promise<Result>,
): Promise<Result> {
  const isTerminal = process.stdout.isTTY;
  const show = (detail: string): void => {
    if (isTerminal) write(`\r\x1B[2K${INDENT}${styled("dim", `${text} ${detail}`)}`);
  };
  show("…");
  try {
    return await work(show);
  } finally {
    if (isTerminal) write("\r\x1B[2K");
  }
}

/** Gives all decimals the same number of digits after the point, so that the points align. */
export function atPoint(decimals: readonly string[]): string[] {
  const digits = decimals.map((text) => text.split(".")[1]?.length ?? 0);
  const most = Math.max(0, ...digits);
  return decimals.map((text, index) => {
    const missing = most - (digits[index] ?? 0);
    return missing > 0 && missing === most
      ? `${text}.${"0".repeat(most)}`
      : text + "0".repeat(missing);
  });
}

/** `2025-10-04T02:00:00Z` as `2025-10-04 02:00`. */
export function shortInstant(instant: string): string {
  return instant.slice(0, 16).replace("T", " ");
}
