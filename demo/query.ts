/** `npx node demo/query.ts SQL [DATABASE]`: prints what a query of the demo's database gives, as aligned text. */
import { fileURLToPath } from "node:url";
import { DuckDBInstance, DuckDBTypeId } from "@duckdb/node-api";
import { plain } from "./reconciliation.ts";
import * as terminal from "./terminal.ts";

const [
  sql = "SHOW TABLES",
  database = fileURLToPath(new URL("out/billing.duckdb", import.meta.url)),
] = process.argv.slice(2);

try {
  const instance = await DuckDBInstance.create(database, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(sql);
  const decimal = reader.columnTypes().map(({ typeId }) => typeId === DuckDBTypeId.DECIMAL);
  const shown = (value: unknown, column: number): string => {
    if (typeof value !== "string") return JSON.stringify(value);
    return decimal[column] === true ? plain(value) : value;
  };
  terminal.table(
    reader
      .columnNames()
      .map((title, column) => ({ title, align: decimal[column] === true ? "right" : "left" })),
    reader.getRowsJson().map((row) => row.map(shown)),
  );
  connection.closeSync();
  instance.closeSync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
