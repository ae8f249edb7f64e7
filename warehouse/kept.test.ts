import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "./database.ts";
import { contentOf, type Dataset, firstFacts, LOGIC, OWN, valuesOf } from "./kept.ts";
import { hasFreshModels, refreshModels } from "./refresh.ts";
import { at, dayOf, type Day, type Phases, reported, STRAY, UNCONFIRMED } from "./testing_days.ts";
import { asWhole, openEmpty } from "./testing_refresh.ts";

const belongsTo = (account: string): string => `account = '${account}', chain = '${account}'`;

/** A row of a reading that proves nothing, and a change of its reports. */
const unproven =
  (change: string) =>
  ({ report, row, reading }: Day): Phases => ({
    before: [row("a", 1), report(1, { rows: 1, others: UNCONFIRMED })],
    after: [reported(reading(1), change)],
  });

/**
 * The rows of a day follow from many facts (kept.ts). Each history changes a single one of them between two refreshes, so its day stays
 * as it was if the second refresh passes over this fact. No history has a day or a record of another one.
 */
const HISTORIES: ReadonlyArray<
  readonly [title: string, dataset: Dataset, day: number, phases: (day: Day, other: Day) => Phases]
> = [
  ["a reading began at another time", "costs", 1, unproven("began_at = began_at - INTERVAL 9 DAY")],
  [
    "the window of a reading began later",
    "costs",
    2,
    unproven("window_start = window_start + INTERVAL 1 HOUR"),
  ],
  ["the window of a reading ended earlier", "costs", 3, unproven("window_end = window_start")],
  ["a reading is of another account", "costs", 4, unproven(belongsTo("y"))],
  [
    "two readings change their times",
    "costs",
    5,
    ({ report, row, reading }) => ({
      before: [1, 2].flatMap((number) => [
        row(`a${number}`, number),
        report(number, { rows: 1, others: UNCONFIRMED }),
      ]),
      after: [
        reported(reading(1), `began_at = ${at(42)}`),
        reported(reading(2), `began_at = ${at(41)}`),
      ],
    }),
  ],
  [
    "the rows of a reading came before its report",
    "usage",
    6,
    ({ report, row }) => ({
      before: [row("a", 1), row("b", 1), report(1, { rows: 2 }), row("a", 2)],
      after: [report(2, { rows: 1 })],
    }),
  ],
  [
    "a reading finds the only row of its day missing",
    "usage",
    7,
    ({ report, row }) => ({ before: [row("a", 1), report(1, { rows: 1 })], after: [report(2)] }),
  ],
  [
    "a long row is missing in a window that ends later",
    "usage",
    8,
    ({ report, row }) => ({
      before: [row("a", 0, { end: 11 }), report(0, { rows: 1, window: [8, 13] }), report(1)],
      after: [report(2, { of: 1, window: [8, 14] })],
    }),
  ],
  [
    "a long row is missing in a window that begins earlier",
    "usage",
    10,
    ({ report, row }) => ({
      before: [
        row("a", 0, { end: 13 }),
        report(0, { rows: 1, window: [9, 11] }),
        report(1, { window: [10, 12] }),
      ],
      after: [report(2, { of: 1, window: [9, 12] })],
    }),
  ],
  [
    "the window of a stray no longer lists it",
    "costs",
    12,
    ({ report, row }) => ({
      before: [
        row("a", 1),
        report(1, { rows: 1, window: [11, 12], others: STRAY }),
        report(1, { on: 11 }),
      ],
      after: [report(2, { on: 11, of: 1 })],
    }),
  ],
  [
    "the window of a stray, which no report lists, is read without it",
    "usage",
    12,
    ({ report, row }) => ({
      before: [row("a", 1), report(1, { on: 11 })],
      after: [report(2, { on: 11 })],
    }),
  ],
  [
    "the day of a stray is read without it",
    "costs",
    14,
    ({ report, row }) => ({
      before: [
        row("a", 1),
        report(1, { rows: 1, window: [13, 14], others: STRAY }),
        report(2),
        report(3, { rows: 1, of: 1, window: [13, 14], others: STRAY }),
      ],
      after: [report(4, { of: 2 })],
    }),
  ],
  [
    "a reading shows what an earlier one showed, and no row of an unproven one between them",
    "usage",
    15,
    ({ report, row }) => ({
      before: [
        row("a", 1),
        report(1, { rows: 1 }),
        row("b", 2),
        report(2, { rows: 1, others: UNCONFIRMED }),
      ],
      after: [report(3, { of: 1, rows: 1 })],
    }),
  ],
  [
    "a row was missing already in an earlier reading, whose report comes late",
    "usage",
    16,
    ({ report, row }) => ({
      before: [row("a", 1), report(1, { rows: 1 }), report(3)],
      after: [report(2)],
    }),
  ],
  [
    "the reading that found a stray missing began at another time",
    "costs",
    18,
    ({ report, row, reading }) => ({
      before: [
        row("a", 1),
        report(1, { rows: 1, window: [17, 18], others: STRAY }),
        report(1, { on: 17 }),
        report(2, { on: 17, of: 1 }),
      ],
      after: [reported(reading(2), "began_at = began_at + INTERVAL 9 DAY")],
    }),
  ],
  [
    "all accounts find a row of no account missing",
    "costs",
    21,
    ({ report, row }, other) => ({
      before: [row("a", 1), report(0), other.report(0)],
      after: [report(2, { of: 0 }), other.report(2, { of: 0 })],
    }),
  ],
  [
    "a reading had more rows than the tables have",
    "costs",
    22,
    ({ report, row, reading }) => ({
      before: [1, 2].flatMap((number) => [row("a", number), report(number, { rows: 1 })]),
      after: [reported(reading(1), `"rows" = 2`)],
    }),
  ],
  [
    "a day that has lost all of its rows is read again",
    "costs",
    23,
    ({ report }) => ({ before: [report(1, { rows: 1 })], after: [report(2)] }),
  ],
  [
    "a reading says now that it had no row, and the tables have none",
    "costs",
    19,
    ({ report, reading }) => ({
      before: [report(1, { rows: 1 })],
      after: [reported(reading(1), `"rows" = 0`)],
    }),
  ],
  [
    "a reading had a row, and the tables have none",
    "costs",
    20,
    ({ report }) => ({ before: [report(1)], after: [report(2, { rows: 1 })] }),
  ],
  [
    "a long row is missing in the window of a reading that was of another account",
    "usage",
    30,
    ({ report, row, reading }, other) => ({
      before: [
        row("a", 0, { end: 33 }),
        report(0, { rows: 1, window: [30, 35], others: UNCONFIRMED }),
        report(1),
        other.report(2, { window: [30, 36] }),
      ],
      after: [reported(reading(1), belongsTo("y")), reported(other.reading(2), belongsTo("x"))],
    }),
  ],
  [
    "a cost changes, and usage of the same day was restated",
    "costs",
    9,
    ({ report, row, record }) => {
      const usage = dayOf("usage", 9);
      return {
        before: [
          row("a", 1),
          report(1, { rows: 1 }),
          ...[1, 2].flatMap((number) => [
            usage.row("b", number),
            usage.report(number, { rows: 1 }),
          ]),
        ],
        after: [`UPDATE costs SET "BilledCost" = '8' WHERE "x_RecordId" = ${record("a")}`],
      };
    },
  ],
  [
    "a cost changes, and the day of its correction has a second correction of another cost",
    "costs",
    27,
    ({ report, row, record }) => {
      const correction = (name: string, on: number, corrected: string): string =>
        row(name, 2, { on, others: { x_CorrectsRecordId: record(corrected), BilledCost: "'-3'" } });
      return {
        before: [
          row("a", 1, { on: 25 }),
          row("b", 1, { on: 28 }),
          ...[25, 26, 27, 28].map((on) =>
            report(1, { on, rows: on === 25 || on === 28 ? 1 : 0, window: [25, 29] }),
          ),
          correction("of a", 27, "a"),
          correction("first of b", 26, "b"),
          correction("second of b", 27, "b"),
          report(2, { on: 26, rows: 1, window: [25, 29] }),
          report(2, { on: 27, rows: 2, window: [25, 29] }),
        ],
        after: [`UPDATE costs SET "BilledCost" = '8' WHERE "x_RecordId" = ${record("a")}`],
      };
    },
  ],
];

