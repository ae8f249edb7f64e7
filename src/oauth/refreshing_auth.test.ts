import { expect, test } from "vitest";
import type { TokenSet } from "../config/token_set.ts";
import type { Clock, Transport } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import { RefreshingAuth, type OAuthOptions } from "./refreshing_auth.ts";
import { harness, instantClock, NOW, ORIGIN, scripted } from "../http/testing.ts";
import type { Tokens } from "./token_endpoint.ts";

const signal = new AbortController().signal;

const CREDENTIALS: OAuthOptions["credentials"] = {
  authType: "oauth2_authorization_code",
  clientId: "client",
  clientSecret: undefined,
  refreshToken: "r0",
  accessToken: undefined,
  accessTokenExpiresAt: undefined,
  authorizationUrl: undefined,
  tokenUrl: undefined,
};

interface Bench {
  readonly auth: RefreshingAuth;
  /** Refresh tokens that were sent. */
  readonly sent: string[];
  readonly saved: TokenSet[];
  /** Moves the clock, in milliseconds. */
  pass(ms: number): Promise<void>;
  readonly clock: Clock;
}

interface BenchOptions {
  readonly credentials?: Partial<OAuthOptions["credentials"]>;
  readonly livesMs?: number | undefined;
  readonly rotate?: boolean;
  /** Awaited before the answer. */
  readonly answer?: Promise<void>;
  readonly saving?: Promise<void>;
  readonly fail?: ConnectorError;
  /** The refresh token of an answer that is broken in other parts. */
  readonly rescued?: string;
}

function bench(options: BenchOptions = {}): Bench {
  const { rotate = true, answer, saving, fail } = options;
  const livesMs = "livesMs" in options ? options.livesMs : 3_600_000;
  const clock = instantClock();
  const [sent, saved]: [string[], TokenSet[]] = [[], []];
  const refresh: OAuthOptions["endpoint"]["refresh"] = async (token, rescue): Promise<Tokens> => {
    sent.push(token);
    await answer;
    if (options.rescued !== undefined) await rescue(options.rescued);
    if (fail !== undefined) throw fail;
    const number = sent.length;
    const refreshToken = rotate ? `r${number}` : undefined;
    return { accessToken: `a${number}`, refreshToken, livesMs, answeredAt: clock.now() };
  };
  const auth = new RefreshingAuth({
    credentials: { ...CREDENTIALS, ...options.credentials },
    endpoint: {
      refresh,
      server: () =>
        Promise.resolve({ issuer: "https://as.example", token_endpoint: "https://as.example/t" }),
      setMetadataUrl: () => undefined,
    },
    clock,
    save: async (renewed) => {
      await saving;
      saved.push(renewed);
    },
  });
  return { auth, sent, saved, pass: (ms) => clock.sleep(ms, signal), clock };
}

const refusal = (authorization: string) => ({ authorization, challenge: undefined });

test("without an access token the first request waits for one; the others use it", async () => {
  const { auth, sent, saved } = bench();
  expect(await auth.authorization(signal)).toBe("Bearer a1");
  expect(await auth.authorization(signal)).toBe("Bearer a1");
  expect(sent).toEqual(["r0"]);
  expect(saved).toEqual([
    {
      accessToken: "a1",
      refreshToken: "r1",
      expiresAt: NOW + 3_600_000,
      tokenUrl: "https://as.example/t",
    },
  ]);
});

test("sixteen lanes at once: one refresh", async () => {
  const { auth, sent } = bench();
  const lanes = Array.from({ length: 16 }, () => auth.authorization(signal));
  expect(new Set(await Promise.all(lanes))).toEqual(new Set(["Bearer a1"]));
  expect(sent).toEqual(["r0"]);
});

test("an access token of the config is used until a minute before its end, or until it is refused", async () => {
  const expiring = { accessToken: "old", accessTokenExpiresAt: NOW + 100_000 };
  const known = bench({ credentials: expiring });
  await known.pass(39_999);
  expect(await known.auth.authorization(signal)).toBe("Bearer old");
  await known.pass(1);
  expect(await known.auth.authorization(signal)).toBe("Bearer a1");
  const unknown = bench({ credentials: { accessToken: "old" } });
  await unknown.pass(1e9);
  expect(await unknown.auth.authorization(signal)).toBe("Bearer old");
  expect(unknown.auth.unauthorized(refusal("Bearer old"))).toBe(true);
  expect(await unknown.auth.authorization(signal)).toBe("Bearer a1");
});

test.each([
  [3_600_000, 3_540_000],
  [240_000, 180_000],
  [2000, 1500],
  [1000, 750],
])("a life of %i ms is used for %i", async (livesMs, usedMs) => {
  const { auth, pass, sent } = bench({ livesMs });
  await auth.authorization(signal);
  await pass(usedMs - 1);
  expect(await auth.authorization(signal)).toBe("Bearer a1");
  await pass(1);
  expect(await auth.authorization(signal)).toBe("Bearer a2");
  expect(sent).toEqual(["r0", "r1"]);
});

test("a server that names no life: the token is used until it is refused", async () => {
  const { auth, pass } = bench({ livesMs: undefined });
  await auth.authorization(signal);
  await pass(1e10);
  expect(await auth.authorization(signal)).toBe("Bearer a1");
});

test("a server that does not rotate: the refresh token stays", async () => {
  const { auth, sent, pass } = bench({ rotate: false });
  await auth.authorization(signal);
  await pass(3_600_000);
  await auth.authorization(signal);
  expect(sent).toEqual(["r0", "r0"]);
});

