/** The steps of the demo in their order. */
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import * as z from "zod";
import { LAUNCHER, start } from "../bin/process.ts";
import { Database } from "../warehouse/database.ts";
import { Answers } from "../warehouse/report/answers.ts";
import { reportData, screensOf } from "../warehouse/report/data.ts";
import { writeReport } from "../warehouse/report/write.ts";
import { type Chapter, CHAPTERS } from "./chapters.ts";
import {
  showBilled,
  showCosts,
  showProof,
  showReconciliation,
  showRemoved,
  showSums,
} from "./closing.ts";
import { currentSums, naiveSums } from "./figures.ts";
import {
  askedSince,
  provisionalOf,
  type RunningProvider,
  startProvider,
  sumsOf,
} from "./provider.ts";
import { compare, type Comparison, isReconciled } from "./reconciliation.ts";
import * as terminal from "./terminal.ts";

/** The files of the demo. */
export interface Places {
  /** The folder of all files; must exist. */
  readonly directory: string;
  readonly database: string;
  /** The report of the company, and that of the real spend. */
  readonly report: string;
  readonly realReport: string;
}

/** The part of the output of `sync --json` that the demo shows. */
const summarySchema = z.looseObject({
  streams: z.array(
    z.looseObject({
      name: z.string(),
      read: z.number(),
      added: z.number(),
      changed: z.number(),
      position: z.string().nullable(),
    }),
  ),
});

/** Runs a command of the connector to its end, as a user would. @throws Error with what it says if it does not exit with 0 */
export async function run(args: readonly string[], input = ""): Promise<string> {
  const { child, ended } = start([LAUNCHER, ...args], { stdio: "pipe" });
  child.stdin?.end(input);
  const [output, errors] = await Promise.all(
    [child.stdout, child.stderr].map(async (stream) =>
      stream === null ? "" : await textOf(stream),
    ),
  );
  const { code, signal } = await ended;
  if (code === 0) return output ?? "";
  throw new Error(`source-ai-billing ${args[0]} ended with ${String(code ?? signal)}:\n${errors}`);
}

/**
 * Runs the demo.
 *
 * @returns whether the database agreed with the provider after every sync and proves it at the end
 */
export async function tell(places: Places): Promise<boolean> {
  const running = await startProvider(CHAPTERS[0].at);
  try {
    await introduce(running, places);
    const outcomes: (readonly Comparison[])[] = [];
    for (const [index, chapter] of CHAPTERS.entries()) {
      outcomes.push(await sync(running, places, chapter, index + 1));
    }
    const database = await Database.open(places.database, "read");
    try {
      const right = await conclude(database, outcomes);
      const answers = await Answers.of(database);
      const screens = await screensOf(answers);
      await writeReport(places.realReport, await reportData(answers, screens, "npm run demo"));
      return right;
    } finally {
      database.close();
    }
  } finally {
    await running.provider.close();
  }
}

/** The path of the config. */
export const configOf = ({ directory }: Places): string => join(directory, "config.json");

/** Prints the provider, and makes the config. */
async function introduce({ baseUrl, token }: RunningProvider, places: Places): Promise<void> {
  terminal.section(
    "The provider",
    "on this machine, with the real spend of reference_provider/data",
  );
  terminal.line(`${baseUrl}, its clock at ${terminal.shortInstant(CHAPTERS[0].at)} UTC`);
  terminal.section("The configuration", "source-ai-billing init");
  const args = ["init", "--config", configOf(places), "--base-url", baseUrl, "--secret-stdin"];
  const [answer = ""] = (await terminal.busy("init", () => run(args, token))).split("\n");
  terminal.line(answer);
}

/** One sync, from the state that the database holds. */
async function sync(
  { provider }: RunningProvider,
  places: Places,
  { at, title, happened }: Chapter,
  number: number,
): Promise<readonly Comparison[]> {
  provider.clock.set(Date.parse(at));
  terminal.section(`Sync ${number}  ${title}`, `${terminal.shortInstant(at)} UTC`);
  for (const text of happened) terminal.line(text);
  const since = provider.requests().length;
  const args = ["sync", "--config", configOf(places), "--database", places.database, "--json"];
  const output = await terminal.busy("reading", () => run(args));
  showSync(summarySchema.parse(JSON.parse(output)), askedSince(provider, since));
  const database = await Database.open(places.database, "read");
  try {
    return await judge(provider, database);
  } finally {
    database.close();
  }
}

function showSync(
  { streams }: z.output<typeof summarySchema>,
  asked: ReturnType<typeof askedSince>,
): void {
  const rows = streams.map(({ name, read, added, changed, position }) => {
    const { requests = 0, from = "" } = asked.get(name) ?? {};
    const through = position === null ? "" : terminal.shortInstant(position);
    const counts = [read, added, changed].map(String);
    return [name, String(requests), from.slice(0, 10), ...counts, through];
  });
  terminal.table(
    [
      { title: "stream" },
      { title: "requests", align: "right" },
      { title: "read from" },
      { title: "rows written", align: "right" },
      { title: "new", align: "right" },
      { title: "changed", align: "right" },
      { title: "complete through" },
    ],
    rows,
  );
}

/** Compares the raw tables, the views and the provider. */
export async function comparisonsOf(
  provider: RunningProvider["provider"],
  database: Database,
): Promise<readonly Comparison[]> {
  return compare({
    naive: await naiveSums(database),
    current: await currentSums(database),
    provider: sumsOf(provider),
  });
}

/** The same, and prints the bill, and the sums if they do not agree. */
async function judge(
  provider: RunningProvider["provider"],
  database: Database,
): Promise<readonly Comparison[]> {
  const comparisons = await comparisonsOf(provider, database);
  showBilled(comparisons, provisionalOf(provider));
  if (!isReconciled(comparisons)) showSums(comparisons);
  return comparisons;
}

/** Prints the final result. Returns whether it is right. */
async function conclude(
  database: Database,
  outcomes: readonly (readonly Comparison[])[],
): Promise<boolean> {
  await showCosts(database);
  await showRemoved(database);
  const proven = await showProof(database);
  const reconciled = outcomes.every(isReconciled);
  return (await showReconciliation(database, outcomes.at(-1) ?? [])) && reconciled && proven;
}
