/** One run of the engine into the database. */
import type { CatalogStream } from "../src/protocol.ts";
import type { Database } from "./database.ts";
import type { EngineEdges, WarehouseHost } from "./host.ts";
import { Loader } from "./loader.ts";
import type { Account } from "./accounts.ts";
import { storedStates } from "./store.ts";

/** The result of a run. */
export interface Delivery {
  /** Whether every stream was read to its end. */
  readonly ok: boolean;
  readonly loader: Loader;
  /** The streams that the provider offers. */
  readonly streams: readonly string[];
  /** Facts about the provider and its data that no one needs to mend. */
  readonly notices: readonly string[];
  readonly errors: readonly string[];
}

/** The catalog of `discover`, and the facts that it logs about the provider. */
async function discover(
  config: string,
  readJson: EngineEdges["readJson"],
  host: WarehouseHost,
  told: Told,
): Promise<{ readonly offered: readonly CatalogStream[]; readonly notices: readonly string[] }> {
  const command = { kind: "discover", config, writeConfig: true, debug: false } as const;
  let offered: readonly CatalogStream[] = [];
  const notices: string[] = [];
  for await (const output of host.engine(command, { readJson })) {
    if (output.type === "CATALOG") offered = output.catalog.streams;
    if (output.type !== "LOG") continue;
    const { level, message } = output.log;
    if (level === "INFO") notices.push(message);
    if (level === "WARN") told.warn(message);
  }
  return { offered, notices };
}

/** Shows warnings as they come, because a person waits meanwhile. `read` repeats the warnings of `discover`, which are shown once. */
class Told {
  readonly #note: (text: string) => void;
  readonly #known = new Set<string>();

  constructor(note: (text: string) => void) {
    this.#note = note;
  }

  warn(text: string): void {
    if (this.#known.has(text)) return;
    this.#known.add(text);
    this.#note(text);
  }
}

/** The input of `read`: all streams on offer, from the states in the database. */
async function inputOf(
  account: Account,
  database: Database,
  host: WarehouseHost,
  told: Told,
): Promise<{
  readonly streams: readonly string[];
  readonly notices: readonly string[];
  readonly readJson: EngineEdges["readJson"];
}> {
  const { path: config, entry } = account;
  const read: EngineEdges["readJson"] = async (path, what) =>
    entry === undefined || what !== "config" ? await host.readJson(path, what) : entry;
  const { offered, notices } = await discover(config, read, host, told);
  const streams = offered.map(({ name }) => name);
  if (!streams.includes("costs")) {
    told.warn("The provider offers no costs for this account: the database has usage only.");
  }
  const catalog = { streams: offered.map((stream) => ({ stream, sync_mode: "incremental" })) };
  const states = await storedStates(database, account);
  const readJson: EngineEdges["readJson"] = async (path, what) => {
    if (what === "catalog") return catalog;
    return what === "state" ? states : await read(path, what);
  };
  return { streams, notices, readJson };
}

/**
 * Reads all streams of an account into the database. Rows that came before a failure are committed, so that the next run goes on from
 * there.
 *
 * @param database a connection of this run alone
 * @throws ConnectorError the errors of `read`, and `database`
 */
export async function deliver(
  account: Account,
  database: Database,
  host: WarehouseHost,
): Promise<Delivery> {
  const progress = host.watch();
  const told = new Told((text) => progress.note(text));
  try {
    const { readJson, ...found } = await inputOf(account, database, host, told);
    const loader = new Loader(database, account, host.now);
    const command = {
      kind: "read",
      config: account.path,
      catalog: "",
      state: "",
      writeConfig: true,
      debug: false,
    } as const;
    const onProgress: EngineEdges["onProgress"] = (event) => progress.told(event);
    const outputs = host.engine(command, { readJson, onProgress });
    const errors: string[] = [];
    let ok = false;
    try {
      for (;;) {
        const { value, done } = await outputs.next();
        if (done === true) {
          ok = value;
          break;
        }
        if (value.type === "LOG" && value.log.level === "WARN") told.warn(value.log.message);
        else progress.saw(value);
        if (value.type === "RECORD_LINES")
          await loader.stage(value.stream, value.bytes, value.count);
        else if (value.type === "STATE") await loader.take(value);
        else if (value.type === "TRACE" && value.trace.type === "ERROR")
          errors.push(value.trace.error.message);
      }
    } finally {
      await outputs.return(false);
      await loader.commit();
    }
    return { ok, loader, ...found, errors };
  } finally {
    progress.end();
  }
}
