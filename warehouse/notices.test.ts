import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConnectorError } from "../src/errors.ts";
import { Secrets } from "../src/secrets.ts";
import { Database } from "./database.ts";
import { Notices, type NoticeHost } from "./notices.ts";
import type { Anomaly, Headline, Overview, TeamBudget } from "./report/model.ts";
import type { Summary } from "./summary.ts";
import { hostWith } from "./testing.ts";

const URL = "https://hooks.example.com/services/T0/B0/s3cretPath";

let folder: string;
let database: Database;
/** The texts of the notices, line by line. */
let told: string[][];
let answer: () => Promise<number>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "notices-"));
  database = await Database.open(join(folder, "billing.duckdb"), "write");
  await database.run(
    "CREATE TABLE adjustments (book_view VARCHAR, month DATE, billing_currency VARCHAR, is_pending BOOLEAN, kind VARCHAR, reason VARCHAR, amount DECIMAL(38, 18))",
  );
  await database.run(
    "CREATE TABLE budget_status (label VARCHAR, value VARCHAR, fiscal_year VARCHAR, first_month DATE, last_month DATE, billing_currency VARCHAR, " +
      "billed_cost DECIMAL(38, 18), forecast_cost DECIMAL(38, 18), budget DECIMAL(38, 18), is_over BOOLEAN, is_forecast_over BOOLEAN, is_converted BOOLEAN)",
  );
  await database.run(
    "CREATE TABLE label_names AS SELECT 'project_id' AS label, 'p-1' AS value, 'Chat' AS shown",
  );
  await database.run("CREATE TABLE monthly_costs AS SELECT DATE '2026-03-09' AS through_day");
  told = [];
  answer = () => Promise.resolve(200);
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true });
});

const hostOf = (more: Partial<NoticeHost> = {}): NoticeHost =>
  hostWith({
    noticeUrl: URL,
    secrets: new Secrets(),
    post: async (_, body) => {
      const status = await answer();
      const received: unknown = JSON.parse(body);
      if (status === 200 && typeof received === "object" && received !== null && "text" in received)
        told.push(String(received.text).split("\n"));
      return status;
    },
    ...more,
  });

const HEADLINE: Headline = {
  month: "2026-03-01",
  throughDay: "2026-03-09",
  hasCompleteDay: true,
  isOver: false,
  isWhole: true,
  toDate: "80",
  comparison: null,
  behind: [],
  unread: [],
  ahead: null,
  forecast: "190",
  range: null,
  forecastMethod: "",
  daysInMonth: 31,
  daysProvisional: 0,
  daysNotProven: 0,
  unsummed: 0,
  budget: null,
};

const LEAK: Anomaly = {
  subject: "ci",
  kind: "label",
  account: null,
  day: "2026-03-05",
  label: "key",
  value: "ci",
  others: 0,
  billed: "21",
  usual: "1",
  spread: "1.3",
  daysCompared: 28,
  isProven: true,
};

function summaryWith(parts: {
  readonly headline?: Partial<Headline>;
  readonly teams?: readonly TeamBudget[];
  readonly found?: readonly Anomaly[];
}): Summary {
  const overview: Overview = {
    currency: "USD",
    headline: { ...HEADLINE, ...parts.headline },
    moves: null,
    anomalies: {
      found: parts.found ?? [],
      number: parts.found?.length ?? 0,
      judged: 0,
      known: 0,
      all: 0,
    },
    changes: { found: [], rest: null, reread: "none" },
    invoices: { matched: 0, matchedByLine: 0, open: 0, findings: 0, found: [] },
    teams: parts.teams ?? [],
    claim: "",
    months: [],
    all: { since: null, billed: "0" },
    later: "0",
    models: [],
    keys: [],
  };
  return {
    ok: true,
    accounts: [],
    streams: [],
    currencies: [overview],
    bills: [],
    proofs: [],
    reporting: null,
    findings: [],
    unusable: { rows: 0, first: [] },
    notices: [],
    report: null,
    database: "",
  };
}

