import { z } from "zod";

const times = z.int().min(1).optional();
const after = z.int().min(0).default(0);

/** A fault of the token endpoint. It lets the first `after` requests pass, and then strikes `times` times. */
export const tokenFaultSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("status"),
    status: z.int().min(200).max(599),
    /** `error` of RFC 6749 section 5.2. */
    error: z.string().default("temporarily_unavailable"),
    /** Puts the whole request into `error_description`, as careless servers do. */
    echo: z.boolean().default(false),
    headers: z.record(z.string(), z.string()).default({}),
    times,
    after,
  }),
  /** Answers correctly, but with other values of these headers (lower-case names). */
  z.strictObject({
    kind: z.literal("headers"),
    set: z.record(z.string(), z.string()),
    times,
    after,
  }),
  /** Issues new tokens and resets the connection: the client never sees them. */
  z.strictObject({ kind: z.literal("lost"), times, after }),
  /** Resets the connection before it issues tokens. */
  z.strictObject({ kind: z.literal("reset"), times, after }),
  /** Answers late, in milliseconds. */
  z.strictObject({ kind: z.literal("slow"), milliseconds: z.number().min(0), times, after }),
  /** Never answers. */
  z.strictObject({ kind: z.literal("stall"), times, after }),
]);

export type TokenFault = z.output<typeof tokenFaultSchema>;
export type TokenFaultInput = z.input<typeof tokenFaultSchema>;
