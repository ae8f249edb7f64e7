/** One run of the engine into the database. */
import type { CatalogStream, Message } from "../src/protocol.ts";
import type { Database } from "./database.ts";
import type { EngineEdges, WarehouseHost } from "./host.ts";
import { Loader } from "./loader.ts";
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
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
}

/** The catalog of `discover`, and the facts that it logs about the provider. Its warnings come again in `read`. */
async function discover(
  config: string,
  host: WarehouseHost,
): Promise<{ readonly offered: readonly CatalogStream[]; readonly notices: readonly string[] }> {
  const command = { kind: "discover", config, writeConfig: true, debug: false } as const;
  let offered: readonly CatalogStream[] = [];
  const notices: string[] = [];
  for await (const output of host.engine(command, { readJson: host.readJson })) {
    if (output.type === "CATALOG") offered = output.catalog.streams;
    if (output.type === "LOG" && output.log.level === "INFO") notices.push(output.log.message);
  }
  return { offered, notices };
}

/** The warning for an account without costs; none for another one. */
const missingCosts = (streams: readonly string[]): readonly string[] =>
  streams.includes("costs")
    ? []
    : ["The provider offers no costs for this account: the database has usage only."];

/** The input of `read`: all streams on offer, from the states in the database. */
async function inputOf(
  config: string,
  database: Database,
  host: WarehouseHost,
): Promise<{
  readonly streams: readonly string[];
  readonly notices: readonly string[];
  readonly readJson: EngineEdges["readJson"];
}> {
  const { offered, notices } = await discover(config, host);
  const catalog = { streams: offered.map((stream) => ({ stream, sync_mode: "incremental" })) };
  const states = await storedStates(database);
  const readJson: EngineEdges["readJson"] = async (path, what) => {
    if (what === "catalog") return catalog;
    return what === "state" ? states : await host.readJson(path, what);
  };
  return { streams: offered.map(({ name }) => name), notices, readJson };
}

/**
 * Reads all streams into the database. Rows that came before a failure are committed, so that the next run goes on from there.
 *
 * @throws ConnectorError the errors of `read`, and `database`
 */
export async function deliver(
  config: string,
  database: Database,
  host: WarehouseHost,
): Promise<Delivery> {
  const { streams, notices, readJson } = await inputOf(config, database, host);
  const loader = new Loader(database, host.now);
  await loader.begin();
  const notes: Notes = { warnings: [...missingCosts(streams)], errors: [] };
  const progress = host.watch?.();
  const command = {
    kind: "read",
    config,
    catalog: "",
    state: "",
    writeConfig: true,
    debug: false,
  } as const;
  const outputs = host.engine(command, { readJson, onProgress: (event) => progress?.told(event) });
  let ok = false;
  try {
    for (;;) {
      const { value, done } = await outputs.next();
      if (done === true) {
        ok = value;
        break;
      }
      progress?.saw(value);
      if (value.type === "RECORD_LINES") await loader.stage(value.stream, value.bytes, value.count);
      else if (value.type === "STATE") await loader.take(value);
      else note(value, notes);
    }
  } finally {
    await outputs.return(false);
    progress?.end();
    await loader.commit();
  }
  return { ok, loader, streams, notices, ...notes };
}

interface Notes {
  readonly warnings: string[];
  readonly errors: string[];
}

function note(message: Message, { warnings, errors }: Notes): void {
  if (message.type === "LOG" && message.log.level === "WARN") warnings.push(message.log.message);
  if (message.type === "TRACE" && message.trace.type === "ERROR") {
    errors.push(message.trace.error.message);
  }
}
