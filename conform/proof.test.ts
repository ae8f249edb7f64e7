import { describe, expect, it, beforeAll } from "vitest";
import { CHECKS } from "./registry.ts";
import { remember } from "./remember.ts";
import type { Summary } from "./run.ts";
import { PLANTS } from "./testing/plants.ts";
import type { Facts, Plant } from "./testing/plant.ts";
import { busyAccount, factsOf, withProvider } from "./testing/provider.ts";

function found({ outcomes }: Summary): string[] {
  return outcomes.flatMap(({ check, verdict }) =>
    verdict === "failed" || verdict === "warning" ? [check.id] : [],
  );
}

function notVerified({ outcomes }: Summary): string[] {
  return outcomes.flatMap(({ check, verdict }) => (verdict === "not verified" ? [check.id] : []));
}

describe("a sound provider", () => {
  it("passes every check that its account allows, with no warning", () =>
    withProvider({ oauth: {} }, async ({ provider, run }) => {
      const first = await run({ deep: true });
      expect(first.outcomes.filter(({ finding }) => finding !== undefined)).toEqual([]);
      expect(first.exitCode).toBe(0);
      const earlier = await remember(first.session);
      provider.clock.advance(26 * 3_600_000);
      provider.fault({ kind: "rate_limited", when: { times: 1 } });
      const second = await run({ deep: true, earlier });
      expect(second.outcomes.filter(({ finding }) => finding !== undefined)).toEqual([]);
      expect(notVerified(second)).toEqual(["CAP-12"]);
    }));
});

describe("an account that is not offered everything", () => {
  it("passes, and what it is not offered is seen to be refused", () =>
    withProvider({}, async (trial) => {
      const { capabilities } = trial.provider.accounts.get("generated") ?? {};
      if (capabilities === undefined) throw new Error("there is no account");
      const { usage } = capabilities.datasets;
      const granularities: typeof usage.granularities = ["1d"];
      const datasets = { usage: { ...usage, granularities } };
      Object.assign(capabilities, { datasets });
      const summary = await trial.run();
      expect(summary.outcomes.filter(({ finding }) => finding !== undefined)).toEqual([]);
      const verdicts = new Map(summary.outcomes.map(({ check, verdict }) => [check.id, verdict]));
      expect(verdicts.get("CAP-12")).toBe("passed");
      expect(verdicts.get("GRN-01")).toBe("not verified");
      expect(verdicts.get("CAP-09")).toBe("not verified");
    }));
});

describe("compression", () => {
  it.each([1, 2])("is not judged by errors: request %i after the first reading fails", (after) =>
    withProvider({}, async ({ provider, run }) => {
      provider.fault({ kind: "status", status: 400, when: { operation: "usage", after } });
      expect(notVerified(await run({ checks: ["HTTP-04"] }))).toEqual(["HTTP-04"]);
    }),
  );
});

describe("the bounds of a run", () => {
  it("leave room for a busy account: where a week is too much, a day is looked at", () =>
    withProvider({ accounts: [busyAccount()] }, async (trial) => {
      const checks = ["PAG-04", "PAG-05", "WIN-01"];
      const { outcomes, session } = await trial.run({ checks, samplePages: 1 });
      expect(outcomes.map(({ verdict }) => verdict)).toEqual(["passed", "passed", "passed"]);
      const days = session.readings.filter(({ series }) => series.name === "usage 1d");
      expect(days.slice(0, 2).map(({ end }) => end)).toEqual(["too long", "too long"]);
      expect(days.at(-1)?.records).toHaveLength(1200);
    }));

  it("are kept: a quick pass is a hundred requests or so, and takes no more than it is given", () =>
    withProvider({}, async (trial) => {
      const { requests, outcomes } = await trial.run();
      expect(requests).toBeLessThan(200);
      const short = await trial.run({ requests: 10 });
      expect(short.requests).toBe(10);
      expect(outcomes).toHaveLength(short.outcomes.length);
      expect(notVerified(short).length).toBeGreaterThan(20);
    }));

  it("cover waiting: a provider that is always busy is left alone", () =>
    withProvider({}, async (trial) => {
      trial.provider.fault({
        kind: "rate_limited",
        retry_after: "50",
        when: { operation: "usage" },
      });
      const { requests, outcomes } = await trial.run();
      expect(requests).toBeLessThan(200);
      expect(outcomes.find(({ check }) => check.id === "ERR-10")?.verdict).toBe("passed");
    }));
});

describe("a planted fault is found by just the checks that name it", () => {
  let facts: Facts;

  beforeAll(async () => {
    facts = await factsOf();
  });

  async function judge(plant: Plant): Promise<Summary> {
    const { deep = false, later, tokenFaults } = plant;
    const oauth = tokenFaults !== undefined || plant.finds.some((id) => id.startsWith("OAU"));
    return withProvider(oauth ? { oauth: {} } : {}, async ({ provider, run }) => {
      provider.fault(...(plant.faults?.(facts) ?? []));
      if (tokenFaults !== undefined) provider.oauth().setFaults(tokenFaults);
      if (later === undefined) return run({ deep });
      const earlier = await remember((await run({ deep })).session);
      later(provider, facts);
      return run({ deep, earlier });
    });
  }

  it.each(PLANTS.map((plant) => [plant.name, plant] as const))("%s", async (_, plant) => {
    const summary = await judge(plant);
    const shown = summary.outcomes.filter(({ finding }) => finding !== undefined);
    expect(found(summary), JSON.stringify(shown, null, 1)).toEqual(plant.finds);
  });

  it("names checks that there are, and each of them", () => {
    const ids = CHECKS.map(({ id }) => id);
    expect(new Set(PLANTS.flatMap(({ finds }) => finds))).toEqual(new Set(ids));
    expect(new Set(PLANTS.map(({ name }) => name)).size).toBe(PLANTS.length);
  });
});
