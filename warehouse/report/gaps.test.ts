/** Pages of companies of which something was not read: no sentence says more than is known. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { costs } from "../costs.ts";
import { Database } from "../database.ts";
import { inputTables, makeOnDemand } from "../models.ts";
import { copyFromDuckDB } from "../raw_tables.ts";
import { refreshModels } from "../refresh.ts";
import { reportingOf } from "../reporting.ts";
import { prepare, storeState } from "../store.ts";
import { hostWith } from "../testing.ts";
import { addReading } from "../testing_costs.ts";
import { Answers } from "./answers.ts";
import { reportData, screensOf } from "./data.ts";
import { documentBody } from "./document.ts";
import type { Overview } from "./model.ts";
import { overviewsOf } from "./overview.ts";
import { claimOf, detailsOf } from "./words.ts";

const BASE = "https://a.example";

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gaps-"));
  database = await Database.open(join(folder, "billing.duckdb"), "write");
  for (const table of await inputTables()) await database.run(table);
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true, force: true });
});

/** Names the accounts of the configs. */
const own = (...names: readonly string[]): Promise<void> =>
  prepare(
    database,
    names.map((name) => ({ name, base_url: BASE, account: name, granularity: "1d" })),
  );

/** Reads the days of an account, each with a cost of 100.00. */
const read = (account: string, first: string, end: string): Promise<void> =>
  addReading(database, {
    id: `r-${account}`,
    at: end,
    first,
    end,
    account,
    records: `
      SELECT '${account}-' || strftime(day, '%m-%d') AS id, day, 'Usage' AS category, '100' AS cost, 'final' AS status
      FROM range(TIMESTAMP '${first}', TIMESTAMP '${end}', INTERVAL 1 DAY) AS days(day)`,
  });

const give = (table: string, columns: string, ...rows: readonly string[]): Promise<void> =>
  database.run(`INSERT INTO ai_billing_${table} (${columns}) VALUES ${rows.join(", ")}`);

const budget = (amount: string, team = "NULL"): Promise<void> =>
  give(
    "budgets",
    "team, month, billing_currency, budget",
    `(${team}, '2026-10', 'USD', ${amount})`,
  );

interface Said {
  readonly overview: Overview;
  /** Those of the currencies after the first one. */
  readonly others: readonly Overview[];
  readonly claim: string;
  readonly details: string;
  /** The visible words of the page. */
  readonly words: string;
}

async function page(): Promise<Said> {
  await refreshModels(database);
  const answers = await Answers.of(database);
  const screens = await screensOf(answers);
  const data = await reportData(answers, screens, "a test");
  const [overview, ...others] = await overviewsOf(answers, screens);
  await answers.keep();
  if (overview === undefined) throw new Error("there are no costs");
  const words = documentBody(data)
    .text.replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ");
  return { overview, others, claim: claimOf(overview), details: detailsOf(overview), words };
}

/** The last line of `costs`. */
async function proofLine(): Promise<string> {
  database.close();
  const said: string[] = [];
  const host = hostWith({ say: (text) => Promise.resolve(void said.push(text)) });
  const period = { from: undefined, through: undefined };
  const path = join(folder, "billing.duckdb");
  await costs(
    { database: path, by: "model", period, month: undefined, top: undefined, format: "text" },
    host,
  );
  database = await Database.open(path, "write");
  return said.join("").trimEnd().split("\n").at(-1) ?? "";
}

it(
  "`costs` says what to do where a sync of another version made the models",
  { timeout: 60_000 },
  async () => {
    await own("a");
    await read("a", "2026-10-01", "2026-10-03");
    await refreshModels(database);
    await database.run("ALTER TABLE invalid_rows DROP COLUMN billing_currency");
    await expect(proofLine()).rejects.toMatchObject({
      code: "database",
      message: expect.stringContaining("run `sync` again"),
    });
    database = await Database.open(join(folder, "billing.duckdb"), "write");
  },
);

