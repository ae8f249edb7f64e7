/**
 * `report`: the report of any DuckDB file or PostgreSQL database that holds the raw tables. It writes nothing there. The models of a
 * file of `sync` are read as they are; of another database they are made of a copy.
 */
import { allOf } from "../src/all_of.ts";
import { Database } from "./database.ts";
import type { WarehouseHost } from "./host.ts";
import {
  type InputFiles,
  type InputRows,
  readInputs,
  storeFiscalYear,
  storeInputs,
  warnOfBudgets,
} from "./inputs.ts";
import { makeOnDemand } from "./models.ts";
import { connectionString, copyFromPostgres } from "./postgres.ts";
import { isPostgres, passwordsIn } from "./postgres_address.ts";
import { copyFromDuckDB } from "./raw_tables.ts";
import { storeCurrency } from "./reporting.ts";
import { hasFreshModels } from "./refresh.ts";
import { Answers } from "./report/answers.ts";
import { reportData, screensOf } from "./report/data.ts";
import { unusables, warnOfUnusables } from "./unusable.ts";
import { assertMayWrite, writeReport } from "./report/write.ts";

export interface ReportOptions {
  /** A DuckDB file, or the address of a PostgreSQL database. */
  readonly database: string;
  /** The schema of the raw tables; absent for the usual one. */
  readonly schema: string | undefined;
  /** The file to write. */
  readonly out: string;
  readonly inputs: InputFiles;
  /** The reporting currency; absent for that of the database. */
  readonly currency: string | undefined;
  /** The first month of the fiscal year, `1` to `12`; absent for that in the database. */
  readonly fiscalYearStart: string | undefined;
  /** Bytes that DuckDB may take; absent for a part of what the process may have. */
  readonly memory: number | undefined;
}

/** @throws ConnectorError `database`, `invalid_arguments` */
export async function report(options: ReportOptions, host: WarehouseHost): Promise<void> {
  const [, inputs] = await allOf([
    assertMayWrite(options.out, "--out"),
    readInputs(options.inputs),
  ]);
  const database = (await freshBooks(options)) ?? (await copied(options, inputs, host));
  try {
    const answers = await Answers.of(database);
    await warnOfBudgets(answers, host.warn);
    warnOfUnusables(await unusables(answers), host.warn);
    const screens = await screensOf(answers);
    await writeReport(options.out, await reportData(answers, screens, "source-ai-billing report"));
  } finally {
    database.close();
  }
  await host.say(`${options.out} is written.\n`);
}

/** The file of a sync, open for reading; undefined unless its models are up to date and fit the options. */
async function freshBooks(options: ReportOptions): Promise<Database | undefined> {
  const { database: path, schema, inputs, currency, fiscalYearStart, memory } = options;
  const asksForOthers = [schema, currency, fiscalYearStart, ...Object.values(inputs)].some(
    (value) => value !== undefined,
  );
  if (isPostgres(path) || asksForOthers) return undefined;
  const database = await Database.open(path, "read", memory);
  let isFresh = false;
  try {
    await database.lock();
    isFresh = await hasFreshModels(database);
  } finally {
    if (!isFresh) database.close();
  }
  return isFresh ? database : undefined;
}

/** A copy of the raw tables, with the inputs. It makes the models that the report reads. */
async function copied(
  options: ReportOptions,
  inputs: InputRows,
  host: WarehouseHost,
): Promise<Database> {
  const database = await copyOf(options, host);
  try {
    await storeInputs(database, inputs);
    await storeCurrency(database, options.currency);
    await storeFiscalYear(database, options.fiscalYearStart);
    await makeOnDemand(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

async function copyOf(
  { database, schema, memory }: ReportOptions,
  host: WarehouseHost,
): Promise<Database> {
  if (isPostgres(database)) {
    const address = connectionString(database, host.databaseUrl);
    host.secrets.add(passwordsIn(address ?? ""));
    return await copyFromPostgres(address, schema, memory);
  }
  // The file is opened by itself first, so that its errors get their words: DuckDB allows no database in memory beside a file that is
  // only read.
  (await Database.open(database, "read")).close();
  const copy = await Database.inMemory(memory);
  try {
    await copyFromDuckDB(copy, database, schema ?? "main");
    return copy;
  } catch (error) {
    copy.close();
    throw error;
  }
}
