/** `sync`: reads all streams into a DuckDB file, writes the report, and says what came of it; once, or again and again. */
import { allOf } from "../src/all_of.ts";
import { ConnectorError } from "../src/errors.ts";
import { type Account, accountsOf, type Owner } from "./accounts.ts";
import { type Change, storeBills } from "./bills.ts";
import { literal } from "./columns.ts";
import { Database } from "./database.ts";
import { proofs } from "./figures.ts";
import { isOpenElsewhere } from "./failures.ts";
import { findingsOf } from "./findings.ts";
import type { WarehouseHost } from "./host.ts";
import {
  type InputFiles,
  type InputRows,
  readInputs,
  storeFiscalYear,
  storeInputs,
  warnOfBudgets,
} from "./inputs.ts";
import { Notices } from "./notices.ts";
import { Answers } from "./report/answers.ts";
import { reportData, screensOf } from "./report/data.ts";
import { overviewsOf } from "./report/overview.ts";
import { assertMayWrite, writeReport } from "./report/write.ts";
import { inputTables } from "./models.ts";
import { refreshModels } from "./refresh.ts";
import { reportingOf, storeCurrency } from "./reporting.ts";
import { notedAccounts, prepare, RESETTABLE, resetStates, type ResettableStream } from "./store.ts";
import { deliverAll, type Result } from "./several.ts";
import { paintFor } from "./text.ts";
import { unusables, warnOfUnusables } from "./unusable.ts";
import { foldVersions } from "./versions.ts";
import { type Bill, type Summary, summaryLines, type StreamSummary } from "./summary.ts";

export interface SyncOptions {
  /** The configs, each of one account or of several. */
  readonly configs: readonly string[];
  /** The names of the accounts to read; all of the configs if empty. */
  readonly only: readonly string[];
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
  /** The reporting currency, which stays in the database; absent for that of an earlier sync. */
  readonly currency: string | undefined;
  /** The first month of the fiscal year, `1` to `12`, which stays in the database; absent for that of an earlier sync. */
  readonly fiscalYearStart: string | undefined;
  /** Bytes that DuckDB may take; absent for a part of what the process may have. */
  readonly memory: number | undefined;
}

/** The longest wait of the clock, in milliseconds. */
const LONGEST_SLEEP = 3_600_000;

/**
 * With `every`, another process may have the file when a sync begins: a `query`, or a program that shows it. A sync tries to open it so
 * often, with so many milliseconds between two tries.
 */
const TRIES = 30;
const BETWEEN_TRIES = 2000;

/**
 * Syncs once, or until the process is stopped.
 *
 * @returns whether everything was read
 * @throws ConnectorError the errors of `read`, and `database`. With `every`, an error that may pass is only told: also that another
 *   process has the file, so that a program that shows it does not end all syncs to come.
 */
export async function sync(options: SyncOptions, host: WarehouseHost): Promise<boolean> {
  const notices = Notices.of(options.configs, host);
  // Checked once: a folder that is gone for an hour does not end all syncs to come.
  const mayWrite =
    options.report === undefined ? undefined : assertMayWrite(options.report, "--report");
  const once = { notices, mayWrite };
  if (options.every === undefined) return await syncOnce(options, host, once);
  let reset = options.reset;
  for (;;) {
    const next = host.now() + options.every;
    try {
      await syncOnce({ ...options, reset }, host, once);
      reset = [];
    } catch (reason) {
      const error = ConnectorError.from(reason);
      const mayPass = error.failureType !== "config_error" || isOpenElsewhere(error);
      if (error.code === "aborted" || !mayPass) throw error;
      if (options.json) await host.say(error.toJson());
      host.warn(error.message);
    }
    for (let rest = next - host.now(); rest > 0; rest = next - host.now()) {
      await host.sleep(Math.min(rest, LONGEST_SLEEP));
    }
  }
}

/** The accounts of the configs that the line asks for. @throws ConnectorError `invalid_arguments` for a name that none has */
function chosenOf(accounts: readonly Account[], only: readonly string[]): readonly Account[] {
  const unknown = only.filter((name) => !accounts.some((account) => account.name === name));
  if (unknown.length > 0) {
    throw new ConnectorError(
      "invalid_arguments",
      `--only names ${unknown.map((name) => `"${name}"`).join(", ")}, and the accounts are ` +
        `${accounts.map(({ name }) => `"${name}"`).join(", ")}.`,
    );
  }
  return only.length === 0 ? accounts : accounts.filter(({ name }) => only.includes(name));
}

/** Steps that are done once for all syncs of a process. Their faults are named with those of the other files. */
interface Once {
  readonly notices: Promise<Notices | undefined>;
  readonly mayWrite: Promise<void> | undefined;
}

async function syncOnce(options: SyncOptions, host: WarehouseHost, once: Once): Promise<boolean> {
  const summary = await summaryOfSync(options, host, once).catch(async (reason: unknown) => {
    const error = ConnectorError.from(reason);
    // A person who stops a sync, or writes a wrong line, knows of it.
    const isKnown = error.code === "aborted" || error.code === "invalid_arguments";
    const notices = await once.notices.catch(() => undefined);
    if (!isKnown) await notices?.tellFailure(options.database, error);
    throw error;
  });
  // Said when the database is closed, so that a reader of the summary can open it.
  await host.say(
    options.json
      ? `${JSON.stringify(summary)}\n`
      : `${summaryLines(summary, paintFor(host.hasColors)).join("\n")}\n`,
  );
  return summary.ok;
}