describe("while an account is behind", { timeout: 60_000 }, () => {
  beforeEach(async () => {
    await own("a", "b");
    await read("a", "2026-08-01", "2026-11-01");
    await read("b", "2026-08-01", "2026-10-21");
  });

  it("a month is not over, and no budget of it is judged", async () => {
    await budget("5500");
    await budget("5000", "'Ads'");
    await give("teams", "label, value, team", "('project_id', 'p', 'Ads')");
    const { overview, claim, details, words } = await page();
    expect(overview.headline).toMatchObject({
      throughDay: "2026-10-31",
      toDate: "5100",
      isOver: false,
      isWhole: false,
      forecast: null,
      daysNotProven: 11,
      budget: { forecast: null },
    });
    expect(claim).toBe(
      "October so far: 5,100.00 USD, +3% against the month before, without b; 1 of 1 team with a budget is over its budget: Ads",
    );
    expect(details).toContain(
      "Without b, complete through October 31, 2026, day 31 of 31. 11 days of the month not proven yet. b is complete through October 20, 2026 only",
    );
    expect(words).toContain("Forecast of the month none b is behind");
    expect(words).toContain("Budget 5,500.00 USD the costs that were read are 400.00 under");
    // Nothing is known of what is left at the month's end.
    expect(words).toContain("Left at month end Ads 5,100.00 5,000.00 What moved");
    expect(overview.months[0]).toEqual({ month: "2026-10-01", billed: "5100", read: "part" });
  });

  it("budgets in the reporting currency have no forecast", async () => {
    await give("reporting_currency", "currency", "('EUR')");
    await give(
      "exchange_rates",
      "from_currency, to_currency, valid_from, rate",
      "('USD', 'EUR', '2026-01-01', 1)",
    );
    await give("budgets", "month, billing_currency, budget", "('2026-10', 'EUR', 5500)");
    await page();
    const { budgets = [] } = (await reportingOf(await Answers.of(database))) ?? {};
    expect(budgets).toMatchObject([{ name: "all costs", billed: "5100", forecast: null }]);
    const [known] = await database.query("SELECT forecast_cost::BIGINT FROM budget_status");
    expect(known).toEqual(["6200"]);
  });
});

describe("days before the first one that was read", { timeout: 60_000 }, () => {
  beforeEach(async () => {
    await own("a");
    await budget("1500");
  });

  it("are named, and a month that is over without them is not within its budget", async () => {
    await read("a", "2026-10-19", "2026-11-01");
    const { overview, claim, details, words } = await page();
    expect(overview.headline).toMatchObject({ isOver: true, isWhole: false, forecast: null });
    expect(overview.headline.unread).toEqual([
      { name: null, from: "2026-10-01", through: "2026-10-18", days: 18 },
    ]);
    expect(claim).toBe(
      "October: 1,300.00 USD without 18 days that were never read, not compared, because the month before was not read on these days",
    );
    expect(details).toBe(
      "Complete through October 31, 2026, day 31 of 31, except Oct 1 to Oct 18: never read. All days that were read are final and proven.",
    );
    expect(words).toContain("Budget 1,500.00 USD the costs that were read are 200.00 under");
    expect(words).not.toContain("the month is");
  });

  it("do not hide that the budget is exceeded", async () => {
    await read("a", "2026-10-16", "2026-11-01");
    expect((await page()).claim).toMatch(/; over the budget by 7%$/);
  });

  it("leave no forecast either", async () => {
    await read("a", "2026-10-10", "2026-10-29");
    const { claim, words } = await page();
    expect(claim).not.toContain("on course");
    expect(words).toContain("Forecast of the month none not all days of the month were read");
  });

  it("are told with their account if there are several", async () => {
    await own("a", "b");
    await read("a", "2026-09-01", "2026-11-01");
    await read("b", "2026-10-31", "2026-11-01");
    expect((await page()).details).toContain(
      "day 31 of 31, except Oct 1 to Oct 30 of b: never read.",
    );
  });
});

it("a day of a month that was read in part leaves no verdict", { timeout: 60_000 }, async () => {
  await own("a");
  await budget("9000");
  await read("a", "2026-09-01", "2026-11-01");
  expect((await page()).claim).toContain("it stayed within the budget");
  await database.run(
    "UPDATE export_windows SET covered_through = TIMESTAMP '2026-10-09 12:00' WHERE day = DATE '2026-10-09'",
  );
  const { claim, details } = await page();
  expect(claim).not.toContain("stayed within");
  expect(details).toContain("1 day of the month not proven yet");
});

