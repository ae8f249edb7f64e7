/** The rules of books, over the months of a company: B1 to B8 of src/core/SPEC.md. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { close, type CloseOptions } from "./close.ts";
import { Database } from "./database.ts";
import { dropInternal, makeModels } from "./models.ts";
import { hostWith } from "./testing.ts";
import { addReading, october, usageOf } from "./testing_costs.ts";

const PATIENCE = 600_000;

let path = "";
/** The rows that queries gave in the course of the story, each under a name. */
const seen: Record<string, readonly (readonly string[])[]> = {};
const refused: string[] = [];
/** The answer of the close of November. */
let said = "";

const NOVEMBER_3 = "2026-11-03T12:00:00Z";
const DECEMBER_3 = "2026-12-03T12:00:00Z";

/** The words of the command about the book. */
async function closed(
  at: string,
  month: string,
  more: Partial<CloseOptions> = {},
): Promise<string> {
  const options = { database: path, month, view: "month", accrue: false, why: undefined } as const;
  const texts: string[] = [];
  const host = hostWith({
    now: () => Date.parse(at),
    say: (text) => Promise.resolve(void texts.push(text)),
  });
  await close({ ...options, json: false, ...more }, host);
  return texts.join("");
}

async function refuse(at: string, month: string, more: Partial<CloseOptions> = {}): Promise<void> {
  const message = await closed(at, month, more).then(
    () => "closed",
    (error: unknown) => String(error),
  );
  refused.push(message);
}

async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = await Database.open(path, "write");
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

const see = (name: string, sql: string): Promise<void> =>
  withDatabase(async (database) => void (seen[name] = await database.query(sql)));

const LINES = (book: string): string =>
  `SELECT strftime(month, '%m'), kind, reason, sum(amount)::DECIMAL(18, 2) FROM close_lines
   WHERE close_id = 'month ${book}' GROUP BY ALL ORDER BY ALL`;

const inputs = (team: string, rate: string, bearers: readonly string[]): Promise<void> =>
  withDatabase(async (database) => {
    for (const name of ["teams", "reporting_currency", "exchange_rates", "shared"])
      await database.run(`DELETE FROM ai_billing_${name}`);
    await database.run(
      `INSERT INTO ai_billing_teams (label, value, team) VALUES ('project_id', 'p', '${team}')`,
    );
    await database.run("INSERT INTO ai_billing_reporting_currency VALUES ('EUR')");
    await database.run(
      `INSERT INTO ai_billing_exchange_rates VALUES ('USD', 'EUR', '2026-10-01', '${rate}')`,
    );
    for (const bearer of bearers)
      await database.run(
        `INSERT INTO ai_billing_shared (rule, label, value, method, team)
         VALUES ('1', 'charge_category', 'Purchase', 'evenly', '${bearer}')`,
      );
  });

beforeAll(async () => {
  path = join(await mkdtemp(join(tmpdir(), "books-")), "billing.duckdb");
  await october(path);
  await inputs("Search", "0.5", ["Ads", "Chat"]);
  await refuse("2026-10-31T23:59:59Z", "2026-10", { accrue: true });
  await refuse(NOVEMBER_3, "2026-10");
  await closed(NOVEMBER_3, "2026-10", { accrue: true });
  await refuse(DECEMBER_3, "2026-12", { accrue: true });
  await see("october", LINES("2026-10 v1"));
  await see("digest", "SELECT digest FROM closes");
  await withDatabase((database) =>
    addReading(database, {
      id: "r2",
      at: "2026-12-02",
      first: "2026-10-01",
      end: "2026-12-01",
      records: `${usageOf("2026-10-01", "2026-10-05")} UNION ALL ${usageOf("2026-10-05", "2026-10-06", "10")}
        UNION ALL ${usageOf("2026-10-06", "2026-10-31")} UNION ALL ${usageOf("2026-10-31", "2026-11-01", "23")}
        UNION ALL ${usageOf("2026-11-01", "2026-12-01", "40")}
        UNION ALL SELECT 'open', TIMESTAMP '2026-10-20', 'Purchase', '48', 'final'
        UNION ALL SELECT 'late', TIMESTAMP '2026-10-09', 'Usage', '-5', 'final'`,
    }),
  );
  await inputs("Ads", "0.25", ["Lab"]);
  said = await closed(DECEMBER_3, "2026-11");
  await see("november", LINES("2026-11 v1"));
  await see(
    "converted",
    "SELECT DISTINCT strftime(month, '%m'), team, reporting_currency, (converted_amount / amount)::DECIMAL(4, 2) FROM close_lines ORDER BY 1",
  );
  await see(
    "shares",
    `SELECT strftime(book_month, '%m'), strftime(month, '%m'), team, own_amount::DECIMAL(18, 2), shared_amount::DECIMAL(18, 2)
     FROM close_shares ORDER BY ALL`,
  );
  await see(
    "balance",
    `SELECT strftime(month, '%m'), booked::DECIMAL(18, 2), known::DECIMAL(18, 2), estimated::DECIMAL(18, 2), pending::DECIMAL(18, 2)
     FROM book_balance ORDER BY 1`,
  );
  await closed("2026-12-10T12:00:00Z", "2026-10", { why: "the team was wrong" });
  await see("again", LINES("2026-10 v2"));
  await see("kept", LINES("2026-10 v1"));
  await see(
    "closes",
    "SELECT close_id, coalesce(why, ''), is_newest, is_intact, digest FROM closes ORDER BY closed_at",
  );
  await see(
    "pending",
    "SELECT reason, sum(amount)::DECIMAL(18, 2) FROM adjustments WHERE is_pending GROUP BY ALL ORDER BY 1",
  );
  await withDatabase(async (database) => {
    await database.run(
      "UPDATE ai_billing_close_lines SET amount = amount + 0.000000000000000001 WHERE close_id = 'month 2026-11 v1'",
    );
    await dropInternal(database, await makeModels(database, ["closes"]));
  });
  await see("touched", "SELECT close_id FROM closes WHERE NOT is_intact");
}, PATIENCE);

