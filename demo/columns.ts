/** The types of a stream's columns in DuckDB. */
import type { Stream } from "./connector.ts";

/** Money and quantities: text on the wire, never a float. */
const DECIMALS: ReadonlySet<string> = new Set([
  "ConsumedQuantity",
  "BilledCost",
  "EffectiveCost",
  "PricingCurrencyBilledCost",
]);

// Instants of the interface are UTC, and so is a TIMESTAMP without a zone here.
const TYPES: ReadonlyMap<string, string> = new Map([
  ["date-time", "TIMESTAMP"],
  ["date", "DATE"],
  ["boolean", "BOOLEAN"],
  ["integer", "BIGINT"],
  ["array", "JSON"],
]);

/** The instant at which the destination received a row. Airbyte's destinations add a column of this name. */
export const EXTRACTED_AT = '"_airbyte_extracted_at"';

export interface Column {
  /** Quotes a text for SQL. */
  readonly name: string;
  readonly type: string;
}

/** Quotes a name for SQL. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The columns of a stream's table, without {@link EXTRACTED_AT}. */
export function columnsOf({ json_schema: { properties } }: Stream): Column[] {
  return Object.entries(properties).map(([name, { type, format }]) => {
    if (DECIMALS.has(name)) return { name: identifier(name), type: "DECIMAL(38,18)" };
    const kinds = [format, ...type].map((kind) => TYPES.get(kind ?? ""));
    return { name: identifier(name), type: kinds.find((kind) => kind !== undefined) ?? "VARCHAR" };
  });
}
