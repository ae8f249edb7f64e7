/** Pages of a window, one of them damaged, and problem documents that quote the credential. */
import { gzipSync } from "node:zlib";
import { costRecord, usageRecord } from "../../src/streams/testing.ts";
import type { Random } from "../random.ts";
import { type Json, treeOf } from "./json.ts";
import { Mutator } from "./mutate.ts";

export const TOKEN = "sk-S3CR3T-0123456789";

/** The pages of one window. One of them is damaged. */
export interface PageInput {
  readonly stream: "usage" | "costs";
  readonly granularity: "1d" | "1h" | null;
  readonly mode: "fail" | "warn";
  /** The cursor of the first request; null for the first page. */
  readonly cursor: string | null;
  readonly answers: readonly PageAnswer[];
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The cursors of consecutive pages. A damaged page may name any of them. */
const CURSORS = ["b", "c", null] as const;

export function drawPages(random: Random): PageInput {
  const stream = random.pick(["usage", "costs"]);
  const granularity = stream === "usage" ? "1d" : null;
  const count = random.int(1, 3);
  const damaged = random.int(0, count - 1);
  const mutator = new Mutator(random, TOKEN);
  let number = 0;
  const answers = Array.from({ length: count }, (_, index) => {
    const records = Array.from({ length: random.pick([0, 1, 2, 3, 5]) }, () => {
      number += 1;
      const id = random.chance(0.1) ? `r-${number - 1}` : `r-${number}`;
      // A member that has the name of the connector's own column, and a granularity that the query did not ask for.
      const more = {
        ...(random.chance(0.05) ? { x_ReadingId: "theirs" } : {}),
        ...(random.chance(0.02) ? { x_Granularity: "1h" } : {}),
      };
      return stream === "usage" ? usageRecord(id, more) : costRecord(id, more);
    });
    const follows = index === count - 1 ? null : CURSORS[index];
    const page = treeOf({
      data: records,
      next_cursor: random.chance(0.1) ? random.pick(CURSORS) : follows,
      as_of: "2026-01-10T00:00:00Z",
      available_through: "2026-01-09T00:00:00Z",
    });
    return index === damaged ? damagedAnswer(random, mutator, page) : plainAnswer(page, mutator);
  });
  return {
    stream,
    granularity,
    mode: random.pick(["fail", "fail", "warn"]),
    cursor: random.chance(0.2) ? random.pick(["a", "b"]) : null,
    answers,
  };
}

function plainAnswer(page: Json, mutator: Mutator): PageAnswer {
  return answer(Buffer.from(mutator.text(page)));
}

function answer(body: Uint8Array, headers: Readonly<Record<string, string>> = {}): PageAnswer {
  return { status: 200, headers: { "content-type": "application/json", ...headers }, body };
}

function damagedAnswer(random: Random, mutator: Mutator, page: Json): PageAnswer {
  if (random.chance(0.06)) return problemAnswer(random, mutator);
  const tree = mutator.tree(page);
  let body: Uint8Array = Buffer.from(mutator.text(tree));
  if (random.chance(0.2)) body = mutator.bytes(body);
  if (random.chance(0.02)) body = mutator.noise();
  if (random.chance(0.0005)) body = Buffer.alloc(LARGEST + 1, 0x20);
  if (random.chance(0.06)) {
    const packed = gzipSync(body);
    const encoding = random.pick(["gzip", "x-gzip", "GZIP", "br", "identity"]);
    const sent = random.chance(0.4) ? mutator.bytes(packed) : packed;
    return answer(sent, { "content-encoding": encoding });
  }
  const odd = {
    "content-type": random.pick(["text/html", "application/json; charset=utf-8", "", "json"]),
    "content-length": random.pick(["0", "7", "soon", "-1", "99999999999"]),
  };
  return answer(body, random.chance(0.05) ? odd : {});
}

/** An error whose problem document is damaged, and quotes the credential. */
function problemAnswer(random: Random, mutator: Mutator): PageAnswer {
  const problem = treeOf({
    type: "/problems/window",
    title: `Bad ${TOKEN}`,
    status: 400,
    detail: `${"x".repeat(random.pick([0, 400, 1990, 3000]))}${TOKEN} ${"y".repeat(random.pick([0, 5000]))}`,
  });
  const tree = mutator.tree(problem);
  const text = Buffer.from(mutator.text(tree));
  return {
    status: random.pick([400, 401, 403, 404, 409, 500, 503, 302, 204, 206]),
    headers: {
      "content-type": "application/problem+json",
      location: `https://example.com/${TOKEN}`,
    },
    body: random.chance(0.2) ? mutator.bytes(text) : text,
  };
}

/** The largest body that the client accepts, in bytes. */
export const LARGEST = 32 * 1024 * 1024;

/** The page for a damaged cursor, if no further page was drawn. */
export const LAST = answer(
  Buffer.from(
    '{"data":[],"next_cursor":null,"as_of":"2026-01-10T00:00:00Z","available_through":"2026-01-09T00:00:00Z"}',
  ),
);
