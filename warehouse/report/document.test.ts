import { describe, expect, it } from "vitest";
import { documentBody } from "./document.ts";
import type { Headline, ReportData, View } from "./model.ts";

const HEADLINE: Headline = {
  month: "2026-11-01",
  throughDay: "2026-11-19",
  hasCompleteDay: true,
  toDate: "120",
  previousToDate: "100",
  forecast: "190",
  forecastMethod: "mean of the usage charges of 19 complete days",
  daysInMonth: 30,
  daysProvisional: 0,
  daysNotProven: 0,
  budget: "100",
  isTeamBudget: false,
};

const EMPTY: ReportData = {
  providers: [],
  accounts: [],
  asOf: "",
  views: [],
  ranges: [],
  removed: [],
  faults: [],
  madeBy: "test",
};

/** The words of a report with one currency, spaces made one. */
function wordsOf(headline: Partial<Headline>): string {
  const view: View = {
    currency: "USD",
    headline: { ...HEADLINE, ...headline },
    days: [],
    dimensions: [],
    movers: [],
    anomalies: [],
    changes: [],
    units: [],
    teams: [],
    naive: "0",
    current: "0",
    provisional: "0",
  };
  return documentBody({ ...EMPTY, views: [view] })
    .text.replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ");
}

describe("the first screen's words", () => {
  it("say by what share the forecast exceeds the budget, which a budget of 0 does not have", () => {
    expect(wordsOf({})).toContain("on course to exceed the budget by 90% Complete through");
    expect(wordsOf({ budget: "0" })).toContain("on course to exceed the budget Complete through");
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

  it("name no provider where there are no costs", () => {
    const { text } = documentBody(EMPTY);
    expect(text).toContain('<p class="kicker">AI spend</p>');
    expect(text).toContain("There are no costs.");
  });
});
