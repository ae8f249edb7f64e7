/** The reference provider with the real spend, in this process, at an instant of the past. */
import { fileURLToPath } from "node:url";
import type { Account } from "../reference_provider/accounts.ts";
import { loadLives, loadRealSpend } from "../reference_provider/data.ts";
import { createProvider, type Provider } from "../reference_provider/provider.ts";
import type { Sum } from "./reconciliation.ts";

/** Made-up records: a correction of a period that was billed long ago, and a charge that is withdrawn. */
const MADE_UP = fileURLToPath(new URL("made_up.jsonl", import.meta.url));

/** The real cost that gets another id when it becomes final, instead of a restatement. */
const REISSUED = {
  id: "cost-2025-10-03-2a3d9ddda4b6",
  as: "final-2025-10-03-2a3d9ddda4b6",
  at: Date.parse("2025-10-07T00:00:00Z"),
};

/** A provider that serves. */
export interface RunningProvider {
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly token: string;
}

/** Starts the provider of the real spend on a free port of this machine; its clock stands at `now` until it is set. */
export async function startProvider(now: string): Promise<RunningProvider> {
  const account = loadRealSpend();
  await loadLives(account, MADE_UP);
  const running = await serveAccount(account, now);
  const { id, as, at } = REISSUED;
  running.provider.change({ dataset: "costs", restate: id, at, changes: { x_RecordId: as } });
  return running;
}

/** Serves one account on a free port of this machine; the clock stands at `now` until it is set. */
export async function serveAccount(account: Account, now: string): Promise<RunningProvider> {
  const provider = createProvider({ accounts: [account], now });
  const { baseUrl } = await provider.listen();
  return { provider, baseUrl, token: provider.issueToken().token };
}

/** Rows and exact sums of all records that the provider shows now, without any query's limits. */
export function sumsOf(provider: Provider): Sum[] {
  const { costs, usage } = provider.totals();
  const sum = (measure: string, rows: unknown, amount: unknown): Sum => ({
    measure,
    rows: Number(rows),
    amount: String(amount),
  });
  return [
    ...costs.currencies.map((of) => sum(`billed ${of["currency"]}`, of["rows"], of["billed_cost"])),
    ...costs.currencies.map((of) =>
      sum(`effective ${of["currency"]}`, of["rows"], of["effective_cost"]),
    ),
    ...usage["1d"].totals.map((of) => sum(String(of["usage_type"]), of["rows"], of["quantity"])),
  ];
}

/** The number and the sum of the provider's costs that are provisional now. */
export function provisionalOf(provider: Provider): {
  readonly rows: number;
  readonly billed: string;
} {
  const found = provider.totals().costs.totals.find(({ status }) => status === "provisional");
  return { rows: Number(found?.["rows"] ?? 0), billed: String(found?.["billed_cost"] ?? "0") };
}

/** Requests for a dataset, and the earliest start among them. */
export interface Asked {
  readonly requests: number;
  readonly from: string;
}

/** The requests after the one with the number `since`, by dataset. */
export function askedSince(provider: Provider, since: number): ReadonlyMap<string, Asked> {
  const asked = new Map<string, Asked>();
  for (const { path, query } of provider.requests(since)) {
    const dataset = path.split("/").at(-1) ?? "";
    const start = String(query["start"] ?? "");
    const { requests, from } = asked.get(dataset) ?? { requests: 0, from: start };
    asked.set(dataset, { requests: requests + 1, from: start < from ? start : from });
  }
  return asked;
}