/** The models with rows of days, and their columns. */
const MODELS = [
  ["current_costs", "*"],
  ["current_usage", "*"],
  ["daily_costs", "*"],
  ["removed_rows", "*"],
  ["costs_as_known", "*"],
  ["cost_changes", "*"],
  ["restatements", "*"],
  // The proofs of all days are older after each reading.
  ["completeness", "* EXCLUDE (proof_age_days, is_stale)"],
] as const;

/** The rows of these models by their day, such as 2026-10-01. */
async function rowsByDay(): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const [model, columns] of MODELS) {
    const rows = await database.query(
      `SELECT day::TEXT, ${columns} FROM main.${model} ORDER BY ALL`,
    );
    for (const [day = "", ...values] of rows) {
      found.set(day, [...(found.get(day) ?? []), JSON.stringify([model, ...values])]);
    }
  }
  return found;
}

let database: Database;
let remove: () => Promise<void>;
let before: ReadonlyMap<string, readonly string[]>;
let renewed: ReadonlyMap<string, readonly string[]>;
let whole: ReadonlyMap<string, readonly string[]>;
beforeAll(async () => {
  ({ database, remove } = await openEmpty());
  const run = async (phase: keyof Phases): Promise<void> => {
    for (const [, dataset, day, phases] of HISTORIES) {
      const days = phases(dayOf(dataset, day), dayOf(dataset, day, "y"));
      for (const sql of days[phase]) await database.run(sql);
    }
  };
  await run("before");
  expect(await refreshModels(database)).toBe("all");
  before = await rowsByDay();
  await run("after");
  expect(await refreshModels(database)).toBe("days");
  renewed = await rowsByDay();
  const models = MODELS.map(([model]) => model);
  whole = await asWhole(database, models, rowsByDay);
});
afterAll(() => remove());

