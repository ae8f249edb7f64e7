import { expect, it } from "vitest";
import { summaryLines, type Summary } from "./summary.ts";

const bill = { currency: "USD", provisional: "0", change: "0", unsummed: 0 };

const SUMMARY: Summary = {
  ok: true,
  database: "billing.duckdb",
  report: null,
  unusable: { rows: 0, first: [] },
  streams: [
    { name: "usage", read: 1200, added: 3, changed: 0, position: "2026-03-10T06:00:00Z" },
    { name: "costs", read: 0, added: 0, changed: 0, position: null },
  ],
  bills: [
    { ...bill, month: "2026-03-01", billed: "1234.5", provisional: "0.5", change: "0.9" },
    { ...bill, month: "2026-02-01", billed: "99" },
    { ...bill, month: "2026-01-01", billed: "7", change: "-2.6217" },
  ],
  notices: ["Read with the older API."],
  proofs: [{ dataset: "costs", proven: 90, unproven: 1, incomplete: 2, compared: 9, differing: 0 }],
};

it("says what was read, what changed, this period so far, and what is proven", () => {
  expect(summaryLines(SUMMARY)).toEqual([
    "usage   1,200 rows read, 3 new, 0 changed; complete through 2026-03-10 06:00 UTC",
    "costs   0 rows read, 0 new, 0 changed",
    "Billed  March 2026: 1,234.5 USD, 0.5 of it provisional; +0.9 since the last sync",
    "Billed  January 2026: 7 USD; −2.6217 since the last sync",
    "Proven  costs: 90 of 93 days; 2 in progress or not covered as a whole, 1 unproven",
    "Note    Read with the older API.",
  ]);
});

it("never shows a bill as if it had all costs", () => {
  const [newest, ...others] = SUMMARY.bills.map((each, index) => ({ ...each, unsummed: index }));
  const bills = newest === undefined ? [] : [{ ...newest, billed: "0", unsummed: 2 }, ...others];
  expect(summaryLines({ ...SUMMARY, bills }).filter((line) => line.startsWith("Billed"))).toEqual([
    "Billed  March 2026: 0 USD, without 2 costs that cannot be summed, 0.5 of it provisional; +0.9 since the last sync",
    "Billed  February 2026: 99 USD, without 1 cost that cannot be summed",
    "Billed  January 2026: 7 USD, without 2 costs that cannot be summed; −2.6217 since the last sync",
  ]);
});

it("says so where not everything was read, or where totals differ", () => {
  const [proof] = SUMMARY.proofs;
  const proofs = proof === undefined ? [] : [{ ...proof, differing: 2 }];
  const lines = summaryLines({ ...SUMMARY, ok: false, proofs, report: "r.html" });
  expect(lines).toContain("Report  r.html");
  expect(lines.at(-1)).toContain("Not everything was read");
  expect(lines.join("\n")).toContain("2 control totals differ");
});
