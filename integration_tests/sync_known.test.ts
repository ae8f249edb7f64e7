/** `costs_as_known` in the database of `sync`, which keeps every version that a provider has shown. */
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { Database } from "../warehouse/database.ts";
import { foldVersions } from "../warehouse/versions.ts";
import { deliverTo } from "./kills/delivery.ts";
import { serve } from "./support/provider.ts";
import { Shell } from "./support/shell.ts";
import { cost, dayAfter, world } from "./support/world.ts";

const FIRST = "2026-03-10";
const DAYS = 4;
const of = (project: string): Readonly<Record<string, string>> => ({ x_ProjectId: project });

const COSTS = [
  cost("same", "2026-03-08", "1.5", {}, of("p-1")),
  cost(
    "restated",
    "2026-03-08",
    "10.000000000000000001",
    {
      restated: [
        { at: "2026-03-11T01:00:00Z", changes: { BilledCost: "12", EffectiveCost: "12" } },
      ],
    },
    of("p-1"),
  ),
  cost(
    "moved",
    "2026-03-08",
    "4",
    { restated: [{ at: "2026-03-13T01:00:00Z", changes: of("p-1") }] },
    of("p-2"),
  ),
  cost("gone", "2026-03-09", "7", { withdrawn_at: "2026-03-12T01:00:00Z" }, of("p-2")),
  cost("late", "2026-03-08", "0.25", { visible_from: "2026-03-12T01:00:00Z" }, of("p-2")),
];

test(
  "each day knows the costs that the provider showed at the last sync of it",
  { timeout: 300_000 },
  async () => {
    await using served = await serve(
      world({ costs: COSTS, limits: { retention_days: 40 } }),
      `${FIRST}T06:00:00Z`,
    );
    await using shell = await Shell.open();
    await writeFile(shell.path("config.json"), JSON.stringify(served.config()));
    // In a process of its own, as a schedule starts it.
    const sync = async (): Promise<void> => {
      expect((await shell.run(["sync", "--config", "config.json"])).end).toBe(0);
    };
    // A sync that leaves the models to the next one.
    const deliver = async (): Promise<void> => {
      const path = shell.path("billing.duckdb");
      expect(await deliverTo(path, shell.path("config.json"))).toBeUndefined();
      const database = await Database.open(path, "write");
      await foldVersions(database, "costs");
      database.close();
    };
    const known: { day: string; billed: unknown }[] = [];
    for (let number = 0; number < DAYS; number += 1) {
      if (number > 0) await served.advance(86_400);
      await (number === 0 || number === DAYS - 1 ? sync() : deliver());
      const { currencies } = (await served.totals()).costs;
      known.push({
        day: dayAfter(FIRST, number),
        billed: currencies.map((total) => ({ billed_cost: total["billed_cost"] })),
      });
    }
    for (const { day, billed } of known) {
      const sql = `SELECT sum(billed_cost) AS billed_cost FROM costs_as_known WHERE DATE '${day}' BETWEEN known_from AND known_through`;
      expect(await shell.query(sql), day).toEqual(billed);
    }
    const ofProject = `SELECT day.day::DATE::VARCHAR AS day, project_id, sum(billed_cost)::VARCHAR AS billed
    FROM costs_as_known JOIN range(DATE '${FIRST}', DATE '${dayAfter(FIRST, DAYS)}', INTERVAL 1 DAY) AS day(day)
      ON day.day BETWEEN known_from AND known_through
    GROUP BY ALL ORDER BY ALL`;
    const on = (day: number, first: string, second: string): unknown[] => [
      { day: dayAfter(FIRST, day), project_id: "p-1", billed: first },
      ...(second === "" ? [] : [{ day: dayAfter(FIRST, day), project_id: "p-2", billed: second }]),
    ];
    expect(await shell.query(ofProject)).toEqual([
      ...on(0, "11.500000000000000001", "11.000000000000000000"),
      ...on(1, "13.500000000000000000", "11.000000000000000000"),
      ...on(2, "13.500000000000000000", "4.250000000000000000"),
      ...on(3, "17.500000000000000000", "0.250000000000000000"),
    ]);
  },
);