/** Tells a summary as a sync in a process of its own does. */
async function tell(summary: Summary, host = hostOf()): Promise<void> {
  const notices = await Notices.of([], host);
  await notices?.tell(database, summary);
}

test("a budget is told when the forecast exceeds it, and once more when the costs do", async () => {
  const budget = { amount: "100", teams: null, toDate: "80", forecast: "190", isOfAll: true };
  for (let times = 0; times < 2; times += 1) await tell(summaryWith({ headline: { budget } }));
  const spent = { ...budget, toDate: "101" };
  for (let times = 0; times < 2; times += 1)
    await tell(summaryWith({ headline: { budget: spent, toDate: "101" } }));
  expect(told).toEqual([
    ["All costs will exceed the budget of 100.00 in March 2026 by the forecast: 190.00 USD."],
    [
      "All costs exceeded the budget of 100.00 in March 2026: 101.00 USD so far, 190.00 by the forecast.",
    ],
  ]);
});

test("a budget that is exceeded by less than a cent does not look like the costs", async () => {
  const budget = {
    amount: "23.455",
    teams: null,
    toDate: "23.4555",
    forecast: null,
    isOfAll: true,
  };
  await tell(summaryWith({ headline: { budget, toDate: "23.4555", forecast: null } }));
  expect(told).toEqual([
    ["All costs exceeded the budget of 23.455 in March 2026: 23.456 USD so far."],
  ]);
});

test("a budget inside the range of the forecast may be exceeded, as the page says", async () => {
  const budget = { amount: "100", teams: null, toDate: "80", forecast: "104", isOfAll: true };
  const range = { low: "95.5", high: "112" };
  await tell(summaryWith({ headline: { budget, forecast: "104", range } }));
  await tell(
    summaryWith({ headline: { budget, forecast: "104", range: { ...range, low: "101" } } }),
  );
  expect(told).toEqual([
    [
      "All costs may exceed the budget of 100.00 in March 2026 by the forecast: 104.00 USD; 80 of 100 months end from 95.50 to 112.00.",
    ],
    ["All costs will exceed the budget of 100.00 in March 2026 by the forecast: 104.00 USD."],
  ]);
});

test("a team's budget is told with its name, and one that is kept is not", async () => {
  const teams = [
    { team: "Search", billed: "60", forecast: "70", budget: "50" },
    { team: "Ads", billed: "10", forecast: "20", budget: "50" },
    { team: "Lab", billed: "10", forecast: null, budget: "5" },
  ];
  await tell(summaryWith({ teams }));
  expect(told).toEqual([
    [
      "Search exceeded the budget of 50.00 in March 2026: 60.00 USD so far, 70.00 by the forecast.",
      "Lab exceeded the budget of 5.00 in March 2026: 10.00 USD so far.",
    ],
  ]);
});

test("budgets of projects and fiscal years, and in the reporting currency, are told once; others are those of the first screen", async () => {
  await database.run(`
    INSERT INTO budget_status VALUES
      ('project_id', 'p-1', NULL, '2026-03-01', '2026-03-01', 'USD', 60, 70, 50, true, true, false),
      ('model_id', 'm-1', '2026', '2026-01-01', '2026-12-01', 'USD', 60, 700, 500, false, true, false),
      ('team', 'Search', NULL, '2026-03-01', '2026-03-01', 'EUR', 60, NULL, 50, true, NULL, true),
      ('all', NULL, '2026', '2026-01-01', '2026-12-01', 'USD', 60, 70, 500, false, false, false),
      ('project_id', 'p-2', NULL, '2026-02-01', '2026-02-01', 'USD', 60, 60, 50, true, true, false),
      ('team', 'Ads', NULL, '2026-03-01', '2026-03-01', 'USD', 60, 70, 50, true, true, false)`);
  await tell(summaryWith({}));
  await tell(summaryWith({}));
  expect(told).toEqual([
    [
      "Model m-1 will exceed the budget of 500.00 in FY2026 by the forecast: 700.00 USD.",
      "Project Chat exceeded the budget of 50.00 in March 2026: 60.00 USD so far, 70.00 by the forecast.",
      "Search exceeded the budget of 50.00 in March 2026: 60.00 EUR so far.",
    ],
  ]);
});

