import { expect, it } from "vitest";
import type { Headline, Overview } from "./report/model.ts";
import { summaryLines, type Summary } from "./summary.ts";
import { paintFor } from "./text.ts";

const plain = paintFor(false);

const HEADLINE: Headline = {
  month: "2026-03-01",
  throughDay: "2026-03-09",
  hasCompleteDay: true,
  isOver: false,
  isWhole: true,
  toDate: "1234.5",
  comparison: { billed: "1234.5", previous: "1000", isWhole: true, days: 9, previousDays: null },
  behind: [],
  unread: [],
  ahead: null,
  forecast: "4000",
  range: null,
  forecastMethod: "",
  daysInMonth: 31,
  daysProvisional: 2,
  daysNotProven: 0,
  unsummed: 0,
  budget: { amount: "9000", teams: null, toDate: "1234.5", forecast: "4000", isOfAll: true },
};

const moved = (name: string, previous: string, change: string) => ({
  names: [name],
  billed: "0",
  previous,
  change,
});
const team = (name: string, billed: string, forecast: string, budget: string) => ({
  team: name,
  billed,
  forecast,
  budget,
});

const DOLLARS: Overview = {
  currency: "USD",
  headline: HEADLINE,
  claim: "",
  moves: {
    by: "model",
    parts: [
      moved("model atlas", "500", "200"),
      moved("model nova", "0", "50.5"),
      moved("model orca", "40", "-20"),
      moved("no model (Credit)", "0", "-0.25"),
      moved("the 3 others", "9", "4.25"),
    ],
    largest: [],
  },
  anomalies: {
    found: [
      {
        subject: "ci",
        kind: "account",
        account: null,
        day: "2026-03-05",
        label: "key",
        others: 0,
        value: `ci-${"x".repeat(200)}`,
        billed: "99",
        usual: "0.001",
        spread: "0",
        daysCompared: 8,
        isProven: true,
      },
    ],
    number: 1,
    judged: 9,
    known: 9,
    all: 9,
  },
  changes: { found: [], rest: null, reread: "none" },
  teams: [
    team("Search", "900", "2000", "1000"),
    team("Ads", "1", "2", "50"),
    team("Care", "90", "91", "50"),
    team("Lab", "10", "40", "30"),
  ],
  invoices: { matched: 0, matchedByLine: 0, open: 0, findings: 0, found: [] },
  months: [
    { month: "2026-03-01", billed: "1234.5", read: "whole" },
    { month: "2026-02-01", billed: "3100", read: "part" },
    { month: "2026-01-01", billed: "0", read: "none" },
  ],
  all: { since: "2025-03-02", billed: "12345.678" },
  later: "3",
  models: [
    { value: "atlas", billed: "700" },
    { value: "nova", billed: "50.5" },
    { value: "orca", billed: "20" },
  ],
  keys: [{ value: "ci", billed: "0.0004" }],
};

const bill = {
  name: "a",
  base_url: "https://a.example",
  account: "",
  currency: "USD",
  provisional: "0",
  change: "0",
  unsummed: 0,
};

const SUMMARY: Summary = {
  ok: true,
  database: "billing.duckdb",
  report: null,
  unusable: { rows: 0, first: [] },
  accounts: [{ name: "a", base_url: "https://a.example", account: "", ok: true, errors: [] }],
  streams: [
    {
      account: "a",
      name: "usage",
      read: 1200,
      added: 3,
      changed: 0,
      position: "2026-03-10T06:00:00Z",
    },
    { account: "a", name: "costs", read: 0, added: 0, changed: 0, position: null },
  ],
  currencies: [DOLLARS],
  reporting: null,
  bills: [
    { ...bill, month: "2026-03-01", billed: "1234.5", provisional: "0.5", change: "0.9" },
    { ...bill, month: "2026-02-01", billed: "99" },
    { ...bill, month: "2026-01-16", billed: "7", change: "-2.6217" },
  ],
  findings: [],
  notices: ["Read with the older API."],
  proofs: [{ dataset: "costs", proven: 90, unproven: 1, incomplete: 2, compared: 9, differing: 0 }],
};

