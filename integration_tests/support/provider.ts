/** The reference provider: in this process with a test's own records, or as another process. One handle for both. */
import { expect } from "vitest";
import type { Account } from "../../reference_provider/accounts.ts";
import type { FaultInput } from "../../reference_provider/faults/schema.ts";
import { loadRealSpend } from "../../reference_provider/data.ts";
import { generateAccount, parseGeneratorSpec } from "../../reference_provider/generator/index.ts";
import { createProvider, type ProviderOptions } from "../../reference_provider/provider.ts";
import { startProcess } from "../../reference_provider/process.ts";
import type { LoggedRequest } from "../../reference_provider/requests.ts";
import type { Totals } from "../../reference_provider/totals.ts";
import { judgeSums } from "../kills/judge.ts";
import { DATASETS, DEDUPED } from "../kills/tables.ts";
import { sumsOf } from "../kills/truth.ts";
import { bearerConfig, type Config } from "./config.ts";
import { costSums, inOrder, usageSums, type Warehouse } from "./warehouse.ts";

/** A provider that serves, and the handle to change its time, its data and its behavior; `await using` stops it. */
export class Served implements AsyncDisposable {
  readonly baseUrl: string;
  readonly token: string;
  readonly #stop: () => Promise<void>;

  constructor(baseUrl: string, token: string, stop: () => Promise<void>) {
    this.baseUrl = baseUrl;
    this.token = token;
    this.#stop = stop;
  }

  config(extra: Config = {}): Config {
    return bearerConfig(this.baseUrl, this.token, extra);
  }

  async set(instant: string): Promise<void> {
    await this.#ask("POST", "clock", { set: instant });
  }

  async advance(seconds: number): Promise<void> {
    await this.#ask("POST", "clock", { advance: seconds });
  }

  /** Sets faults and removes all earlier ones. */
  async faults(...faults: readonly FaultInput[]): Promise<void> {
    await this.#ask("POST", "faults", { clear: true });
    if (faults.length > 0) await this.#ask("POST", "faults", { set: faults });
  }

  /** Records with their lives, or changes of records: a body of `POST /control/records`. */
  async change(body: unknown): Promise<void> {
    await this.#ask("POST", "records", body);
  }

  async capabilities(capabilities: unknown): Promise<void> {
    await this.#ask("POST", "capabilities", { capabilities });
  }

  async issueToken(body: {
    readonly id?: string;
    readonly scopes?: readonly string[];
  }): Promise<string> {
    const { access_token: token } = await this.#ask<{ access_token: string }>(
      "POST",
      "tokens",
      body,
    );
    return token;
  }

  /** The requests of an operation since the last `forget`, or all. */
  async requests(
    operation?: "capabilities" | "usage" | "costs",
  ): Promise<readonly LoggedRequest[]> {
    const { requests } = await this.#ask<{ requests: LoggedRequest[] }>("GET", "requests");
    return requests.filter(({ path }) => operation === undefined || path.endsWith(`/${operation}`));
  }

  async forget(): Promise<void> {
    await this.#ask("DELETE", "requests");
  }

  /** The totals that exports show now, or at an instant. */
  totals(at?: string): Promise<Totals> {
    return this.#ask<Totals>("GET", at === undefined ? "totals" : `totals?at=${at}`);
  }

  async #ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const url = new URL(`/control/${path}`, this.baseUrl);
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const text = body === undefined ? null : JSON.stringify(body);
    const response = await fetch(url, { method, headers, body: text });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    // The control's answers are described in reference_provider/README.md.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return answer as Answer;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop();
  }
}

/** Fails unless the rows and sums of each day in a deduplicated table equal the provider's, to the last digit. */
export async function expectEqualSums(
  served: Served,
  warehouse: Warehouse,
  granularity: "1d" | "1h" = "1d",
): Promise<void> {
  const { usage, costs } = await served.totals();
  expect(costSums(warehouse.deduped("costs"))).toEqual(inOrder(costs.days));
  expect(usageSums(warehouse.deduped("usage"))).toEqual(inOrder(usage[granularity].days));
}

/** The same for the rows that the models show, of a table that keeps all rows and of a deduplicated one. */
export async function expectCurrentSums(served: Served, warehouse: Warehouse): Promise<void> {
  const all = sumsOf(await served.totals(), "1d");
  const datasets = DATASETS.filter((name) => all[name].length + warehouse[name].rows.length > 0);
  const sums = Object.fromEntries(datasets.map((name) => [name, all[name]]));
  const database = await warehouse.models(datasets);
  try {
    expect(await judgeSums(database, "", sums)).toEqual([]);
    expect(await judgeSums(database, DEDUPED, sums)).toEqual([]);
  } finally {
    database.close();
  }
}

/** Serves an account from this process. */
export async function serve(
  account: Account,
  now: string,
  options: Partial<ProviderOptions> = {},
): Promise<Served> {
  const provider = createProvider({ accounts: [account], now, control: true, ...options });
  const { baseUrl } = await provider.listen();
  const { token } = provider.issueToken({ id: "ready" });
  return new Served(baseUrl, token, () => provider.close());
}

/** Serves the real spend of reference_provider/data from this process. */
export const serveRealSpend = (now: string): Promise<Served> => serve(loadRealSpend(), now);

/** Serves a generated account from this process. @param spec as `--generate` takes it */
export const serveGenerated = (spec: string, now: string): Promise<Served> =>
  serve(generateAccount("generated", { ...parseGeneratorSpec(spec), now, seed: 1 }), now);

/** Starts the provider as a process, as `npm run provider` does. */
export async function startProvider(...args: readonly string[]): Promise<Served> {
  const { greeting, stop } = await startProcess("--control", ...args);
  const { base_url: baseUrl, access_token: token } = greeting;
  return new Served(String(baseUrl), String(token), async () => void (await stop()));
}
