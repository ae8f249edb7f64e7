/** Forecasts of companies whose usage is paid by credits. */
import { expect, it } from "vitest";
import { refreshModels } from "../refresh.ts";
import { addReading, usageOf } from "../testing_costs.ts";
import { openEmpty } from "../testing_refresh.ts";
import { Answers } from "./answers.ts";
import { screensOf } from "./data.ts";

/** Credits of single days, and the currency of the company that has them. */
const credits = (currency: string, first: string, end: string, cost: string): string =>
  `SELECT '${currency}-' || id || '-credit' AS id, day, 'Credit' AS category, cost, status FROM (${usageOf(first, end, cost)})`;

const usage = (currency: string): string =>
  `SELECT '${currency}-' || id AS id, day, category, cost, status FROM (${usageOf("2026-08-01", "2026-10-20", "100")})`;

it(
  "is none while credits of each day pay for the usage, because nobody knows how long they do",
  { timeout: 120_000 },
  async () => {
    const { database, remove } = await openEmpty("");
    await addReading(database, {
      id: "r1",
      at: "2026-10-20",
      first: "2026-08-01",
      end: "2026-10-20",
      records: [
        usage("USD"),
        credits("USD", "2026-08-01", "2026-10-20", "-100"),
        // A discount of a twentieth.
        usage("EUR"),
        credits("EUR", "2026-08-01", "2026-10-20", "-5"),
        // A grant that was used up, and a single refund.
        usage("GBP"),
        credits("GBP", "2026-08-01", "2026-10-11", "-100"),
        usage("CHF"),
        credits("CHF", "2026-10-15", "2026-10-16", "-500"),
      ].join(" UNION ALL "),
    });
    await database.run(`UPDATE costs SET "BillingCurrency" = left("x_RecordId", 3)`);
    await refreshModels(database);
    const screens = await screensOf(await Answers.of(database));
    const forecasts = screens.map(({ currency, headline: { forecast, range, forecastMethod } }) => [
      currency,
      forecast,
      range === null,
      forecastMethod.split(",")[0],
    ]);
    const carried = "usage charges of 19 complete days";
    // The currency with the most costs comes first.
    expect(forecasts).toEqual([
      ["EUR", "3005", false, carried],
      ["USD", null, true, "none: credits have come day by day"],
      ["GBP", "2100", false, carried],
      ["CHF", "2600", false, carried],
    ]);
    await remove();
  },
);
