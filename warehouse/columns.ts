/** The tables of the streams in DuckDB: their columns, as a platform's destination makes them. */
import * as z from "zod";
import { exportWindowsSchema } from "../src/catalog/export_windows_schema.ts";
import { labelsSchema } from "../src/catalog/labels_schema.ts";
import { STREAM_NAMES, type StreamName } from "../src/catalog/stream_names.ts";
import { catalogSchemas } from "../src/generated/catalog_schemas.ts";
import { type TextRules, textRules } from "../src/generated/text_rules.ts";

export const isStream = (name: string): name is StreamName =>
  STREAM_NAMES.some((stream) => stream === name);

// Instants of the interface are UTC, and so is a TIMESTAMP without a zone here.
const TYPES: ReadonlyMap<string, string> = new Map([
  ["date-time", "TIMESTAMP"],
  ["date", "DATE"],
  ["boolean", "BOOLEAN"],
  ["integer", "BIGINT"],
  ["array", "JSON"],
  ["object", "JSON"],
]);

/** The instant at which the source wrote a row. Airbyte's destinations add a column of this name. */
export const EXTRACTED_AT = '"_airbyte_extracted_at"';

export interface Column {
  /** Quoted for SQL. */
  readonly name: string;
  readonly type: string;
  /**
   * Whether it holds an amount or a quantity: text on the wire, and text in the raw tables, as a platform's destination keeps it. So every
   * value stays as the provider sent it, also one that no decimal type holds. The models make decimals of them.
   */
  readonly isDecimal: boolean;
}

/** The table of a stream. A row is added, never replaced: of the rows with one key and chain the one with the greatest cursor counts. */
export interface Table {
  readonly name: StreamName;
  /** Without {@link EXTRACTED_AT}. */
  readonly columns: readonly Column[];
  /** The column of the primary key, quoted. */
  readonly key: string;
  /** The column that grows from one version of a row to the next, quoted. */
  readonly cursor: string;
  /** An expression for the chain of a row's reading (R9), which tells accounts apart. */
  readonly chain: string;
}

/** Quotes a name for SQL. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The texts of a JSON list, as `to_json(list(…))` of DuckDB writes it. */
export function textsOf(list: string): string[] {
  const texts: unknown = JSON.parse(list);
  return Array.isArray(texts) ? texts.map(String) : [];
}

/** Quotes a text for SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const propertiesSchema = z.record(
  z.string(),
  z.looseObject({ type: z.array(z.string()), format: z.string().optional() }),
);

function columnsOf(properties: unknown, rules: TextRules["members"] = {}): Column[] {
  return Object.entries(propertiesSchema.parse(properties)).map(([name, { type, format }]) => {
    const kinds = [format, ...type].map((kind) => TYPES.get(kind ?? ""));
    const found = kinds.find((kind) => kind !== undefined) ?? "VARCHAR";
    const isDecimal = rules[name] === "decimal" || rules[name] === "nullableDecimal";
    return { name: identifier(name), type: found, isDecimal };
  });
}

const recordTable = (name: "usage" | "costs"): Table => ({
  name,
  columns: columnsOf(catalogSchemas[name].properties, textRules[name].members),
  key: '"x_RecordId"',
  cursor: '"x_ReadingId"',
  // Nine digits of time stand before it (R4).
  chain: 'substr("x_ReadingId", 10)',
});

/** The tables of all streams, also of those that a provider does not offer: the views need them. */
export const TABLES: Readonly<Record<StreamName, Table>> = {
  usage: recordTable("usage"),
  costs: recordTable("costs"),
  export_windows: {
    name: "export_windows",
    columns: columnsOf(exportWindowsSchema.properties),
    key: '"id"',
    cursor: '"ended_at"',
    chain: '"chain"',
  },
  labels: {
    name: "labels",
    columns: columnsOf(labelsSchema.properties),
    key: '"id"',
    cursor: '"read_at"',
    // No reading writes names.
    chain: "''",
  },
};
