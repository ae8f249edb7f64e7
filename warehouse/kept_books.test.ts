/** For the books of closed months a refresh keeps when each record was found, and when the record was found missing. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { writeBook } from "./close.ts";
import type { Database } from "./database.ts";
import { FOUND, OWN } from "./kept.ts";
import { allModels, inputNames, isInternal, readsOf } from "./models.ts";
import { OF_BOOKS } from "./marts.ts";
import { refreshModels } from "./refresh.ts";
import { at, dayOf, type Day, type Phases, reported, STRAY, UNCONFIRMED } from "./testing_days.ts";
import { asWhole, openEmpty } from "./testing_refresh.ts";

/** Two readings show the same record, so it is as it was found first. Other rows of its day may have changed in between. */
const twice = ({ row, report }: Day): readonly string[] => [
  row("a", 1),
  row("a", 2, { others: { BilledCost: "'1'" } }),
  ...[1, 2].map((number) => report(number, { rows: 1 })),
];

/** The first reading shows a record, and the third one another version of it. */
const restated = ({ row, report }: Day): readonly string[] =>
  [1, 3].flatMap((number) => [row("a", number), report(number, { rows: 1 })]);

/**
 * When a record was found, and found missing, follows from many facts. Each history changes a single one of them between two refreshes,
 * after October was closed. No history has a day or a record of another one.
 */
const HISTORIES: ReadonlyArray<
  readonly [title: string, day: number, phases: (day: Day) => Phases]
> = [
  [
    "its reading began at another time",
    1,
    (day) => ({
      before: [day.row("a", 1), day.report(1, { rows: 1 })],
      after: [reported(day.reading(1), "began_at = began_at - INTERVAL 1 HOUR")],
    }),
  ],
  [
    "the reading of its older version, which counts no more, began at another time",
    2,
    (day) => ({
      before: twice(day),
      after: [reported(day.reading(1), "began_at = began_at - INTERVAL 1 HOUR")],
    }),
  ],
  [
    "its older version had another amount",
    3,
    (day) => ({
      before: twice(day),
      after: [
        `UPDATE costs SET "BilledCost" = '7' WHERE "x_ReadingId" = ${day.reading(1)} AND "x_RecordId" = ${day.record("a")}`,
      ],
    }),
  ],
  [
    "the report of its reading comes late",
    4,
    (day) => ({
      before: [day.row("a", 1, { others: { _airbyte_extracted_at: at(60) } }), day.report(0)],
      after: [day.report(1, { rows: 1 })],
    }),
  ],
  [
    "a reading finds it missing",
    5,
    (day) => ({
      before: [day.row("a", 1), day.report(1, { rows: 1 })],
      after: [day.report(7)],
    }),
  ],
  [
    "the reading that found it missing began at another time",
    6,
    (day) => ({
      before: [day.row("a", 1), day.report(1, { rows: 1 }), day.report(2)],
      after: [reported(day.reading(2), "began_at = began_at + INTERVAL 1 HOUR")],
    }),
  ],
  [
    "it had been missing before it came back as it was, as a late report says",
    7,
    (day) => ({
      before: [
        day.row("a", 1),
        day.row("a", 3, { others: { BilledCost: "'1'" } }),
        ...[1, 3].map((number) => day.report(number, { rows: 1 })),
      ],
      after: [day.report(2)],
    }),
  ],
  [
    "a newer version of it lies on another day",
    8,
    (day) => ({
      before: [
        day.row("a", 1),
        ...[8, 9].map((on) => day.report(1, { on, rows: on === 8 ? 1 : 0, window: [8, 10] })),
      ],
      after: [
        day.row("a", 7, { on: 9 }),
        ...[8, 9].map((on) => day.report(7, { on, rows: on === 9 ? 1 : 0, window: [8, 10] })),
      ],
    }),
  ],
  [
    "its newest version goes",
    10,
    (day) => ({
      before: restated(day),
      after: [`DELETE FROM costs WHERE "x_ReadingId" = ${day.reading(3)}`],
    }),
  ],
  [
    "its amount is none",
    11,
    (day) => ({
      before: restated(day),
      after: [`UPDATE costs SET "BilledCost" = 'much' WHERE "x_ReadingId" = ${day.reading(3)}`],
    }),
  ],
  [
    "its reading is of another account",
    12,
    (day) => ({
      before: [day.row("a", 1), day.report(1, { rows: 1, others: UNCONFIRMED })],
      after: [reported(day.reading(1), "account = 'y', chain = 'y'")],
    }),
  ],
  [
    "the window of its older version began after it",
    13,
    (day) => ({
      before: [
        day.row("a", 1),
        day.row("a", 3, { others: { BilledCost: "'1'" } }),
        day.report(1, { rows: 1, others: UNCONFIRMED }),
        day.report(2),
        day.report(3, { rows: 1 }),
      ],
      after: [reported(day.reading(1), "window_start = window_start + INTERVAL 1 HOUR")],
    }),
  ],
  [
    "the window that returned it, although it lies outside, is read without it",
    15,
    (day) => ({
      before: [
        day.row("a", 1),
        day.report(1, { rows: 1, window: [14, 15], others: STRAY }),
        day.report(1, { on: 14 }),
      ],
      after: [day.report(7, { on: 14 })],
    }),
  ],
];

/** When the records of each day were found, and found missing. */
type Found = ReadonlyMap<string, readonly string[]>;

