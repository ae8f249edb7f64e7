/** The platform during all attempts: the rows of a destination, and the states for the next attempt. */
import type { Message, StreamState } from "../support/protocol.ts";
import { type Dataset, type Row, Warehouse } from "../support/warehouse.ts";
import type { Outcome } from "./attempt.ts";

export const DATASETS = ["usage", "costs"] as const satisfies readonly Dataset[];

/** A record as the provider sent it, without the members that the connector adds. */
export function recordOf(row: Row): string {
  const { x_ReadingId: _reading, x_ProviderColumns: _columns, ...record } = row;
  return JSON.stringify(record);
}

/** How the destination treats rows without a later STATE, and which rows must never come again. */
export interface Terms {
  readonly keepsRows: boolean;
  /** Whether a row must not come again after its STATE (S7). */
  readonly strict: boolean;
}

export class Platform {
  warehouse = new Warehouse();
  readonly #states = new Map<string, StreamState>();
  /** The records that a STATE followed: `usage {…}`. */
  readonly #committed = new Set<string>();

  /** The newest state of each stream. */
  get states(): readonly StreamState[] {
    return [...this.#states.values()];
  }

  /** Empties the tables and forgets the states: a new full refresh. */
  overwrite(): void {
    this.warehouse = new Warehouse();
    this.#states.clear();
    this.#committed.clear();
  }

  /** Takes the output of an attempt. Returns the rules that it breaks together with the earlier attempts. */
  take({ messages }: Outcome, { keepsRows, strict }: Terms): string[] {
    const faults: string[] = [];
    const states = new Map<string, number>();
    for (const [index, { state }] of messages.entries()) {
      if (state === undefined) continue;
      const name = state.stream.stream_descriptor.name;
      faults.push(...backwards(this.#states.get(name), state));
      this.#states.set(name, state);
      states.set(name, index);
    }
    const isFollowed = ({ record }: Message, index: number): boolean =>
      record === undefined || index < (states.get(record.stream) ?? -1);
    const came = new Set<string>();
    for (const text of messages.flatMap(nameOf)) {
      if (came.has(text)) faults.push(`P5: twice in one read: ${text}`);
      if (strict && this.#committed.has(text)) faults.push(`S7: again after its STATE: ${text}`);
      came.add(text);
    }
    const followed = messages.filter(isFollowed);
    for (const text of followed.flatMap(nameOf)) this.#committed.add(text);
    this.warehouse.load({ messages: keepsRows ? messages : followed });
    return faults;
  }
}

/** `usage {…}` of a record of a dataset. */
function nameOf({ record }: Message): string[] {
  // Names may come again: the provider is asked anew if a sync was killed while it asked (N1).
  if (record === undefined || ["export_windows", "labels"].includes(record.stream)) return [];
  return [`${record.stream} ${recordOf(record.data)}`];
}

/** S1: a position never goes back. */
function backwards(before: StreamState | undefined, after: StreamState): string[] {
  const [from, to] = [before, after].map((state) => state?.stream.stream_state["position"]);
  if (typeof from !== "string" || typeof to !== "string") return [];
  return Date.parse(to) < Date.parse(from)
    ? [`S1: the position went back from ${from} to ${to}`]
    : [];
}