describe("days between others that were never read", { timeout: 60_000 }, () => {
  /** No sync has read these days before they left the provider's retention. */
  const lose = async (from: string, through: string, account = "a"): Promise<void> => {
    const within = (day: string): string =>
      `${day} BETWEEN DATE '${from}' AND DATE '${through}' AND account = '${account}'`;
    await database.run(
      `DELETE FROM costs WHERE "x_RecordId" BETWEEN '${account}-${from.slice(5)}' AND '${account}-${through.slice(5)}'`,
    );
    await database.run(`DELETE FROM export_windows WHERE ${within("day")}`);
  };

  it("are named, and leave no forecast", async () => {
    await own("a");
    await budget("3000");
    await read("a", "2026-09-01", "2026-10-26");
    await lose("2026-10-04", "2026-10-09");
    await lose("2026-10-12", "2026-10-12");
    const { overview, claim, details, words } = await page();
    expect(overview.headline).toMatchObject({ isWhole: false, forecast: null, daysNotProven: 0 });
    expect(claim).toBe(
      "October so far: 1,800.00 USD without 7 days that were never read, ±0% against the month before on the 18 days that were read in both months",
    );
    expect(details).toBe(
      "Complete through October 25, 2026, day 25 of 31, except Oct 4 to Oct 9, Oct 12: never read. All days that were read are final and proven.",
    );
    expect(words).toContain("Forecast of the month none not all days of the month were read");
    await give("reporting_currency", "currency", "('EUR')");
    await give(
      "exchange_rates",
      "from_currency, to_currency, valid_from, rate",
      "('USD', 'EUR', '2026-01-01', 1)",
    );
    await give("budgets", "month, billing_currency, budget", "('2026-10', 'EUR', 5500)");
    await page();
    const { budgets = [] } = (await reportingOf(await Answers.of(database))) ?? {};
    expect(budgets).toMatchObject([
      {
        name: "all costs, not all read before October 13, 2026",
        billed: "1800",
        forecast: null,
      },
    ]);
  });

  it("count once if several accounts lack them", async () => {
    await own("a", "b");
    await read("a", "2026-09-01", "2026-10-26");
    await read("b", "2026-10-06", "2026-10-26");
    await lose("2026-10-04", "2026-10-09");
    const { claim, details } = await page();
    expect(claim).toContain("3,900.00 USD without 9 days that were never read");
    expect(details).toContain("except Oct 4 to Oct 9 of a, Oct 1 to Oct 5 of b: never read");
  });
});

it(
  "a month that is over is not said to equal a longer one, of which the last day is not compared",
  { timeout: 60_000 },
  async () => {
    await own("a");
    await read("a", "2026-08-01", "2026-10-01");
    const { overview, claim, words } = await page();
    expect(overview.months.slice(0, 2).map(({ billed }) => billed)).toEqual(["3000", "3100"]);
    expect(claim).toBe(
      "September: 3,000.00 USD, ±0% against the first 30 days of the month before",
    );
    expect(words).toContain("Month before, same days 3,000.00 USD");
  },
);

describe("an account of which no costs were ever read", { timeout: 60_000 }, () => {
  beforeEach(async () => {
    await own("a", "b");
    await budget("9000");
    await read("a", "2026-09-01", "2026-11-01");
  });

  it("is named, and leaves no verdict and no proof of all days", async () => {
    const { overview, claim, details, words } = await page();
    expect(overview.headline).toMatchObject({ isOver: false, isWhole: false, forecast: null });
    expect(claim).toBe(
      "October so far: 3,100.00 USD without the costs of b, which were never read, +3% against the month before",
    );
    expect(details).toBe(
      "Without b, complete through October 31, 2026, day 31 of 31. All days that were read are final and proven. " +
        "The costs of b were never read: no sum of this page contains them.",
    );
    expect(words).toContain("Forecast of the month none the costs of b were never read");
    expect(words).toContain("NO COSTS OF b");
    expect(overview.months.map((each) => each.read)).toEqual(["part", "part", "none"]);
    expect(await proofLine()).toBe(
      "Proof: 31 of 62 days of costs proven, 31 NOT PROVEN; the costs of b were never read",
    );
  });

  it("is named by a report with other inputs, which copies the raw tables", async () => {
    const path = join(folder, "billing.duckdb");
    database.close();
    const copy = await Database.inMemory();
    try {
      await copyFromDuckDB(copy, path, "main");
      await makeOnDemand(copy);
      const [screen] = await screensOf(await Answers.of(copy));
      expect(screen === undefined ? "" : claimOf(screen)).toBe(
        "October so far: 3,100.00 USD without the costs of b, which were never read, +3% against the month before",
      );
    } finally {
      copy.close();
      database = await Database.open(path, "write");
    }
  });

  it("is on the next page once its costs were read, and before that once its config is gone", async () => {
    await page();
    await own("a");
    expect((await page()).claim).toContain("it stayed within the budget");
    await own("a", "b");
    expect((await page()).claim).toContain("which were never read");
    await read("b", "2026-09-01", "2026-11-01");
    expect((await page()).claim).toContain("October: 6,200.00 USD, +3% against the month before;");
  });

  it("is named if it has no label, also where another account of its address has one", async () => {
    await prepare(
      database,
      ["a", ""].map((account) => ({
        name: account === "" ? "main" : account,
        base_url: BASE,
        account,
        granularity: "1d",
      })),
    );
    expect((await page()).claim).toContain("without the costs of main, which were never read");
    // Without a label its rows may have the id that the provider gives.
    await read("org-1", "2026-09-01", "2026-11-01");
    expect((await page()).claim).toContain("October: 6,200.00 USD, +3% against the month before;");
  });

  it("is not waited for if its provider offers usage only", async () => {
    const place = { base_url: BASE, account: "b" };
    await storeState(database, place, "usage", "{}");
    expect((await page()).claim).toContain("it stayed within the budget");
    await storeState(database, place, "costs", "{}");
    expect((await page()).claim).toContain("which were never read");
  });
});

