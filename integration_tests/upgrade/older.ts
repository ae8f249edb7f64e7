/** The output of older versions: messages on stdout, and a database of `sync`. README.md says how they were made. */
import { readFile } from "node:fs/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import * as z from "zod";
import type { StreamName } from "../../src/catalog/stream_names.ts";
import { identifier, literal, TABLES } from "../../warehouse/columns.ts";
import { Database } from "../../warehouse/database.ts";

export type Version = "0.1.0" | "0.2.0";

/** Stands in the files for the address of the provider, whose port differs from run to run. */
const ADDRESS = "http://provider.invalid";

const textOf = async (name: string, baseUrl: string): Promise<string> =>
  (await readFile(new URL(name, import.meta.url), "utf8")).replaceAll(ADDRESS, baseUrl);

const messageSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("RECORD"),
    record: z.object({
      stream: z.enum(["usage", "costs", "export_windows"]),
      data: z.record(z.string(), z.unknown()),
    }),
  }),
  z.object({
    type: z.literal("STATE"),
    state: z.looseObject({
      stream: z.looseObject({ stream_descriptor: z.object({ name: z.string() }) }),
    }),
  }),
]);

/**
 * Makes the tables that a platform's destination filled from an older version, with the columns of that version as text, and the
 * states beside them.
 *
 * @param share the share of the messages that came before the older version was stopped
 */
export async function makeTables(
  path: string,
  { version, share, baseUrl }: { version: Version; share: number; baseUrl: string },
): Promise<void> {
  const lines = (await textOf(`messages_${version}.jsonl`, baseUrl)).trimEnd().split("\n");
  const all = lines.map((line) => messageSchema.parse(JSON.parse(line)));
  const columns = new Map<StreamName, Set<string>>();
  for (const message of all) {
    if (message.type !== "RECORD") continue;
    const { stream, data } = message.record;
    columns.set(stream, new Set([...(columns.get(stream) ?? []), ...Object.keys(data)]));
  }
  const database = await Database.open(path, "write");
  try {
    await database.transaction(async () => {
      await database.run("CREATE SCHEMA source_ai_billing");
      await database.run("CREATE TABLE source_ai_billing.states (stream VARCHAR, state JSON)");
      await database.run(
        "CREATE TABLE source_ai_billing.owner (base_url VARCHAR, account VARCHAR, granularity VARCHAR)",
      );
      await database.run("INSERT INTO source_ai_billing.owner VALUES (?, '', '1d')", [baseUrl]);
      for (const [stream, names] of columns) {
        const known = TABLES[stream].columns.map(({ name, type }) => [name, type] as const);
        const types = new Map<string, string>(known);
        const spelled = [...names]
          .map(identifier)
          .map((name) => `${name} ${types.get(name) ?? "VARCHAR"}`);
        await database.run(`CREATE TABLE ${stream} (${spelled.join(", ")})`);
      }
      for (const message of all.slice(0, Math.ceil(share * all.length))) {
        if (message.type === "STATE") {
          const { state } = message;
          const { name } = state.stream.stream_descriptor;
          await database.run("DELETE FROM source_ai_billing.states WHERE stream = ?", [name]);
          const values = [name, JSON.stringify(state)];
          await database.run("INSERT INTO source_ai_billing.states VALUES (?, ?)", values);
          continue;
        }
        const { stream, data } = message.record;
        const cells = [...(columns.get(stream) ?? [])].map((name) => cellOf(data[name]));
        await database.run(`INSERT INTO ${stream} VALUES (${cells.join(", ")})`);
      }
    });
  } finally {
    database.close();
  }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  return literal(typeof value === "string" ? value : JSON.stringify(value));
}

/** Makes the database that `sync` of 0.2.0 left. */
export async function makeDatabase(path: string, baseUrl: string): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run(await textOf("database_0.2.0.sql", baseUrl));
  connection.closeSync();
  instance.closeSync();
}
