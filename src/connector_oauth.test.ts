/** The time limit of a check while the token endpoint does not answer. Time is virtual. */
import { expect, test } from "vitest";
import { run } from "./connector.ts";
import type { Clock, Transport } from "./edges.ts";
import { failure } from "./http/testing.ts";
import { untilAborted } from "./oauth/testing.ts";
import { hostOf } from "./testing_host.ts";

interface Sleeper {
  readonly dueAt: number;
  readonly wake: () => void;
}

/** A clock that stands still until the test lets it jump to the instant when the next sleep ends. */
function virtualClock(): Clock & { readonly sleepers: Set<Sleeper>; jump(): void } {
  let now = 0;
  const sleepers = new Set<Sleeper>();
  return {
    sleepers,
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { dueAt: now + ms, wake: resolve };
        sleepers.add(sleeper);
        const abort = (): void => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        };
        if (signal.aborted) abort();
        else signal.addEventListener("abort", abort, { once: true });
      }),
    jump: () => {
      now = Math.min(...[...sleepers].map(({ dueAt }) => dueAt));
      for (const sleeper of sleepers) {
        if (sleeper.dueAt > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}

const CONFIG = {
  base_url: "https://api.example.com",
  credentials: {
    auth_type: "oauth2_authorization_code",
    client_id: "client",
    refresh_token: "refresh",
    token_url: "https://as.example.com/token",
  },
};

function start(transport: Transport) {
  const clock = virtualClock();
  const host = hostOf(
    { config: CONFIG },
    {
      clock,
      random: () => 0,
      nextTurn: () => Promise.resolve(),
      openTransport: () => ({ transport, close: () => Promise.resolve() }),
    },
  );
  const command = { kind: "check", config: "config", writeConfig: false, debug: false } as const;
  return { clock, outputs: run(command, host) };
}

test("L2: a check whose token endpoint drips ends within ten seconds and names the endpoint", async () => {
  const asked = Promise.withResolvers<void>();
  const { clock, outputs } = start(({ signal }) => {
    asked.resolve();
    return untilAborted(signal);
  });
  const over = failure(outputs.next());
  await asked.promise;
  clock.jump();
  expect((await over).message).toContain("did not answer in time (https://as.example.com/token)");
  expect(clock.now()).toBeLessThanOrEqual(10_000);
  expect(clock.sleepers.size).toBe(0);
});
