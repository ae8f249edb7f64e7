/**
 * Files that an earlier loader wrote: it made null of instants with small letters and of the second 60, so that their rows are in no sum.
 * The texts are gone, and only the provider has them.
 */
import { TABLES } from "./columns.ts";
import type { Database } from "./database.ts";
import { clearedEntry } from "./stored_state.ts";

/** Names the streams whose states were cleared. A file that has this table was looked at, or has no rows of an earlier loader. */
const NOTE = "lost_instants";

/**
 * Lets the next sync read such a stream from the beginning: newer versions of its rows follow. Looks only once, because a row that has no
 * instant at the provider would have its stream read in each sync.
 */
export async function readLostInstantsAgain(database: Database): Promise<void> {
  const own = "source_ai_billing";
  const noted = await database.query(
    `FROM information_schema.tables WHERE table_schema = '${own}' AND table_name = '${NOTE}'`,
  );
  if (noted.length > 0) return;
  await database.run(`CREATE TABLE ${own}.${NOTE} (stream VARCHAR)`);
  for (const stream of ["usage", "costs"] as const) {
    const found = await database.query(`
      SELECT DISTINCT ${TABLES[stream].chain} FROM ${stream}
      WHERE "ChargePeriodStart" IS NULL OR "ChargePeriodEnd" IS NULL`);
    if (found.length === 0) continue;
    await database.run(`INSERT INTO ${own}.${NOTE} VALUES (?)`, [stream]);
    await clear(database, stream, new Set(found.flat()));
  }
}

/** Clears the states of the accounts whose rows have these chains; of all accounts if no state has one of the chains. */
async function clear(
  database: Database,
  stream: string,
  chains: ReadonlySet<string>,
): Promise<void> {
  const rows = await database.query(
    `SELECT rowid, state, state ->> '$.stream.stream_state.chain' FROM source_ai_billing.states WHERE stream = '${stream}'`,
  );
  const held = new Set(rows.map(([_place, _state, chain]) => chain));
  const isOfAll = [...chains].some((chain) => !held.has(chain));
  for (const [place = "", state = "null", chain = ""] of rows) {
    const cleared = clearedEntry(JSON.parse(state));
    if (cleared === undefined || !(isOfAll || chains.has(chain))) continue;
    await database.run(`UPDATE source_ai_billing.states SET state = ? WHERE rowid = ${place}`, [
      cleared.state,
    ]);
  }
}
