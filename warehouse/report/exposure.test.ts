import { readFile } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import { modelNames } from "../models.ts";
import { refreshModels } from "../refresh.ts";
import { openOctober } from "../testing_costs.ts";
import { pageOf } from "./testing.ts";

it("the exposure of the dbt package names the models that the page reads", async () => {
  const { database, remove } = await openOctober();
  try {
    await database.run("INSERT INTO ai_billing_reporting_currency VALUES ('EUR')");
    await refreshModels(database);
    const asked = [vi.spyOn(database, "query"), vi.spyOn(database, "run")];
    await pageOf(database);
    const sql = asked.flatMap(({ mock }) => mock.calls.map(([text]) => text)).join("\n");
    const read = new Set([...sql.matchAll(/\b(?:FROM|JOIN)\s+(\w+)/g)].map(([, name]) => name));
    const models = (await modelNames()).filter((name) => read.has(name)).toSorted();
    const file = new URL("../../dbt/models/exposures.yml", import.meta.url);
    const exposure = await readFile(file, "utf8");
    expect([...exposure.matchAll(/ref\('(\w+)'\)/g)].map(([, name]) => name)).toEqual(models);
  } finally {
    await remove();
  }
});
