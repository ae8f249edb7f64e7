/** A backfill over many lives of tokens, in one process with a fake clock, so that the test can count exactly. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { generateAccount } from "../../reference_provider/generator/index.ts";
import { createProvider } from "../../reference_provider/provider.ts";
import { type Host, run } from "../connector.ts";
import type { Clock } from "../edges.ts";
import { untilAborted } from "../oauth/testing.ts";
import type { JsonObject } from "../protocol.ts";
import { hostOf, READ, watched } from "../testing_host.ts";

const NOW = "2025-10-04T00:00:00Z";

/** The duration of each request, in milliseconds. */
const STEP = 40;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const clock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    signal.throwIfAborted();
    // The time limit of an answer; every answer comes in time.
    if (ms > 200_000) return await untilAborted(signal);
    vi.setSystemTime(Date.now() + ms);
  },
};

/** A host whose requests take a time. */
function slowHostOf(files: Readonly<Record<string, unknown>>): Host {
  const host = hostOf(files, { clock, random: () => 0, nextTurn: () => Promise.resolve() });
  return watched(host, () => vi.setSystemTime(Date.now() + STEP));
}

test(
  "two-second tokens that rotate, over 8 lanes and two streams: one refresh for each life",
  { timeout: 30_000 },
  async () => {
    const account = generateAccount("acme", {
      usage: 1000,
      costs: 100,
      days: 30,
      now: NOW,
      seed: 1,
    });
    const provider = createProvider({ accounts: [account], now: NOW, oauth: { tokenSeconds: 2 } });
    const { baseUrl } = await provider.listen();
    const { server, tokenUrl } = provider.oauth();
    const { refreshToken } = await server.issue("acme");
    const { clientId, clientSecret } = server.client;
    const config = {
      base_url: baseUrl,
      credentials: {
        auth_type: "oauth2_authorization_code",
        client_id: clientId,
        client_secret: clientSecret,
        refresh_token: refreshToken,
        token_url: tokenUrl,
      },
      concurrency: 8,
      page_size: 2,
    };
    const streams = ["usage", "costs"].map((name) => ({
      stream: { name },
      sync_mode: "incremental",
    }));
    const outputs = run(READ, slowHostOf({ config, catalog: { streams }, state: [] }));
    const handedOver: { at: number; config: JsonObject }[] = [];
    let next = await outputs.next();
    for (; next.done !== true; next = await outputs.next()) {
      if (next.value.type !== "CONTROL") continue;
      const { emitted_at: at, connectorConfig } = next.value.control;
      handedOver.push({ at, config: connectorConfig.config });
    }
    await provider.close();
    expect(next.value).toBe(true);
    const refreshes = provider.requests().filter(({ path }) => path.endsWith("/token"));
    expect(refreshes.map(({ status }) => status)).toEqual(handedOver.map(() => 200));
    expect(provider.requests().filter(({ status }) => status === 401)).toEqual([]);
    // After three quarters of a life the next lane renews the token for all lanes.
    const gaps = handedOver.slice(1).map(({ at }, index) => at - (handedOver[index]?.at ?? 0));
    expect(gaps.length).toBeGreaterThan(10);
    for (const gap of gaps) {
      expect(gap).toBeGreaterThanOrEqual(1500);
      expect(gap).toBeLessThanOrEqual(1500 + 8 * STEP);
    }
    const tokens = handedOver.map((each) =>
      Reflect.get(Object(each.config["credentials"]), "refresh_token"),
    );
    expect(new Set([refreshToken, ...tokens]).size).toBe(handedOver.length + 1);
  },
);
