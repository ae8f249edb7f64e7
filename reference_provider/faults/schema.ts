import { z } from "zod";

const json = z.json();
const count = z.int().min(1);
const operation = z.enum(["capabilities", "usage", "costs"]);

/**
 * The requests that a fault applies to. All given conditions must hold. `operation`, `page`, `token`, `account`,
 * `granularity` and `start` say which requests match; `after`, `nth`, `every`, `times` and `probability` say which of
 * the matching requests the fault applies to.
 */
const when = z.strictObject({
  operation: z.union([operation, z.array(operation).min(1)]).optional(),
  /** Page of the chain (the first page is 1), or first and last page of a range. */
  page: z.union([count, z.tuple([count, count])]).optional(),
  /** Id of a token, as the request log shows it. */
  token: z.string().optional(),
  account: z.string().optional(),
  granularity: z.enum(["1h", "1d"]).optional(),
  /** The window's `start`, as the client wrote it. */
  start: z.string().optional(),
  /** Skips this number of matching requests. */
  after: z.int().min(0).optional(),
  /** Applies only to the matching request with this number; the first one is 1. */
  nth: count.optional(),
  /** Applies to every n-th matching request. */
  every: count.optional(),
  /** Applies at most this often. */
  times: count.optional(),
  /** Applies with this probability, drawn from the seed. */
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
  /** The fault alters refusals of these problem types (names without `/problems/`), or grants their requests. */
  fault("refusal", {
    of: z.array(z.string()).min(1),
    /** Only refusals whose `detail` has this text. */
    about: z.string().default(""),
    /** `page` grants what should be refused: an empty last page, or capabilities. */
    body: z.enum(["problem", "page", "html", "empty"]).default("problem"),
    status: z.int().min(200).max(599).optional(),
    content_type: z.string().optional(),
    /** Members to change, of the problem or of the empty page. `drop` removes members of the problem. */
    set: z.record(z.string(), json).default({}),
    drop: z.array(z.string()).default([]),
    /** Headers left out, in lower case. */
    drop_headers: z.array(z.string()).default([]),
    /** The request's credential stands in `detail`. */
    echo: z.boolean().default(false),
  }),
  fault("query_token", {}),
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
  fault("headers", {
    set: z.record(z.string(), z.string()).default({}),
    /** In lower case. */
    drop: z.array(z.string()).default([]),
  }),
  fault("gzip_unasked", {}),
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
    /** A copy on the same page, or at the beginning of the next page. */
    on: z.enum(["same_page", "next_page"]),
    records: count.default(1),
    /** Changes of a copy on the same page, so that the two records differ. */
    set: z.record(z.string(), json).default({}),
  }),
  fault("stray_record", { days: z.int() }),
  fault("record", {
    /** The records of the page that are changed. */
    which: z.union([z.enum(["first", "last", "all"]), z.int().min(0)]).default("first"),
    set: z.record(z.string(), json).default({}),
    /** Like `set`, with values as JSON text, so that a number keeps all its digits. */
    raw: z.record(z.string(), z.string()).default({}),
    drop: z.array(z.string()).default([]),
    /** JSON text that is appended to the record's members as it is, e.g. a repeated name, or `"__proto__":{}`. */
    members: z.string().optional(),
    /** JSON text that replaces the whole record. */
    replace: z.string().optional(),
    /** The record is left out. */
    omit: z.boolean().default(false),
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
    /** Like `set`, with values as JSON text. */
    raw: z.record(z.string().startsWith("/"), z.string()).default({}),
    /** JSON pointers of the values to remove. */
    drop: z.array(z.string().startsWith("/")).default([]),
  }),
] as const;

const rules = [
  fault("selection", { by: z.enum(["start", "overlap", "containment", "closed", "open"]) }),
  fault("other_granularity", {}),
  fault("available_through", {
    instant: z.iso.datetime().optional(),
    /** Seconds to add to the instant; negative values move it back. */
    shift: z.number().optional(),
  }),
  fault("moving_listing", {
    /** Seconds that pass between two pages of a chain. */
    step: z.number().min(0).default(0),
    /** Whether each page has its own random order of records. */
    shuffle: z.boolean().default(false),
  }),
  fault("retention_trim", {}),
  fault("maximum_exclusive", {}),
  fault("refuse_future", {}),
  fault("refuse_unknown", {}),
  fault("refuse_forms", {}),
  fault("refuse_limits", {}),
  fault("cursor_once", {}),
  fault("metadata", {
    /** Whose metadata it is: the protected resource (RFC 9728) or the authorization server (RFC 8414). */
    of: z.enum(["resource", "server"]),
    set: z.record(z.string(), json).default({}),
    drop: z.array(z.string()).default([]),
  }),
] as const;

/** A fault as tests and `POST /control/faults` set it. The README has a table of all kinds. */
export const faultSchema = z.discriminatedUnion("kind", [...answers, ...wires, ...pages, ...rules]);

/** A fault with its defaults filled in. */
export type Fault = z.output<typeof faultSchema>;

/** A fault as a caller writes it. */
export type FaultInput = z.input<typeof faultSchema>;

export type FaultKind = Fault["kind"];
export type FaultOf<Kind extends FaultKind> = Extract<Fault, { kind: Kind }>;
