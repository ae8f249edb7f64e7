import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "./database.ts";
import { refreshModels } from "./refresh.ts";
import { at, dayOf, type Day, UNCONFIRMED, type Values } from "./testing_days.ts";
import { asWhole, openEmpty, rowsOf } from "./testing_refresh.ts";

const DAYS = [1, 2, 3, 4, 5];
const WINDOW = [1, 6] as const;

/** Two accounts of costs. */
const x = dayOf("costs", 1, "x");
const y = dayOf("costs", 1, "y");

const EURO = { BillingCurrency: "'EUR'" };
const OTHER_PROVIDER = { ServiceProviderName: "'B'" };
const OTHER_SERVICE = { ServiceName: "'Other'" };
const PLAN = { ChargeCategory: "'Purchase'" };

/** Many rows on two days: any of these rows could be taken for all of them. */
const many = ({ row }: Day, others: Values = {}): readonly string[] =>
  [2, 4].flatMap((on) =>
    ["a", "b", "c", "d", "e", "f"].map((name) => row(`${name} ${on}`, 1, { on, others })),
  );

/** An account whose usage and costs are of one service, but never of one day. One dataset has many rows that are different. */
function apart(account: string, first: "usage" | "costs", others: Values): readonly string[] {
  const changing = dayOf(first, 1, account);
  const lasting = dayOf(first === "usage" ? "costs" : "usage", 1, account);
  return [
    changing.row("a", 1),
    lasting.row("a", 1, { on: 3 }),
    ...many(lasting, others),
    ...[changing, lasting].flatMap(({ report }) =>
      DAYS.map((on) => report(1, { on, window: WINDOW })),
    ),
  ];
}

/** An account of usage that is proven. */
const used = dayOf("usage", 2, "of usage");
const ITS_TOTALS = {
  totals: `'[{"usage_type": "input", "unit": "tokens", "records": 1, "quantity": "1"}]'::JSON`,
};

const BEFORE: readonly string[] = [
  used.row("a", 1),
  used.report(1, { rows: 1, others: ITS_TOTALS }),
  dayOf("costs", 2, "of usage").report(1),
  x.row("a", 1, { others: { x_ProviderColumns: `'{"ListCost": "8"}'` } }),
  ...many(x),
  y.row("a", 1, { on: 3 }),
  x.row("b", 1, { on: 3, others: EURO }),
  ...[...DAYS, 32].map((on) => x.report(1, { on, window: WINDOW })),
  x.report(5, { on: 4, of: 1, rows: 1, window: WINDOW }),
  ...[1, 2, 3, 5].map((on) => y.report(1, { on, window: WINDOW })),
  // This account is not proven on the last day, and has lost the rows of the day before it.
  y.report(2, { on: 5, of: 1, others: UNCONFIRMED }),
  y.report(2, { on: 4, rows: 1, others: { totals: "NULL" } }),
  ...apart("of providers", "costs", OTHER_PROVIDER),
  ...apart("of services", "costs", OTHER_SERVICE),
  ...apart("of plans", "usage", PLAN),
  // The first account has no reading of this time yet.
  dayOf("costs", 5, "of plans").report(7),
];

/** Each change is made after the one before it. The models that are named follow from it in this way only. */
const CHANGES: ReadonlyArray<
  readonly [title: string, changes: readonly string[], models: readonly string[]]
> = [
  [
    "an amount, and other days have other currencies, services and categories",
    [
      `UPDATE costs SET "BilledCost" = '7', "EffectiveCost" = '7' WHERE "ChargePeriodStart" = ${at(1)}`,
      `UPDATE usage SET "ConsumedQuantity" = '7' WHERE "ChargePeriodStart" = ${at(1)}`,
    ],
    ["daily_costs", "unit_costs"],
  ],
  [
    "the statuses of a day, which two accounts exchange",
    [
      x.report(2, { on: 5, of: 1, others: UNCONFIRMED }),
      y.report(3, { on: 5, of: 1, window: WINDOW }),
    ],
    ["daily_costs"],
  ],
  [
    "the status of a day of usage alone",
    [used.report(2, { others: { ...ITS_TOTALS, ...UNCONFIRMED }, of: 1, rows: 1 })],
    ["unit_costs", "usage_against_costs"],
  ],
  [
    "what a provider says about a cost besides its amount",
    [
      `UPDATE costs SET "x_ProviderColumns" = '{"ListCost": "9", "CommitmentDiscountId": "c"}' WHERE "x_RecordId" = ${x.record("a")}`,
    ],
    ["unit_costs", "commitments"],
  ],
  ["the days of the calendar", [dayOf("costs", 43, "x").report(5)], ["monthly_costs_as_of"]],
  [
    "the time of the last reading",
    [x.report(7, { on: 4, of: 1, rows: 1, window: WINDOW })],
    ["monthly_costs_as_of"],
  ],
  [
    "the time of a reading whose rows are lost",
    [
      `UPDATE export_windows SET began_at = ${at(43)} WHERE reading_id = ${y.reading(2)} AND "rows" = 1`,
    ],
    ["monthly_costs_as_of"],
  ],
  [
    "the time until which rows are lost",
    [y.report(4, { on: 4, others: { totals: "NULL", began_at: at(43) } })],
    ["monthly_costs_as_of"],
  ],
];

let database: Database;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ database, remove } = await openEmpty());
  for (const sql of BEFORE) await database.run(sql);
  expect(await refreshModels(database)).toBe("all");
});
afterAll(() => remove());

it.each(CHANGES)("a refresh follows a change of %s", async (_, changes, models) => {
  const before = await rowsOf(database, models);
  for (const sql of changes) await database.run(sql);
  await refreshModels(database);
  const renewed = await rowsOf(database, models);
  expect(renewed).toEqual(await asWhole(database, models, () => rowsOf(database, models)));
  expect(renewed).not.toEqual(before);
});
