/** For tests: the verdict of the real models on all that a connection has written. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asWhole, openEmpty } from "../warehouse/testing_refresh.ts";
import type { Connection } from "./connection.ts";
import type { StreamName, Version } from "./records.ts";

/** The verdict of the model `completeness` on a day. */
export interface Verdict {
  readonly day: string;
  readonly status: string;
  /** Why the day is not proven; null if it is. */
  readonly why: string | null;
  readonly rows: string | null;
}

/** The instant at which all rows come: the models read it only to tell rows of one key apart. */
const LOADED_AT = "2026-06-01T00:00:00Z";

/** A row without the members that the interface does not name, which tables have no columns for. */
function rowOf({ text, extra }: Version, readingId: string): string {
  const row = new Map<string, unknown>(Object.entries(JSON.parse(text)));
  const more: object = JSON.parse(`{${extra}}`);
  for (const name of Object.keys(more)) row.delete(name);
  row.set("x_ReadingId", readingId).set("_airbyte_extracted_at", LOADED_AT);
  return JSON.stringify(Object.fromEntries(row));
}

/** The verdicts on all days of a stream, by day, of a table that only grows, or of one that keeps the newest row of each key. */
export async function verdictsOf(
  { warehouse }: Pick<Connection, "warehouse">,
  stream: StreamName,
  form: "append" | "dedup" = "append",
): Promise<ReadonlyMap<string, Verdict>> {
  const kept =
    form === "append" ? warehouse.appended : [...warehouse.deduplicated[stream].values()];
  const rows = kept
    .filter(({ version }) => version.record.stream === stream)
    .map(({ version, readingId }) => rowOf(version, readingId));
  const reports = warehouse.reports.map((row) =>
    JSON.stringify({ ...row, _airbyte_extracted_at: LOADED_AT }),
  );
  const { database, remove } = await openEmpty("x");
  const folder = await mkdtemp(join(tmpdir(), "verdicts-"));
  try {
    for (const [table, lines] of [
      [stream, rows],
      ["export_windows", reports],
    ] as const) {
      const file = join(folder, `${table}.json`);
      await writeFile(file, lines.map((line) => `${line}\n`).join(""));
      if (lines.length > 0)
        await database.run(
          `INSERT INTO ${table} BY NAME SELECT * FROM read_json_auto('${file}', format = 'newline_delimited', sample_size = -1)`,
        );
    }
    // The view `completeness` is this step of each dataset.
    const model = `ai_billing__completeness_${stream}`;
    const sql = `SELECT day::VARCHAR, status, why, current_rows::VARCHAR FROM temp.${model}`;
    const found = await asWhole(database, [model], () => database.query(sql));
    const verdicts = found.map(([day, status, why, count]) => ({
      day: String(day),
      status: String(status),
      why: why === null ? null : String(why),
      rows: count === null ? null : String(count),
    }));
    return new Map(verdicts.map((verdict) => [verdict.day, verdict]));
  } finally {
    await remove();
    await rm(folder, { recursive: true, force: true });
  }
}
