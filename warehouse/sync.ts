/** `sync`: reads all streams into a DuckDB file, writes the report, and says what came of it; once, or again and again. */
import { parseConfig, secretsOf } from "../src/config/config.ts";
import { ConnectorError } from "../src/errors.ts";
import { storeBills } from "./bills.ts";
import { Database } from "./database.ts";
import { deliver } from "./delivery.ts";
import { proofs } from "./figures.ts";
import type { WarehouseHost } from "./host.ts";
import { type InputFiles, readInputs, storeInputs, warnOfBudgets } from "./inputs.ts";
import { reportData, screensOf } from "./report/data.ts";
import { overviewsOf } from "./report/overview.ts";
import { assertMayWrite, writeReport } from "./report/write.ts";
import { inputTables, refreshModels } from "./models.ts";
import { type Owner, prepare, RESETTABLE, resetStates, type ResettableStream } from "./store.ts";
import { paintFor } from "./text.ts";
import { unusables, warnOfUnusables } from "./unusable.ts";
import { foldVersions } from "./versions.ts";
import { type Summary, summaryLines, type StreamSummary } from "./summary.ts";

export interface SyncOptions {
  readonly config: string;
  readonly database: string;
  /** The file of the report; absent for none. */
  readonly report: string | undefined;
  /** Milliseconds from the beginning of a sync to that of the next one; absent for one sync. */
  readonly every: number | undefined;
  readonly json: boolean;
  /** The streams that the first sync reads from the beginning. */
  readonly reset: readonly ResettableStream[];
  /** The CSV files of the inputs. Their rows stay in the database until another file replaces them. */
  readonly inputs: InputFiles;
  /** Bytes that DuckDB may take; absent for a part of what the process may have. */
  readonly memory: number | undefined;
}

/** The longest wait of the clock, in milliseconds. */
const LONGEST_SLEEP = 3_600_000;

/**
 * Syncs once, or until the process is stopped.
 *
 * @returns whether everything was read
 * @throws ConnectorError the errors of `read`, and `database`. With `every`, an error that may pass is only told.
 */
export async function sync(options: SyncOptions, host: WarehouseHost): Promise<boolean> {
  if (options.report !== undefined) await assertMayWrite(options.report, "--report");
  if (options.every === undefined) return await syncOnce(options, host);
  let reset = options.reset;
  for (;;) {
    const next = host.now() + options.every;
    try {
      await syncOnce({ ...options, reset }, host);
      reset = [];
    } catch (reason) {
      const error = ConnectorError.from(reason);
      if (error.code === "aborted" || error.failureType === "config_error") throw error;
      if (options.json) await host.say(error.toJson());
      host.warn(error.message);
    }
    for (let rest = next - host.now(); rest > 0; rest = next - host.now()) {
      await host.sleep(Math.min(rest, LONGEST_SLEEP));
    }
  }
}

async function ownerOf(path: string, host: WarehouseHost): Promise<Owner> {
  const file = await host.readJson(path, "config");
  host.secrets.add(secretsOf(file));
  const { baseUrl, account = "", granularity } = parseConfig(file);
  return { base_url: baseUrl, account, granularity };
}

async function syncOnce(options: SyncOptions, host: WarehouseHost): Promise<boolean> {
  const summary = await summaryOfSync(options, host);
  // Said when the database is closed, so that a reader of the summary can open it.
  await host.say(
    options.json
      ? `${JSON.stringify(summary)}\n`
      : `${summaryLines(summary, paintFor(host.hasColors)).join("\n")}\n`,
  );
  return summary.ok;
}

async function summaryOfSync(options: SyncOptions, host: WarehouseHost): Promise<Summary> {
  const owner = await ownerOf(options.config, host);
  const inputs = await readInputs(options.inputs);
  const database = await Database.open(options.database, "write", options.memory);
  try {
    await database.lock();
    await prepare(database, owner);
    await resetStates(database, options.reset);
    for (const table of await inputTables()) await database.run(table);
    await database.transaction(() => storeInputs(database, inputs));
    const delivery = await deliver(options.config, database, host);
    for (const text of delivery.errors) host.warn(text);
    for (const stream of RESETTABLE) {
      if (delivery.loader.counts(stream).read > 0) await foldVersions(database, stream);
    }
    await refreshModels(database);
    await warnOfBudgets(database, host.warn);
    const unusable = await unusables(database);
    warnOfUnusables(unusable, host.warn);
    const bills = await storeBills(database);
    const states = await positions(database);
    const streams = delivery.streams.flatMap((name): StreamSummary[] =>
      name === "usage" || name === "costs"
        ? [{ name, ...delivery.loader.counts(name), position: states.get(name) ?? null }]
        : [],
    );
    const screens = await screensOf(database);
    if (options.report !== undefined) {
      const data = await reportData(database, screens, "source-ai-billing sync");
      await writeReport(options.report, data);
    }
    return {
      ok: delivery.ok,
      streams,
      currencies: await overviewsOf(database, screens),
      bills,
      proofs: await proofs(database),
      unusable,
      notices: delivery.notices,
      report: options.report ?? null,
      database: options.database,
    };
  } finally {
    database.close();
  }
}

/** The position of each stream that has one: everything before it was read. */
async function positions(database: Database): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const row of await database.query(`
    SELECT stream, state ->> '$.stream.stream_state.position' FROM source_ai_billing.states`)) {
    const [stream = "", position = "null"] = row;
    if (position !== "null") found.set(stream, position);
  }
  return found;
}
