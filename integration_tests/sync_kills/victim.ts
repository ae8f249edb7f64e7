/**
 * The delivery of `sync` as a process to be killed: `victim.ts CONFIG DATABASE`. Its clock jumps, so that the loader commits
 * at every STATE, and the engine gives a STATE after every page. So every kind of instant is within reach of a kill.
 */
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { openTransport, run, TRANSPORT_LIMITS } from "../../src/connector.ts";
import { readJsonFile } from "../../src/config/json_file.ts";
import { Secrets } from "../../src/secrets.ts";
import { Database } from "../../warehouse/database.ts";
import { deliver } from "../../warehouse/delivery.ts";
import type { WarehouseHost } from "../../warehouse/host.ts";
import { prepare } from "../../warehouse/store.ts";

const [config = "", path = ""] = process.argv.slice(2);
const stop = new AbortController().signal;
const secrets = new Secrets();
/** More than the loader waits between two commits. */
const JUMP = 60_000;
let jumps = 0;

const clock = {
  now: () => Date.now(),
  sleep: async (ms: number): Promise<void> => {
    await sleep(ms);
  },
};

const host: WarehouseHost = {
  now: () => (jumps += JUMP),
  sleep: (ms) => clock.sleep(ms),
  secrets,
  engine: (command, edges) =>
    run(command, {
      version: "0.0.0",
      clock,
      random: Math.random,
      nextTurn: () => setImmediate(),
      stop,
      secrets,
      configFile: { write: async () => undefined, assertWritable: async () => undefined },
      openTransport: (connections) =>
        openTransport({ limits: TRANSPORT_LIMITS, connections, proxies: {} }),
      stateInterval: 0,
      ...edges,
    }),
  readJson: readJsonFile,
  say: async () => undefined,
  warn: () => undefined,
  watch: undefined,
  ask: undefined,
  databaseUrl: undefined,
  readInput: async () => "",
};

const database = await Database.open(path, "write");
await prepare(database, { base_url: "", account: "", granularity: "" });
const { ok, errors } = await deliver(config, database, host);
database.close();
for (const text of errors) process.stderr.write(`${text}\n`);
process.exitCode = ok ? 0 : 1;
