/** Options that several commands of this folder take. */
import type { Command as Parser } from "commander";
import { isSet, neededTexts, optionalText, refuse } from "../src/command_options.ts";
import { hasPassword } from "./postgres_address.ts";
import type { QueryFormat } from "./query.ts";

export const DATABASE = ["--database <file>", "DuckDB file", "billing.duckdb"] as const;

/**
 * Refuses options that a line has with an empty value, and names them all. A script may pass a variable that is not set: it would get
 * the costs of another month, or no report, and not notice.
 */
export function refuseEmpty(at: Parser): void {
  const names = at.options.map((option) => option.attributeName());
  neededTexts(at, ...names.filter((name) => at.getOptionValue(name) === ""));
}

/** `--database`, without a password. */
export function databaseOf(at: Parser): string {
  const database = optionalText(at, "database") ?? "";
  return hasPassword(database)
    ? refuse(
        at,
        "the address after --database has a password, which every user of this machine could see. " +
          "`report` takes it from PGPASSWORD, or the whole address from DATABASE_URL with --database postgresql://",
      )
    : database;
}

/** `--csv` or `--json`. */
export function formatOf(at: Parser): QueryFormat {
  const [csv, json] = [isSet(at, "csv"), isSet(at, "json")];
  if (csv && json) refuse(at, "--csv does not go with --json");
  if (csv) return "csv";
  return json ? "json" : "text";
}
