import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { Database } from "../database.ts";
import { forgetAnswers, readAnswers, writeAnswers } from "../kept_answers.ts";
import { refreshModels } from "../refresh.ts";
import { openOctober } from "../testing_costs.ts";
import { Answers } from "./answers.ts";
import { pageOf } from "./testing.ts";

let database: Database;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ database, remove } = await openOctober());
  await refreshModels(database);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => remove());

/** A newer reading of a day, of a window that ends later. The rows of the one before stand. */
const readAgain = (day: string, columns = ""): string => `
  INSERT INTO export_windows BY NAME
  SELECT * REPLACE (id || '+' AS id, reading_id || '+' AS reading_id, ended_at + INTERVAL 1 HOUR AS ended_at,
                    began_at + INTERVAL 1 HOUR AS began_at, pass_began_at + INTERVAL 1 HOUR AS pass_began_at,
                    window_end + INTERVAL 1 HOUR AS window_end${columns})
  FROM export_windows WHERE day = DATE '${day}' QUALIFY row_number() OVER (ORDER BY reading_id DESC) = 1`;

/** The first reading of the day after the last one with rows. */
const EMPTY_DAY = readAgain(
  "2026-10-30",
  `, DATE '2026-10-31' AS day, TIMESTAMP '2026-11-01' AS covered_through, 0 AS records, 0 AS rows, '[]'::JSON AS totals,
   reading_id || '+' AS rows_reading_id`,
);

/** The statements that a test gives the database from here on. */
function statements(): () => string[] {
  const asked = [vi.spyOn(database, "query"), vi.spyOn(database, "run")];
  return () => asked.flatMap(({ mock }) => mock.calls.map(([sql]) => sql));
}

/** A page that takes no answer of an earlier one. */
async function newPage(): Promise<unknown> {
  await forgetAnswers(database);
  return await pageOf(database);
}

it("a page after a sync that found nothing new reads no costs", async () => {
  await database.run(EMPTY_DAY);
  expect(await refreshModels(database)).toBe("days");
  const before = await newPage();
  await database.run(readAgain("2026-10-30"));
  expect(await refreshModels(database)).toBe("proofs");
  const asked = statements();
  const page = await pageOf(database);
  expect(asked().filter((sql) => /costs\b(?!')/.test(sql))).toEqual([]);
  expect(page).not.toEqual(before);
  expect(page).toEqual(await newPage());
});

it("a day that is read again before it has rows has nothing to be made", async () => {
  await database.run(readAgain("2026-10-31", ", reading_id || '+' AS rows_reading_id"));
  const asked = statements();
  expect(await refreshModels(database)).toBe("proofs");
  expect(asked().filter((sql) => /CREATE TEMP TABLE (usage|costs)/.test(sql))).toEqual([]);
});

it("a page takes no answer from before a cost changed", async () => {
  const before = await newPage();
  // The sums of the day stay as they are, and so does its proof.
  await database.run(`UPDATE costs SET "x_ProjectId" = 'q' WHERE "x_RecordId" = '10-05'`);
  expect(await refreshModels(database)).toBe("days");
  const page = await pageOf(database);
  expect(page).not.toEqual(before);
  expect(page).toEqual(await newPage());
});

it("a page asks again for what is compared with books", async () => {
  const asked = "SELECT count(*) FROM adjustments, book_balance";
  const answers = await Answers.of(database);
  await answers.query(asked);
  await answers.keep();
  const query = vi.spyOn(database, "query");
  await (await Answers.of(database)).query(asked);
  expect(query).toHaveBeenCalledWith(asked);
});

it("costs of several currencies are not mixed up", async () => {
  await database.run(`UPDATE costs SET "BillingCurrency" = 'EUR' WHERE "x_RecordId" = '10-06'`);
  await refreshModels(database);
  const page = await newPage();
  expect(page).toMatchObject({
    data: {
      views: [
        { currency: "USD", current: "630" },
        { currency: "EUR", current: "20" },
      ],
    },
    overviews: [{ all: { billed: "630" } }, { all: { billed: "20" } }],
  });
  // Of the thirty days of October, the sixth has no cost in USD, and the twentieth has 50 more.
  const [before, after] = ["20 20 20 20 20 1:20 ", " 20".repeat(10)];
  const days = `${before}${"20 ".repeat(12)}70${after}`;
  expect(page).toMatchObject({
    data: {
      views: [
        {
          dimensions: expect.arrayContaining([{ name: "Provider", values: ["A"], costs: [days] }]),
        },
        {},
      ],
    },
  });
  expect(await pageOf(database)).toEqual(page);
});

it("a team that comes between two pages is on the second one", async () => {
  await database.run(
    "INSERT INTO ai_billing_teams (label, value, team) VALUES ('project_id', 'p', 'Search')",
  );
  expect(await refreshModels(database)).toBe("all");
  expect(await pageOf(database)).toMatchObject({
    data: { views: [{ teams: [{ team: "Search" }, { team: "no team" }] }, {}] },
  });
});

it("answers of another program, or of other days, are not taken", async () => {
  await writeAnswers(database, { basis: "one", answers: new Map([["a", "[]"]]) });
  expect(await readAnswers(database, "one")).toEqual(new Map([["a", "[]"]]));
  expect(await readAnswers(database, "other")).toEqual(new Map());
});
