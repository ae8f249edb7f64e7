/** `npm run demo -- --as NAME`: the demo on a fake of the own reports of Anthropic, OpenAI or OpenRouter, read by an adapter. */
import { createFake, type Fake, type FakeName, serve } from "../fake_providers/index.ts";
import type { Total } from "../fake_providers/facts.ts";
import { DAY, formatInstant } from "../reference_provider/instants.ts";
import { Database } from "../warehouse/database.ts";
import { plain, subtract } from "../warehouse/decimals.ts";
import { showCosts, showProof } from "./closing.ts";
import { configOf, type Places, run } from "./story.ts";
import * as terminal from "./terminal.ts";

/** The first day of each fake that is read; OpenRouter shows the last 30 days only. */
const FIRST = { anthropic: "2026-01-01", openai: "2026-01-01", openrouter: "2026-10-02" } as const;

/** The instants of the syncs. */
const SYNCS = [
  { at: "2026-11-01T12:00:00Z", title: "The first sync" },
  { at: "2026-11-02T12:00:00Z", title: "A day later: another day, and late rows of earlier ones" },
  { at: "2026-11-05T12:00:00Z", title: "Three days later: all late rows are there" },
] as const;

/** A sum of the views and of the fake; null where it is missing. */
interface Difference {
  /** `{"day": …, "model": …, "meter": …}` */
  readonly of: string;
  readonly current: string | null;
  readonly provider: string | null;
}

/**
 * Compares the sums of the views with the fake's own, by day, model and usage type or currency.
 *
 * @returns how many sums were compared, and those that differ
 */
async function compareWithFake(
  database: Database,
  fake: Fake,
  first: string,
): Promise<{ readonly compared: number; readonly differing: readonly Difference[] }> {
  const { usage, costs } = fake.totals(Date.parse(first), fake.clock.now() + DAY);
  const keyOf = ({ day, model, meter }: Omit<Total, "sum">): string =>
    JSON.stringify({ day, model, meter });
  const provider = new Map([...usage, ...costs].map((total) => [keyOf(total), total.sum]));
  const current = new Map((await currentTotals(database)).map((each) => [keyOf(each), each.sum]));
  const keys = [...new Set([...provider.keys(), ...current.keys()])];
  const differing = keys
    .filter((key) => subtract(current.get(key) ?? "0", provider.get(key) ?? "0") !== "0")
    .map((key) => ({
      of: key,
      current: current.get(key) ?? null,
      provider: provider.get(key) ?? null,
    }));
  return { compared: keys.length, differing };
}

/** The sums of the views, by day, model and usage type or currency. */
async function currentTotals(database: Database): Promise<Total[]> {
  const rows = await database.query(`
    SELECT strftime(charge_period_start, '%Y-%m-%d'), model_id IS NULL, coalesce(model_id, ''), usage_type,
           sum(consumed_quantity)
    FROM current_usage GROUP BY ALL HAVING sum(consumed_quantity) <> 0
    UNION ALL
    SELECT strftime(charge_period_start, '%Y-%m-%d'), model_id IS NULL, coalesce(model_id, ''), billing_currency,
           sum(billed_cost)
    FROM current_costs GROUP BY ALL HAVING sum(billed_cost) <> 0`);
  return rows.map(([day = "", isNull, model = "", meter = "", sum = "0"]) => ({
    day,
    model: isNull === "true" ? null : model,
    meter,
    sum: plain(sum),
  }));
}

/**
 * Runs the demo on a fake.
 *
 * @returns whether the database agreed with the fake after every sync and proves it at the end
 */
export async function tellOfFake(name: FakeName, places: Places): Promise<boolean> {
  const fake = createFake(name, { now: Date.parse(SYNCS[0].at), seed: 1 });
  const served = await serve(fake, 0, false);
  try {
    await introduce(name, fake, served.baseUrl, places);
    let agreed = true;
    for (const [index, { at, title }] of SYNCS.entries()) {
      fake.clock.set(Date.parse(at));
      terminal.section(`Sync ${index + 1}  ${title}`, `${terminal.shortInstant(at)} UTC`);
      agreed = (await sync(name, fake, places)) && agreed;
    }
    return (await conclude(places)) && agreed;
  } finally {
    await served[Symbol.asyncDispose]();
  }
}

async function introduce(
  name: FakeName,
  fake: Fake,
  baseUrl: string,
  places: Places,
): Promise<void> {
  terminal.section("The provider", `a fake of the reports of ${name}: every number is invented`);
  const clock = terminal.shortInstant(formatInstant(fake.clock.now()));
  terminal.line(`${baseUrl}, its clock at ${clock} UTC`);
  terminal.section("The configuration", `source-ai-billing init --provider ${name}`);
  const options = ["--config", configOf(places), "--base-url", baseUrl, "--secret-stdin"];
  const args = ["init", "--provider", name, "--start-date", FIRST[name], ...options];
  const [answer = ""] = (await terminal.busy("init", () => run(args, fake.api.key))).split("\n");
  terminal.line(answer);
}

/** One sync with its report. Prints what `sync` says; returns whether the views equal the fake. */
async function sync(name: FakeName, fake: Fake, places: Places): Promise<boolean> {
  const files = ["--config", configOf(places), "--database", places.database];
  const args = ["sync", ...files, "--report", places.report];
  const output = await terminal.busy("reading", () => run(args));
  for (const line of output.trimEnd().split("\n")) terminal.line(line);
  const database = await Database.open(places.database, "read");
  try {
    const { compared, differing } = await compareWithFake(database, fake, FIRST[name]);
    for (const { of, current, provider } of differing)
      terminal.line(`${of}: current ${current}, provider ${provider}`);
    const good = differing.length === 0 && compared > 0;
    terminal.verdict(
      good,
      good
        ? `Reconciled: ${compared} sums by day, model and meter equal the provider's to the last digit.`
        : `NOT reconciled: ${differing.length} of ${compared} sums differ.`,
    );
    return good;
  } finally {
    database.close();
  }
}

async function conclude(places: Places): Promise<boolean> {
  const database = await Database.open(places.database, "read");
  try {
    await showCosts(database);
    return await showProof(database);
  } finally {
    database.close();
  }
}
