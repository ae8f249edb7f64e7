/** List prices and kinds of tokens of costs also decide rows of usage. So a refresh reads them also where no cost has changed. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "./database.ts";
import { modelNames } from "./models.ts";
import { refreshModels } from "./refresh.ts";
import { Steps } from "./steps.ts";
import { dayOf } from "./testing_days.ts";
import { asWhole, openEmpty, rowsOf } from "./testing_refresh.ts";

const used = dayOf("usage", 1);
const charged = dayOf("costs", 1);
const INPUT = { x_UsageType: "'input_tokens'" };
const SAID = { x_ProviderColumns: `'{"ListCost": "8", "x_TokenKind": "input"}'` };
const MODEL = { x_ModelId: "'m'" };

/** Costs of four days, and usage of the first three. Only a cost has the label of a model. */
const BEFORE: readonly string[] = [
  ...[1, 2, 3].map((on) => used.row(`on ${on}`, 1, { on, others: INPUT })),
  ...[1, 2, 3, 4].flatMap((on) => [
    charged.row(`on ${on}`, 1, { on, others: on === 3 ? { ...SAID, ...MODEL } : SAID }),
    used.report(1, { on, rows: on < 4 ? 1 : 0, window: [1, 5] }),
    charged.report(1, { on, rows: 1, window: [1, 5] }),
  ]),
];

let database: Database;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ database, remove } = await openEmpty());
  for (const sql of BEFORE) await database.run(sql);
  expect(await refreshModels(database)).toBe("all");
});
afterAll(() => remove());

it.each([
  [
    "an amount of usage",
    [`UPDATE usage SET "ConsumedQuantity" = '5' WHERE "x_RecordId" = ${used.record("on 2")}`],
  ],
  [
    "usage that arrives after its costs",
    [
      used.row("on 4", 2, { on: 4, others: INPUT }),
      used.report(2, { on: 4, rows: 1, window: [1, 5] }),
    ],
  ],
  [
    "usage that is the first with a label, which makes the models of all days again",
    [`UPDATE usage SET "x_ModelId" = 'm' WHERE "x_RecordId" = ${used.record("on 3")}`],
  ],
])("a refresh follows a change of nothing but %s", async (_, changes) => {
  const names = await modelNames();
  const before = await rowsOf(database, ["unit_costs", "prices"]);
  for (const sql of changes) await database.run(sql);
  expect(await refreshModels(database)).toBe("days");
  expect(await rowsOf(database, ["unit_costs", "prices"])).not.toEqual(before);
  const renewed = await rowsOf(database, names);
  expect(renewed).toEqual(await asWhole(database, names, () => rowsOf(database, names)));
});

it("a further step may read a raw table only while no copy of some days hides it", async () => {
  const step = (dataset: string) => ({
    name: `ai_billing__all_${dataset}`,
    body: `select count(*) as rows_ from "${dataset}"`,
  });
  const steps = new Steps(database, [step("usage"), step("costs")]);
  await steps.need("ai_billing__all_costs");
  expect(await database.query("FROM ai_billing__all_costs")).toEqual([["4"]]);
  steps.datasets = ["usage"];
  for (const dataset of ["usage", "costs"]) {
    await expect(steps.need(step(dataset).name)).rejects.toThrow(
      new TypeError(
        `ai_billing__all_${dataset} reads a raw table, of which a copy hides the other days`,
      ),
    );
  }
  await steps.drop();
});
