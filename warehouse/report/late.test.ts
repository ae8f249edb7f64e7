import { expect, it } from "vitest";
import { Database } from "../database.ts";
import { changes } from "./first_screen.ts";
import type { LateChanges } from "./model.ts";

/** A day of March that a reading covers as a whole: the reading, the day, the reading whose rows stand for it, and how many there are. */
type Reading = readonly [id: string, day: number, rowsOf: string, rows: number];

async function found(late: readonly string[], readings: readonly Reading[]): Promise<LateChanges> {
  const database = await Database.inMemory();
  try {
    await database.run(`
      CREATE TABLE label_names (label VARCHAR, value VARCHAR, shown VARCHAR);
      CREATE TABLE cost_changes AS
      SELECT TIMESTAMP '2026-03-05 12:00:00' + INTERVAL (number) DAY AS found_at, 'late' AS kind, DATE '2026-03-01' AS day,
             'm1' AS model_id, NULL::VARCHAR AS project_id, 'USD' AS billing_currency, amount::DECIMAL(38, 18) AS amount_change
      FROM (VALUES (0, '0'), ${late.map((amount, index) => `(${index}, '${amount}')`).join(", ")}) AS given (number, amount);
      CREATE TABLE export_windows AS
      SELECT 'costs' AS dataset, 'https://a.example' AS base_url, NULL::VARCHAR AS account, reading AS reading_id,
             DATE '2026-02-28' + number AS day, rows_of AS rows_reading_id, number_of_rows AS "rows", true AS inside_window,
             false AS shrunk, '2026-03-20T12:00:00Z' AS ended_at, '2026-01-01T00:00:00Z' AS covered_from,
             '2026-03-20T00:00:00Z' AS covered_through
      FROM (VALUES ${readings.map(([id, day, rowsOf, rows]) => `('${id}', ${day}, '${rowsOf}', ${rows})`).join(", ")})
        AS given (reading, number, rows_of, number_of_rows)`);
    return await changes(database, "USD");
  } finally {
    database.close();
  }
}

const READ: readonly Reading[] = [["r1", 1, "r1", 1]];

it("names the largest change, although six smaller ones are newer, and adds up the others", async () => {
  const { found: shown, rest } = await found(
    ["-9000", "1", "2", "3", "4", "5", "0.5", "0.25"],
    READ,
  );
  expect(shown.map(({ change }) => change)).toEqual(["-9000", "5", "4", "3", "2", "1"]);
  expect(rest).toEqual({ number: 2, change: "0.75" });
});

it("has no others where each change has a line", async () => {
  expect((await found(["-9000", "1"], READ)).rest).toBeNull();
  expect((await found(["0"], READ)).rest).toBeNull();
});

it("calls an empty day that is still empty unchanged, although each reading of it names itself", async () => {
  const rereadOf = async (...again: readonly Reading[]): Promise<string> =>
    (await found(["0"], [["r1", 1, "r1", 1], ["r1", 2, "r1", 0], ...again])).reread;
  expect(await rereadOf(["r2", 1, "r1", 1], ["r2", 2, "r2", 0])).toBe("unchanged");
  expect(await rereadOf(["r2", 1, "r2", 0], ["r2", 2, "r2", 0])).toBe("rewritten");
  expect(await rereadOf(["r2", 1, "r1", 1], ["r2", 2, "r2", 1])).toBe("rewritten");
  expect(await rereadOf()).toBe("none");
});
