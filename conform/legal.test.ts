/** Providers that keep the interface in an unusual way: no check finds fault with them, but for advice that the test names. */
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import type { ProviderOptions } from "../reference_provider/provider.ts";
import { parseLife } from "../reference_provider/lives.ts";
import { CHECKS } from "./registry.ts";
import { account, withProvider } from "./testing/provider.ts";
import type { Trial } from "./testing/provider.ts";

it("an answer may be compressed unasked: RFC 9110 advises against it, and the interface is silent", async () => {
  await withProvider({}, async ({ provider, run }) => {
    provider.fault({ kind: "gzip_unasked" });
    const { outcomes, exitCode } = await run({ checks: ["HTTP-04"] });
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(["warning"]);
    expect(exitCode).toBe(0);
  });
});

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

const COST = {
  x_RecordUpdatedAt: "2025-09-12T00:00:00Z",
  ServiceProviderName: "Reference AI Provider",
  ServiceCategory: "AI and Machine Learning",
  ServiceName: "Model API",
  BillingPeriodStart: "2025-09-01T00:00:00Z",
  BillingPeriodEnd: "2025-10-01T00:00:00Z",
  InvoiceIssuerName: "Reference AI Provider",
  ChargeCategory: "Usage",
  ChargeDescription: "Tokens",
  BillingCurrency: "USD",
  BilledCost: "1",
  EffectiveCost: "1",
  x_CostStatus: "final",
};

it.each(["overlap", "containment"] as const)(
  "costs by the hour and by the day may be mixed, and be selected by %s",
  async (by) => {
    const change = ({ provider }: Trial): void => {
      const put = (granularity: "1h" | "1d", from: string, to: string): void => {
        const id = { x_RecordId: from, x_Granularity: granularity };
        const period = { ChargePeriodStart: from, ChargePeriodEnd: to };
        const life = parseLife({ record: { ...COST, ...id, ...period } });
        provider.change({ dataset: "costs", life });
      };
      put("1d", "2025-09-10T00:00:00Z", "2025-09-11T00:00:00+00:00");
      put("1h", "2025-09-10T05:00:00Z", "2025-09-10T06:00:00Z");
      put("1h", "2025-09-10T07:00:00Z", "2025-09-10T08:00:00Z");
      provider.fault({ kind: "selection", by, when: { operation: "costs" } });
    };
    const accounts = [account({ costs: 0, monthly: false, corrections: "none" })];
    expect(await found({ accounts }, change)).toEqual([]);
  },
);

it.each([1000, 3])("an id may name two records: pages of %i get a warning", async (records) => {
  const change = ({ provider }: Trial): void => {
    const when = { operation: "costs" } as const;
    const set = { x_RecordId: "x" };
    provider.fault(
      { kind: "short_page", records, when },
      { kind: "record", record_id: "cost-1d-0000000035", set, when },
      { kind: "record", record_id: "cost-1d-0000000045", set, when },
    );
  };
  expect(await found({}, change)).toEqual(["IDS-01"]);
});

it("the resource may be an address above the base URL", async () => {
  const change = ({ provider, baseUrl }: Trial): void => {
    const set = { resource: new URL(baseUrl).origin };
    provider.fault({ kind: "metadata", of: "resource", set });
  };
  expect(await found({ oauth: {}, basePath: "/billing" }, change)).toEqual([]);
});

it("the resource may leave its authorization servers out", async () => {
  const change = ({ provider }: Trial): void =>
    void provider.fault({ kind: "metadata", of: "resource", drop: ["authorization_servers"] });
  expect(await found({ oauth: {} }, change)).toEqual([]);
});

type Answer = (path: string, request: IncomingMessage) => Promise<readonly [number, object]>;

/** Lets another server be the authorization server, and gives the checks of OAuth that find fault. */
async function foundWith(answer: (issuer: string, token: string) => Answer): Promise<string[]> {
  return withProvider({ oauth: {} }, async ({ provider, run, token }) => {
    let serve: Answer = () => Promise.resolve([404, {}]);
    const server = createServer(async (request, response) => {
      const [status, body] = await serve(request.url ?? "", request);
      const headers = { "content-type": "application/json", "cache-control": "no-store" };
      response.writeHead(status, headers).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const issuer = `http://127.0.0.1:${port}`;
    serve = answer(issuer, token);
    try {
      const set = { authorization_servers: [issuer] };
      provider.fault({ kind: "metadata", of: "resource", set });
      const oauth = CHECKS.map(({ id }) => id).filter((id) => id.startsWith("OAU"));
      const { outcomes } = await run({ checks: [...oauth, "HTTP-09", "ERR-01"] });
      return outcomes.flatMap(({ check, finding }) => (finding === undefined ? [] : [check.id]));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
}

const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  code_challenge_methods_supported: ["S256"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  scopes_supported: ["billing.account.read", "billing.usage.read", "billing.cost.read"],
});

/** A token endpoint that takes the client's secret in one place only. */
function tokens(place: "header" | "form", token: string): Answer {
  return async (_, request) => {
    const form = new URLSearchParams(await text(request));
    const basic = request.headers.authorization?.startsWith("Basic ") === true;
    if (place === "header" ? !basic || form.has("client_secret") : basic)
      return [401, { error: "invalid_client" }];
    if (form.get("refresh_token") === "not-a-refresh-token")
      return [400, { error: "invalid_grant" }];
    return [200, { access_token: token, token_type: "Bearer" }];
  };
}

it.each(["header", "form"] as const)(
  "an authorization server may have metadata of OpenID Connect alone, and take the secret in the %s",
  async (place) => {
    const answer = (issuer: string, token: string): Answer => {
      const endpoint = tokens(place, token);
      return async (path, request) => {
        if (path === "/token") return endpoint(path, request);
        if (path !== "/.well-known/openid-configuration") return [404, {}];
        const methods = { token_endpoint_auth_methods_supported: ["client_secret_post"] };
        return [200, { ...metadataOf(issuer), ...(place === "form" ? methods : {}) }];
      };
    };
    expect(await foundWith(answer)).toEqual([]);
  },
);

it("an authorization server may have no metadata", async () => {
  expect(await foundWith(() => () => Promise.resolve([404, {}]))).toEqual([]);
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
