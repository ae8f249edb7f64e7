import { createHmac, timingSafeEqual } from "node:crypto";
import type { Instant } from "./instants.ts";
import { isObject } from "./model.ts";
import { ProblemError } from "./problems.ts";
import type { Query } from "./query.ts";
import type { Key } from "./store.ts";

/** A position in a chain of pages. All pages of a chain show the listing as it was at `asOf`. */
export interface Position {
  readonly asOf: Instant;
  readonly availableThrough: Instant;
  /** Number of the page that the cursor leads to; the first page is 1. */
  readonly page: number;
  /** The last record that a page returned; absent before the first one. */
  readonly after?: Key;
  /** How many records to skip if the listing is read by offset (fault `moving_listing`). */
  readonly offset?: number;
}

/** A cursor is valid for this query and account only. The query is normalized. */
function bindingOf(query: Query, account: string): string {
  return [account, query.dataset, query.granularity, query.start, query.end, query.limit].join(" ");
}

/**
 * Makes and reads cursors. A cursor is a position, sealed with a key of this process, so that nobody else can make one.
 * It is opaque to clients. A cursor is bound to its query and account, and expires `lifetime` milliseconds of the
 * provider's clock after it was issued.
 */
export class CursorSealer {
  readonly #key: Buffer;
  readonly #lifetime: number;
  readonly #spent = new Set<string>();

  constructor(key: Buffer, lifetime: number) {
    this.#key = key;
    this.#lifetime = lifetime;
  }

  #sign(payload: string): Buffer {
    return createHmac("sha256", this.#key).update(payload).digest().subarray(0, 16);
  }

  /** The cursor for a position of a query. The same arguments give the same cursor. */
  seal(position: Position, query: Query, account: string, now: Instant): string {
    const content = [position, now + this.#lifetime, bindingOf(query, account)];
    const payload = Buffer.from(JSON.stringify(content)).toString("base64url");
    return `${payload}.${this.#sign(payload).toString("base64url")}`;
  }

  /**
   * The position that a cursor names. Throws `cursor-invalid` for a cursor that was not issued here, `cursor-mismatch`
   * for one of another query or account, and `cursor-expired` for one that has expired.
   */
  open(cursor: string, query: Query, account: string, now: Instant): Position {
    const content = this.#read(cursor);
    if (content === undefined)
      throw new ProblemError("cursor-invalid", "The cursor was not issued here.");
    if (content.binding !== bindingOf(query, account)) {
      throw new ProblemError(
        "cursor-mismatch",
        "Send the same query with the cursor as for the first page.",
      );
    }
    if (content.expires <= now)
      throw new ProblemError("cursor-expired", "Start again from the first page.");
    return content.position;
  }

  /** Lets a cursor be sent once (fault `cursor_once`). Throws `cursor-expired` the second time. */
  spend(cursor: string): void {
    if (this.#spent.has(cursor))
      throw new ProblemError("cursor-expired", "The cursor has been sent before.");
    this.#spent.add(cursor);
  }

  /**
   * Number of the page that a cursor names, without any check: 1 without a cursor, or with one that was not issued
   * here.
   */
  pageOf(cursor: string | null): number {
    return (cursor === null ? undefined : this.#read(cursor)?.position.page) ?? 1;
  }

  #read(cursor: string): { position: Position; expires: Instant; binding: string } | undefined {
    const [payload, signature, rest] = cursor.split(".");
    if (payload === undefined || signature === undefined || rest !== undefined) return undefined;
    const given = Buffer.from(signature, "base64url");
    const expected = this.#sign(payload);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const content: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    if (!Array.isArray(content)) return undefined;
    const [position, expires, binding]: unknown[] = content;
    if (!isPosition(position) || typeof expires !== "number" || typeof binding !== "string")
      return undefined;
    return { position, expires, binding };
  }
}

function isPosition(value: unknown): value is Position {
  return isObject(value) && typeof value["page"] === "number" && typeof value["asOf"] === "number";
}
