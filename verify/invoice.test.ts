import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  compareInvoice,
  type Compared,
  faultsOfMonths,
  type Invoice,
  judgeUnit,
  parseInvoices,
} from "./invoice.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 9, 1);
const END = Date.UTC(2026, 10, 1);
const invoice = { month: "2026-10", start: START, end: END, total: "1234.56" } as const;

test.each([
  [["2026-10=1234.56 USD"], "USD"],
  [["2026-10=1234.56", "USD"], "USD"],
  [["2026-10=1234.56", "usd"], "USD"],
  [["2026-10=1234.56"], undefined],
  [["2026-10=0001234.560"], undefined],
  [[" 2026-10= 1234.56  eur "], "EUR"],
])("%j is an invoice", (words, currency) => {
  expect(parseInvoices(words)).toEqual({ invoices: [{ ...invoice, currency }], faults: [] });
});

test("several months are taken, quoted or not, in one option or in many", () => {
  const months = (...words: string[]) =>
    parseInvoices(words).invoices.map(({ month, total, currency }) => [month, total, currency]);
  const both = [
    ["2026-09", "1", "USD"],
    ["2026-10", "2.5", undefined],
  ];
  expect(months("2026-09=1 USD", "2026-10=2.5")).toEqual(both);
  expect(months("2026-09=1", "USD", "2026-10=2.5")).toEqual(both);
  expect(months("2026-09=1 USD 2026-10=2.5")).toEqual(both);
});

test.each([
  [[""], "is empty"],
  [["2026-13=1"], "needs a month"],
  [["2026-1=1"], "needs a month"],
  [["1234.56 USD"], "needs a month"],
  [["2026-10"], "needs a month"],
  [["=5"], "needs a month"],
  [["2026-10="], "needs digits"],
  [["2026-10=$5"], "needs digits"],
  [["2026-10=1,234.56"], "needs digits"],
  [["2026-10=1.234,56"], "needs digits"],
  [["2026-10=-5"], "needs digits"],
  [["2026-10=1e5"], "needs digits"],
  [["2026-10=USD 5"], "needs digits"],
  [["2026-10=5 dollars"], "needs three letters"],
  [["2026-10=5 USD tax"], "needs three letters"],
  [["2026-10=5", "2026-10=6"], "names 2026-10 twice"],
  [Array.from({ length: 13 }, (_, at) => `20${10 + at}-01=1`), "12 months at most"],
])("%j is refused", (words, fault) => {
  expect(parseInvoices(words).faults).toEqual([expect.stringContaining(fault)]);
});

test("all faults are named at once, and none quotes what may be a secret", () => {
  const { faults } = parseInvoices(["2026-13=1", "2026-10=SeCrEt", "2026-09=1 SeCrEt"]);
  expect(faults).toHaveLength(3);
  expect(faults.join()).not.toContain("SeCrEt");
});

test("any words give invoices or faults", () => {
  const word = fc.oneof(fc.string(), fc.constantFrom("2026-10=5", "USD", "=", "2026-10"));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
      const { invoices, faults } = parseInvoices(words);
      expect(invoices.length + faults.length).toBeGreaterThan(0);
    }),
  );
});

test("a month that is not over is refused", () => {
  const { invoices } = parseInvoices(["2026-10=1", "2026-11=1", "2027-01=1"]);
  expect(faultsOfMonths(invoices, END)).toEqual([
    expect.stringContaining("2026-11"),
    expect.stringContaining("2027-01"),
  ]);
  expect(faultsOfMonths(invoices, END - 1)).toHaveLength(3);
});

const about: Compared = { provider: "openai", isOlder: false, now: END + 20 * DAY };
const given = (total: string, currency?: string): Invoice => ({ ...invoice, total, currency });

describe("a comparison", () => {
  it("is equal to the cent, although reports have more digits", () => {
    expect(compareInvoice(given("10.01", "USD"), { USD: "10.0149" }, about)).toEqual({
      month: "2026-10",
      currency: "USD",
      verdict: "equal",
      invoiceByReport: "0.99951",
      explanations: [],
    });
  });

  it("takes the currency of the reports only if they have one", () => {
    expect(compareInvoice(given("5"), { EUR: "5" }, about)).toMatchObject({
      verdict: "equal",
      currency: "EUR",
    });
    expect(compareInvoice(given("5"), { EUR: "5", USD: "1" }, about)).toMatchObject({
      verdict: "not compared",
      explanations: [expect.stringContaining("several currencies")],
    });
    expect(compareInvoice(given("5", "USD"), { EUR: "5" }, about)).toMatchObject({
      verdict: "not compared",
      explanations: [expect.stringContaining("no costs in USD")],
    });
    expect(compareInvoice(given("5"), {}, about).verdict).toBe("not compared");
  });

  it.each([
    ["119", "openai", ["looks like a rate of tax", "Tax is in no report", "Seats of ChatGPT"]],
    ["108.25", "openai", ["8.25 % higher"]],
    ["105", "openrouter", ["The fee on deposits"]],
    ["90", "anthropic", ["Credits, discounts of a contract and commitments"]],
    ["150", "anthropic", ["Claude on AWS"]],
    ["150", "interface", ["Corrections of earlier months"]],
    ["10000", "openai", ["a hundred times"]],
    ["1000", "openai", ["another account"]],
  ] as const)("explains %s against 100 at %s", (total, provider, words) => {
    const result = compareInvoice(given(total), { USD: "100" }, { ...about, provider });
    expect(result.verdict).toBe("differs");
    for (const each of words) expect(result.explanations.join(" ")).toContain(each);
  });

  it("says that a young month may change, and what the older API leaves out", () => {
    const now = END + 2 * DAY;
    const compared = { provider: "anthropic", isOlder: true, now } as const;
    const { explanations } = compareInvoice(given("150"), { USD: "100" }, compared);
    expect(explanations.join(" ")).toMatch(/ended a few days ago.*priority tier/);
  });

  it("has no ratio where the reports come to 0", () => {
    const result = compareInvoice(given("5"), { USD: "0" }, about);
    expect(result).toMatchObject({ verdict: "differs", invoiceByReport: undefined });
  });
});

test.each([
  ["100", "confirmed"],
  ["70", "confirmed"],
  ["10000", "contradicted"],
  ["11900", "contradicted"],
  ["1", "contradicted"],
  ["600", "not seen here"],
])("the unit, by an invoice of %s against 100: %s", (total, verdict) => {
  const result = compareInvoice(given(total), { USD: "100" }, about);
  expect(judgeUnit([result]).verdict).toBe(verdict);
  expect(judgeUnit([]).verdict).toBe("not seen here");
});