it(
  "a table with only usage of an account is said to lack its costs",
  { timeout: 60_000 },
  async () => {
    await own("a");
    await read("a", "2026-09-01", "2026-11-01");
    await database.run(`
    INSERT INTO export_windows BY NAME
    SELECT * REPLACE ('u-' || id AS id, 'usage' AS dataset, 'c' AS account, 0 AS records, 0 AS rows, '[]' AS totals) FROM export_windows`);
    const { claim, words } = await page();
    expect(words).toContain("NO COSTS OF c");
    expect(claim).toContain("October: 3,100.00 USD, +3%");
  },
);

it(
  "an account with usage only is named beside others of its address that were never read",
  { timeout: 60_000 },
  async () => {
    await own("a", "u", "u-2", "");
    await read("a", "2026-10-01", "2026-11-01");
    await database.run(`
    INSERT INTO export_windows BY NAME
    SELECT * REPLACE ('u-' || id AS id, 'usage' AS dataset, 'u-2' AS account, 0 AS records, 0 AS rows, '[]' AS totals) FROM export_windows`);
    await storeState(database, { base_url: BASE, account: "u-2" }, "usage", "{}");
    expect((await page()).words).toContain(`NO COSTS OF ${BASE}, u, u-2`);
  },
);

it(
  "the range of a forecast contains it also if one account has finished the month",
  { timeout: 60_000 },
  async () => {
    await own("a", "b");
    await budget("6205");
    await read("a", "2026-08-01", "2026-11-02");
    await read("b", "2026-08-01", "2026-10-30");
    await database.run(
      `UPDATE costs SET "BilledCost" = '240' WHERE "x_RecordId" IN ('b-10-07', 'b-10-14')`,
    );
    await database.run(`UPDATE export_windows SET totals = replace(totals::VARCHAR, '"billed":"100.00"', '"billed":"240.00"')::JSON
      WHERE account = 'b' AND day IN ('2026-10-07', '2026-10-14')`);
    const { overview } = await page();
    const { month, forecast, range } = overview.headline;
    expect(month).toBe("2026-10-01");
    const [[own_ = "", low = "", high = ""] = []] = await database.query(`
      SELECT (forecast_cost + 3100)::DECIMAL(38, 18), (forecast_low + 3100)::DECIMAL(38, 18), (forecast_high + 3100)::DECIMAL(38, 18)
      FROM month_forecasts WHERE month = '2026-10-01'`);
    expect([forecast, range?.low, range?.high].map(Number)).toEqual([own_, low, high].map(Number));
    expect(Number(range?.low)).toBeLessThan(Number(forecast));
    expect(Number(range?.high)).toBeGreaterThan(Number(forecast));
  },
);