test("no forecast is told of a currency that has none on the first screen, such as while an account is behind", async () => {
  await database.run(`
    INSERT INTO budget_status VALUES
      ('project_id', 'p-1', NULL, '2026-03-01', '2026-03-01', 'USD', 40, 70, 50, false, true, false),
      ('project_id', 'p-1', NULL, '2026-03-01', '2026-03-01', 'GBP', 40, 70, 50, false, true, false),
      ('model_id', 'm-1', NULL, '2026-03-01', '2026-03-01', 'USD', 60, 70, 50, true, true, false),
      ('all', NULL, '2026', '2026-01-01', '2026-12-01', 'USD', 60, 700, 500, false, true, false),
      ('all', NULL, '2026', '2026-01-01', '2026-12-01', 'EUR', 60, 700, 500, false, true, true)`);
  const b = { name: "b", throughDay: "2026-03-02", billed: "40", isUnread: false };
  await tell(summaryWith({ headline: { forecast: null, behind: [b], isWhole: false } }));
  expect(told).toEqual([
    [
      "Model m-1 exceeded the budget of 50.00 in March 2026: 60.00 USD so far.",
      "Project Chat will exceed the budget of 50.00 in March 2026 by the forecast: 70.00 GBP.",
    ],
  ]);
  await tell(summaryWith({}));
  expect(told[1]).toEqual([
    "All costs will exceed the budget of 500.00 in FY2026 by the forecast: 700.00 EUR.",
    "All costs will exceed the budget of 500.00 in FY2026 by the forecast: 700.00 USD.",
    "Project Chat will exceed the budget of 50.00 in March 2026 by the forecast: 70.00 USD.",
  ]);
});

test("an unusual day is told once", async () => {
  await tell(summaryWith({ found: [LEAK] }));
  await tell(
    summaryWith({ found: [{ ...LEAK, day: "2026-03-06", kind: "new", usual: "900" }, LEAK] }),
  );
  expect(told).toEqual([
    ["key ci: 21.00 USD on Mar 5; its usual day: 1.00."],
    ["key ci: 21.00 USD on Mar 6; new; all costs are usually 900.00."],
  ]);
});

test("an unusual day of each account is told, each as an event of its own", async () => {
  await tell(summaryWith({ found: [{ ...LEAK, subject: "ci of Asia", account: "Asia" }] }));
  await tell(
    summaryWith({
      found: [
        { ...LEAK, subject: "ci of Asia", account: "Asia" },
        { ...LEAK, account: "Europe", others: 2 },
        { ...LEAK, account: "Europe", label: "all", kind: "account" },
      ],
    }),
  );
  expect(told).toEqual([
    ["key ci of Asia: 21.00 USD on Mar 5; its usual day: 1.00."],
    [
      "key ci of Europe: 21.00 USD on Mar 5; its usual day: 1.00; and 2 other keys on this day.",
      "All costs of Europe: 21.00 USD on Mar 5; usual for a Thursday: 1.00.",
    ],
  ]);
});

test("nothing is told again because a name has changed or a further account has come", async () => {
  await database.run(`
    INSERT INTO budget_status VALUES
      ('project_id', 'p-1', NULL, '2026-03-01', '2026-03-01', 'USD', 60, 70, 50, true, true, false)`);
  await tell(summaryWith({ found: [LEAK] }));
  await database.run("UPDATE label_names SET shown = 'Assistant'");
  await tell(summaryWith({ found: [{ ...LEAK, value: "build", account: "Europe" }] }));
  expect(told).toEqual([
    [
      "Project Chat exceeded the budget of 50.00 in March 2026: 60.00 USD so far, 70.00 by the forecast.",
      "key ci: 21.00 USD on Mar 5; its usual day: 1.00.",
    ],
  ]);
});

