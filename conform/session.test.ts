import { describe, expect, it } from "vitest";
import { Missing } from "./errors.ts";
import { Wire } from "./http.ts";
import { CAPABILITIES, Session, type RunLimits } from "./session.ts";
import { withProvider } from "./testing/provider.ts";
import { Shown } from "./text.ts";

const LIMITS: RunLimits = {
  requests: 10,
  waiting: 1000,
  time: 60_000,
  bytes: 1024 ** 2,
  pages: 1,
  samplePages: 1,
  pause: 0,
};

describe("a run's budget", () => {
  it.each([
    ["1 requests", { requests: 1 }, 0, false],
    ["1 minutes", {}, 60_000, false],
    ["0.000244140625 MiB of answers", { bytes: 256 }, 0, false],
    ["1 requests", { requests: 1 }, 0, true],
  ])("of %s ends it", (budget, limits, passed, deep) =>
    withProvider({}, async ({ baseUrl, token }) => {
      const wire = new Wire({ silence: 20_000, total: 20_000, bytes: 1024 ** 2 });
      let now = 0;
      const session = new Session({
        baseUrl,
        credentials: { token, limitedToken: undefined, oauth: undefined },
        deep,
        earlier: undefined,
        limits: { ...LIMITS, ...limits },
        clock: { now: () => now, sleep: () => Promise.resolve() },
        wire,
        shown: new Shown(),
      });
      const asked = async (): Promise<void> => {
        await session.ask({ path: CAPABILITIES });
        now += passed;
        await session.ask({ path: CAPABILITIES });
      };
      try {
        const message = `the run's budget of ${budget} is used up${deep ? "" : ": use --deep"}`;
        await expect(asked()).rejects.toThrow(new Missing(message));
      } finally {
        wire.close();
      }
    }),
  );
});
