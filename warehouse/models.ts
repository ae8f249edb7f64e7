/**
 * The models of sql/duckdb.sql, made as tables. As plain views over views DuckDB would plan them for many seconds at every
 * query; made one after the other, all of them take about a second.
 */
import type { Database } from "./database.ts";
import { modelsSql } from "./files.ts";

/** Models under the others, which nobody asks. They are not kept. */
const INTERNAL = /^ai_billing__/;

/** The statements of sql/duckdb.sql in their order: each names its model. */
function statementsOf(sql: string): { readonly name: string; readonly body: string }[] {
  const [, ...parts] = sql.split(/^create or replace view (\w+) as$/m);
  const names = parts.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => ({ name, body: parts[2 * index + 1] ?? "" }));
}

/** Makes all models again from the tables of the streams, in one transaction. */
export async function refreshModels(database: Database): Promise<void> {
  const models = statementsOf(await modelsSql());
  await database.transaction(async () => {
    for (const { name, body } of models) {
      const kind = INTERNAL.test(name) ? "TEMP TABLE" : "TABLE";
      await database.run(`CREATE OR REPLACE ${kind} ${name} AS ${body}`);
    }
  });
  for (const { name } of models) {
    if (INTERNAL.test(name)) await database.run(`DROP TABLE temp.${name}`);
  }
}