test("a closed month that changes is told when its amount is new, and what is booked is not", async () => {
  const add = (amount: string, isPending = true, kind = "adjustment"): Promise<void> =>
    database.run(
      `INSERT INTO adjustments VALUES ('month', '2026-02-01', 'USD', ${isPending}, '${kind}', 'late', ${amount})`,
    );
  await add("7", false);
  await add("-8", true, "reversal");
  await add("8", true, "accrual");
  await tell(summaryWith({}));
  expect(told).toEqual([]);
  await add("-3.5");
  await tell(summaryWith({}));
  await tell(summaryWith({}));
  await add("1");
  await tell(summaryWith({}));
  // An accrued cost settles: first at the value of the book, then at a lower one.
  await database.run("UPDATE adjustments SET kind = 'adjustment' WHERE kind = 'accrual'");
  await tell(summaryWith({}));
  await database.run("UPDATE adjustments SET amount = 6 WHERE amount = 8");
  await tell(summaryWith({}));
  expect(told).toEqual([
    ["February 2026 is closed by month, and changed by −3.50 USD since (1 adjustment)."],
    ["February 2026 is closed by month, and changed by −2.50 USD since (2 adjustments)."],
    ["February 2026 is closed by month, and changed by −2.50 USD since (3 adjustments)."],
    ["February 2026 is closed by month, and changed by −4.50 USD since (3 adjustments)."],
  ]);
});

test("a month that was only closed again has not changed", async () => {
  const reopened = `'month', '2026-02-01', 'USD', true, 'adjustment', 'reopened'`;
  await database.run(`INSERT INTO adjustments VALUES (${reopened}, -5)`);
  await tell(summaryWith({}));
  expect(told).toEqual([]);
  await database.run(
    "INSERT INTO adjustments VALUES ('month', '2026-02-01', 'USD', true, 'adjustment', 'corrected', 2)",
  );
  await tell(summaryWith({}));
  expect(told).toEqual([
    ["February 2026 is closed by month, and changed by +2.00 USD since (1 adjustment)."],
  ]);
});

test("the text ends after twenty events, and the events are all there", async () => {
  const found = Array.from({ length: 23 }, (_, key) => ({ ...LEAK, subject: `key-${key}` }));
  await tell(summaryWith({ found }));
  expect(told[0]).toHaveLength(21);
  expect(told[0]?.at(-1)).toBe("and 3 more");
  expect(await database.query("SELECT count(*) FROM source_ai_billing.notices")).toEqual([["23"]]);
});

test("a failure that no database remembers is told once by a process", async () => {
  const notices = await Notices.of([], hostOf());
  const error = new ConnectorError("database", "The file is locked.");
  for (let times = 0; times < 2; times += 1)
    await notices?.tellFailure(join(folder, "absent", "billing.duckdb"), error);
  expect(told).toEqual([["The sync failed. The file is locked."]]);
});

test("a failure is remembered in a file of sync only: a wrong --database may name a file of somebody else", async () => {
  const notices = await Notices.of([], hostOf());
  const error = new ConnectorError("database", "The file is locked.");
  const schemas = async (): Promise<unknown> =>
    database.query(
      "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'source_ai_billing' ORDER BY 1",
    );
  const again = async (...statements: readonly string[]): Promise<void> => {
    for (const sql of statements) await database.run(sql);
    database.close();
    await notices?.tellFailure(join(folder, "billing.duckdb"), error);
    database = await Database.open(join(folder, "billing.duckdb"), "write");
  };
  await again();
  expect(await schemas()).toEqual([]);
  await again(
    "CREATE SCHEMA source_ai_billing",
    "CREATE TABLE source_ai_billing.accounts (name VARCHAR)",
  );
  expect(await schemas()).toEqual([["accounts"], ["notices"]]);
});

test("an address is masked, and a message has none of it", async () => {
  const warnings: string[] = [];
  const host = hostOf({ warn: (text) => void warnings.push(text) });
  answer = () => Promise.reject(new Error(`connect ${URL}`));
  await tell(summaryWith({ found: [LEAK] }), host);
  const [warning = ""] = warnings;
  expect(warning).toContain("1 event was not sent");
  expect(host.secrets.mask(warning)).not.toContain("s3cretPath");
});

test("without an address nothing is kept", async () => {
  expect(await Notices.of([], hostOf({ noticeUrl: "" }))).toBeUndefined();
});