describe("the last days of a month that is longer than the one before", { timeout: 60_000 }, () => {
  beforeEach(async () => {
    await own("a");
  });

  it("are compared with all of the month before, and both places of the page say so", async () => {
    await read("a", "2026-01-01", "2026-04-01");
    const { claim, words } = await page();
    expect(claim).toBe("March: 3,100.00 USD, +11% against the month before");
    expect(words).toContain("Month before, all 28 days 2,800.00 USD");
    expect(words).toContain("Against the month before, all 28 days");
    expect(words).not.toContain("same days");
  });

  it("are not compared with a part of the month before", async () => {
    await read("a", "2026-02-15", "2026-04-01");
    const { claim, words } = await page();
    expect(claim).toBe(
      "March: 3,100.00 USD, ±0% against the month before on the 14 days that were read in both months",
    );
    expect(words).toContain(
      "Month before, same days 1,400.00 USD 1,400.00 this month on the 14 days that were read in both months",
    );
    expect(words).toContain("Against the month before, same days");
  });

  it("are not compared if a day of the longer month is missing", async () => {
    await read("a", "2026-01-01", "2026-04-01");
    await database.run("DELETE FROM export_windows WHERE day = DATE '2026-03-30'");
    await database.run(`DELETE FROM costs WHERE "x_RecordId" = 'a-03-30'`);
    expect((await page()).claim).toContain(
      "±0% against the month before on the 28 days that were read in both months",
    );
  });
});

it(
  "a cost of a wrong year does not push the running month out of the page",
  { timeout: 60_000 },
  async () => {
    await own("a");
    await read("a", "2026-10-01", "2026-10-25");
    await database.run(`
      INSERT INTO costs BY NAME
      SELECT * REPLACE ('wrong' AS "x_RecordId", TIMESTAMP '2126-10-05' AS "ChargePeriodStart", TIMESTAMP '2126-10-06' AS "ChargePeriodEnd")
      FROM costs WHERE "x_RecordId" = 'a-10-03'`);
    const { claim, words } = await page();
    expect(claim).toContain("October so far: 2,400.00 USD");
    expect(words).toContain("Project Billed USD Before Change p 2,400.00");
  },
);

it(
  "an account that ended long ago says nothing about later months, at no place",
  { timeout: 60_000 },
  async () => {
    await own("a", "old");
    await read("a", "2026-08-01", "2026-10-25");
    await read("old", "2026-08-01", "2026-08-20");
    // Its config is gone.
    await own("a");
    const { overview, details } = await page();
    expect(details).toContain("All days are final and proven.");
    expect(overview.months.map((each) => each.read)).toEqual(["whole", "part", "part"]);
    await database.run(
      `UPDATE costs SET "BillingCurrency" = 'EUR' WHERE "x_RecordId" LIKE 'old-%'`,
    );
    const { overview: dollars, others } = await page();
    expect(dollars.months[1]).toEqual({ month: "2026-09-01", billed: "3000", read: "whole" });
    expect(others[0]?.months.map((each) => each.read)).toEqual(["whole", "none", "part"]);
    expect(await proofLine()).toBe("Proof: 24 of 24 days of costs proven");
  },
);

describe("an account that could not be read for months", { timeout: 60_000 }, () => {
  beforeEach(async () => {
    await own("a", "b");
    await budget("9000");
    await read("a", "2026-07-01", "2026-11-01");
    await read("b", "2026-07-01", "2026-08-20");
  });

  it("is behind as long as syncs are to read it, and leaves no verdict", async () => {
    const { overview, claim, details, words } = await page();
    expect(overview.headline).toMatchObject({ isOver: false, isWhole: false, forecast: null });
    expect(claim).toBe("October so far: 3,100.00 USD, +3% against the month before, without b");
    expect(details).toBe(
      "Without b, complete through October 31, 2026, day 31 of 31. 31 days of the month not proven yet. " +
        "b is complete through August 19, 2026 only: none of its later costs are known.",
    );
    expect(words).toContain("Forecast of the month none b is behind");
    expect(overview.months.map((each) => each.read)).toEqual(["part", "part", "part"]);
    expect(await proofLine()).toBe("Proof: 31 of 62 days of costs proven, 31 NOT PROVEN");
  });

  it("has ended once no sync is to read it", async () => {
    await page();
    await own("a");
    expect((await page()).claim).toContain("it stayed within the budget");
  });

  it("has ended if it had no costs for two months before", async () => {
    await database.run(`DELETE FROM costs WHERE "x_RecordId" > 'b-05'`);
    await database.run(
      "UPDATE export_windows SET records = 0, rows = 0, totals = '[]' WHERE account = 'b'",
    );
    expect((await page()).claim).toContain("it stayed within the budget");
  });
});
