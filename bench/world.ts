/** A provider process, and the config and catalog files for a connector that reads from it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LAUNCHER } from "../bin/process.ts";
import type { ProviderOptions, Seen } from "./provider.ts";
import type { Holdings } from "./records.ts";

const DAY = 86_400_000;

/** Days between the last record and today. No record is recent, so that all cases make the same plan. */
const PAST = 10;

export interface Scene {
  readonly dataset?: Holdings["dataset"];
  readonly granularity?: Holdings["granularity"];
  readonly records: number;
  /** The number of records of costs, where it is another than that of usage. */
  readonly costs?: number;
  readonly days: number;
  /** The number of API keys: 2,000 by default. */
  readonly keys?: number;
  /** The number of a day of which every amount was restated. */
  readonly restated?: number;
  readonly maximumWindowDays?: number;
  readonly delayMs?: number;
  readonly concurrency?: number;
  /** As a platform syncs each day: both datasets, up to now, and every request is delayed. */
  readonly isDaily?: boolean;
  /** Both datasets, up to now; requests are not delayed. */
  readonly isUpToNow?: boolean;
}

export class World {
  readonly origin: string;
  readonly #provider: ChildProcess;
  readonly #folder = mkdtempSync(join(tmpdir(), "bench-"));

  private constructor(provider: ChildProcess, port: number) {
    this.#provider = provider;
    this.origin = `http://127.0.0.1:${port}`;
  }

  static async open(): Promise<World> {
    const path = fileURLToPath(new URL("provider.ts", import.meta.url));
    const provider = fork(path, { execArgv: [] });
    const [port]: number[] = await once(provider, "message");
    return new World(provider, port ?? 0);
  }

  close(): void {
    this.#provider.disconnect();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Makes the provider serve a scene. Resolves to the command that reads it. */
  async set(scene: Scene): Promise<readonly string[]> {
    const { dataset = "usage", granularity = "1d", records, days, concurrency } = scene;
    const { isDaily = false } = scene;
    const isUpToNow = isDaily || scene.isUpToNow === true;
    const end = Math.floor(Date.now() / DAY) * DAY - PAST * DAY;
    const start = end - days * DAY;
    const options: ProviderOptions = {
      holdings: {
        dataset,
        granularity,
        start,
        days,
        records,
        keys: scene.keys ?? 2000,
        restated: scene.restated === undefined ? null : start + scene.restated * DAY,
      },
      costs: scene.costs ?? null,
      maximumWindowDays: scene.maximumWindowDays ?? 31,
      delayMs: scene.delayMs ?? 0,
      delaysAll: isDaily,
      keep: records + (scene.costs ?? 0) <= 500_000,
    };
    this.#provider.send(options);
    await once(this.#provider, "message");
    const config = {
      base_url: this.origin,
      credentials: { auth_type: "scoped_bearer_token", access_token: "bench" },
      start_date: new Date(start).toISOString().slice(0, 10),
      ...(isUpToNow ? {} : { end_date: new Date(end).toISOString().slice(0, 10) }),
      granularity,
      ...(concurrency === undefined ? {} : { concurrency }),
    };
    const catalog = {
      streams: (isUpToNow ? ["usage", "costs"] : [dataset]).map((name) => ({
        stream: { name, json_schema: {}, supported_sync_modes: ["incremental"] },
        sync_mode: "incremental",
        destination_sync_mode: "append_dedup",
      })),
    };
    const [configFile, catalogFile] = [this.file("config.json"), this.file("catalog.json")];
    writeFileSync(configFile, JSON.stringify(config));
    writeFileSync(catalogFile, JSON.stringify(catalog));
    return [LAUNCHER, "read", "--config", configFile, "--catalog", catalogFile];
  }

  /** The requests that reached the provider since the last call. */
  async seen(): Promise<Seen> {
    this.#provider.send("seen");
    const [seen]: Seen[] = await once(this.#provider, "message");
    return seen ?? { paths: [], connections: 0, firstPageAt: null };
  }

  /** The floor's command for a list of addresses; see floor.ts. */
  floor(paths: readonly string[]): readonly string[] {
    const list = this.file("paths.txt");
    writeFileSync(list, paths.join("\n"));
    const floor = fileURLToPath(new URL("floor.ts", import.meta.url));
    return [process.execPath, floor, this.origin, list];
  }

  file(name: string): string {
    return join(this.#folder, name);
  }
}
