/** The time limit of a check while the token endpoint does not answer. Time is virtual. */
import { setImmediate } from "node:timers/promises";
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

/** A clock that jumps to the next due sleep as soon as nothing else happens. */
function virtualClock(): Clock & { readonly sleepers: Set<Sleeper>; advance(): Promise<void> } {
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
    async advance() {
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
      const [next] = [...sleepers].toSorted((a, b) => a.dueAt - b.dueAt);
      if (next === undefined) return;
      sleepers.delete(next);
      now = Math.max(now, next.dueAt);
      next.wake();
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

test("a check whose token endpoint drips ends within ten seconds and names the endpoint", async () => {
  const { clock, outputs } = start(({ signal }) => untilAborted(signal));
  const over = failure(outputs.next());
  const isOver = async (): Promise<boolean> =>
    await Promise.race([over.then(() => true), clock.advance().then(() => false)]);
  while (!(await isOver()));
  expect((await over).message).toContain("did not answer in time (https://as.example.com/token)");
  expect(clock.now()).toBeLessThanOrEqual(10_000);
  expect(clock.sleepers.size).toBe(0);
});
