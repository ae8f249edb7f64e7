/**
 * Measures the way from the provider to an answer: `sync` with its report, `report`, and the queries of the README, on up to a million
 * rows, beside PyAirbyte with the same connector. Only the first sync and its peers run `--runs` times; all else runs once,
 * because a run takes minutes.
 */
import { rmSync, statSync } from "node:fs";
import { LAUNCHER } from "../bin/process.ts";
import type { Row } from "./cases.ts";
import { measure, median, type Run } from "./process.ts";
import { warehousePeers } from "./warehouse_peers.ts";
import type { Scene, World } from "./world.ts";

/** A year of 500,000 records. */
const YEAR = { records: 300_000, costs: 200_000, days: 365, isUpToNow: true } as const;

/** The README's queries. */
const QUERIES = [
  "SELECT day, model_id, billed_cost FROM daily_costs ORDER BY day DESC LIMIT 10",
  "SELECT day, sum(billed_cost) FROM current_costs WHERE billing_currency = 'USD' GROUP BY day",
  "SELECT * FROM completeness WHERE status <> 'proven'",
];

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const figures = ({ wallMs, cpuMs, peakMiB }: Run): string =>
  `${seconds(wallMs)}, ${seconds(cpuMs)} CPU, ${peakMiB.toFixed(0)} MiB`;

/** A database that is synced from the bench's provider, and its report. */
class Books {
  readonly database: string;
  readonly report: string;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.database = world.file("books.duckdb");
    this.report = world.file("books.html");
    for (const file of [this.database, this.report]) rmSync(file, { force: true });
  }

  /** Lets the provider serve a scene, and syncs it. */
  async sync(scene: Scene): Promise<Run> {
    const command = await this.#world.set(scene);
    const config = command[command.indexOf("--config") + 1] ?? "";
    const files = ["--config", config, "--database", this.database, "--report", this.report];
    return await measure([LAUNCHER, "sync", ...files]);
  }
}

/** `sync --report` of a year: the first one, those that find nothing new, and one that finds a day restated. */
async function syncs(world: World, times: number): Promise<Row[]> {
  const peers = warehousePeers(world, await world.set(YEAR));
  const ours: Run[] = [];
  const theirs = peers.map((peer) => {
    const runs: Run[] = [];
    return { ...peer, runs };
  });
  let books = new Books(world);
  for (let time = 0; time < times; time++) {
    books = new Books(world);
    ours.push(await books.sync(YEAR));
    for (const { command, runs } of theirs) runs.push(await measure(command));
  }
  const first = middle(ours);
  const ratios = theirs.map(({ name, runs }) => {
    const ratio = first.wallMs / middle(runs).wallMs;
    return { ratio, text: `; ${ratio.toFixed(2)} × ${name}'s time` };
  });
  // The second sync proves the days. The third one finds nothing new.
  await books.sync(YEAR);
  const idle = await books.sync(YEAR);
  const changed = await books.sync({ ...YEAR, restated: 360 });
  return [
    [
      "500,000 records, first sync --report",
      figures(first) + ratios.map(({ text }) => text).join(""),
      "<= 10 s, <= 700 MiB, <= 0.5 × PyAirbyte's time",
      first.wallMs > 10_000 || first.peakMiB > 700 || (ratios[0]?.ratio ?? 0) > 0.5,
    ],
    [
      "500,000 records, nothing changed",
      figures(idle),
      "<= 1.0 s of processor time",
      idle.cpuMs > 1000,
    ],
    ["500,000 records, one changed day", figures(changed), "<= 2 s", changed.wallMs > 2000],
    ...theirs.map(({ name, runs }): Row => {
      return [`500,000 records, ${name}'s first read, no models`, figures(middle(runs)), ""];
    }),
  ];
}

/** The run in the middle of several, by wall time. */
function middle(runs: readonly Run[]): Run {
  const wall = median(runs.map(({ wallMs }) => wallMs));
  const nothing = { wallMs: Number.NaN, cpuMs: Number.NaN, peakMiB: Number.NaN };
  return runs.find(({ wallMs }) => wallMs >= wall) ?? nothing;
}

/** Exports that need much memory: many costs, and many values of a label. */
async function large(world: World): Promise<Row[]> {
  const most = 1024;
  const rows: Row[] = [];
  const labels = { ...YEAR, records: 1000, costs: 300_000, keys: 200_000 };
  const held = await new Books(world).sync(labels);
  rows.push([
    "300,000 costs, 200,000 labels, first sync --report",
    figures(held),
    `<= ${most} MiB`,
    held.peakMiB > most,
  ]);
  const books = new Books(world);
  const million = await books.sync({ ...YEAR, records: 100_000, costs: 1_000_000, keys: 1000 });
  rows.push([
    "1,000,000 costs, 1,000 labels, first sync --report",
    figures(million),
    `<= ${most} MiB`,
    million.peakMiB > most,
  ]);
  const file = ["--database", books.database];
  const report = await measure([LAUNCHER, "report", ...file, "--out", books.report]);
  const bytes = statSync(books.report).size;
  rows.push([
    "report of 1,000,000 costs",
    `${figures(report)}, a page of ${(bytes / 1_000_000).toFixed(1)} MB`,
    "<= 3 s, <= 700 MiB, page <= 2 MB",
    report.wallMs > 3000 || report.peakMiB > 700 || bytes > 2_000_000,
  ]);
  const walls: number[] = [];
  for (const query of QUERIES) {
    walls.push((await measure([LAUNCHER, "query", ...file, query])).wallMs);
  }
  rows.push([
    "the README's queries on 1,000,000 costs, with the start of the process",
    walls.map(seconds).join(", "),
    "<= 0.5 s",
    walls.some((wall) => wall > 500),
  ]);
  return rows;
}

/** Syncs that find nothing new, by the number of rows. */
async function growth(world: World): Promise<Row[]> {
  const runs: Run[] = [];
  const sizes = [100_000, 1_000_000];
  for (const size of sizes) {
    const books = new Books(world);
    const scene = { ...YEAR, records: size / 2, costs: size / 2 };
    await books.sync(scene);
    await books.sync(scene);
    runs.push(await books.sync(scene));
  }
  const [few, many] = runs;
  const ratio = (many?.cpuMs ?? Number.NaN) / (few?.cpuMs ?? Number.NaN);
  const named = sizes.map((size) => size.toLocaleString("en")).join(" and ");
  return [
    [
      `nothing changed: ${named} rows`,
      `${runs.map(figures).join(" and ")}; ${ratio.toFixed(2)} × the processor time`,
      "<= 1.3 ×",
      !(ratio <= 1.3),
    ],
  ];
}

export async function* warehouse(
  world: World,
  times: number,
  isLarge: boolean,
): AsyncGenerator<Row> {
  yield* await syncs(world, times);
  yield* await growth(world);
  if (isLarge) yield* await large(world);
}
