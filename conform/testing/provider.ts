/** A checker and a reference provider in one process, for tests. */
import { generateAccount } from "../../reference_provider/generator/index.ts";
import type { GeneratorOptions } from "../../reference_provider/generator/index.ts";
import { createProvider } from "../../reference_provider/provider.ts";
import type { Provider, ProviderOptions } from "../../reference_provider/provider.ts";
import { DAY, formatInstant } from "../instants.ts";
import type { Memory } from "../memory.ts";
import type { Seen } from "../pages.ts";
import { CHECKS } from "../registry.ts";
import { runChecks } from "../run.ts";
import type { Summary } from "../run.ts";
import { Session } from "../session.ts";
import type { OAuthCredentials } from "../session.ts";
import { Shown } from "../text.ts";
import { Wire } from "../http.ts";
import type { Facts } from "./plant.ts";

const NOW = "2025-10-20T06:00:00Z";

/** An account that fills more than a page a day. */
export function busyAccount() {
  return generateAccount("generated", {
    usage: 2400,
    costs: 10,
    days: 2,
    hours: 1,
    now: NOW,
    late: 0,
  });
}

/** A small account with every kind of record, in which nothing changes by itself. */
export function account(options: Partial<GeneratorOptions> = {}) {
  return generateAccount("generated", {
    usage: 75,
    costs: 75,
    days: 75,
    hours: 3,
    now: NOW,
    late: 0,
    restated: 0,
    retention: 400,
    window: 31,
    ...options,
  });
}

export interface Trial {
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly token: string;
  /** Runs all checks, or those given. */
  run(options?: {
    readonly checks?: readonly string[];
    readonly deep?: boolean;
    readonly earlier?: Memory;
    /** Budget of requests. */
    readonly requests?: number;
    /** The most pages of the window that the checks read. */
    readonly samplePages?: number;
  }): Promise<Summary & { readonly session: Session }>;
}

/** Starts a provider, lets `use` try it, and stops it. */
export async function withProvider<Value>(
  options: Partial<ProviderOptions>,
  use: (trial: Trial) => Promise<Value>,
): Promise<Value> {
  const provider = createProvider({ accounts: [account()], now: NOW, ...options });
  const { baseUrl } = await provider.listen();
  const { token } = provider.issueToken({ id: "ready" });
  const scopes = ["billing.account.read", "billing.usage.read"] as const;
  const limited = provider.issueToken({ id: "limited", scopes });
  const wire = new Wire({ silence: 20_000, total: 20_000, bytes: 32 * 1024 * 1024 });
  const trial: Trial = {
    provider,
    baseUrl,
    token,
    run: async ({ checks, deep = false, earlier, requests = 1000, samplePages = 20 } = {}) => {
      const shown = new Shown();
      shown.hide(token);
      shown.hide(limited.token);
      const oauth = options.oauth === undefined ? undefined : await signedIn(provider);
      const session = new Session({
        baseUrl,
        credentials: { token, limitedToken: limited.token, oauth },
        deep,
        earlier,
        limits: {
          requests,
          waiting: 60_000,
          time: 3_600_000,
          bytes: 256 * 1024 ** 2,
          pages: 60,
          samplePages,
          pause: 0,
        },
        // Simulated waits cost nothing.
        clock: { now: () => provider.clock.now(), sleep: () => Promise.resolve() },
        wire,
        shown,
      });
      const own = CHECKS.filter(({ id }) => checks === undefined || checks.includes(id));
      return { ...(await runChecks(own, session)), session };
    },
  };
  try {
    return await use(trial);
  } finally {
    wire.close();
    await provider.close();
  }
}

async function signedIn(provider: Provider): Promise<OAuthCredentials> {
  const { server } = provider.oauth();
  const { refreshToken } = await server.issue("generated", [
    "billing.account.read",
    "billing.usage.read",
    "billing.cost.read",
  ]);
  return {
    file: "oauth.json",
    clientId: server.client.clientId,
    clientSecret: server.client.clientSecret,
    refreshToken,
    save: () => Promise.resolve(),
  };
}

/** Reads from a provider without faults the records and windows that the planted faults concern. */
export function factsOf(): Promise<Facts> {
  return withProvider({}, async (trial) => {
    const { session } = await trial.run({ deep: true });
    const readings = (name: string) =>
      session.readings.filter(({ series }) => series.name === name);
    const [costs, ...others] = readings("costs");
    const [days] = readings("usage 1d");
    const hours = readings("usage 1h").find(({ records }) => records.length > 0);
    const part = others.find(({ window, records }) => {
      return window.start > (costs?.window.start ?? 0) && records.some((seen) => isDaily(seen));
    });
    const widest = others.find(({ window }) => window.start < (costs?.window.start ?? 0));
    const meters = (seen: Seen) =>
      JSON.stringify([seen.value?.["SkuId"], seen.value?.["SkuMeter"]]);
    const day = days?.records.find((seen) => {
      const alike = days.records.filter((other) => meters(other) === meters(seen));
      return alike.length > 1 && seen.start !== hours?.window.start;
    });
    const daily = costs?.records.filter((seen) => isDaily(seen)) ?? [];
    return {
      cost: known(daily[Math.floor(daily.length / 3)]?.id),
      costsFrom: formatInstant(known(costs?.window.start)),
      part: {
        from: formatInstant(known(part?.window.start)),
        cost: known(part?.records.find((seen) => isDaily(seen))?.id),
      },
      widestFrom: formatInstant(known(widest?.window.start)),
      day: known(day?.id),
      hour: known(hours?.records[0]?.id),
      limitedToken: "limited",
    };
  });
}

function isDaily({ value, start, end }: Seen): boolean {
  const period = (end ?? 0) - (start ?? 0);
  return value?.["ChargeCategory"] === "Usage" && period === DAY && value["ChargeClass"] == null;
}

function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the sound provider does not show what the faults need");
  return value;
}
