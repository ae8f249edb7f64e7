/**
 * The models of sql/duckdb.sql, made as tables. If they were views over views, DuckDB would plan each query for many seconds. Made as
 * tables, one after the other, all of them take about a second.
 */
import { STREAM_NAMES } from "../src/catalog/stream_names.ts";
import { TABLES } from "./columns.ts";
import type { Database } from "./database.ts";
import { withoutEmpty } from "./empty_models.ts";
import { isOutOfMemory } from "./failures.ts";
import { modelsSql } from "./files.ts";
import { forgetAnswers } from "./kept_answers.ts";
import { noteMade } from "./made.ts";

/** The internal models, which no user queries. They are not kept. */
const INTERNAL = /^ai_billing__/;

/** A model, and the query that makes it. */
export interface Model {
  readonly name: string;
  readonly body: string;
}

/** The statements of sql/duckdb.sql in their order: tables that the user fills, then models. */
function statementsOf(sql: string): {
  readonly inputs: readonly string[];
  readonly models: readonly Model[];
} {
  const [head = "", ...parts] = sql.split(/^create or replace view (\w+) as$/m);
  const names = parts.filter((_, index) => index % 2 === 0);
  return {
    inputs: head.match(/^(create table if not exists|alter table) .*;$/gm) ?? [],
    models: names.map((name, index) => ({ name, body: parts[2 * index + 1] ?? "" })),
  };
}

/** The names of the tables of the inputs. */
export const inputNames = async (): Promise<readonly string[]> =>
  statementsOf(await modelsSql()).inputs.flatMap(
    (statement) => /^create table if not exists (\w+)/.exec(statement)?.[1] ?? [],
  );

/** All models, in the order in which they can be made. */
export const allModels = async (): Promise<readonly Model[]> =>
  statementsOf(await modelsSql()).models;

/** The statements that make the tables of the inputs where they are missing, and columns that tables of older versions lack. */
export const inputTables = async (): Promise<readonly string[]> =>
  statementsOf(await modelsSql()).inputs;

/** The models that people query. */
export const modelNames = async (): Promise<readonly string[]> =>
  statementsOf(await modelsSql())
    .models.map(({ name }) => name)
    .filter((name) => !INTERNAL.test(name));

/** The query of one model. @throws TypeError if there is no such model */
export async function modelQuery(name: string): Promise<string> {
  const found = statementsOf(await modelsSql()).models.find((model) => model.name === name);
  if (found === undefined) throw new TypeError(`there is no model ${name}`);
  return found.body.trim().replace(/;$/, "");
}

/** A line in a compiled view (dbt/compile.py). Before the line stands the code of the steps, after it that of the view itself. */
const BEHIND_STEPS = "\n-- behind the steps\n";

/** The code of a model on the steps under it, which are tables by now. */
export const withoutSteps = (body: string): string => body.split(BEHIND_STEPS).at(-1) ?? body;

/** The query of a model on the models before it, without a semicolon. */
export const queryOf = ({ body }: Model): string => withoutSteps(body).trim().replace(/;$/, "");

