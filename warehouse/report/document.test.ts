import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { documentBody } from "./document.ts";
import type { Budget, Headline, InvoiceFinding, ReportData, View } from "./model.ts";

const BUDGET: Budget = {
  amount: "100",
  teams: null,
  toDate: "120",
  forecast: "190",
  isOfAll: true,
};

const HEADLINE: Headline = {
  month: "2026-11-01",
  throughDay: "2026-11-19",
  hasCompleteDay: true,
  isOver: false,
  isWhole: true,
  toDate: "120",
  comparison: { billed: "120", previous: "100", isWhole: true, days: 19, previousDays: null },
  behind: [],
  unread: [],
  ahead: null,
  forecast: "190",
  range: null,
  forecastMethod: "mean of the usage charges of 19 complete days",
  daysInMonth: 30,
  daysProvisional: 0,
  daysNotProven: 0,
  unsummed: 0,
  budget: BUDGET,
};

const VIEW: View = {
  currency: "USD",
  headline: HEADLINE,
  days: [],
  dimensions: [],
  reaches: [],
  moves: { by: "model", parts: [], largest: [] },
  anomalies: { found: [], number: 0, judged: 0, known: 0, all: 0 },
  changes: { found: [], rest: null, reread: "none" },
  units: [],
  priceChanges: { found: [], more: 0 },
  savings: null,
  teams: [],
  invoices: { matched: 0, matchedByLine: 0, open: 0, findings: 0, found: [] },
  naive: "0",
  current: "0",
  provisional: "0",
};

const EMPTY: ReportData = {
  providers: [],
  accounts: [],
  asOf: "",
  views: [],
  reporting: null,
  ranges: [],
  withoutCosts: [],
  removed: [],
  faults: [],
  findings: [],
  unusable: { rows: 0, first: [] },
  madeBy: "test",
};

/** The words of a report with one currency, or with others after it, spaces made one. */
function wordsOf(
  headline: Partial<Headline>,
  more: Partial<View> = {},
  reporting: ReportData["reporting"] = null,
  others: Readonly<Record<string, string>> = {},
): string {
  const view: View = { ...VIEW, headline: { ...HEADLINE, ...headline }, ...more };
  const after = Object.entries(others).map(([currency, toDate]) => ({
    ...view,
    currency,
    headline: { ...view.headline, toDate },
  }));
  return documentBody({ ...EMPTY, views: [view, ...after], reporting })
    .text.replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ");
}

it("the section of periods says what each is compared with", () => {
  expect(wordsOf({})).toContain(
    "This month is compared with as many days of the month before, another period with the one before it, and only if both were read wholly.",
  );
});

it("a browser that goes back to the page restores no choice, because the page shows the first currency", () => {
  const views = [VIEW, { ...VIEW, currency: "EUR" }];
  const { text } = documentBody({ ...EMPTY, views });
  expect(text.match(/<select [^>]+>/g)).toHaveLength(5);
  for (const [select] of text.matchAll(/<select [^>]+>/g))
    expect(select).toContain(' autocomplete="off"');
});

it("the footer says on which day a cost counts, and that shown amounts may not add up to a shown sum", () => {
  const text = documentBody(EMPTY).text.replaceAll(/\s+/g, " ");
  expect(text).toContain(
    "Amounts are billed costs by the UTC day on which their charge begins. Sums are exact, and each amount is rounded by itself, " +
      "so that those shown may not add up to a sum shown.",
  );
});

