/** Draws the faults of the provider for one attempt (reference_provider/README.md lists the kinds). */
import type { FaultInput } from "../../reference_provider/faults/schema.ts";
import type { Random } from "../../simulation/random.ts";

const datasets = ["usage", "costs"] as const;

/** The requests that the fault applies to. */
function once(random: Random): { operation: "usage" | "costs"; nth: number } {
  return { operation: random.pick(datasets), nth: random.pick([1, 2, random.int(3, 15)]) };
}

/** A fault that one retry overcomes, after a quarter of a second (after a 429: one second). */
export function passing(random: Random): FaultInput {
  const when = once(random);
  const status = random.pick([500, 502, 503, 504, 408]);
  return random.pick<readonly [FaultInput, ...FaultInput[]]>([
    { kind: "status", status, body: random.pick(["problem", "html", "empty"]), when },
    { kind: "reset", at: random.pick(["before_headers", "after_headers", "mid_body"]), when },
    { kind: "truncated", when },
    { kind: "gzip_cut", when },
    { kind: "html", when },
    { kind: "content_type", value: random.pick(["text/plain", "application/octet-stream"]), when },
    { kind: "invalid_json", when },
    { kind: random.pick(["cursor_expired", "cursor_refused"]), when },
    random.chance(0.5)
      ? { kind: "truncated", when }
      : {
          kind: "rate_limited",
          retry_after: random.pick(["0", "1", "Sun, 06 Nov 1994 08:49:37 GMT", "soon"]),
          when,
        },
  ]);
}

/** An oddity that does not prevent a complete read. */
export function harmless(random: Random): FaultInput {
  const operation = random.pick(datasets);
  const when = { operation };
  return random.pick<readonly [FaultInput, ...FaultInput[]]>([
    { kind: "short_page", records: random.int(1, 3), when },
    { kind: "long_page", extra: random.int(1, 4), when },
    { kind: "empty_page", when: { operation, page: [2, random.int(2, 5)] } },
    { kind: "cursor_text", when },
    { kind: "duplicate", on: "same_page", records: random.int(1, 3), when },
    { kind: "duplicate", on: "next_page", records: random.int(1, 3), when },
    { kind: "latency", milliseconds: random.int(1, 6), when: { operation, probability: 0.5 } },
    { kind: "available_through", shift: random.int(-60, 20) * 3600, when },
    { kind: "available_through", shift: -86_400, when: { operation, page: random.int(1, 3) } },
    { kind: "refuse_unknown", when },
    { kind: "refuse_future", when },
    { kind: "bom", when: once(random) },
  ]);
}

/** A listing that moves during the read. It can skip rows, which a later sync must find. */
export function moving(random: Random): FaultInput {
  return { kind: "moving_listing", step: random.pick([0, 20, 60]), shuffle: random.chance(0.5) };
}

/** A fault that no retry overcomes: it ends a stream or the whole attempt. */
export function final(random: Random): FaultInput {
  const when = once(random);
  const [operation, page] = [when.operation, random.int(2, 4)];
  const value = random.pick(["missing", "empty", "same"]);
  return random.pick<readonly [FaultInput, ...FaultInput[]]>([
    { kind: "status", status: random.pick([400, 404, 409, 410]), when },
    { kind: "forbidden", when },
    { kind: "unauthorized", when },
    { kind: "redirect", location: "https://example.com/elsewhere", when },
    { kind: "next_cursor", value, when: { operation, page } },
    { kind: "next_cursor", value: "cycle", length: 2, when: { operation, page: 3 } },
    { kind: "page", drop: ["data"], when },
    { kind: "page", set: { available_through: "soon" }, when },
    { kind: "record", which: random.pick(["first", "last"]), drop: ["x_RecordId"], when },
    { kind: "record", which: "last", raw: { x_RecordUpdatedAt: "17" }, when },
    { kind: "record", which: "all", replace: "null", when },
    { kind: "cursor_expired", when: { operation } },
    { kind: "maximum_exclusive", when },
    { kind: "html", when: { operation: "capabilities" } },
    { kind: "capabilities", set: { "/profile_version": "9.9" } },
  ]);
}

/** Responses that come after minutes or never, beginning after some requests: only a signal ends the attempt. */
export function hanging(random: Random, after: number): FaultInput {
  const when = { after };
  return random.pick<readonly [FaultInput, ...FaultInput[]]>([
    { kind: "stall", at: "headers", when },
    { kind: "stall", at: "body", when },
    { kind: "rate_limited", retry_after: "600", when },
    { kind: "status", status: 503, headers: { "retry-after": "100" }, when },
  ]);
}
