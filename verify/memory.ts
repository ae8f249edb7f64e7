/**
 * The memory of `verify`: a note beside the file of `--out`, for the next run to compare with. It holds sums, and hashes in place of
 * ids, so it is for this machine only. The file that may be sent holds none of it.
 */
import { createHmac, randomUUID } from "node:crypto";
import * as z from "zod";
import { isSummable } from "../src/core/decimal.ts";
import { DAY, HOUR } from "../src/core/time.ts";
import type { Amounts } from "./rows.ts";

/** The first member of the note, by which it is known again. */
export const MEMORY_MARK = "memory of source-ai-billing verify: keep it here, do not send it";

/** Periods that ended longer ago than this are forgotten. */
const KEPT_DAYS = 40;

/** The most observations and groups of a note, and the longest note in bytes. */
const MOST_SEEN = 3000;
export const MOST_GROUPS = 1000;
export const MOST_MEMORY_BYTES = 1024 ** 2;

const text = z.string().max(200);
const decimal = text.refine((value) => isSummable(value));
/** Milliseconds since 1970, as far as a date may be. */
const instant = z.int().min(0).max(8.64e15);
const seenSchema = z.object({
  dataset: z.enum(["usage", "costs"]),
  /** The end of the day or month that was summed, and how long it is. Milliseconds. */
  end: instant,
  period: z.enum(["day", "month"]),
  /** When it was summed, by the provider's clock. */
  at: instant,
  amounts: z.record(text, decimal),
  /** Whether the report called the period complete. */
  complete: z.boolean(),
});
const memorySchema = z.object({
  kind: z.literal(MEMORY_MARK),
  version: z.literal(1),
  owner: text,
  salt: text,
  seen: z.array(seenSchema).max(MOST_SEEN),
  groups: z.object({ day: instant, amounts: z.record(text, text) }).nullable(),
});

/** The sums of one day or month, as one run saw them. */
export type Seen = z.output<typeof seenSchema>;

export type Memory = z.output<typeof memorySchema>;

/** An empty memory. `identity` names the account; only its hash is kept. */
export function newMemory(identity: readonly string[]): Memory {
  const salt = randomUUID();
  const owner = hashOf(salt, JSON.stringify(identity));
  return { kind: MEMORY_MARK, version: 1, owner, salt, seen: [], groups: null };
}

/** The memory of a note; undefined if it is none of this version. */
export function parseMemory(note: string): Memory | undefined {
  try {
    return memorySchema.safeParse(JSON.parse(note)).data;
  } catch {
    return undefined;
  }
}

export const isOwn = ({ owner, salt }: Memory, identity: readonly string[]): boolean =>
  owner === hashOf(salt, JSON.stringify(identity));

function hashOf(salt: string, value: string): string {
  return createHmac("sha256", salt).update(value).digest("base64url").slice(0, 16);
}

/** Groups with their amounts, all hashed. */
export function hashedGroups(
  salt: string,
  groups: ReadonlyMap<string, Amounts>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...groups].map(([key, amounts]) => [
      hashOf(salt, key),
      hashOf(
        salt,
        JSON.stringify(
          Object.keys(amounts)
            .toSorted()
            .map((unit) => [unit, amounts[unit]]),
        ),
      ),
    ]),
  );
}

/** The time from a period's end until it was summed, in milliseconds. */
export const ageOf = ({ at, end }: Seen): number => at - end;

/**
 * The step of an observation: its period, and its age (the first four hours, the rest of the first day, or a later day). Only the
 * earliest observation of a step is kept, because the others tell nothing more.
 */
const stepOf = (seen: Seen): string => {
  const hours = ageOf(seen) / HOUR;
  const step = hours < 4 ? "new" : Math.floor(hours / 24);
  return JSON.stringify([seen.dataset, seen.period, seen.end, step]);
};

/** Adds observations. Old periods leave, and so do observations that tell nothing more. */
export function withSeen(before: readonly Seen[], added: readonly Seen[], now: number): Seen[] {
  const steps = new Map<string, Seen>();
  for (const each of [...before, ...added].toSorted((a, b) => a.at - b.at)) {
    const isOld = now - each.end > KEPT_DAYS * DAY;
    // A provider's clock that was wrong once must not leave observations of the future.
    const isFuture = each.at > now + DAY;
    const step = stepOf(each);
    if (!isOld && !isFuture && !steps.has(step)) steps.set(step, each);
  }
  return [...steps.values()].slice(-MOST_SEEN);
}
