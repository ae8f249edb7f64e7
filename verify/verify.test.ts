import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, test } from "vitest";
import type { Fake, FakeName } from "../fake_providers/index.ts";
import { addDecimals } from "../src/core/decimal.ts";
import { ASSUMPTIONS } from "./assumptions.ts";
import { DAY, fakeOf, NOW, type Ran, run, verdictsOf } from "./testing.ts";

const folder = mkdtempSync(join(tmpdir(), "verify-"));
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
const newFile = (): string => join(folder, `${made++}.json`);

const PROVIDERS = ["anthropic", "openai", "openrouter"] as const;
const CASES = PROVIDERS.flatMap((name) => ASSUMPTIONS[name].map(({ id }) => [name, id] as const));

/** The true costs of October, in dollars. */
function october(fake: Fake): string {
  const { costs } = fake.totals(Date.UTC(2026, 9, 1), Date.UTC(2026, 10, 1));
  return costs.reduce((sum, each) => addDecimals(sum, each.sum), "0");
}

/** Runs as an owner would: with an invoice, and again after one, two, three and nine days. */
async function seenFor(
  name: FakeName,
  contradicts: string | null,
  out = newFile(),
): Promise<Ran[]> {
  const fake = fakeOf(name, contradicts);
  const invoices = [`2026-10=${october(fake).replace(/(\.\d{2}).*/, "$1")} USD`];
  const runs: Ran[] = [];
  for (const days of [0, 1, 2, 3, 9]) {
    fake.clock.set(NOW + days * DAY);
    runs.push(await run(fake, name, { out, invoices }));
  }
  return runs;
}

describe("an account that contradicts nothing", () => {
  it.each(PROVIDERS)("%s: each verdict is confirmed or open, and the code is 0", async (name) => {
    const runs = await seenFor(name, null);
    expect(runs.map(({ ended }) => ended)).toEqual([true, true, true, true, true]);
    const [verdicts = {}] = runs.slice(-1).map(verdictsOf);
    expect(Object.keys(verdicts)).toEqual(ASSUMPTIONS[name].map(({ id }) => id));
    const open = Object.keys(verdicts).filter((id) => verdicts[id] !== "confirmed");
    expect(open).toEqual(
      // OAI-14 stays open: rows without credits or tax prove nothing. ALL-01 stays open: nothing was corrected.
      { anthropic: ["ALL-01"], openai: ["OAI-14", "ALL-01"], openrouter: ["ALL-01"] }[name],
    );
  });
});

describe("an account that contradicts one assumption", () => {
  it.each(CASES)("%s: %s is contradicted, and no other one", async (name, id) => {
    const runs = await seenFor(name, id);
    const contradicted = runs.flatMap((ran) =>
      Object.entries(verdictsOf(ran)).flatMap(([each, verdict]) =>
        verdict === "contradicted" ? [each] : [],
      ),
    );
    expect([...new Set(contradicted)]).toEqual([id]);
    expect(runs.some(({ ended }) => ended === false)).toBe(true);
  });
});

test("two files are written, for the owner alone", async () => {
  const out = newFile();
  await seenFor("openai", null, out);
  const memory = out.replace(".json", ".memory.json");
  expect([out, memory].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({
    kind: "source-ai-billing verify",
    provider: "openai",
    invoices: [{ month: "2026-10", verdict: "equal" }],
  });
});