it("says in twenty lines what was read, where the month stands, what moved, and what is not proven", () => {
  const cutName = `key ci-${"x".repeat(32)}…`;
  const row = (group: string, name: string, amount: string, rest: string): string =>
    `${group.padEnd(7)} ${name.padEnd(40)}  ${amount.padStart(9)}  ${rest}`.trimEnd();
  const lines = summaryLines(SUMMARY, plain);
  expect(lines).toEqual([
    "usage   1,200 rows read, 3 new, 0 changed; complete through 2026-03-10 06:00 UTC",
    "costs   0 rows read, 0 new, 0 changed",
    "March so far: 1,234.50 USD, +23% against the month before; 3 of 4 teams with a budget are over their budgets or on course " +
      "to exceed them: Search, Care, Lab; all costs are on course to stay within the budget",
    "Complete through March 9, 2026, day 9 of 31. 2 days still provisional.",
    row(
      "Months",
      "March 2026 so far",
      "1,234.50",
      "through Mar 9; 3.00 of later days not in it yet",
    ),
    row("", "February 2026", "3,100.00", "not all of its days were read"),
    row("", "All costs", "12,345.68", "since March 2, 2025"),
    row("Moved", "model atlas", "+200.00", "+40%"),
    row("", "model nova", "+50.50", "from 0.00"),
    row("", "all others", "−16.00", "−33%"),
    row("Models", "atlas", "700.00", "57%"),
    row("", "nova", "50.50", "4%"),
    row("Keys", "ci", "0.00040", "0%"),
    row("Budgets", "Search", "2,000.00", "forecast, 1,000.00 over the budget of 1,000.00"),
    row(
      "",
      "Care",
      "91.00",
      "forecast, 41.00 over the budget of 50.00; 1 more team is over its own",
    ),
    row("Unusual", cutName, "99.00", "on Mar 5; usual for a Thursday: 0.0010"),
    "Since   the last sync: March 2026 +0.90 USD, January 2026 from Jan 16 −2.62 USD",
    "Proven  costs: 90 of 93 days; 2 in progress or not covered as a whole, 1 unproven",
    "Note    Read with the older API.",
  ]);
});

it("names the invoice with the largest difference, and says how many others do not match", () => {
  const found = [
    {
      issuer: "Example",
      id: "INV-3",
      period: null,
      finding: "total differs",
      billed: "9",
      total: "10.01",
      currency: null,
      elsewhere: null,
    },
  ];
  const invoices = { matched: 3, matchedByLine: 0, open: 1, findings: 2, found };
  const lines = summaryLines({ ...SUMMARY, currencies: [{ ...DOLLARS, invoices }] }, plain);
  expect(lines.find((line) => line.startsWith("Invoice "))).toMatch(
    /^Invoice INV-3, Example +−1\.01 {2}10\.01 on the invoice, 9\.00 of costs; 1 more in the report$/,
  );
});

it("adds up all currencies in the reporting currency, and names the costs without a rate", () => {
  const missing = [
    { currency: "GBP", billed: "12", firstDay: "2026-03-02", lastDay: "2026-03-02" },
    { currency: "SEK", billed: "3.5", firstDay: "2026-01-01", lastDay: "2026-03-02" },
  ];
  const budgets = [
    { name: "team Search", budget: "100", billed: "90", forecast: "110" },
    { name: "all costs", budget: "100", billed: "100.01", forecast: null },
    { name: "team Ads", budget: "100", billed: "90", forecast: "100" },
  ];
  const reporting = {
    currency: "EUR",
    toDate: "1100.255",
    later: "12.5",
    all: "9000",
    budgets,
    missing,
  };
  const lines = summaryLines({ ...SUMMARY, reporting }, plain);
  expect(lines.filter((line) => /^(In EUR|No rate|Budget )/.test(line))).toEqual([
    "In EUR  all currencies at the rate of each day: 1,100.26 in March 2026 so far (12.50 of later days are not in it yet, but count against its budgets), 9,000.00 since the first day",
    "Budget  team Search: 90.00 of 100.00 EUR spent, 110.00 expected; OVER",
    "Budget  all costs: 100.01 of 100.00 EUR spent; OVER",
    "No rate for 12.00 GBP of March 2, 2026, which are in no converted sum",
    "No rate for 3.50 SEK of January 1, 2026 to March 2, 2026, which are in no converted sum",
  ]);
});

it("has one line for each other currency", () => {
  const euros = { ...DOLLARS, currency: "EUR", headline: { ...HEADLINE, toDate: "7" } };
  const currencies = [
    DOLLARS,
    ...["EUR", "GBP", "SEK", "NOK", "DKK"].map((currency) => ({ ...euros, currency })),
  ];
  const lines = summaryLines({ ...SUMMARY, currencies }, plain);
  expect(lines.filter((line) => line.startsWith("March so far: 7.00"))).toHaveLength(3);
  expect(lines).toContain("And 2 more currencies.");
});

