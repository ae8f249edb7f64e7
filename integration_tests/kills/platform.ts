/** The platform during all attempts: the rows of a destination, and the states for the next attempt. */
import type { Message, StreamState } from "../support/protocol.ts";
import type { Outcome } from "./attempt.ts";
import { type KeptRow, keptRowOf } from "./tables.ts";

/** A record as the provider sent it, without the members that the connector adds. */
function recordOf(row: KeptRow["data"]): string {
  const { x_ReadingId: _reading, x_ProviderColumns: _columns, ...record } = row;
  return JSON.stringify(record);
}

/** How the destination treats rows without a later STATE, and which rows must never come again. */
interface Terms {
  readonly keepsRows: boolean;
  /** Whether a row must not come again after its STATE (S7). */
  readonly strict?: boolean;
  /** The records of each dataset that the provider ever shows, as JSON. */
  readonly versions?: Readonly<Record<string, ReadonlySet<string>>>;
}

export class Platform {
  #rows: KeptRow[] = [];
  readonly #states = new Map<string, StreamState>();
  /** The records that a STATE followed: `usage {…}`. */
  readonly #committed = new Set<string>();

  /** The newest state of each stream. */
  get states(): readonly StreamState[] {
    return [...this.#states.values()];
  }

  /** All rows, in the order of their arrival. */
  get rows(): readonly KeptRow[] {
    return this.#rows;
  }

  /** Empties the tables and forgets the states: a new full refresh. */
  overwrite(): void {
    this.#rows = [];
    this.#states.clear();
    this.#committed.clear();
  }

  /** Takes the output of an attempt. Returns the rules that it breaks together with the earlier attempts. */
  take({ messages }: Pick<Outcome, "messages">, terms: Terms): string[] {
    const { keepsRows, strict = false, versions } = terms;
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
    for (const { dataset, text } of messages.flatMap(recordsOf)) {
      const name = `${dataset} ${text}`;
      if (versions?.[dataset]?.has(text) === false) faults.push(`never sent like this: ${name}`);
      if (came.has(name)) faults.push(`P5: twice in one read: ${name}`);
      if (strict && this.#committed.has(name)) faults.push(`S7: again after its STATE: ${name}`);
      came.add(name);
    }
    const followed = messages.filter(isFollowed);
    for (const { dataset, text } of followed.flatMap(recordsOf)) {
      this.#committed.add(`${dataset} ${text}`);
    }
    this.#rows.push(...(keepsRows ? messages : followed).flatMap(keptRowOf));
    return faults;
  }
}

/** The record of a dataset, if a message brings one. */
function recordsOf({ record }: Message): { readonly dataset: string; readonly text: string }[] {
  // Names may come again: if a sync was killed while it asked for them, the next sync asks for all names again (N1).
  if (record === undefined || ["export_windows", "labels"].includes(record.stream)) return [];
  return [{ dataset: record.stream, text: recordOf(record.data) }];
}

/** S1: a position never goes back. */
function backwards(before: StreamState | undefined, after: StreamState): string[] {
  const [from, to] = [before, after].map((state) => state?.stream.stream_state["position"]);
  if (typeof from !== "string" || typeof to !== "string") return [];
  return Date.parse(to) < Date.parse(from)
    ? [`S1: the position went back from ${from} to ${to}`]
    : [];
}
