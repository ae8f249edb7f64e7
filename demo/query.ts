/** `npx node demo/query.ts SQL [DATABASE]`: prints the result of a query on the demo's database as aligned text. */
import { closeSync, openSync, readSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DuckDBInstance, DuckDBTypeId, version } from "@duckdb/node-api";
import { plain } from "./reconciliation.ts";
import * as terminal from "./terminal.ts";

const [
  sql = "SHOW TABLES",
  database = fileURLToPath(new URL("out/billing.duckdb", import.meta.url)),
] = process.argv.slice(2);

/**
 * Names both versions of DuckDB if another one than ours wrote the file (its header has `DUCK` at 8, the version at
 * 52).
 */
function versionNote(): string {
  const header = Buffer.alloc(84);
  try {
    const file = openSync(database, "r");
    readSync(file, header);
    closeSync(file);
  } catch {
    return "";
  }
  const writer = header.toString("latin1", 52).replace(/\0.*$/s, "");
  const isOther = header.toString("latin1", 8, 12) === "DUCK" && writer !== version();
  return isOther
    ? `DuckDB ${writer} wrote ${database}; this program reads it with DuckDB ${version()}.\n`
    : "";
}

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
  process.stderr.write(
    `${error instanceof Error ? error.message : String(error)}\n${versionNote()}`,
  );
  process.exitCode = 1;
}
