/**
 * The delivery of `sync` as a process to be killed: `victim.ts DATABASE CONFIG…`. Its clock jumps, so that the loader commits
 * at every STATE, and the engine gives a STATE after every page. So every kind of instant is within reach of a kill.
 */
import { run } from "../../src/connector.ts";
import { readJsonFile } from "../../src/config/json_file.ts";
import { hostOf } from "../../src/testing_host.ts";
import { accountsOf } from "../../warehouse/accounts.ts";
import { Database } from "../../warehouse/database.ts";
import { deliverAll } from "../../warehouse/several.ts";
import { prepare } from "../../warehouse/store.ts";
import { hostWith } from "../../warehouse/testing.ts";

const [path = "", ...configs] = process.argv.slice(2);
/** The clock jumps by so many milliseconds: more than the loader waits between two commits. */
const JUMP = 60_000;
let jumps = 0;

const engine = hostOf({}, { stateInterval: 0 });

const host = hostWith({
  now: () => (jumps += JUMP),
  secrets: engine.secrets,
  engine: (command, edges) => run(command, { ...engine, ...edges }),
  readJson: readJsonFile,
});

const accounts = await accountsOf(configs, host);
const database = await Database.open(path, "write");
await prepare(database, accounts);
const results = await deliverAll(accounts, database, host);
database.close();
for (const text of results.flatMap(({ errors }) => errors)) process.stderr.write(`${text}\n`);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
