import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { charged, OF_MONTHS, ofSomeMonths, unusualSince } from "./parts.ts";
import type { Database } from "./database.ts";
import { databaseError } from "./failures.ts";
import { allModels, queryOf } from "./models.ts";
import { refreshModels } from "./refresh.ts";
import { addReading } from "./testing_costs.ts";
import { asWhole, openEmpty } from "./testing_refresh.ts";

/** Half a year: four keys with a cost on most days, a key that is new in the last days, and a plan that has ended. */
const RECORDS = `
  SELECT 'k' || key || ' ' || strftime(day, '%m-%d') AS id, day, 'Usage' AS category, 'final' AS status,
         CASE WHEN key = 4 THEN '90' ELSE CAST(1 + (7 * key + 3 * dayofyear(day)) % 9 AS VARCHAR) END AS cost
  FROM range(TIMESTAMP '2026-05-01', TIMESTAMP '2026-10-31', INTERVAL 1 DAY) AS days(day), range(5) AS keys(key)
  WHERE (key < 4 AND (key + dayofyear(day)) % 5 > 0) OR (key = 4 AND day >= TIMESTAMP '2026-10-20')
  UNION ALL
  SELECT 'plan ' || strftime(day, '%m-%d'), day, 'Purchase', 'final', '70'
  FROM range(TIMESTAMP '2026-07-03', TIMESTAMP '2026-10-01', INTERVAL 1 MONTH) AS days(day)`;

let database: Database;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ database, remove } = await openEmpty(""));
  const span = { first: "2026-05-01", end: "2026-10-31", records: RECORDS };
  await addReading(database, { id: "r1", at: "2026-11-03", ...span });
  await database.run(`UPDATE costs SET "x_ApiKeyId" = substr("x_RecordId", 1, 2)`);
  await refreshModels(database);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => remove());

const MODELS = ["cost_anomalies", ...OF_MONTHS];

/** The rows of some models, in an order of their own. */
async function rowsOf(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const name of names) {
    const rows = await database.query(`FROM ${name}`);
    found.set(
      name,
      rows
        .map((row) => JSON.stringify(row))
        .toSorted()
        .join("\n"),
    );
  }
  return found;
}

/** The models whose rows differ from those of the same model, made as a whole. */
async function differing(): Promise<string[]> {
  const renewed = await rowsOf(MODELS);
  const whole = await asWhole(database, MODELS, () => rowsOf(MODELS));
  return MODELS.filter((name) => whole.get(name) !== renewed.get(name));
}

const set = (what: string, where: string): string => `UPDATE costs SET ${what} WHERE ${where}`;
const on = (day: string): string => `"ChargePeriodStart" = TIMESTAMP '${day}'`;

it.each([
  ["an amount of one key", set(`"BilledCost" = '400'`, `"x_RecordId" = 'k1 09-02'`), true],
  ["an amount of an early month", set(`"BilledCost" = '44'`, `"x_RecordId" = 'k1 07-15'`), true],
  ["all amounts of a day", set(`"BilledCost" = "BilledCost" || '00'`, on("2026-10-12")), true],
  ["the third day of a new key", set(`"BilledCost" = '95'`, `"x_RecordId" = 'k4 10-22'`), true],
  ["a day of a key that is known", set(`"BilledCost" = '2000'`, `"x_RecordId" = 'k4 10-30'`), true],
  // From here on, a change moves the days on which a value is charged, so the model is made as a whole.
  ["the key of a cost", set(`"x_ApiKeyId" = 'k9'`, `"x_RecordId" = 'k2 10-29'`), false],
  ["a plan", `DELETE FROM costs WHERE "x_RecordId" = 'plan 08-03'`, false],
  ["a cost that is gone", `DELETE FROM costs WHERE "x_RecordId" = 'k0 10-29'`, false],
])(
  "anomalies and months after a change of %s equal those of all days",
  async (_, change, isSome) => {
    await database.run(change);
    const run = vi.spyOn(database, "run");
    expect(await refreshModels(database)).toBe("days");
    const made = run.mock.calls.filter(([sql]) => sql.includes("AND calendar.day > DATE"));
    expect(made).toHaveLength(isSome ? 1 : 0);
    expect(await differing()).toEqual([]);
    expect(
      run.mock.calls.filter(([sql]) =>
        /CREATE OR REPLACE TABLE main.(monthly|team)_costs AS/.test(sql),
      ),
    ).toEqual([]);
  },
);

it("a day that is complete now lets the oldest one go, although nothing is charged on it", async () => {
  const oldest = () => database.query("SELECT min(day) FROM cost_anomalies");
  const before = await oldest();
  await database.run(`
    INSERT INTO export_windows BY NAME
    SELECT * REPLACE (
      'r2-10-31' AS id, 'r2' AS reading_id, 'r2' AS rows_reading_id, DATE '2026-10-31' AS "day", TIMESTAMP '2026-10-31' AS window_start,
      TIMESTAMP '2026-11-01' AS window_end, TIMESTAMP '2026-10-31' AS covered_from, TIMESTAMP '2026-11-01' AS covered_through,
      0 AS records, 0 AS "rows", '[]'::JSON AS totals)
    FROM export_windows LIMIT 1`);
  await database.run(set(`"BilledCost" = '401'`, `"x_RecordId" = 'k1 09-02'`));
  expect(await refreshModels(database)).toBe("days");
  expect(await differing()).toEqual([]);
  expect(await oldest()).not.toEqual(before);
});

it("changed days are made by one thread if several need more memory than there is", async () => {
  await database.run(set(`"BilledCost" = '402'`, `"x_RecordId" = 'k1 09-02'`));
  const run = database.run.bind(database);
  let isFirst = true;
  vi.spyOn(database, "run").mockImplementation(async (sql, values) => {
    if (isFirst && sql.includes("TABLE made_rows")) {
      isFirst = false;
      const reason = new Error("Out of Memory Error: 383.9 MiB/384.0 MiB used");
      throw databaseError(reason, "x.duckdb");
    }
    await run(sql, values);
  });
  const useThreads = vi.spyOn(database, "useThreads");
  expect(await refreshModels(database)).toBe("days");
  expect(useThreads.mock.calls.slice(-2)).toEqual([[0], [0]]);
  expect(await differing()).toEqual([]);
});

it("each kind of anomaly was among them", async () => {
  const kinds = await database.query("SELECT DISTINCT kind FROM cost_anomalies ORDER BY ALL");
  expect(kinds).toEqual([["account"], ["label"], ["new"], ["null"]]);
});

it("what is charged on a day is told by all columns that the model and the teams read, besides the amount", async () => {
  const models = await allModels();
  const columnsOf = (name: string, pattern: RegExp): string[] =>
    models
      .filter((model) => model.name === name)
      .flatMap((model) => [...queryOf(model).matchAll(pattern)].map(([, column = ""]) => column));
  const read = new Set([
    ...columnsOf("cost_anomalies", /\brows_\.(\w+)/g),
    ...columnsOf("ai_billing__owned_costs", /\b(?:on|and|where) rows_\.(\w+)/g),
  ]);
  for (const other of ["billed_cost", "team"]) expect(read.delete(other)).toBe(true);
  const compared = charged("").replace("SELECT DISTINCT", "").split(",");
  expect(compared.map((column) => column.trim()).toSorted()).toEqual([...read].toSorted());
});

it("a model whose code was changed is not made in part", () => {
  expect(() => unusualSince("SELECT 1", "2026-10-12")).toThrow(TypeError);
  expect(() => ofSomeMonths("SELECT 1")).toThrow(TypeError);
});