afterAll(async () => {
  await rm(join(path, ".."), { recursive: true, force: true });
});

test("B1: a book stays as it was written, and its digest tells if it does not", () => {
  expect(seen["kept"]).toEqual(seen["october"]);
  expect(seen["closes"]?.[0]?.at(-1)).toBe(seen["digest"]?.[0]?.[0]);
  expect(seen["touched"]).toEqual([["month 2026-11 v1"]]);
});

test("B2: a close refuses a month that is not over, not in its order, or not certain, and says why", () => {
  expect(refused).toEqual([
    expect.stringContaining("nothing was written: it is not over"),
    expect.stringContaining("not read: 2026-10-31; provisional: 2026-10-20. Sync again later"),
    expect.stringContaining("months are closed in their order, and the next one is 2026-11"),
  ]);
});

test("B3: accruals stand for what is provisional and for days that were not read", () => {
  expect(seen["october"]).toEqual([
    ["10", "accrual", "estimate", "20.00"],
    ["10", "accrual", "provisional", "50.00"],
    ["10", "actual", "final", "600.00"],
  ]);
});

const november = (kind: string): readonly (readonly string[])[] | undefined =>
  seen["november"]?.filter((line) => line[1] === kind);

test("B4: the next close reverses each accrual in full", () => {
  expect(november("reversal")).toEqual([
    ["10", "reversal", "estimate", "-20.00"],
    ["10", "reversal", "provisional", "-50.00"],
  ]);
});

test("B5: what has changed of a closed month is an adjustment with its reason", () => {
  expect(november("adjustment")).toEqual([
    ["10", "adjustment", "arrived", "23.00"],
    ["10", "adjustment", "corrected", "-10.00"],
    ["10", "adjustment", "late", "-5.00"],
    ["10", "adjustment", "settled", "48.00"],
  ]);
  expect(november("actual")).toEqual([["11", "actual", "final", "1200.00"]]);
});

test("B6: closing again says why, keeps the book before, and takes over what other books hold", () => {
  expect(seen["again"]).toEqual([["10", "actual", "final", "656.00"]]);
  expect(seen["closes"]?.map((row) => row.slice(0, 4))).toEqual([
    ["month 2026-10 v1", "", "false", "true"],
    ["month 2026-11 v1", "", "true", "true"],
    ["month 2026-10 v2", "the team was wrong", "true", "true"],
  ]);
  expect(seen["pending"]).toEqual([["reopened", "14.00"]]);
});

test("B7: teams, rates and rules for shared costs are those that were frozen with the month", () => {
  expect(seen["converted"]).toEqual([
    ["10", "Search", "EUR", "0.50"],
    ["11", "Ads", "EUR", "0.25"],
  ]);
  // −14.00 of October at 0.50, and 1,200.00 at 0.25.
  expect(said).toContain("\nIn EUR at the frozen rates: 293\n");
  expect(seen["shares"]).toEqual([
    ["10", "10", "Ads", "0.00", "25.00"],
    ["10", "10", "Chat", "0.00", "25.00"],
    ["10", "10", "Search", "620.00", "0.00"],
    ["11", "10", "Ads", "0.00", "-1.00"],
    ["11", "10", "Chat", "0.00", "-1.00"],
    ["11", "10", "Search", "-12.00", "0.00"],
    ["11", "11", "Ads", "1200.00", "0.00"],
  ]);
});

test("B8: what all books hold of a month, and what is pending, is what is known and estimated", () => {
  expect(seen["balance"]).toEqual([
    ["10", "656.00", "656.00", "0.00", "0.00"],
    ["11", "1200.00", "1200.00", "0.00", "0.00"],
  ]);
});
