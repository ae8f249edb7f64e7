/** A customer who syncs again and again: the real engine in this process, with its clock on the provider's. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Host, run } from "../src/connector.ts";
import { hostOf, READ, watched } from "../src/testing_host.ts";
import type { Provider } from "../reference_provider/provider.ts";

export const datasets = ["usage", "costs"] as const;
export type Dataset = (typeof datasets)[number];

/** The result of one sync. */
export interface Synced {
  readonly rows: Readonly<Record<Dataset, number>>;
  readonly requests: number;
}

const catalog = {
  streams: [...datasets, "export_windows"].map((name) => ({
    stream: { name, json_schema: {}, supported_sync_modes: ["incremental"] },
    sync_mode: "incremental",
    destination_sync_mode: "append_dedup",
  })),
};

export class Customer {
  readonly #provider: Provider;
  readonly #config: Readonly<Record<string, unknown>>;
  readonly #states = new Map<string, unknown>();
  #requests = 0;

  constructor(baseUrl: string, provider: Provider) {
    this.#provider = provider;
    const credentials = {
      auth_type: "scoped_bearer_token",
      access_token: provider.issueToken().token,
    };
    this.#config = { base_url: baseUrl, credentials };
  }

  /** The size of all states together, in bytes of JSON. */
  get stateBytes(): number {
    return Buffer.byteLength(JSON.stringify([...this.#states.values()]));
  }

  /**
   * Reads all streams and keeps their states.
   *
   * @throws Error if a stream fails
   */
  async sync(): Promise<Synced> {
    const rows = { usage: 0, costs: 0 };
    const before = this.#requests;
    const outputs = run(READ, this.#host());
    for (;;) {
      const { done, value } = await outputs.next();
      if (done === true) {
        if (!value) throw new Error("a stream has failed");
        return { rows, requests: this.#requests - before };
      }
      if (value.type === "STATE") {
        this.#states.set(value.state.stream.stream_descriptor.name, value.state);
      }
      if (value.type !== "RECORD_LINES") continue;
      if (value.stream === "usage" || value.stream === "costs") rows[value.stream] += value.count;
    }
  }

  #host(): Host {
    const clock: Host["clock"] = {
      now: () => this.#provider.clock.now(),
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    };
    const files = { config: this.#config, catalog, state: [...this.#states.values()] };
    return watched(hostOf(files, { clock }), () => {
      this.#requests += 1;
    });
  }
}
