/** The pass of a state as JSON, with its half-read windows (S3). */
import * as z from "zod";
import type { Reading } from "../core/reading.ts";
import { joinReads, type SyncPass } from "../core/state.ts";
import { formatDay, formatInstant } from "../core/time.ts";
import type { JsonObject } from "../protocol.ts";
import {
  count,
  day,
  digest,
  encodeDigest,
  encodeProvisional,
  instant,
  provisional,
  readingId,
  totals,
} from "./state_members.ts";

export function encodePass(pass: SyncPass): JsonObject {
  return {
    day: pass.day,
    began_at: formatInstant(pass.beganAt),
    earlier_ended: pass.earlierEnded,
    lost_until: pass.lostUntil === null ? null : formatInstant(pass.lostUntil),
    reads: joinReads(pass).map(({ start, end, availableThrough }) => ({
      start: formatInstant(start),
      end: formatInstant(end),
      available_through: formatInstant(availableThrough),
    })),
    open: pass.open.map(encodeReading),
  };
}

function encodeReading({ resumed: _resumed, availableThrough, ...reading }: Reading): JsonObject {
  return {
    ...reading,
    start: formatInstant(reading.start),
    end: formatInstant(reading.end),
    through: formatInstant(availableThrough),
    beganAt: formatInstant(reading.beganAt),
    provisional: reading.provisional.map(encodeProvisional),
    totals: reading.totals?.map((total) => ({ ...total, day: formatDay(total.day) })) ?? null,
    rewrites: reading.rewrites?.map(encodeDigest) ?? null,
    digests: reading.digests.map(encodeDigest),
    incomplete: reading.incomplete.map(formatDay),
    standing: reading.standing.map((entry) => ({ ...entry, day: formatDay(entry.day) })),
  };
}

const readingSchema = z
  .object({
    start: instant,
    end: instant,
    id: readingId,
    limit: z.int().min(1),
    cursor: z.string().min(1),
    through: instant,
    beganAt: instant,
    firstAsOf: z.string(),
    lastAsOf: z.string(),
    moved: z.boolean(),
    records: count,
    provisional,
    totals: totals.nullable(),
    rewrites: z.array(digest).nullable(),
    digests: z.array(digest),
    incomplete: z.array(day),
    hasStrays: z.boolean(),
    isFormer: z.boolean().default(true),
    isReported: z.boolean().default(true),
    standing: z.array(z.object({ day, rowsReadingId: readingId, records: count })),
  })
  .transform(({ through, ...reading }): Reading => ({
    ...reading,
    availableThrough: through,
    resumed: true,
  }));

export const passSchema = z
  .object({
    day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day"),
    began_at: instant,
    earlier_ended: z.boolean().default(false),
    lost_until: instant.nullish(),
    reads: z.array(
      z
        .object({ start: instant, end: instant, available_through: instant })
        .transform(({ start, end, available_through: availableThrough }) => ({
          start,
          end,
          availableThrough,
        })),
    ),
    open: z.array(readingSchema),
  })
  .nullish()
  .transform((found): SyncPass | null => {
    if (found == null) return null;
    const {
      began_at: beganAt,
      earlier_ended: earlierEnded,
      lost_until: lostUntil = null,
      ...pass
    } = found;
    return { ...pass, beganAt, earlierEnded, lostUntil, frontier: -Infinity };
  });
