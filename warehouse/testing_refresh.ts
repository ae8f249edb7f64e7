/** For tests: a database whose models a refresh renews, and the same models made as a whole. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "./database.ts";
import { inputTables, makeModels } from "./models.ts";
import { prepare } from "./store.ts";

/** Makes the empty tables of an account's streams and of the inputs. */
export async function prepareTables(database: Database, account: string): Promise<void> {
  await prepare(database, [
    { name: "a", base_url: "https://a.example", account, granularity: "1d" },
  ]);
  for (const table of await inputTables()) await database.run(table);
}

/** A database in a folder of its own, with the empty tables of an account's streams and of the inputs. */
export async function openEmpty(
  account = "x",
): Promise<{ readonly database: Database; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "refresh-"));
  const database = await Database.open(join(folder, "billing.duckdb"), "write");
  await prepareTables(database, account);
  return {
    database,
    remove: async () => {
      database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The rows of some models, sorted as text. Each row begins with the name of its model. */
export async function rowsOf(
  database: Database,
  models: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const model of models) {
    const rows = await database.query(`FROM main.${model}`);
    found.push(...rows.map((row) => JSON.stringify([model, ...row])));
  }
  return found.toSorted();
}

/** Makes some models as a whole, gives what `read` finds then, and takes the models back. */
export async function asWhole<Found>(
  database: Database,
  models: readonly string[],
  read: () => Promise<Found>,
): Promise<Found> {
  await database.run("BEGIN");
  await makeModels(database, models);
  const found = await read();
  await database.run("ROLLBACK");
  return found;
}