async function foundIn(table: string): Promise<Found> {
  const rows = await database.query(
    `SELECT regexp_extract(record_id, ' of (\\d+) ', 1), place, record_id, found_at, gone_at FROM ${table} ORDER BY ALL`,
  );
  const found = new Map<string, string[]>();
  for (const [day = "", ...values] of rows) {
    found.set(day, [...(found.get(day) ?? []), JSON.stringify(values)]);
  }
  return found;
}

/** The rows of the models that compare books with costs. */
async function rowsShown(): Promise<readonly (readonly string[])[]> {
  const rows = await Promise.all(
    OF_BOOKS.map((name) => database.query(`FROM main.${name} ORDER BY ALL`)),
  );
  return rows.flat();
}

const keptTables = (): Promise<readonly (readonly string[])[]> =>
  database.query(
    `SELECT table_name FROM duckdb_tables() WHERE schema_name = '${OWN}' AND table_name = 'kept_${FOUND}'`,
  );

/** How often work compares books with costs, and how often it makes a step of books. */
async function madeBy(work: () => Promise<void>): Promise<{ compared: number; steps: number }> {
  const run = vi.spyOn(database, "run");
  await work();
  const asked = run.mock.calls.map(([sql]) => sql);
  run.mockRestore();
  return {
    compared: asked.filter((sql) => sql.includes("TABLE main.adjustments ")).length,
    steps: asked.filter((sql) => /TABLE ai_billing__book_/.test(sql)).length,
  };
}

let database: Database;
let remove: () => Promise<void>;
let before: Found;
let renewed: Found;
let whole: Found;
beforeAll(async () => {
  ({ database, remove } = await openEmpty());
  for (const sql of twice(dayOf("costs", 31, "y"))) await database.run(sql);
  for (const [, day, phases] of HISTORIES) {
    for (const sql of phases(dayOf("costs", day)).before) await database.run(sql);
  }
});
afterAll(() => remove());

it("a refresh without a closed month makes and keeps nothing for books", async () => {
  const made = await madeBy(async () => {
    expect(await refreshModels(database)).toBe("all");
    await database.run("INSERT INTO export_windows FROM export_windows LIMIT 1");
    expect(await refreshModels(database)).toBe("proofs");
    await database.run("UPDATE costs SET \"ChargeDescription\" = 'other'");
    expect(await refreshModels(database)).toBe("days");
  });
  expect(made).toEqual({ compared: 0, steps: 0 });
  expect(await keptTables()).toEqual([]);
});

it("a refresh of changed days compares the books once, and they equal those of all days", async () => {
  const book = { month: "2026-10", view: "month", accrue: true, why: undefined } as const;
  await writeBook(database, book, Date.parse("2026-11-15T12:00:00Z"));
  before = await foundIn(`${OWN}.kept_${FOUND}`);
  for (const [, day, phases] of HISTORIES) {
    for (const sql of phases(dayOf("costs", day)).after) await database.run(sql);
  }
  const made = await madeBy(async () => {
    expect(await refreshModels(database)).toBe("days");
  });
  expect(made.compared).toBe(1);
  renewed = await foundIn(`${OWN}.kept_${FOUND}`);
  const shown = await rowsShown();
  await asWhole(database, OF_BOOKS, async () => {
    whole = await foundIn(`temp.${FOUND}`);
    expect(shown).toEqual(await rowsShown());
    expect(renewed).toEqual(whole);
  });
});

it.each(HISTORIES)("a refresh tells again when a record was found if %s", (_, day) => {
  expect(renewed.get(String(day))).toEqual(whole.get(String(day)));
  expect(renewed.get(String(day))).not.toEqual(before.get(String(day)));
});

it("a refresh after one of all models does not compare the books where no report is another", async () => {
  await database.run(`DROP TABLE ${OWN}.kept_day_facts`);
  expect(await refreshModels(database)).toBe("all");
  await database.run("INSERT INTO export_windows FROM export_windows LIMIT 1");
  const made = await madeBy(async () => {
    expect(await refreshModels(database)).toBe("proofs");
  });
  expect(made).toEqual({ compared: 0, steps: 0 });
});

it("the models of books that a refresh passes over follow from inputs alone", async () => {
  const inputs = new Set(await inputNames());
  const books = new Set(["ai_billing_closes"]);
  const others: string[] = [];
  for (const model of await allModels()) {
    const reads = [...readsOf(model)];
    if (reads.every((read) => inputs.has(read))) inputs.add(model.name);
    if (!reads.some((read) => books.has(read))) continue;
    books.add(model.name);
    if (!isInternal(model) && !inputs.has(model.name)) others.push(model.name);
  }
  expect(others.toSorted()).toEqual(OF_BOOKS);
});

it("a refresh keeps the records of books also if the month was closed before there was any cost", async () => {
  const { database: other, remove: removeOther } = await openEmpty();
  await other.run(
    "INSERT INTO ai_billing_closes (close_id, book_view, book_month, version, closed_at, digest) VALUES ('c', 'month', '2026-10-01', 1, '2026-11-15', '')",
  );
  expect(await refreshModels(other)).toBe("all");
  await other.run(dayOf("costs", 1).row("a", 1));
  expect(await refreshModels(other)).toBe("days");
  expect(await other.query(`SELECT record_id FROM ${OWN}.kept_${FOUND}`)).toEqual([["a of 1 x"]]);
  await removeOther();
});
