/** `sync` where a provider writes instants in the less usual forms of RFC 3339, and with a file of the loader that made null of them. */
import { once } from "node:events";
import { copyFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Database } from "../warehouse/database.ts";
import { refreshModels } from "../warehouse/refresh.ts";
import { bearerConfig } from "./support/config.ts";
import { serve, type Served } from "./support/provider.ts";
import { Shell } from "./support/shell.ts";
import { cost, usage, world } from "./support/world.ts";

const NOW = "2026-03-10T06:00:00Z";
const SYNC = ["sync", "--config", "config.json"];

let served: Served;
beforeAll(async () => {
  served = await serve(
    world({
      limits: { retention_days: 40 },
      usage: [usage("u-1", "2026-03-07", "100")],
      costs: [cost("c-1", "2026-03-07", "1.25"), cost("c-2", "2026-03-08", "7.5")],
    }),
    NOW,
  );
});
afterAll(() => served[Symbol.asyncDispose]());

const billed = (shell: Shell) =>
  shell.query("SELECT count(*) AS rows, sum(billed_cost) AS billed FROM current_costs");
const WHOLE = [{ rows: 2, billed: "8.75" }];

const costs = (rows: number, added: number) =>
  expect.stringMatching(new RegExp(`^costs +${rows} rows read, ${added} new`, "m"));

/** The provider behind an address that writes its pages in another way. */
async function rewritten(
  change: (page: string) => string,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    void (async () => {
      const { authorization = "" } = request.headers;
      const answer = await fetch(`${served.baseUrl}${request.url}`, { headers: { authorization } });
      const [type, date] = ["content-type", "date"].map((name) => answer.headers.get(name) ?? "");
      response.writeHead(answer.status, { "content-type": type, date });
      response.end(change(await answer.text()));
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop };
}

test.each([
  ["small letters", /"(\w+Period(?:Start|End))":"([0-9-]+)T([0-9:]+)Z"/g, '"$1":"$2t$3z"'],
  ["a leap second", /"(ChargePeriodEnd)":"2026-03-08T00:00:00Z"/g, '"$1":"2026-03-07T23:59:60Z"'],
])("costs whose instants have %s are in the bill", async (_which, usual, other) => {
  await using provider = await rewritten((page) => page.replaceAll(usual, other));
  await using shell = await Shell.open();
  await writeFile(
    shell.path("config.json"),
    JSON.stringify(bearerConfig(provider.url, served.token)),
  );
  expect(await shell.here(SYNC)).toMatchObject({ end: 0 });
  expect(await billed(shell)).toEqual(WHOLE);
  expect(await shell.query("FROM invalid_rows")).toEqual([]);
  expect(await shell.here(SYNC)).toMatchObject({ end: 0, stdout: costs(0, 0) });
});

/** Makes a file of the earlier loader out of one of this one. */
async function forget(path: string, isNoted: boolean): Promise<void> {
  const database = await Database.open(path, "write");
  try {
    await database.run('UPDATE costs SET "ChargePeriodStart" = NULL, "ChargePeriodEnd" = NULL');
    if (!isNoted) await database.run("DROP TABLE source_ai_billing.lost_instants");
    await refreshModels(database);
  } finally {
    database.close();
  }
}

test("a file of the loader that lost instants is read again, once", async () => {
  await using shell = await Shell.open();
  const config = bearerConfig(served.baseUrl, served.token);
  await writeFile(shell.path("config.json"), JSON.stringify(config));
  expect(await shell.here(SYNC)).toMatchObject({ end: 0, stdout: costs(2, 2) });

  const path = shell.path("billing.duckdb");
  await forget(path, false);
  expect(await billed(shell)).not.toEqual(WHOLE);
  const again = await shell.here(SYNC);
  expect(again).toMatchObject({ end: 0, stdout: costs(2, 0) });
  expect(again.stdout).toMatch(/^usage +0 rows read/m);
  expect(await billed(shell)).toEqual(WHOLE);
  expect(await shell.query("SELECT sum(billed_cost) AS billed FROM daily_costs")).toEqual([
    { billed: "8.75" },
  ]);
  expect(await shell.query("FROM invalid_rows")).toEqual([]);
  expect(await shell.here(SYNC)).toMatchObject({ end: 0, stdout: costs(0, 0) });

  // Rows that are without instants at the provider would be read again for ever.
  await copyFile(path, shell.path("copy.duckdb"));
  await forget(shell.path("copy.duckdb"), true);
  const third = await shell.here([...SYNC, "--database", "copy.duckdb"]);
  expect(third).toMatchObject({ end: 0, stdout: costs(0, 0) });
});
