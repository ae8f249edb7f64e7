/** Options that several commands of this folder take. */
import type { Command as Parser } from "commander";
import { isSet, missingFault, optionalText, textsOf } from "../src/command_options.ts";
import { hasPassword } from "./postgres_address.ts";
import type { QueryFormat } from "./query.ts";

export const DATABASE = ["--database <file>", "DuckDB file", "billing.duckdb"] as const;

/**
 * The fault of a line that has options with an empty value; it names them all. A script may pass a variable that is not set: it would
 * get the costs of another month, or no report, and not notice.
 */
export function emptyFault(at: Parser): readonly string[] {
  const names = at.options.map((option) => option.attributeName());
  return missingFault(
    at,
    names.filter((name) => at.getOptionValue(name) === "" || textsOf(at, name).includes("")),
  );
}

/** `--database`. A password in it goes to `faults`. */
export function databaseOf(at: Parser, faults: string[]): string {
  const database = optionalText(at, "database") ?? "";
  if (hasPassword(database)) {
    faults.push(
      "the address after --database has a password, which every user of this machine could see. " +
        "`report` takes it from PGPASSWORD, or the whole address from DATABASE_URL with --database postgresql://",
    );
  }
  return database;
}

/** `--csv` or `--json`. Both together go to `faults`. */
export function formatOf(at: Parser, faults: string[]): QueryFormat {
  const [csv, json] = [isSet(at, "csv"), isSet(at, "json")];
  if (csv && json) faults.push("--csv does not go with --json");
  if (csv) return "csv";
  return json ? "json" : "text";
}