it("a printed table has all its rows, because nobody can scroll on paper", async () => {
  const style = await readFile(new URL("page/page.css", import.meta.url), "utf8");
  expect(style).toMatch(/@media print \{\s+\.scroll \{\s+max-height: none;\s+overflow: visible;/);
});

describe("the first screen's words", () => {
  it("say by what share the forecast exceeds the budget, which a budget of 0 does not have", () => {
    expect(wordsOf({})).toContain("on course to exceed the budget by 90% Complete through");
    const budget = { ...BUDGET, amount: "0" };
    expect(wordsOf({ budget })).toContain("on course to exceed the budget Complete through");
  });

  it("have no verdict about a budget inside the range of the forecast", () => {
    const range = { low: "150", high: "230" };
    const at = (amount: string): string => wordsOf({ range, budget: { ...BUDGET, amount } });
    expect(at("200")).toContain(
      "; it may stay within the budget or exceed it by up to 15% Complete",
    );
    expect(at("230")).toContain("on course to stay within the budget Complete");
    expect(at("149")).toContain("on course to exceed the budget by 28% Complete");
    expect(at("200")).toContain("190.00 USD 80 of 100 months end from 150.00 to 230.00 Budget");
    expect(wordsOf({})).toContain(
      "190.00 USD no range: it needs four weeks of usage charges Budget",
    );
    expect(at("229.99")).toContain(
      "; it may stay within the budget or exceed it by less than 1% Complete",
    );
    const spent = { ...BUDGET, amount: "160", toDate: "161" };
    expect(wordsOf({ range, budget: spent })).toContain("on course to exceed the budget by 19%");
  });

  it("compare the budgets of a few teams with the costs of these teams, and say so", () => {
    const budget = { ...BUDGET, teams: 2, toDate: "60", forecast: "95", isOfAll: false };
    const words = wordsOf({ budget });
    expect(words).toContain("; the 2 teams with a budget are on course to stay within it Complete");
    expect(words).toContain(
      "Budget 100.00 USD of 2 teams, which have spent 60.00 so far; their forecast is 5.00 under",
    );
    expect(words).toContain("the budget of a part of the costs is in the table only");
    const one = wordsOf({ budget: { ...budget, teams: 1, forecast: "150" } });
    expect(one).toContain("; the team with a budget is on course to exceed it by 50% Complete");
    expect(one).toContain("of 1 team, which has spent 60.00 so far; its forecast is 50.00 over");
  });

  it("compare a budget with the costs so far where there is no forecast", () => {
    const words = wordsOf({ forecast: null, budget: { ...BUDGET, forecast: null } });
    expect(words).toContain("Budget 100.00 USD so far 20.00 over");
    expect(words).toContain("; over the budget by 20% already Complete through");
    expect(words).not.toContain("on course");
    expect(words).toContain("if all of both was read, and the budget.");
  });

  it("claim no complete day and no forecast where there is none", () => {
    const forecastMethod = "none: no day of the month is complete yet";
    const words = wordsOf({ hasCompleteDay: false, forecast: null, forecastMethod });
    expect(words).toContain(
      "No day is known to be complete. Costs are known through November 19, 2026",
    );
    expect(words).not.toContain("Complete through");
    expect(words).toContain("Forecast of the month none no day of the month is complete yet");
  });

  it("add up the late changes that have no line of their own", () => {
    const late = {
      foundAt: "2026-11-05T12:00:00Z",
      kind: "removed",
      day: "2026-11-02",
      what: "m1",
    };
    const found = [{ ...late, records: 1, change: "-9000" }];
    const rest = { number: 3, change: "0.03" };
    expect(wordsOf({}, { changes: { found, rest, reread: "rewritten" } })).toContain(
      "withdrawn by the provider −9,000.00 and 3 other changes in the table cost_changes , together +0.03",
    );
  });

  it("name the invoices that do not match, and say how all stand; nothing without a total", () => {
    const finding: InvoiceFinding = {
      issuer: "Example",
      id: "INV-3",
      period: null,
      finding: "total differs",
      billed: "9",
      total: "10.01",
      currency: null,
      elsewhere: null,
    };
    const invoices = { matched: 2, matchedByLine: 1, open: 1, findings: 1, found: [finding] };
    const words = wordsOf({}, { invoices });
    expect(words).toContain(
      "Invoices INV-3, Example 10.01 on the invoice, 9.00 of costs −1.01 3 invoices match, 1 of them with each cost rounded; " +
        "1 does not; 1 is not issued yet.",
    );
    expect(wordsOf({})).not.toContain("Invoices");
  });

  it("name the price of each kind of token, the day of a change, and what caching saved", () => {
    const units = [{ week: "2026-11-09", name: "atlas-4 output tokens", perMillion: "8.3" }];
    const lower = {
      day: "2026-11-10",
      name: "atlas-4 output tokens",
      accounts: null,
      before: "10",
      now: "8.3",
    };
    const priceChanges = { found: [lower], more: 0 };
    const savings = {
      month: "2026-11-01",
      cachedTokens: "629000000",
      hasOthers: false,
      pricedTokens: "123000000",
      saved: "28.95",
      possible: "6.75",
    };
    const words = wordsOf({}, { units, priceChanges, savings });
    expect(words).toContain("November 9, 2026 atlas-4 output tokens 8.30");
    expect(words).toContain(
      "atlas-4 output tokens: 10.00 until then, 8.30 USD from November 10, 2026 on (−17%).",
    );
    expect(words).toContain(
      "Caching saved 28.95 USD in November 2026. That is about 20% of the cached tokens, and nothing is known of the others, which " +
        "may have another price. Had all other input tokens of these models been cached, it would have saved up to 6.75 USD more.",
    );
    const ofAccount = { found: [{ ...lower, accounts: "Asia" }], more: 2 };
    expect(wordsOf({}, { units, priceChanges: ofAccount })).toContain(
      "atlas-4 output tokens of Asia: 10.00 until then, 8.30 USD from November 10, 2026 on (−17%). and 2 earlier changes in the table prices",
    );
    const noLongerFree = { found: [{ ...lower, before: "0" }], more: 0 };
    expect(wordsOf({}, { units, priceChanges: noLongerFree })).toContain(
      "0.00 until then, 8.30 USD from November 10, 2026 on. ",
    );
    const unpriced = { ...savings, pricedTokens: "0", saved: "0", possible: null };
    expect(wordsOf({}, { savings: unpriced })).toContain(
      "Nobody can tell what caching saved in November 2026: no cost of a complete day in USD is the price of a cached token.",
    );
    expect(wordsOf({}, { savings: { ...savings, pricedTokens: "629000000" } })).toContain(
      "That is about 100% of the cached tokens. Had all",
    );
    expect(wordsOf({})).not.toContain("aching");
  });

  it("add up all currencies in one, with its budgets and the costs without a rate", () => {
    const missing = [
      { currency: "GBP", billed: "3", firstDay: "2026-11-02", lastDay: "2026-11-04" },
    ];
    const budgets = [{ name: "team Search", budget: "100", billed: "90", forecast: "110" }];
    const reporting = { currency: "EUR", toDate: "108", later: "0", all: "900", budgets, missing };
    const words = wordsOf({}, {}, reporting);
    expect(words).toContain(
      "In EUR, all currencies at the rate of each day: 108.00 in November 2026 so far, 900.00 since the first day. There is no rate " +
        "for 3.00 GBP of November 2, 2026 to November 4, 2026, which are in no converted sum.",
    );
    expect(words).toContain("team Search: 90.00 of 100.00 EUR spent, 110.00 expected; OVER");
    expect(wordsOf({})).not.toContain("In EUR");
    expect(words).not.toContain("Budget above");
    expect(wordsOf({ budget: null }, {}, reporting)).toContain(
      "Budget above in EUR, over all currencies",
    );
    expect(wordsOf({ budget: null }, {}, { ...reporting, budgets: [] })).toContain(
      "Budget none give one with --budgets FILE.csv",
    );
    expect(wordsOf({}, {}, reporting, { GBP: "3" })).toContain(" Also billed: 3.00 GBP. In EUR");
  });

  it("name the other currencies that were billed, and no range for one without a cost", () => {
    expect(wordsOf({}, {}, null, { GBP: "0", CHF: "-28" })).toContain(
      " Also billed, and never added: −28.00 CHF. ",
    );
    expect(wordsOf({}, {}, null, { GBP: "0" })).not.toContain("added: 0.00 GBP");
    expect(wordsOf({ toDate: "0", forecast: "0", forecastMethod: "" })).toContain(
      "Forecast of the month 0.00 USD no cost in this month",
    );
  });

  it("name no provider where there are no costs", () => {
    const { text } = documentBody(EMPTY);
    expect(text).toContain('<p class="kicker">AI spend</p>');
    expect(text).toContain("There are no costs.");
  });
});
