/** Providers that keep the interface in an unusual way: no check finds fault with them, but for advice that the test names. */
import { expect, it } from "vitest";
import type { ProviderOptions } from "../reference_provider/provider.ts";
import { parseLife } from "../reference_provider/lives.ts";
import { account, withProvider } from "./testing/provider.ts";
import type { Trial } from "./testing/provider.ts";

/** The checks that find fault with a provider. */
async function found(
  options: Partial<ProviderOptions>,
  change: (trial: Trial) => void = () => undefined,
): Promise<string[]> {
  return withProvider(options, async (trial) => {
    change(trial);
    const { outcomes } = await trial.run();
    return outcomes.flatMap(({ check, finding }) => (finding === undefined ? [] : [check.id]));
  });
}

it("an integer may be written with a fraction of zero", async () => {
  const raw = {
    "/datasets/usage/retention_days": "400.0",
    "/datasets/costs/maximum_window_days": "3.1e1",
  };
  const change = ({ provider }: Trial) => void provider.fault({ kind: "capabilities", raw });
  expect(await found({}, change)).toEqual([]);
  const wrong = { "/datasets/usage/retention_days": "400.5" };
  const other = ({ provider }: Trial) => void provider.fault({ kind: "capabilities", raw: wrong });
  expect(await found({}, other)).toEqual(["CAP-02"]);
});

it.each([
  ["retention", { retention: 1, window: 1 }],
  ["window", { window: 1 }],
])("%s may be a day", async (_, options) => {
  expect(await found({ accounts: [account(options)] })).toEqual([]);
});

it.each(["/v1/export/usage", "/v2/usage.json"])("an endpoint may be %s", async (endpoint) => {
  const move = ({ provider }: Trial): void => {
    const { capabilities } = provider.accounts.get("generated") ?? {};
    Object.assign(capabilities?.datasets.usage ?? {}, { endpoint });
  };
  await withProvider({}, async (trial) => {
    move(trial);
    await trial.run({ checks: ["CAP-11", "REC-01"] });
    const paths = trial.provider.requests().map(({ path }) => path);
    expect(paths).toContain(endpoint);
    expect(paths).not.toContain("/v1/finops/usage");
  });
  expect(await found({}, move)).toEqual([]);
  const asText = (trial: Trial): void => {
    move(trial);
    trial.provider.fault({
      kind: "content_type",
      value: "text/plain",
      when: { operation: "usage" },
    });
  };
  expect(await found({}, asText)).toEqual(["HTTP-01"]);
});

it("daily usage may come a day after hourly usage, if available_through says so", async () => {
  const change = ({ provider }: Trial): void => {
    const when = { operation: "usage", granularity: "1d" } as const;
    provider.fault(
      { kind: "available_through", shift: -86_400, when },
      { kind: "record", record_id: "usage-1d-0000000074", omit: true, when },
    );
  };
  expect(await found({}, change)).toEqual([]);
});

it("metadata that are missing are the fault of metadata alone", async () => {
  const change = ({ provider, baseUrl }: Trial): void => {
    const set = { "/protected_resource_metadata_url": `${baseUrl}/nothing` };
    provider.fault({ kind: "capabilities", set });
  };
  expect(await found({ oauth: {} }, change)).toEqual(["OAU-01", "OAU-06"]);
});

it.each([200, 302, 403])("an unknown address may be a web page with status %i", async (status) => {
  const change = ({ provider }: Trial): void =>
    void provider.fault({ kind: "refusal", of: ["not-found"], body: "html", status });
  expect(await found({}, change)).toEqual(status === 403 ? [] : ["ERR-09"]);
});