it.each(HISTORIES)("a refresh makes a day again if %s", (_, __, day) => {
  const name = `2026-10-${String(day).padStart(2, "0")}`;
  expect(renewed.get(name)).toEqual(whole.get(name));
  expect(renewed.get(name)).not.toEqual(before.get(name));
});

/** A number for each table that is kept for the next refresh. Two tables with the same number have the same rows. */
async function keptContents(): Promise<readonly (readonly string[])[]> {
  const tables = await database.query(
    `SELECT table_name FROM duckdb_tables() WHERE schema_name = '${OWN}' AND table_name LIKE 'kept%'`,
  );
  const contents = tables.map(
    ([name = ""]) => `SELECT '${name}', ${contentOf(`FROM ${OWN}.${name}`)}`,
  );
  return await database.query(`${contents.join(" UNION ALL ")} ORDER BY ALL`);
}

it("a refresh of some days keeps what a refresh of all days keeps", async () => {
  const kept = await keptContents();
  await database.run(`DROP TABLE ${OWN}.kept_day_facts`);
  expect(await refreshModels(database)).toBe("all");
  expect(kept).toEqual(await keptContents());
});

const { report } = dayOf("usage", 31, "z");

it.each([
  ["has its first report", report(1, { rows: 1, others: STRAY })],
  ["reads its first day", report(2)],
  ["has a second chain", report(3, { others: { chain: "'w'" } })],
  ["has two chains, and reads a day again", report(4, { of: 3, others: { chain: "'w'" } })],
])("a refresh makes all models again if an account %s", async (_, change) => {
  await database.run(change);
  expect(await refreshModels(database)).toBe("all");
});

it("a refresh knows models of another program", async () => {
  const { sql } = await firstFacts();
  expect(sql).toMatch(/[0-9a-f]{64}/);
  expect((await firstFacts({ models: "SELECT 1" }))["sql"]).not.toBe(sql);
});

it("a refresh makes all models again that a program with another logic of the refresh has made", async () => {
  await refreshModels(database);
  expect(await hasFreshModels(database)).toBe(true);
  const { sql = "" } = await firstFacts({ logic: LOGIC - 1 });
  await database.run(
    `UPDATE ${OWN}.kept_facts SET value = made.value FROM (${valuesOf({ sql })}) AS made WHERE kept_facts.fact = made.fact`,
  );
  expect(await hasFreshModels(database)).toBe(false);
  expect(await refreshModels(database)).toBe("all");
  expect(await hasFreshModels(database)).toBe(true);
});

it("a report does not take the models of a version that had fewer inputs", async () => {
  const { database: older, remove: removeOlder } = await openEmpty();
  try {
    await refreshModels(older);
    expect(await hasFreshModels(older)).toBe(true);
    await older.run(`UPDATE ${OWN}.kept_facts SET value = 'older' WHERE fact = 'sql'`);
    await older.run("DROP TABLE ai_billing_shared");
    expect(await hasFreshModels(older)).toBe(false);
  } finally {
    await removeOlder();
  }
});

it("a refresh knows facts that another version kept", async () => {
  const { sql } = await firstFacts({ models: "SELECT 1" });
  const ofModels = createHash("sha256").update("SELECT 1").digest("hex");
  expect(sql).not.toContain(ofModels);
});
