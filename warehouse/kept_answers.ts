/**
 * Answers that a report got, kept for the next one in the schema `source_ai_billing`. They stay true while the models stay as they are:
 * each change of a model forgets them in its own transaction.
 */
import type { Database } from "./database.ts";

const ANSWERS = "source_ai_billing.kept_answers";

/** The answers of one page. */
export interface KeptAnswers {
  /** A hash of the tables that are made for each page, and of their definitions. The answers hold for this basis only. */
  readonly basis: string;
  /** Rows of texts as JSON, by a hash of their query. */
  readonly answers: ReadonlyMap<string, string>;
}

/** Belongs into each transaction that changes a model. */
export const forgetAnswers = (database: Database): Promise<void> =>
  database.run(`DROP TABLE IF EXISTS ${ANSWERS}`);

/** The answers that were kept; none if they have another basis. A file that is attached, to be copied, may have answers of its own. */
export async function readAnswers(
  database: Database,
  basis: string,
): Promise<KeptAnswers["answers"]> {
  const found = await database.query(
    `SELECT 1 FROM duckdb_tables()
    WHERE database_name = current_database() AND schema_name = 'source_ai_billing' AND table_name = 'kept_answers'`,
  );
  if (found.length === 0) return new Map();
  const rows = await database.query(`SELECT basis, query, answer FROM ${ANSWERS}`);
  return new Map(
    rows.flatMap(([of, query = "", answer = ""]) => (of === basis ? [[query, answer]] : [])),
  );
}

/** Replaces the answers. */
export const writeAnswers = (database: Database, { basis, answers }: KeptAnswers): Promise<void> =>
  database.transaction(async () => {
    await forgetAnswers(database);
    await database.run(`CREATE TABLE ${ANSWERS} (basis VARCHAR, query VARCHAR, answer VARCHAR)`);
    const rows = [...answers].map(([query, answer]) => [basis, query, answer]);
    await database.insert(ANSWERS, "?, ?, ?", rows);
  });
