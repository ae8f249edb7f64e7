/**
 * Measures the nearest peer on the same pages: a source built with faros-airbyte-cdk, in bench/peers/. Installs it
 * first.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Row } from "./cases.ts";
import { measure } from "./process.ts";
import type { World } from "./world.ts";

const PEERS = fileURLToPath(new URL("peers/", import.meta.url));

export async function compare(world: World, records: number): Promise<Row[]> {
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock"], {
    cwd: PEERS,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("the peer could not be installed");
  const ours = await world.set({ records, days: 40 });
  await world.seen();
  await measure(ours);
  const { paths } = await world.seen();
  const theirs = farosCommand(world, paths);
  const rows: Row[] = [];
  for (const [name, command] of [
    ["connector", ours],
    ["faros-airbyte-cdk", theirs],
  ] as const) {
    const { wallMs, peakMiB } = await measure(command);
    const speed = Math.round(records / wallMs);
    rows.push([`compare: ${name}`, `${speed},000 records/s, ${peakMiB.toFixed(0)} MiB`, ""]);
  }
  return rows;
}

/** The command of the peer that reads these pages of the provider, one after the other. */
export function farosCommand(world: World, paths: readonly string[]): readonly string[] {
  const list = world.file("peer-paths.txt");
  writeFileSync(list, paths.join("\n"));
  const config = world.file("peer.json");
  writeFileSync(config, JSON.stringify({ origin: world.origin, paths: list }));
  const catalog = world.file("peer-catalog.json");
  const stream = { name: "usage", json_schema: {}, supported_sync_modes: ["full_refresh"] };
  const chosen = { stream, sync_mode: "full_refresh", destination_sync_mode: "append" };
  writeFileSync(catalog, JSON.stringify({ streams: [chosen] }));
  const files = ["--config", config, "--catalog", catalog];
  return [process.execPath, `${PEERS}faros.js`, "read", ...files];
}
