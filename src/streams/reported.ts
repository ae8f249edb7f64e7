/**
 * How many readings of each stream have been reported (R10). Each STATE of a stream names the number of its reports that came before.
 * A platform may keep the states of each stream by themselves, and lose reports behind which it has kept a STATE of their stream. Then
 * the state of `export_windows` names a smaller number, or counts from another reading.
 */
import * as z from "zod";
import type { JsonObject } from "../protocol.ts";
import { count, readingId } from "./state_members.ts";

/** The first reading that was counted, and how many reports have come since. Lists, because some hosts merge states (S6). */
export type Reported = readonly [since: string, reports: number];

const reported = z.tuple([readingId, count]);
const byStream = z.array(z.tuple([z.string(), readingId, count]));

export class ReportCounts {
  readonly #counts: Map<string, Reported>;

  /** @param stored the state of `export_windows`. A state of an earlier version has no counts. */
  constructor(stored: unknown) {
    const found = byStream.safeParse(memberOf(stored)).data ?? [];
    this.#counts = new Map(found.map(([stream, since, reports]) => [stream, [since, reports]]));
  }

  of(stream: string): Reported | null {
    return this.#counts.get(stream) ?? null;
  }

  add(stream: string, reading: string): void {
    const [since, reports] = this.of(stream) ?? [reading, 0];
    this.#counts.set(stream, [since, reports + 1]);
  }

  /**
   * Whether reports are missing that came before the stored STATE of their stream. Their number begins anew then, so that it does not grow
   * to the number in that STATE before a newer STATE is kept.
   *
   * @param stored the state of the stream
   */
  lack(stream: string, stored: unknown): boolean {
    const relied = reportedIn(stored);
    if (relied === null) return false;
    const [since, reports] = this.of(stream) ?? ["", 0];
    const isThere = since === relied[0] && reports >= relied[1];
    if (!isThere) this.#counts.delete(stream);
    return !isThere;
  }

  /** As the state of `export_windows` has it. */
  toJSON(): unknown {
    return [...this.#counts]
      .map(([stream, [since, reports]]) => [stream, since, reports])
      .toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1));
  }
}

/**
 * The member `reported` of a stream's next STATE, from the other members. It stays as it was in a state that is otherwise as the sync has
 * found it (S6): such reports tell nothing new, so that they may be lost. But if the count has begun anew, the new number stands there.
 *
 * @param stored the state of the stream that the sync has found
 * @param found the same state as a STATE of this version; null if there is none
 * @param now the present number; null if the sync reports nothing
 */
export function reportedBy(
  stored: unknown,
  found: JsonObject | null,
  now: (() => Reported | null) | null,
): (next: JsonObject) => Reported | null {
  const kept = reportedIn(stored);
  const before = JSON.stringify(found);
  return (next) => {
    const present = now === null ? kept : now();
    // A number that counts from another report would let each later sync read all days again.
    if (kept === null || kept[0] !== present?.[0]) return present;
    const isSame = next["pass"] === null && JSON.stringify(next) === before;
    return isSame ? kept : present;
  };
}

const reportedIn = (stored: unknown): Reported | null =>
  reported.safeParse(memberOf(stored)).data ?? null;

const memberOf = (stored: unknown): unknown => Reflect.get(Object(stored), "reported");