it("never shows a bill as if it had all costs", () => {
  const headline = { ...HEADLINE, toDate: "0", unsummed: 2 };
  const [newest, ...others] = SUMMARY.bills.map((each, index) => ({ ...each, unsummed: index }));
  const bills = newest === undefined ? [] : [{ ...newest, billed: "0", unsummed: 2 }, ...others];
  const lines = summaryLines({ ...SUMMARY, bills, currencies: [{ ...DOLLARS, headline }] }, plain);
  expect(lines[2]).toMatch(/^March so far: 0\.00 USD without 2 costs that cannot be summed, /);
  expect(lines).toContain(
    "In no sum, because a value cannot be summed: March 2026: 2 costs, February 2026: 1 cost, January 2026 from Jan 16: 2 costs",
  );
});

it("says so where not everything was read, or where totals differ", () => {
  const [proof] = SUMMARY.proofs;
  const proofs = proof === undefined ? [] : [{ ...proof, differing: 2 }];
  const lines = summaryLines({ ...SUMMARY, ok: false, proofs, report: "r.html" }, plain);
  expect(lines).toContain("Report  r.html");
  expect(lines.at(-1)).toContain("Not everything was read");
  expect(lines.join("\n")).toContain("2 control totals differ");
});

it("has colors only where they are wanted, and no label can make its own", () => {
  const models = [{ value: "\u001B[2Jatlas", billed: "1" }];
  const summary = { ...SUMMARY, currencies: [{ ...DOLLARS, models }] };
  expect(summaryLines(summary, plain).join("\n")).not.toContain("\u001B");
  const colored = summaryLines(summary, paintFor(true));
  expect(colored[2]).toMatch(/^\u001B\[1mMarch so far.*\u001B\[0m$/);
  expect(colored.join("\n")).toContain("\u001B[31mProven  costs");
  expect(colored.join("\n")).not.toContain("\u001B[2J");
});

it("names the account of each line if there are several, and those that were not read", () => {
  const [first, ...rest] = SUMMARY.accounts;
  if (first === undefined) throw new Error("no account");
  const accounts = [first, ...rest, { ...first, name: "b", ok: false, errors: ["down"] }];
  const lines = summaryLines({ ...SUMMARY, ok: false, accounts }, plain);
  expect(lines.filter((line) => /^(usage|costs) /.test(line))).toEqual([
    "usage   a: 1,200 rows read, 3 new, 0 changed; complete through 2026-03-10 06:00 UTC",
    "costs   a: 0 rows read, 0 new, 0 changed",
  ]);
  expect(lines.join("\n")).toContain("the last sync: a: March 2026 ");
  expect(lines.at(-1)).toBe(
    "Not everything was read of b: the next sync goes on where this one ended.",
  );
});

it("names three findings, and says how many more there are", () => {
  const findings = ["one", "two", "three", "four", "five"].map((text) => `finding ${text}`);
  const lines = summaryLines({ ...SUMMARY, findings }, plain);
  expect(lines.filter((line) => line.startsWith("Finding"))).toEqual([
    "Finding finding one",
    "Finding finding two",
    "Finding finding three",
    "Finding 2 more are in the report",
  ]);
});

it("gives no share where a credit makes a part more than all of it", () => {
  const headline = { ...HEADLINE, toDate: "100" };
  const models = [
    { value: "atlas", billed: "1800" },
    { value: "nova", billed: "50" },
  ];
  const lines = summaryLines({ ...SUMMARY, currencies: [{ ...DOLLARS, headline, models }] }, plain);
  const row = lines.findIndex((line) => line.startsWith("Models "));
  expect(lines.slice(row, row + 2).map((line) => line.trim().split(/ {2,}/).slice(-2))).toEqual([
    ["atlas", "1,800.00"],
    ["nova", "50.00"],
  ]);
});

it("has amounts under each other, also where the characters of a name are wide", () => {
  const [first] = SUMMARY.currencies;
  const models = [
    { value: "検索", billed: "700" },
    { value: "nova", billed: "50.5" },
  ];
  const currencies = first === undefined ? [] : [{ ...first, models }];
  const lines = summaryLines({ ...SUMMARY, currencies }, plain);
  const [wide = "", narrow = ""] = ["検索", "nova"].map((name) =>
    lines.find((line) => line.includes(`${name}  `) && !line.includes("model ")),
  );
  expect(wide.indexOf("700.00") + 6 + 2).toBe(narrow.indexOf("50.50") + 5);
});

it("counts the budgets in the reporting currency that are exceeded and have no line", () => {
  const budgets = ["a", "b", "c", "d"].map((name) => ({
    name: `team ${name}`,
    budget: "0",
    billed: "1",
    forecast: null,
  }));
  const reporting = { currency: "EUR", toDate: "4", later: "0", all: "4", budgets, missing: [] };
  const lines = summaryLines({ ...SUMMARY, reporting }, plain).filter((line) =>
    line.startsWith("Budget  "),
  );
  expect(lines).toHaveLength(4);
  expect(lines.at(-1)).toBe("Budget  1 more is OVER: the report has all");
});
