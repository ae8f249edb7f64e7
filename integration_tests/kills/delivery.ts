/**
 * The delivery of `sync`. Its clock jumps, so that the loader commits at every STATE, and the engine gives a STATE after every page. So
 * every kind of instant is within reach of a kill.
 */
import { run } from "../../src/connector.ts";
import { readJsonFile } from "../../src/config/json_file.ts";
import { hostOf } from "../../src/testing_host.ts";
import { accountsOf } from "../../warehouse/accounts.ts";
import { Database } from "../../warehouse/database.ts";
import { deliverAll } from "../../warehouse/several.ts";
import { prepare } from "../../warehouse/store.ts";
import { hostWith } from "../../warehouse/testing.ts";

/** The clock jumps by so many milliseconds: more than the loader waits between two commits. */
const JUMP = 60_000;

/** Delivers all accounts of a config to a database. @returns the errors; undefined if everything was read */
export async function deliverTo(path: string, config: string): Promise<string | undefined> {
  let jumps = 0;
  const engine = hostOf({}, { stateInterval: 0 });
  const host = hostWith({
    now: () => (jumps += JUMP),
    secrets: engine.secrets,
    engine: (command, edges) => run(command, { ...engine, ...edges }),
    readJson: readJsonFile,
  });
  const accounts = await accountsOf([config], host);
  const database = await Database.open(path, "write");
  try {
    await prepare(database, accounts);
    const results = await deliverAll(accounts, database, host);
    const errors = results.flatMap((result) => result.errors.map((text) => `${text}\n`));
    return results.every(({ ok }) => ok) ? undefined : errors.join("");
  } finally {
    database.close();
  }
}
