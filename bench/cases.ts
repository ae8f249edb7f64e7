/** The cases of the bench. Each case runs whole processes in turns and returns rows of a table. */
import { spawnSync } from "node:child_process";
import { LAUNCHER, start } from "../bin/process.ts";
import { measure, median, type Run, spread } from "./process.ts";
import type { Scene, World } from "./world.ts";

/** One measurement as text: its name, its figures and its target, and whether it missed the target. */
export type Row = readonly [what: string, figures: string, target: string, isMissed?: boolean];

/** Records in a page: the connector's default. */
const PAGE = 1000;

/** The target of peak memory, for exports of any size. */
const MOST_MIB = 112;

const per = (records: number, run: Run): number => (records * 1000) / run.wallMs;
const thousands = (value: number): string => `${(value / 1000).toFixed(0)},000`;
const whole = (value: number): string => value.toFixed(0);
const ratioText = (value: number): string => value.toFixed(2);
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** Runs commands in turns, so that a change of the machine's speed affects all of them. */
async function inTurns(commands: readonly (readonly string[])[], times: number): Promise<Run[][]> {
  const runs: Run[][] = commands.map(() => []);
  for (let time = 0; time < times; time++) {
    for (const [index, command] of commands.entries()) runs[index]?.push(await measure(command));
  }
  return runs;
}

/** The connector beside the floor: the same pages, in turns. */
export async function throughput(
  world: World,
  name: string,
  scene: Scene,
  times: number,
): Promise<Row[]> {
  const command = await world.set(scene);
  await world.seen(); // forgets the requests of other cases
  await measure(command); // renders the pages
  const { paths, connections } = await world.seen();
  const [floor = [], ours = []] = await inTurns([world.floor(paths), command], times);
  const ratios = ours.map((run, index) => (floor[index]?.wallMs ?? 0) / run.wallMs);
  const cpus = ours.map((run, index) => (floor[index]?.cpuMs ?? 0) / run.cpuMs);
  const figures = (runs: readonly Run[]): string => {
    const speeds = runs.map((run) => per(scene.records, run));
    const perRecord = runs.map((run) => (run.cpuMs * 1000) / scene.records);
    const peaks = runs.map((run) => run.peakMiB);
    return `${spread(speeds, thousands)} records/s, ${spread(perRecord, (value) => value.toFixed(1))} µs CPU, ${spread(peaks, whole)} MiB`;
  };
  const what = `${name}: ${scene.records.toLocaleString("en")} records, ${paths.length} pages, ${connections} connections`;
  const ratio = median(ratios);
  const mib = median(ours.map((run) => run.peakMiB));
  return [
    [`${what}; floor`, figures(floor), ""],
    [`${what}; connector`, figures(ours), ""],
    [
      `${name}: connector / floor`,
      `${spread(ratios, ratioText)} by wall time, ${spread(cpus, ratioText)} by CPU time, ${mib.toFixed(0)} MiB`,
      `>= 0.40 by wall time, <= ${MOST_MIB} MiB`,
      ratio < 0.4 || mib > MOST_MIB,
    ],
  ];
}

/** 60,000 records over 90 days, evenly, at 100 ms a page. */
export const slowScene = {
  records: 60_000,
  days: 90,
  maximumWindowDays: 7,
  delayMs: 100,
} as const satisfies Scene;

/** The pages of {@link slowScene} that one lane reads. */
export async function pathsOfOneLane(world: World): Promise<readonly string[]> {
  await world.seen();
  await measure(await world.set({ ...slowScene, delayMs: 0, concurrency: 1 }));
  return (await world.seen()).paths;
}

