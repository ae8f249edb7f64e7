/**
 * The state of a stream that is to be read from the beginning: `{"cleared": {"chain": …, "newest_reading_id": …}}`. The names of the
 * readings go on: the rows of earlier readings are still in the tables, and they would win against rows of a new chain, or of an
 * older id (R4, R9).
 */
import * as z from "zod";
import type { JsonObject } from "../protocol.ts";
import { readingId } from "./state_members.ts";

/** The parts of a state that name its readings. */
export interface Lineage {
  readonly chain: string;
  readonly newestId: string | null;
}

const chain = z.string().regex(/^[0-9a-z]{5}$/);
const schema = z.object({
  cleared: z.object({ chain, newest_reading_id: readingId.nullable() }),
});

/** The cleared form of a state; null if the state names no readings (0.1.0, or none). */
export function clearedState(state: unknown): JsonObject | null {
  const earlier = lineageOf(state);
  const found = earlier?.chain ?? z.object({ chain }).safeParse(state).data?.chain;
  if (found === undefined) return null;
  // A state names its newest id, and ids of readings that were resumed. Ids of one chain sort by time.
  const ids = JSON.stringify(state).match(new RegExp(`\\b[0-9a-z]{9}${found}\\b`, "g")) ?? [];
  return { cleared: { chain: found, newest_reading_id: ids.toSorted().at(-1) ?? null } };
}

/** The names of a cleared state; null for every other state. */
export function lineageOf(state: unknown): Lineage | null {
  const { data } = schema.safeParse(state);
  return data === undefined
    ? null
    : { chain: data.cleared.chain, newestId: data.cleared.newest_reading_id };
}
