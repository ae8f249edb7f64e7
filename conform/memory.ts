/** The state file of `--state`: what one run saw, for comparison with the next run. It has no credential. */
import { createHash } from "node:crypto";
import * as z from "zod";

/** Most records that are kept of a listing. */
export const KEPT_RECORDS = 5000;

const kept = z.object({
  /** `x_RecordUpdatedAt`, as shown. */
  updated: z.string(),
  /** Hash of the whole record. */
  hash: z.string(),
  /** `x_CostStatus`; null for usage. */
  status: z.string().nullable(),
});

const memorySchema = z.object({
  version: z.literal(1),
  base_url: z.string(),
  /** By name of the listing. */
  series: z.record(
    z.string(),
    z.object({
      start: z.number(),
      end: z.number(),
      /** `available_through` in milliseconds; null if it was no instant. */
      available_through: z.number().nullable(),
      records: z.record(z.string(), kept),
    }),
  ),
  /** A request with a cursor, to be sent again. */
  cursor: z.object({ path: z.string(), query: z.record(z.string(), z.string()) }).optional(),
});

export type Memory = z.output<typeof memorySchema>;

/** Hash of a record's text. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

/** Reads the text of a state file; undefined if it is not one of this version, or of another provider. */
export function parseMemory(text: string, baseUrl: string): Memory | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = memorySchema.safeParse(value);
  return data?.base_url === baseUrl ? data : undefined;
}
