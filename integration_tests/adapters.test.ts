/** Each adapter against a fake that is a process: checked, discovered, read by a process that is killed, and resumed. */
import { expect, test } from "vitest";
import { sumsOf } from "../src/adapters/testing.ts";
import { fakeTotals } from "./adapters/totals.ts";
import { check, discover } from "./support/connector.ts";
import { Customer } from "./support/customer.ts";
import { startProvider } from "./support/provider.ts";

const NOW = "2026-10-30T09:00:00Z";

const CASES = [
  ["anthropic", "anthropic_admin_key"],
  ["openai", "openai_admin_key"],
  ["openrouter", "openrouter_management_key"],
] as const;

test.for(CASES)(
  "%s: with nothing but a key, a sync that is killed and resumed gives the provider's sums",
  async ([name, type]) => {
    await using served = await startProvider("--as", name, "--now", NOW);
    const credentials = { auth_type: type, api_key: served.token };
    const extra = { credentials, start_date: "2026-10-01", page_size: 40 };
    const checked = await check(served.config(extra));
    expect(checked.messages.at(-1)?.connectionStatus?.status).toBe("SUCCEEDED");
    const discovered = await discover(served.config(extra));
    const catalog = discovered.messages.find(({ type: kind }) => kind === "CATALOG")?.catalog;
    expect(catalog?.streams.map((stream) => stream.name)).toContain("costs");

    const customer = new Customer(served, extra);
    const cut = customer.start({ args: ["--debug"] });
    await cut.running.until(({ state }) => state !== undefined);
    cut.running.child.kill("SIGKILL");
    customer.take(await cut.judged(true));
    const run = await customer.sync();
    expect(run.logs.join("\n")).toContain("billed cost before credits and tax");

    const truth = await fakeTotals(served, "2026-10-01", "2026-10-31");
    for (const dataset of ["usage", "costs"] as const) {
      expect(truth[dataset].length).toBeGreaterThan(20);
      expect(sumsOf(customer.warehouse.deduped(dataset))).toEqual(truth[dataset]);
    }
  },
);
