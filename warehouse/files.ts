/** The files that this package ships beside its code. The bundle is as deep in the package as this file is. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const placeOf = (path: string): URL => new URL(`../${path}`, import.meta.url);

const shipped = (path: string): Promise<string> => readFile(placeOf(path), "utf8");

const MODELS = "sql/duckdb.sql";

/** The models over the tables of the streams; see sql/README.md. */
export const modelsSql = (): Promise<string> => shipped(MODELS);

/** The path of {@link modelsSql}. */
export const modelsPath = (): string => fileURLToPath(placeOf(MODELS));

/** The models that have no row while some tables are empty; `npm run generate` writes it (scripts/empty_models.ts). */
export const emptyModels = (): Promise<string> => shipped("sql/duckdb_empty.json");

/** The script and the style sheet of the report; `npm run build` makes them from warehouse/report/page. */
export const reportScript = (): Promise<string> => shipped("dist/report.js");
export const reportStyle = (): Promise<string> => shipped("dist/report-style.css");

/** The statements that write a book (dbt/macros/books.sql). */
export const closeSql = (): Promise<string> => shipped("sql/close_duckdb.sql");
