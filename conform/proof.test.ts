import { describe, expect, it, beforeAll } from "vitest";
import { CHECKS } from "./registry.ts";
import { remember } from "./remember.ts";
import type { Summary } from "./run.ts";
import { PLANTS } from "./testing/plants.ts";
import type { Facts, Plant } from "./testing/plant.ts";
import { factsOf, withProvider } from "./testing/provider.ts";

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
