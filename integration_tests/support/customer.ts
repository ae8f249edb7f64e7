/** A customer who syncs day after day: a warehouse, and the state between two syncs. */
import { expect } from "vitest";
import { catalogOf, type Config } from "./config.ts";
import {
  read,
  type Reading,
  type ReadOptions,
  type Run,
  startRead,
  type StartOptions,
} from "./connector.ts";
import type { Served } from "./provider.ts";
import type { Json, StreamState } from "./protocol.ts";
import { Warehouse } from "./warehouse.ts";

export class Customer {
  readonly warehouse = new Warehouse();
  readonly #served: Served;
  readonly #read: typeof read;
  #config: Config;
  #state: readonly StreamState[] | undefined;

  /** @param how `readAsUsers` to sync in a process */
  constructor(served: Served, extra: Config = {}, how: typeof read = read) {
    this.#served = served;
    this.#read = how;
    this.#config = served.config(extra);
  }

  /** Changes the config from the next sync on. */
  configure(extra: Config): void {
    this.#config = { ...this.#config, ...extra };
  }

  /** A sync that succeeds. */
  async sync(options: ReadOptions = {}): Promise<Run> {
    const run = await this.attempt(options);
    expectSuccess(run);
    return run;
  }

  /** A sync that may fail. Its records are loaded, and its last states are kept. */
  async attempt(options: ReadOptions = {}): Promise<Run> {
    const run = await this.#read(this.#config, this.#options(options));
    this.take(run);
    return run;
  }

  /** Starts a sync. Pass its result to `take`. */
  start(options: StartOptions = {}): Reading {
    return startRead(this.#config, this.#options(options));
  }

  take(run: Run): void {
    this.warehouse.load(run);
    const states = new Map(
      [...(this.#state ?? []), ...run.state].map((state) => [nameOf(state), state]),
    );
    this.#state = [...states.values()];
  }

  #options<Options extends ReadOptions>(options: Options): Options {
    const catalog = catalogOf("incremental", ["usage", "costs", "export_windows"]);
    return { catalog, state: this.#state, ...options };
  }

  /** The state of a stream. */
  state(stream: "usage" | "costs"): Json {
    return this.#state?.find((state) => nameOf(state) === stream)?.stream.stream_state ?? {};
  }

  /** The position of a stream, such as `2026-03-10T00:00:00Z`. */
  position(stream: "usage" | "costs"): string {
    return String(this.state(stream)["position"]);
  }

  get served(): Served {
    return this.#served;
  }
}

function expectSuccess(run: Run): void {
  expect(run.errors).toEqual([]);
  expect(run.code).toBe(0);
}

function nameOf({ stream }: StreamState): string {
  return stream.stream_descriptor.name;
}
