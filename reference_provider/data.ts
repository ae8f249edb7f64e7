import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Account } from "./accounts.ts";
import { parseLife } from "./lives.ts";
import type { Life } from "./lives.ts";
import { capabilities as checkedCapabilities, isObject, PROVIDER_FACTS } from "./model.ts";
import type { Capabilities, DatasetName } from "./model.ts";
import { parseRequests, parseRuns } from "./real_files.ts";
import { realSpendLives } from "./real_spend.ts";
import { createListing } from "./store.ts";
import type { Segment } from "./store.ts";

const HERE = fileURLToPath(new URL("data/", import.meta.url));

/** Records that are computed instead of stored. */
export interface ComputedSegments {
  readonly "usage-1h"?: Segment;
  readonly "usage-1d"?: Segment;
  readonly costs?: Segment;
}

/** An account without stored records. */
export function createAccount(
  id: string,
  capabilities: Capabilities,
  computed: ComputedSegments = {},
): Account {
  const segments = (segment: Segment | undefined) => (segment === undefined ? [] : [segment]);
  return {
    id,
    capabilities,
    listings: {
      "usage-1h": createListing("usage", "1h", segments(computed["usage-1h"])),
      "usage-1d": createListing("usage", "1d", segments(computed["usage-1d"])),
      costs: createListing("costs", "1d", segments(computed.costs)),
    },
  };
}

/** Adds a life to the listing of its dataset. Throws a TypeError if its record is invalid. */
export function putLife(account: Account, dataset: DatasetName, life: Life): void {
  if (dataset === "costs") {
    account.listings.costs.stored.put(life);
    return;
  }
  const taken =
    account.listings["usage-1h"].stored.put(life) || account.listings["usage-1d"].stored.put(life);
  if (!taken) throw new TypeError("x_Granularity of a usage record must be 1h or 1d");
}

/** Capabilities of the account with the real spend. */
export const REAL_SPEND_CAPABILITIES: Capabilities = {
  ...PROVIDER_FACTS,
  datasets: {
    usage: {
      endpoint: "/v1/finops/usage",
      granularities: ["1d", "1h"],
      retention_days: 1096,
      maximum_window_days: 31,
      freshness_lag_minutes: 60,
      dimensions: ["model", "project", "workload_type"],
    },
    costs: {
      endpoint: "/v1/finops/costs",
      granularities: ["1d"],
      retention_days: 1096,
      maximum_window_days: 92,
      settlement_lag_hours: 72,
      dimensions: ["model", "project", "workload_type"],
      currencies: ["USD"],
    },
  },
};

/** The account with the real spend of `data/`. */
export function loadRealSpend(): Account {
  const account = createAccount("real-spend", REAL_SPEND_CAPABILITIES);
  const runs = parseRuns(readFileSync(join(HERE, "benchmark_spend.csv"), "utf8"));
  const requests = gunzipSync(
    readFileSync(join(HERE, "azure_llm_requests_2023.csv.gz")),
  ).toString();
  for (const { dataset, life } of realSpendLives(runs, parseRequests(requests)))
    putLife(account, dataset, life);
  return account;
}

async function eachLine(path: string, take: (value: unknown) => void): Promise<void> {
  let number = 0;
  for await (const line of createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number += 1;
    if (line.trim() === "") continue;
    try {
      take(JSON.parse(line));
    } catch (error) {
      throw new Error(
        `${path}:${number}: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }
}

/** Adds the lives of a JSON Lines file whose lines name their `dataset`. Throws an Error that names file and line. */
export function loadLives(account: Account, path: string): Promise<void> {
  return eachLine(path, (value) => {
    const dataset = isObject(value) ? value["dataset"] : undefined;
    if (dataset !== "usage" && dataset !== "costs")
      throw new TypeError('"dataset" must be "usage" or "costs"');
    putLife(account, dataset, parseLife(value));
  });
}

function isMissing(error: unknown): boolean {
  return isObject(error) && error["code"] === "ENOENT";
}

/**
 * The account of a directory: `capabilities.json`, and `usage.jsonl` and `costs.jsonl` where present, each line a
 * record with its life. Throws an Error that names file and line if one is invalid.
 */
export async function loadDirectory(id: string, directory: string): Promise<Account> {
  const path = join(directory, "capabilities.json");
  const account = createAccount(id, checkedCapabilities(JSON.parse(readFileSync(path, "utf8"))));
  for (const dataset of ["usage", "costs"] as const) {
    try {
      await eachLine(join(directory, `${dataset}.jsonl`), (value) =>
        putLife(account, dataset, parseLife(value)),
      );
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return account;
}
