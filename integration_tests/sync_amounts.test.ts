/** `sync`, `report` and `query` where a provider sends amounts that no sum of a database holds, and corrects them later. */
import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Account } from "../reference_provider/accounts.ts";
import { serve, type Served } from "./support/provider.ts";
import { type Said, Shell } from "./support/shell.ts";
import { cost, usage, world } from "./support/world.ts";

const NOW = "2026-03-10T06:00:00Z";
const CORRECTED_AT = "2026-03-11T00:00:00Z";
const SYNC = ["sync", "--config", "config.json"];

const DAY = "2026-03-08";
const FEW_DAYS = { retention_days: 40 };
const LARGE = [
  `9${"0".repeat(19)}`,
  `-9${"0".repeat(19)}`,
  `1${"0".repeat(37)}`,
  `9${"0".repeat(99)}`,
  `1${"0".repeat(13)}`,
];

const restated = (changes: Readonly<Record<string, string>>) => ({
  restated: [{ at: CORRECTED_AT, changes }],
});

async function begin(
  account: Account,
): Promise<{ served: Served; shell: Shell } & AsyncDisposable> {
  const served = await serve(account, NOW);
  const shell = await Shell.open();
  await writeFile(shell.path("config.json"), JSON.stringify(served.config()));
  const stop = async (): Promise<void> => {
    await shell[Symbol.asyncDispose]();
    await served[Symbol.asyncDispose]();
  };
  return { served, shell, [Symbol.asyncDispose]: stop };
}

const billed = (shell: Shell): Promise<unknown> =>
  shell.query(
    "SELECT billing_currency AS currency, count(*) AS rows, sum(billed_cost) AS billed_cost, sum(effective_cost) AS effective_cost FROM current_costs GROUP BY ALL",
  );

/** The report of the database: what the command said, and the page. */
async function reported(shell: Shell): Promise<{ readonly said: Said; readonly page: string }> {
  const said = await shell.here(["report", "--out", "r.html"]);
  expect(said).toMatchObject({ end: 0 });
  return { said, page: await readFile(shell.path("r.html"), "utf8") };
}

test("amounts that cannot be summed are named, stop nothing, and count when they are corrected", async () => {
  const spent = LARGE.map((amount, index) =>
    cost(`c-${index}`, DAY, amount, restated({ BilledCost: "2", EffectiveCost: "2" })),
  );
  // The table keeps a withdrawn row for ever. Twice the amount is more than a sum holds.
  const withdrawn = ["w-0", "w-1"].map((id) =>
    cost(id, DAY, LARGE[0] ?? "", { withdrawn_at: CORRECTED_AT }),
  );
  const used = LARGE.map((amount, index) =>
    usage(`u-${index}`, DAY, amount, restated({ ConsumedQuantity: "7" })),
  );
  await using begun = await begin(
    world({
      usage: [usage("u", DAY, "100"), ...used],
      costs: [cost("c", "2026-03-07", "1.25"), ...spent, ...withdrawn],
      limits: FEW_DAYS,
    }),
  );
  const { served, shell } = begun;

  const first = await shell.here(SYNC);
  expect(first).toMatchObject({ end: 0 });
  expect(first.stdout).toMatch(/^March so far: 1\.25 USD without 7 costs that cannot be summed, /m);
  expect(first.stdout).toMatch(/^Proven +costs: .*, 1 unproven$/m);
  expect(first.stderr).toContain(
    `12 rows have values that are in no sum, and the days of these rows are not proven: costs "c-0" of ${DAY}: ` +
      `BilledCost ${LARGE[0]} (too large to be summed); costs "c-0" of ${DAY}: EffectiveCost`,
  );
  expect(await billed(shell)).toEqual([
    {
      currency: "USD",
      rows: 1,
      billed_cost: "1.25",
      effective_cost: "1.25",
    },
  ]);
  expect(
    await shell.query(
      "SELECT value FROM invalid_rows WHERE column_name = 'ConsumedQuantity' ORDER BY record_id",
    ),
  ).toEqual(LARGE.map((value) => ({ value })));
  expect(
    await shell.query(
      "SELECT BilledCost AS value FROM costs WHERE x_RecordId LIKE 'c-%' ORDER BY x_RecordId",
    ),
  ).toEqual(LARGE.map((value) => ({ value })));
  expect(
    await shell.query(
      `SELECT dataset, why FROM completeness WHERE status = 'unproven' ORDER BY dataset`,
    ),
  ).toEqual(
    ["costs", "usage"].map((dataset) => ({
      dataset,
      why: "values of rows cannot be used in sums, see invalid_rows",
    })),
  );
  const between = await reported(shell);
  expect(between.said.stderr).toContain("12 rows have values that are in no sum");
  expect(between.page).toContain("12 rows IN NO SUM");
  expect(between.page).toContain(`BilledCost ${LARGE[0]} (too large to be summed)`);

  await served.set("2026-03-12T06:00:00Z");
  const second = await shell.here([...SYNC, "--json"]);
  expect(second).toMatchObject({ end: 0 });
  expect(second.stderr).not.toContain("in no sum");
  expect(JSON.parse(second.stdout)).toMatchObject({
    bills: [{ currency: "USD", billed: "11.25", change: "10", unsummed: 0 }],
    unusable: { rows: 0, first: [] },
  });
  expect(await billed(shell)).toEqual((await served.totals()).costs.currencies);
  expect(
    await shell.query("SELECT count(*) AS days FROM completeness WHERE status = 'unproven'"),
  ).toEqual([{ days: 0 }]);
  const after = await reported(shell);
  expect(after.page).not.toContain("IN NO SUM");
  expect(after.page).toContain('data-title="Billed">cannot be summed</td>');
});

test("a bill of which no cost can be summed is not shown as 0 alone", async () => {
  await using begun = await begin(
    world({ costs: [cost("c-1", DAY, LARGE[2] ?? "")], limits: FEW_DAYS }),
  );
  const { shell } = begun;
  const { end, stdout, stderr } = await shell.here(SYNC);
  expect(end).toBe(0);
  expect(stdout).toMatch(/^March so far: 0\.00 USD without 1 cost that cannot be summed, /m);
  expect(stderr).toContain(
    "1 row has a value that is in no sum, and the days of these rows are not proven",
  );
  expect((await reported(shell)).page).toContain("1 row IN NO SUM");
});
