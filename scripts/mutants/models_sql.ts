import { readFileSync } from "node:fs";
import type { Mutant } from "./mutant.ts";

const FILE = "sql/duckdb.sql";
/** The text of the models. */
export const SQL = readFileSync(new URL(`../../${FILE}`, import.meta.url), "utf8");

/**
 * A defect within a part of the models that stands once, for a text that other parts have, too: those of another dataset, or of another
 * form of the models. Throws an Error if the part does not hold the text.
 */
export function within(part: string, from: string, to: string): Omit<Mutant, "rule" | "test"> {
  if (!part.includes(from)) throw new Error(`this part of ${FILE} does not hold "${from}"`);
  return { file: FILE, from: part, to: part.replace(from, to) };
}
