/**
 * `npm run bench`: measures the connector as a whole process beside the floor, on pages that are rendered before.
 * Writes RESULTS.md and its table in docs/speed.md. With `--rewrites` it counts the rows that syncs write instead, and writes
 * REWRITES.md. With `--warehouse` it measures `sync`, `report` and `query` instead, and writes WAREHOUSE.md.
 *
 *     npm run bench -- [--runs N] [--large] [--compare]
 *     npm run bench -- --rewrites
 *     npm run bench -- --warehouse [--runs N] [--large]
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { latency, memory, type Row, startUp, throughput } from "./cases.ts";
import { compare } from "./compare.ts";
import { firstSync, idleSync } from "./waits.ts";
import { withTable } from "./speed_page.ts";
import { rewrites } from "./rewrites.ts";
import { warehouse } from "./warehouse.ts";
import { World } from "./world.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "5" },
    large: { type: "boolean", default: false },
    compare: { type: "boolean", default: false },
    rewrites: { type: "boolean", default: false },
    warehouse: { type: "boolean", default: false },
  },
});
const runs = Math.min(20, Math.max(1, Number(values.runs)));
const RECORDS = 400_000;
const even = { records: RECORDS, days: 40 };

const rows: Row[] = [];
const cellsOf = ([what, figures, target, isMissed = false]: Row): string[] => [
  what,
  figures,
  isMissed ? `${target}; **missed**` : target,
];
function show(row: Row): void {
  rows.push(row);
  console.log(cellsOf(row).join("  |  "));
}
async function run(work: Promise<readonly Row[]>): Promise<void> {
  for (const row of await work) show(row);
}

async function speed(): Promise<void> {
  const world = await World.open();
  try {
    await run(startUp(world, 15));
    await run(throughput(world, "usage 1d", even, runs));
    const few = Math.ceil(runs / 2);
    await run(throughput(world, "usage 1h", { ...even, granularity: "1h" }, few));
    await run(throughput(world, "costs", { ...even, dataset: "costs" }, few));
    await run(latency(world, 4, runs));
    await run(latency(world, 16, runs));
    const sizes = [10_000, values.large ? 5_000_000 : 1_000_000];
    await run(memory(world, sizes, values.large ? 60 : 5, few));
    await run(idleSync(world, few));
    if (values.compare) {
      await run(compare(world, RECORDS));
      await run(firstSync(world, few));
    }
  } finally {
    world.close();
  }
}

async function warehouses(): Promise<void> {
  const world = await World.open();
  try {
    for await (const row of warehouse(world, runs, values.large)) show(row);
  } finally {
    world.close();
  }
}

const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();
const today = (): string => new Date().toISOString().slice(0, 10);
const table = (): string => `| What | Measured | Target |
|---|---|---|
${rows.map((row) => `| ${cellsOf(row).join(" | ")} |`).join("\n")}
`;

function keep(file: string, text: string): void {
  writeFileSync(fileURLToPath(new URL(file, import.meta.url)), text);
  const page = fileURLToPath(new URL("../docs/speed.md", import.meta.url));
  writeFileSync(page, withTable(readFileSync(page, "utf8"), file, text));
}

if (values.rewrites) {
  await run(rewrites());
  keep(
    "REWRITES.md",
    `# Rows that are written again\n\nMade by \`npm run bench -- --rewrites\` on ${today()}.\n\n${table()}`,
  );
} else if (values.warehouse) {
  await warehouses();
  keep("WAREHOUSE.md", results("The way to an answer", "npm run bench -- --warehouse"));
} else {
  await speed();
  keep("RESULTS.md", results("Results", "npm run bench"));
}

function results(title: string, command: string): string {
  const [load = 0] = loadavg();
  return `# ${title}

Made by \`${command}\` on ${today()}, commit ${git("rev-parse", "--short", "HEAD")}. Medians of ${runs} runs in turns.

- Machine: ${cpus().length} cores, ${Math.round(totalmem() / 1024 ** 3)} GiB, ${cpus()[0]?.model ?? "unknown"}
- Load of the last minute when it ended: ${load.toFixed(1)}${load > cpus().length + 1 ? " (**other programs were running: only ratios tell something**)" : ""}
- Node ${process.versions.node}, V8 ${process.versions.v8}

${table()}`;
}