/** 100 ms a page: compares the lanes with the shortest time that their number allows. */
export async function latency(world: World, lanes: number, times: number): Promise<Row[]> {
  const { delayMs } = slowScene;
  const alone = (await pathsOfOneLane(world)).length;
  const command = await world.set({ ...slowScene, concurrency: lanes });
  await measure(command); // renders the pages
  await world.seen();
  const runs: { readonly wallMs: number; readonly served: number }[] = [];
  for (let time = 0; time < times; time++) {
    const { wallMs } = await measure(command);
    runs.push({ wallMs, served: (await world.seen()).paths.length });
  }
  const onePage = await world.set({ records: PAGE, days: 1 });
  const asked: number[] = [];
  for (let time = 0; time < times; time++) {
    asked.push((await firstRecord(world, onePage)).untilAsked);
  }
  const walls = runs.map(({ wallMs }) => wallMs);
  const served = median(runs.map((run) => run.served));
  const least = Math.ceil(served / lanes) * delayMs + median(asked);
  const ratio = median(walls) / least;
  return [
    [
      `latency: ${delayMs} ms a page, ${lanes} lanes`,
      `${spread(walls, seconds)}, ${ratio.toFixed(2)} × ${seconds(least)}`,
      "<= 1.08",
      ratio > 1.08,
    ],
    [
      `pages served, ${lanes} lanes`,
      `${served}, ${(served / alone).toFixed(2)} × one lane's ${alone}`,
      "<= 1.60",
      served / alone > 1.6,
    ],
  ];
}

/** Peak memory by size of the export, and with a reader of stdout that pauses. */
export async function memory(
  world: World,
  sizes: readonly number[],
  pauseSeconds: number,
  times: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  let first: number | undefined;
  const row = (what: string, runs: readonly Run[]): void => {
    const peaks = runs.map((run) => run.peakMiB);
    const peakMiB = median(peaks);
    first ??= peakMiB;
    const ratio = peakMiB / first;
    rows.push([
      `memory: ${what}`,
      `${spread(peaks, whole)} MiB, ${ratio.toFixed(2)} × the first`,
      `<= ${MOST_MIB} MiB, <= 1.10`,
      peakMiB > MOST_MIB || ratio > 1.1,
    ]);
  };
  for (const records of sizes) {
    const scene = { records, days: 90, maximumWindowDays: 7 };
    const command = await world.set(scene);
    const runs: Run[] = [];
    for (let time = 0; time < times; time++) runs.push(await measure(command));
    row(`${records.toLocaleString("en")} records`, runs);
  }
  const command = await world.set({ records: 100_000, days: 90, maximumWindowDays: 7 });
  const reader = `sleep ${pauseSeconds}; cat > /dev/null`;
  row(`100,000 records, reader stopped for ${pauseSeconds} s`, [
    await measure(command, { reader }),
  ]);
  await world.seen();
  return rows;
}

/** `spec` beside a bare Node, and the time from the first page to the first RECORD. */
export async function startUp(world: World, times: number): Promise<Row[]> {
  const node = new URL("../node_modules/.bin/node", import.meta.url).pathname;
  const wall = (command: string, args: readonly string[]): number => {
    const started = performance.now();
    const { status } = spawnSync(command, args);
    if (status !== 0) throw new Error(`${command} ended with ${status}`);
    return performance.now() - started;
  };
  const pairs = Array.from({ length: times }, () => ({
    bare: wall(node, ["-e", "0"]),
    spec: wall(LAUNCHER, ["spec"]),
  }));
  const ratio = median(pairs.map(({ bare, spec }) => spec / bare));
  const command = await world.set({ records: PAGE, days: 1 });
  const firsts: number[] = [];
  for (let time = 0; time < times; time++) {
    firsts.push((await firstRecord(world, command)).afterPage);
  }
  return [
    [
      "start-up: spec",
      `${spread(
        pairs.map(({ spec }) => spec),
        whole,
      )} ms, ${ratio.toFixed(2)} × bare Node's ${median(pairs.map(({ bare }) => bare)).toFixed(0)} ms`,
      "<= 1.50",
      ratio > 1.5,
    ],
    [
      "start-up: first RECORD after first page",
      `${spread(firsts, whole)} ms`,
      "<= 60 ms",
      median(firsts) > 60,
    ],
  ];
}

/** Milliseconds from the start until the provider has sent the first page, and from then to the first RECORD. */
async function firstRecord(
  world: World,
  command: readonly string[],
): Promise<{ untilAsked: number; afterPage: number }> {
  await world.seen();
  const now = (): number => performance.timeOrigin + performance.now();
  const started = now();
  const { child, ended } = start(command);
  let recordAt = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    if (recordAt === 0 && chunk.includes('"type":"RECORD"')) recordAt = now();
  });
  await ended;
  const { firstPageAt } = await world.seen();
  if (recordAt === 0 || firstPageAt === null) throw new Error("no record came");
  return { untilAsked: firstPageAt - started, afterPage: recordAt - firstPageAt };
}