/** The tables and models that a model names. */
export const readsOf = ({ body }: Model): ReadonlySet<string> =>
  new Set(
    [...withoutSteps(body).matchAll(/"(\w+)"|\b(ai_billing_\w+|labels)\b/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? "",
    ),
  );

export const isInternal = ({ name }: Model): boolean => INTERNAL.test(name);

/** The number of rows of the raw tables. */
export async function rawRows(database: Database): Promise<number> {
  const counts = STREAM_NAMES.map((name) => `(SELECT count(*) FROM ${TABLES[name].name})`);
  const [[rows = "0"] = []] = await database.query(`SELECT ${counts.join(" + ")}`);
  return Number(rows);
}

/**
 * Does work on the rows of the raw tables. Each thread holds rows of its own, so if several threads need more memory than DuckDB may take,
 * one thread does the work again: it takes more time, and less memory.
 *
 * @param work gets the number of rows, which tells how many threads pay ({@link Database.useThreads}); none for one thread
 */
export async function withinMemory<T>(
  database: Database,
  rows: number,
  work: (rows: number) => Promise<T>,
): Promise<T> {
  try {
    return await work(rows);
  } catch (reason) {
    if (!isOutOfMemory(reason)) throw reason;
    await database.useThreads(0);
    return await work(0);
  }
}

/** Makes models from the models before them. An internal model becomes a temporary table, which {@link dropInternal} drops. */
export async function makeTables(database: Database, models: readonly Model[]): Promise<void> {
  for (const { name, body } of models) {
    const kind = INTERNAL.test(name) ? "TEMP TABLE" : "TABLE";
    await database.run(`CREATE OR REPLACE ${kind} ${name} AS ${withoutSteps(body)}`);
  }
}

/** Some of the models, and the internal ones under them. */
function withStepsUnder(models: readonly Model[], names: readonly string[]): readonly Model[] {
  const needed = new Set(names);
  for (const model of models.toReversed()) {
    if (!needed.has(model.name)) continue;
    for (const read of readsOf(model)) if (INTERNAL.test(read)) needed.add(read);
  }
  return models.filter(({ name }) => needed.has(name));
}

/**
 * The internal models that follow from no model that people query. They are made before the transaction: for a table that
 * the same transaction has made, DuckDB assumes 0 rows, and then joins in the wrong order.
 */
function stepsBelow(models: readonly Model[]): readonly Model[] {
  const others = new Set<string>();
  return models.filter((model) => {
    const isBelow = isInternal(model) && ![...readsOf(model)].some((read) => others.has(read));
    if (!isBelow) others.add(model.name);
    return isBelow;
  });
}

/** Further work at the end of the transaction that makes all models, and the internal models that this work reads. */
interface AtEnd {
  readonly reads: (database: Database) => Promise<readonly string[]>;
  readonly run: (database: Database) => Promise<void>;
}

/**
 * Makes all models that people query, from the tables of the streams and the inputs, in one transaction. The rows of inputs stay. Of the
 * internal models it makes those that another one reads: without a closed month no model reads the steps of the books, for example.
 */
export async function makeAllModels(database: Database, atEnd?: AtEnd): Promise<void> {
  await withinMemory(database, await rawRows(database), async (rows) => {
    await database.useThreads(rows);
    await makeAll(database, atEnd);
  });
}

async function makeAll(database: Database, atEnd: AtEnd | undefined): Promise<void> {
  const { inputs, models } = statementsOf(await modelsSql());
  const names = models.filter((model) => !isInternal(model)).map(({ name }) => name);
  for (const input of inputs) await database.run(input);
  const all = await withoutEmpty(database, models);
  const made = withStepsUnder(all, [...names, ...((await atEnd?.reads(database)) ?? [])]);
  const first = stepsBelow(made);
  await makeTables(database, first);
  await database.transaction(async () => {
    await forgetAnswers(database);
    await noteMade(database, names);
    await makeTables(
      database,
      made.filter((model) => !first.includes(model)),
    );
    await atEnd?.run(database);
  });
  await dropInternal(
    database,
    made.map(({ name }) => name),
  );
}

/**
 * Lets a database make a model when a statement first names it; the models that this model reads are made before. The raw tables
 * and the inputs must be there, and stay as they are. This is for a report of a copy, which reads half of the models, once.
 */
export async function makeOnDemand(database: Database): Promise<void> {
  await database.useThreads(await rawRows(database));
  const models = await withoutEmpty(database, await allModels());
  const missing = new Map(models.map((model) => [model.name, model]));
  database.provideTables(async (sql) => {
    for (const [word] of sql.replaceAll(/--.*$/gm, "").matchAll(/\w+/g)) {
      const model = missing.get(word);
      if (model === undefined) continue;
      // The statement that makes the model names the model, too.
      missing.delete(word);
      await makeTables(database, [model]);
    }
  });
}

/**
 * Makes some models again, and before them the internal models that they need. The public models that they read must be there. Belongs
 * into a transaction of its caller. Gives the names of all that it made.
 */
export async function makeModels(
  database: Database,
  names: readonly string[],
): Promise<readonly string[]> {
  const chosen = withStepsUnder(await allModels(), names);
  await forgetAnswers(database);
  await noteMade(
    database,
    chosen.filter((model) => !isInternal(model)).map(({ name }) => name),
  );
  await makeTables(database, chosen);
  return chosen.map(({ name }) => name);
}

/** Drops the internal models among these. */
export async function dropInternal(database: Database, names: readonly string[]): Promise<void> {
  for (const name of new Set(names)) {
    if (INTERNAL.test(name)) await database.run(`DROP TABLE temp.${name}`);
  }
}
