/**
 * The delivery of `sync` as a process to be killed: `victim.ts CONFIG DATABASE`. Its clock jumps, so that the loader commits
 * at every STATE, and the engine gives a STATE after every page. So every kind of instant is within reach of a kill.
 */
import { run } from "../../src/connector.ts";
import { parseConfig } from "../../src/config/config.ts";
import { readJsonFile } from "../../src/config/json_file.ts";
import { hostOf } from "../../src/testing_host.ts";
import { Database } from "../../warehouse/database.ts";
import { deliver } from "../../warehouse/delivery.ts";
import { prepare } from "../../warehouse/store.ts";
import { hostWith } from "../../warehouse/testing.ts";

const [config = "", path = ""] = process.argv.slice(2);
/** More than the loader waits between two commits. */
const JUMP = 60_000;
let jumps = 0;

const engine = hostOf({}, { stateInterval: 0 });

const host = hostWith({
  now: () => (jumps += JUMP),
  secrets: engine.secrets,
  engine: (command, edges) => run(command, { ...engine, ...edges }),
  readJson: readJsonFile,
});

const database = await Database.open(path, "write");
const { baseUrl, account = "", granularity } = parseConfig(await readJsonFile(config, "config"));
await prepare(database, { base_url: baseUrl, account, granularity });
const { ok, errors } = await deliver(config, database, host);
database.close();
for (const text of errors) process.stderr.write(`${text}\n`);
process.exitCode = ok ? 0 : 1;