test("many lanes are refused at once: one refresh; a late lane tries the new token", async () => {
  const { auth, sent } = bench({ credentials: { accessToken: "old" } });
  const lane = async (): Promise<string> => {
    expect(auth.unauthorized(refusal("Bearer old"))).toBe(true);
    return await auth.authorization(signal);
  };
  const lanes = await Promise.all(Array.from({ length: 8 }, lane));
  expect(new Set([...lanes, await lane()])).toEqual(new Set(["Bearer a1"]));
  expect(sent).toEqual(["r0"]);
});

test("C4: a new token that is refused at its first use is not renewed, for no later request either", async () => {
  const { auth, sent } = bench({ credentials: { accessToken: "old" } });
  expect(auth.unauthorized(refusal("Bearer old"))).toBe(true);
  for (let request = 0; request < 3; request++) {
    const authorization = await auth.authorization(signal);
    expect(auth.unauthorized(refusal(authorization))).toBe(false);
  }
  auth.tolerated("Bearer old"); // an answer to another lane, sent before
  expect(auth.unauthorized(refusal("Bearer a1"))).toBe(false);
  expect(sent).toEqual(["r0"]);
});

test("C4: each token that was tolerated once is renewed once, and no refresh token is sent twice", async () => {
  const { auth, sent } = bench();
  for (let token = 1; token <= 3; token++) {
    const authorization = await auth.authorization(signal);
    expect(authorization).toBe(`Bearer a${token}`);
    auth.tolerated(authorization);
    expect(auth.unauthorized(refusal(authorization))).toBe(true);
    expect(auth.unauthorized(refusal(authorization))).toBe(true);
  }
  expect(sent).toEqual(["r0", "r1", "r2"]);
});

/** A provider whose tokens live for a minute, although nobody says so. It answers 429 to the first use of the second token. */
function shortLived(lanes: number) {
  const { auth, sent, clock } = bench({ livesMs: undefined });
  const firstUse = new Map<string, number>();
  const transport: Transport = async ({ headers, signal: abort }) => {
    const token = headers["authorization"] ?? "";
    const usedAt = firstUse.get(token) ?? clock.now();
    firstUse.set(token, usedAt);
    const isLimited = token === "Bearer a2" && clock.now() === usedAt;
    const status = isLimited ? 429 : clock.now() - usedAt < 60_000 ? 200 : 401;
    const answer = { status, headers: { "retry-after": "120" }, body: "{}" };
    return scripted(answer)({ url: new URL(ORIGIN), headers, signal: abort });
  };
  const { client } = harness({ auth, clock, transport });
  const get = () => client.get({ url: new URL(`${ORIGIN}/x`), signal });
  const read = (): Promise<unknown> => Promise.all(Array.from({ length: lanes }, get));
  return { read, sent, clock };
}

test.each([1, 2, 5])(
  "C4: a 429 that outlasts the new token ends in an answer, with %i lanes refused at once",
  async (lanes) => {
    const { read, sent, clock } = shortLived(lanes);
    await read();
    await clock.sleep(60_000, signal);
    await read(); // 401, 429 with the new token, 401, 200
    expect(sent).toEqual(["r0", "r1", "r2"]);
  },
);

test("a token is not used before it is saved", async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const { auth, saved } = bench({ saving: promise });
  let used = false;
  const using = (async () => {
    await auth.authorization(signal);
    used = true;
  })();
  await new Promise((tick) => setImmediate(tick));
  expect([used, saved.length]).toEqual([false, 0]);
  resolve(undefined);
  await using;
  expect(saved.length).toBe(1);
});

test("a stopped caller waits no longer, and the refresh goes on to its end", async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const { auth, saved } = bench({ answer: promise });
  const controller = new AbortController();
  const waiting = auth.authorization(controller.signal);
  const reason = new ConnectorError("aborted", "stopped");
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  const settled = auth.settled();
  resolve(undefined);
  await settled;
  expect(saved.map(({ refreshToken }) => refreshToken)).toEqual(["r1"]);
  await expect(auth.authorization(controller.signal)).rejects.toBe(reason);
});

test("after an error that only a person can fix no refresh follows; after a transient error one does", async () => {
  const final = bench({ fail: new ConnectorError("unauthorized", "authorize again") });
  const transient = bench({ fail: new ConnectorError("unavailable", "later") });
  for (const { auth } of [final, transient]) {
    await expect(auth.authorization(signal)).rejects.toThrow(ConnectorError);
    await expect(auth.authorization(signal)).rejects.toThrow(ConnectorError);
  }
  expect(final.sent).toEqual(["r0"]);
  expect(transient.sent).toEqual(["r0", "r0"]);
});

test("a broken answer with a new refresh token: it is saved, and no other refresh follows", async () => {
  const fail = new ConnectorError("provider_fault", "no access token");
  const { auth, sent, saved } = bench({ credentials: { accessToken: "old" }, fail, rescued: "r9" });
  expect(auth.unauthorized(refusal("Bearer old"))).toBe(true);
  await expect(auth.authorization(signal)).rejects.toBe(fail);
  await expect(auth.authorization(signal)).rejects.toBe(fail);
  expect(sent).toEqual(["r0"]);
  expect(saved).toEqual([
    {
      accessToken: undefined,
      expiresAt: undefined,
      refreshToken: "r9",
      tokenUrl: "https://as.example/t",
    },
  ]);
});
