import { expect, test } from "vitest";
import { BACKOFF_POLICY } from "../core/retry.ts";
import type { Clock } from "../edges.ts";
import { failure, scripted } from "../http/testing.ts";
import { openCredential } from "./credential.ts";
import { untilAborted } from "./testing.ts";

test("a refresh that waits for its next attempt ends with the run, without a call of settle", async () => {
  const stop = new AbortController();
  let waits = 0;
  const clock: Clock = {
    now: () => 0,
    sleep: async (_, signal) => {
      waits += 1;
      await untilAborted(signal).finally(() => {
        waits -= 1;
      });
    },
  };
  const { auth } = await openCredential(
    {
      authType: "oauth2_authorization_code",
      clientId: "client",
      clientSecret: undefined,
      refreshToken: "refresh",
      accessToken: undefined,
      accessTokenExpiresAt: undefined,
      authorizationUrl: undefined,
      tokenUrl: "https://as.example.com/token",
    },
    {
      baseUrl: new URL("https://api.example.com"),
      edges: { clock, transport: scripted({ status: 503 }), random: () => 0 },
      backoff: BACKOFF_POLICY,
      userAgent: "source-ai-billing/test",
      stop: stop.signal,
      save: () => Promise.resolve(),
      onRetry: () => stop.abort(),
    },
  );
  const error = await failure(auth.authorization(new AbortController().signal));
  expect([error.code, waits]).toEqual(["unavailable", 0]);
});