async function summaryOfSync(
  options: SyncOptions,
  host: WarehouseHost,
  { notices, mayWrite }: Once,
): Promise<Summary> {
  const [accounts, inputs, told] = await allOf([
    accountsOf(options.configs, host),
    readInputs(options.inputs),
    notices,
    mayWrite,
  ]);
  const chosen = chosenOf(accounts, options.only);
  const database = await opened(options, host);
  try {
    await database.lock();
    await prepare(database, accounts);
    for (const account of chosen) await resetStates(database, account, options.reset);
    await storeGiven(database, inputs, options);
    const results = await deliverAll(chosen, database, host);
    for (const text of errorsOf(results)) host.warn(text);
    for (const stream of RESETTABLE) {
      const isWritten = results.some(
        ({ delivery }) => (delivery?.loader.counts(stream).read ?? 0) > 0,
      );
      if (isWritten) await foldVersions(database, stream);
    }
    await refreshModels(database);
    const answers = await Answers.of(database);
    await warnOfBudgets(answers, host.warn);
    const unusable = await unusables(answers);
    warnOfUnusables(unusable, host.warn);
    const screens = await screensOf(answers);
    if (options.report !== undefined) {
      const data = await reportData(answers, screens, "source-ai-billing sync");
      await writeReport(options.report, data);
    }
    const summary: Summary = {
      ok: results.every(({ ok }) => ok),
      accounts: results.map(endOf),
      streams: await streamsOf(results, database),
      currencies: await overviewsOf(answers, screens),
      reporting: await reportingOf(answers),
      bills: inOrder(await storeBills(database, answers), await notedAccounts(database)),
      proofs: await proofs(database),
      unusable,
      findings: await findingsOf(answers),
      notices: noticesOf(results),
      report: options.report ?? null,
      database: options.database,
    };
    await answers.keep();
    await told?.tell(database, summary);
    return summary;
  } finally {
    database.close();
  }
}

/** Opens the database. With `every` it waits a minute for another process to close it. */
async function opened(
  { database, memory, every }: SyncOptions,
  host: WarehouseHost,
): Promise<Database> {
  for (let left = every === undefined ? 1 : TRIES; ; left -= 1) {
    try {
      return await Database.open(database, "write", memory);
    } catch (reason) {
      if (left === 1 || !isOpenElsewhere(reason)) throw reason;
      if (left === TRIES) {
        host.warn(
          `${ConnectorError.from(reason).message} This sync tries to open it for a minute.`,
        );
      }
    }
    await host.sleep(BETWEEN_TRIES);
  }
}

/** The end of the sync of one account. */
const endOf = ({ account, ok, errors }: Result): Summary["accounts"][number] => {
  const { name, base_url } = account;
  return { name, base_url, account: account.account, ok, errors };
};

/** Stores what the line gives besides the accounts, at once. */
async function storeGiven(
  database: Database,
  inputs: InputRows,
  { currency, fiscalYearStart }: SyncOptions,
): Promise<void> {
  for (const table of await inputTables()) await database.run(table);
  await database.transaction(async () => {
    await storeInputs(database, inputs);
    await storeCurrency(database, currency);
    await storeFiscalYear(database, fiscalYearStart);
  });
}

/** The errors of all accounts; with their names if there are several. */
const errorsOf = (results: readonly Result[]): readonly string[] =>
  results.flatMap(({ account, errors }) =>
    errors.map((text) => (results.length === 1 ? text : `${account.name}: ${text}`)),
  );

/** The notices of all accounts; with their names if there are several. */
const noticesOf = (results: readonly Result[]): readonly string[] =>
  results.flatMap(({ account, delivery }) =>
    (delivery?.notices ?? []).map((notice) =>
      results.length === 1 ? notice : `${account.name}: ${notice}`,
    ),
  );

/** Bills with the names of their accounts: the newest period first, and in it the accounts in their order. */
function inOrder(bills: readonly Change[], accounts: readonly Owner[]): readonly Bill[] {
  const placeOf = ({ name }: Bill): number => accounts.findIndex((each) => each.name === name);
  return bills
    .map((bill) => ({ ...bill, name: nameOf(bill, accounts) }))
    .toSorted((a, b) => b.month.localeCompare(a.month) || placeOf(a) - placeOf(b));
}

/** The name of the account of a bill. If the config has no label, the label of the bill may be the id that the provider gives. */
function nameOf({ base_url, account }: Change, accounts: readonly Owner[]): string {
  const there = accounts.filter((each) => each.base_url === base_url);
  const found =
    there.find((each) => each.account === account) ?? there.find((each) => each.account === "");
  return found?.name ?? (account === "" ? base_url : account);
}

async function streamsOf(
  results: readonly Result[],
  database: Database,
): Promise<readonly StreamSummary[]> {
  const all: StreamSummary[] = [];
  for (const { account, delivery } of results) {
    const states = await positions(database, account);
    for (const name of delivery?.streams ?? []) {
      if (delivery === undefined || (name !== "usage" && name !== "costs")) continue;
      const position = states.get(name) ?? null;
      all.push({ account: account.name, name, ...delivery.loader.counts(name), position });
    }
  }
  return all;
}

/** The position of each stream that has one: everything before it was read. */
async function positions(
  database: Database,
  { base_url, account }: Account,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const row of await database.query(`
    SELECT stream, state ->> '$.stream.stream_state.position' FROM source_ai_billing.states
    WHERE base_url = ${literal(base_url)} AND account = ${literal(account)}`)) {
    const [stream = "", position = "null"] = row;
    if (position !== "null") found.set(stream, position);
  }
  return found;
}
