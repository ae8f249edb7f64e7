import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConnectorError } from "../src/errors.ts";
import { type Output, state } from "../src/protocol.ts";
import { sync, type SyncOptions } from "./sync.ts";
import { hostWith } from "./testing.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sync-"));
});
afterAll(() => rm(folder, { recursive: true }));

const stopped = new ConnectorError("aborted", "The test has seen enough.");

/** Syncs `times` times. The engine moves the position to the number of its run. Gives the positions with which the runs began. */
async function positionsOf(options: Partial<SyncOptions>, times: number): Promise<unknown[]> {
  const begun: unknown[] = [];
  let waits = 0;
  const credentials = { auth_type: "scoped_bearer_token", access_token: "s3cr3t" };
  const host = hostWith({
    readJson: () => Promise.resolve({ base_url: "https://a.example", credentials }),
    sleep: () => ((waits += 1) < times ? Promise.resolve() : Promise.reject(stopped)),
    // Each look at the clock is an hour later, so that one wait is enough.
    now: () => (waits + 1) * 3_600_000,
    async *engine(command, { readJson }): AsyncGenerator<Output, boolean> {
      if (command.kind === "read") {
        begun.push(await readJson("", "state"));
        yield state("usage", { version: 3, position: "2026-03-0" + String(begun.length) }, 0);
      } else {
        yield { type: "CATALOG", catalog: { streams: [] } };
      }
      return true;
    },
  });
  const run = sync(
    {
      configs: ["config.json"],
      only: [],
      database: join(folder, "billing.duckdb"),
      report: undefined,
      every: undefined,
      json: false,
      memory: undefined,
      reset: [],
      inputs: {
        teams: undefined,
        budgets: undefined,
        "exchange-rates": undefined,
        invoices: undefined,
        shared: undefined,
      },
      currency: undefined,
      fiscalYearStart: undefined,
      ...options,
    },
    host,
  );
  if (options.every === undefined) await run;
  else await expect(run).rejects.toBe(stopped);
  return begun.map((states) => JSON.stringify(states).match(/"position":("[^"]*"|null)/)?.[1]);
}

test(
  "--reset with --every reads from the beginning in the first sync only",
  { timeout: 120_000 },
  async () => {
    expect(await positionsOf({}, 1)).toEqual([undefined]);
    expect(await positionsOf({ every: 3_600_000, reset: ["usage"] }, 3)).toEqual([
      undefined,
      '"2026-03-01"',
      '"2026-03-02"',
    ]);
  },
);
