/** Measures the syncs that people wait for, the first and the daily one, at a provider that takes 100 ms for a request. */
import { writeFileSync } from "node:fs";
import { start } from "../bin/process.ts";
import { pathsOfOneLane, type Row, seconds, slowScene } from "./cases.ts";
import { farosCommand } from "./compare.ts";
import { measure, median, spread } from "./process.ts";
import type { World } from "./world.ts";

const DELAY_MS = slowScene.delayMs;
const DAY = 86_400_000;

/**
 * A first sync of 60,000 records, with the number of lanes that the connector finds, beside the peer. The peer reads the pages
 * that one lane of the connector reads, one after the other. `compare` has installed the peer.
 */
export async function firstSync(world: World, times: number): Promise<Row[]> {
  const theirs = farosCommand(world, await pathsOfOneLane(world));
  const ours = await world.set(slowScene);
  await measure(ours); // renders the pages
  const [mine, peer]: [number[], number[]] = [[], []];
  for (let time = 0; time < times; time++) {
    mine.push((await measure(ours)).wallMs);
    peer.push((await measure(theirs)).wallMs);
  }
  await world.seen();
  const ratio = median(mine) / median(peer);
  const figures = `${spread(mine, seconds)}, ${ratio.toFixed(2)} × faros's ${spread(peer, seconds)}`;
  return [[`first sync: 60,000 records at 100 ms a page`, figures, "<= 0.15", ratio > 0.15]];
}

/** A daily sync that finds nothing new in 400 days of two rows of each dataset a day. */
export async function idleSync(world: World, times: number): Promise<Row[]> {
  const command = await world.set({ records: 800, days: 400, delayMs: DELAY_MS, isDaily: true });
  const states = world.file("states.json");
  writeFileSync(states, JSON.stringify(await statesAfter(command)));
  const daily = [...command, "--state", states];
  const walls: number[] = [];
  await world.seen();
  for (let time = 0; time < times; time++) walls.push((await measure(daily)).wallMs);
  const pages = (await world.seen()).paths.length / times;
  const wall = median(walls);
  return [
    [
      "idle daily sync at 100 ms a request",
      `${spread(walls, seconds)}, ${pages + 1} requests`,
      "<= 0.80 s",
      wall > 800,
    ],
  ];
}

/** The states that a sync leaves, with its deep re-read a day earlier, so that the next sync makes one too (R2). */
async function statesAfter(command: readonly string[]): Promise<unknown> {
  const { child, ended } = start(command);
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await ended;
  const states = new Map<string, unknown>();
  for (const line of text.split("\n")) {
    if (!line.startsWith('{"type":"STATE"')) continue;
    const { state } = JSON.parse(line);
    const { stream_descriptor, stream_state } = state.stream;
    const reconciled_on = new Date(Date.now() - DAY).toISOString().slice(0, 10);
    const stream = { stream_descriptor, stream_state: { ...stream_state, reconciled_on } };
    states.set(stream_descriptor.name, { type: "STREAM", stream });
  }
  if (states.size !== 2) throw new Error("the first sync left no states");
  return [...states.values()];
}
