/** The layout of a file of `sync`: how this program reads the tables in it that it writes. A file tells its layout by a number. */
import { ConnectorError } from "../src/errors.ts";
import type { Database } from "./database.ts";

/**
 * The newest layout that this version knows. It grows by one with a change after which this version would read a file wrongly, or write
 * rows into it that a newer version reads wrongly. Files without a number are older, and are brought up.
 */
export const LAYOUT = 1;

const TABLE = "source_ai_billing.layout";

/**
 * Makes sure that a file is of no newer layout, and notes the layout of this version in it. Belongs into the transaction of a command
 * that writes, before its first write.
 *
 * @throws ConnectorError `database` if a newer version has written to the file
 */
export async function assertLayout(database: Database): Promise<void> {
  await database.run(
    `CREATE SCHEMA IF NOT EXISTS source_ai_billing; CREATE TABLE IF NOT EXISTS ${TABLE} (number INTEGER)`,
  );
  const [[held = "0"] = []] = await database.query(`SELECT coalesce(max(number), 0) FROM ${TABLE}`);
  const layout = Number(held);
  if (layout > LAYOUT) {
    throw new ConnectorError(
      "database",
      `A newer version of this program has written to the database "${database.path}": its layout is ${layout}, and this version knows ` +
        `none after ${LAYOUT}. Nothing was changed. Install the newer version again, or name another file with --database.`,
    );
  }
  if (layout < LAYOUT) {
    await database.run(`DELETE FROM ${TABLE}; INSERT INTO ${TABLE} VALUES (${LAYOUT})`);
  }
}
