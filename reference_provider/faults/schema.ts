import { z } from "zod";

const json = z.json();
const count = z.int().min(1);
const operation = z.enum(["capabilities", "usage", "costs"]);

/**
 * Which requests a fault strikes. All conditions given must hold. `operation`, `page`, `token`, `account`,
 * `granularity` and `start` say which requests match; `after`, `nth`, `every`, `times` and `probability` say which of
 * the matching ones are struck.
 */
const when = z.strictObject({
  operation: z.union([operation, z.array(operation).min(1)]).optional(),
  /** Page of the chain, the first being 1; or first and last page of a range. */
  page: z.union([count, z.tuple([count, count])]).optional(),
  /** Id of a token, as the request log shows it. */
  token: z.string().optional(),
  account: z.string().optional(),
  granularity: z.enum(["1h", "1d"]).optional(),
  /** The window's `start`, as the client wrote it. */
  start: z.string().optional(),
  /** Spares the first so many matching requests. */
  after: z.int().min(0).optional(),
  /** Strikes only this one of the matching requests, the first being 1. */
  nth: count.optional(),
  /** Strikes each so-manieth of the matching requests. */
  every: count.optional(),
  /** Strikes at most so many requests in all. */
  times: count.optional(),
  /** Strikes with this probability, drawn from the seed. */
  probability: z.number().min(0).max(1).optional(),
});

function fault<Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) {
  return z.strictObject({
    kind: z.literal(kind),
    id: z.string().optional(),
    when: when.default({}),
    ...shape,
  });
}

const answers = [
  fault("rate_limited", { retry_after: z.string().default("1") }),
  fault("status", {
    status: z.int().min(300).max(599),
    body: z.enum(["problem", "html", "empty"]).default("problem"),
    type: z.string().default("/problems/injected"),
    title: z.string().default("Injected fault"),
    detail: z.string().optional(),
    headers: z.record(z.string(), z.string()).default({}),
  }),
  fault("unauthorized", {}),
  fault("forbidden", {}),
  fault("redirect", { location: z.string(), status: z.int().min(300).max(399).default(302) }),
  fault("cursor_expired", {}),
  fault("cursor_refused", {}),
] as const;

const wires = [
  fault("latency", { milliseconds: z.number().min(0) }),
  fault("reset", { at: z.enum(["before_headers", "after_headers", "mid_body"]) }),
  fault("stall", { at: z.enum(["headers", "body"]) }),
  fault("truncated", {}),
  fault("gzip_cut", {}),
  fault("html", { status: z.int().min(200).max(599).default(200) }),
  fault("content_type", { value: z.string() }),
  fault("bom", {}),
  fault("invalid_json", {}),
] as const;

const pages = [
  fault("empty_page", {}),
  fault("short_page", { records: count }),
  fault("long_page", { extra: count.default(1) }),
  fault("next_cursor", {
    value: z.enum(["missing", "empty", "same", "cycle"]),
    /** Length of a cycle in pages. */
    length: z.int().min(2).default(2),
  }),
  fault("cursor_text", { prefix: z.string().min(1).default("a+b/=&% ") }),
  fault("duplicate", {
    /** Again on the same page, or again at the head of the next page. */
    on: z.enum(["same_page", "next_page"]),
    records: count.default(1),
    /** Changes of the copy on the same page, so that the two differ. */
    set: z.record(z.string(), json).default({}),
  }),
  fault("stray_record", { days: z.int() }),
  fault("record", {
    /** Which records of the page. */
    which: z.union([z.enum(["first", "last", "all"]), z.int().min(0)]).default("first"),
    set: z.record(z.string(), json).default({}),
    /** Like `set`, with values as JSON text, so that a number keeps all its digits. */
    raw: z.record(z.string(), z.string()).default({}),
    drop: z.array(z.string()).default([]),
    /** JSON text of members put at the end of the record as it stands, e.g. a name twice, or `"__proto__":{}`. */
    members: z.string().optional(),
    /** JSON text in place of the whole record. */
    replace: z.string().optional(),
    /** Only the record with this id. */
    record_id: z.string().optional(),
  }),
  fault("page", {
    set: z.record(z.string(), json).default({}),
    raw: z.record(z.string(), z.string()).default({}),
    drop: z.array(z.string()).default([]),
  }),
  fault("capabilities", {
    /** Values by JSON pointer, e.g. `/datasets/usage/endpoint`. */
    set: z.record(z.string().startsWith("/"), json).default({}),
    /** JSON pointers of what is left out. */
    drop: z.array(z.string().startsWith("/")).default([]),
  }),
] as const;

const rules = [
  fault("selection", { by: z.enum(["start", "overlap", "containment", "closed"]) }),
  fault("other_granularity", {}),
  fault("available_through", {
    instant: z.iso.datetime().optional(),
    /** Seconds by which it is moved, forward or (negative) back. */
    shift: z.number().optional(),
  }),
  fault("moving_listing", {
    /** Seconds that pass between two pages of a chain. */
    step: z.number().min(0).default(0),
    /** Order of the records drawn anew for each page. */
    shuffle: z.boolean().default(false),
  }),
  fault("retention_trim", {}),
  fault("maximum_exclusive", {}),
  fault("refuse_future", {}),
  fault("refuse_unknown", {}),
] as const;

/** A fault as tests and `POST /control/faults` set it; README has them in a table. */
export const faultSchema = z.discriminatedUnion("kind", [...answers, ...wires, ...pages, ...rules]);

/** A fault with its defaults filled in. */
export type Fault = z.output<typeof faultSchema>;

/** A fault as it is written. */
export type FaultInput = z.input<typeof faultSchema>;

export type FaultKind = Fault["kind"];
export type FaultOf<Kind extends FaultKind> = Extract<Fault, { kind: Kind }>;
