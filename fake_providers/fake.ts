/** Shared by the fakes: requests and answers as values, the clock, the key, the rate limit, the log of requests. */
import { createHash } from "node:crypto";
import { Clock } from "../reference_provider/clock.ts";
import { formatInstant, HOUR } from "../reference_provider/instants.ts";
import type { Instant } from "../reference_provider/instants.ts";
import type { Contradicted } from "./contradictions.ts";
import type { Total } from "./facts.ts";
import type { Names } from "./names.ts";

/** A GET as a fake sees it. */
export interface FakeRequest {
  /** Path under the provider's address, e.g. `/v1/organization/costs`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface FakeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

export interface FakeOptions {
  /** The time on the clock, which stands still until it is moved. */
  readonly now: Instant;
  /** The clock goes on from `now`. */
  readonly running?: boolean;
  /** The same seed gives the same data. */
  readonly seed: number;
  /** Anthropic: refuses the newer analytics API, as for keys that may only use the older one. */
  readonly legacy?: boolean;
  /** Anthropic: how the analytics API refuses; 403 by default, 400 as for an organization of another kind. */
  readonly refusal?: 403 | 400;
  /** Anthropic: refuses more requests in an hour, and tells the limit in headers. */
  readonly requestsAnHour?: number;
  /** Anthropic: each day has so many groups of usage and costs, instead of a few that are drawn. */
  readonly groupsADay?: number;
  /** Makes an account for `verify` that contradicts this assumption of docs/adapters.md; null contradicts none. */
  readonly contradicts?: Contradicted;
}

/** The sums of the provider's data over some days. */
export interface FakeTotals {
  readonly usage: readonly Total[];
  readonly costs: readonly Total[];
}

/** One provider's API. */
export interface Api {
  /** Path under the server's origin that belongs to the base URL, e.g. `/api`. */
  readonly basePath: string;
  /** A key that everything may be read with. */
  readonly key: string;
  /** Answers a request with a 200's body, or throws a {@link Refusal}. */
  answer(request: FakeRequest, now: Instant): unknown;
  /** The key that a request carries. */
  keyOf(request: FakeRequest): string | undefined;
  /** The names of projects, workspaces and keys. */
  readonly names: Names;
  /** The body of an error, in the provider's own shape. */
  errorBody(status: number, message: string): unknown;
  /** True sums of what is visible now, `start` to `end` (exclusive). */
  totals(start: Instant, end: Instant, now: Instant): FakeTotals;
}

/** Ends a request with an error status. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The requests of an hour that begins with the first of them. */
class HourlyLimit {
  readonly #most: number;
  readonly #isEven: boolean;
  #end = 0;
  #left = 0;

  /** @param isEven whether the headers speak of a limit that fills up evenly, so that it is soon whole again (ANT-15) */
  constructor(most: number, isEven: boolean) {
    this.#most = most;
    this.#isEven = isEven;
  }

  /** Counts a request. Returns whether the limit allows it, and the headers that say so. */
  take(now: Instant): { readonly isLeft: boolean; readonly headers: Record<string, string> } {
    if (now >= this.#end) [this.#end, this.#left] = [now + HOUR, this.#most];
    const isLeft = this.#left > 0;
    this.#left = Math.max(0, this.#left - 1);
    const prefix = "anthropic-ratelimit-requests";
    const whole = this.#isEven ? now + ((this.#most - this.#left) * HOUR) / this.#most : this.#end;
    const headers = {
      [`${prefix}-limit`]: String(this.#most),
      [`${prefix}-remaining`]: String(this.#left),
      [`${prefix}-reset`]: formatInstant(whole),
      ...(isLeft ? {} : { "retry-after": String(Math.ceil((this.#end - now) / 1000)) }),
    };
    return { isLeft, headers };
  }
}

/** A provider's API with a clock, a key and a limit, in this process. */
export class Fake {
  readonly clock: Clock;
  readonly api: Api;
  /** Paths and queries of the requests so far. */
  readonly requests: string[] = [];
  #limited: { left: number; retryAfter: string } = { left: 0, retryAfter: "1" };
  #failing: { left: number; status: number } = { left: 0, status: 500 };
  readonly #refused = new Map<string, number>();
  readonly #hourly: HourlyLimit | undefined;

  constructor(api: Api, { now, running = false, requestsAnHour, contradicts }: FakeOptions) {
    this.api = api;
    const isEven = contradicts === "ANT-15";
    this.#hourly =
      requestsAnHour === undefined ? undefined : new HourlyLimit(requestsAnHour, isEven);
    this.clock = new Clock(now, running);
  }

  /** Refuses the next `count` requests with 429 and `Retry-After: seconds`. */
  limit(count: number, seconds: number): void {
    this.#limited = { left: count, retryAfter: String(seconds) };
  }

  /** Refuses all requests whose path ends so, with 403 or 404, until `status` is null. */
  refuse(ending: string, status: number | null): void {
    if (status === null) this.#refused.delete(ending);
    else this.#refused.set(ending, status);
  }

  /** Answers the next `count` requests with a status of 5xx. */
  fail(count: number, status: number): void {
    this.#failing = { left: count, status };
  }

  /** Gives another name to a project, workspace or key. */
  rename(id: string, name: string): void {
    this.api.names.rename(id, name);
  }

  totals(start: Instant, end: Instant): FakeTotals {
    return this.api.totals(start, end, this.clock.now());
  }

  handle(request: FakeRequest): FakeAnswer {
    this.requests.push(`${request.path}?${request.query.toString()}`);
    const hourly = this.#hourly?.take(this.clock.now());
    const { status, headers, body } = this.#judged(request, hourly?.isLeft ?? true);
    return { status, headers: { ...headers, ...hourly?.headers }, body };
  }

  #judged(request: FakeRequest, isLeft: boolean): FakeAnswer {
    try {
      if (!isLeft) throw new Refusal(429, "Rate limit reached.");
      if (this.#limited.left-- > 0) throw new Refusal(429, "Rate limit reached.");
      if (this.#failing.left-- > 0) throw new Refusal(this.#failing.status, "Try again later.");
      if (this.api.keyOf(request) !== this.api.key) throw new Refusal(401, "Invalid API key.");
      for (const [ending, status] of this.#refused)
        if (request.path.endsWith(ending)) throw new Refusal(status, "Not available.");
      return this.#reply(200, this.api.answer(request, this.clock.now()));
    } catch (reason) {
      if (!(reason instanceof Refusal)) throw reason;
      return this.#reply(reason.status, this.api.errorBody(reason.status, reason.message));
    }
  }

  #reply(status: number, body: unknown): FakeAnswer {
    return {
      status,
      headers: {
        "content-type": "application/json",
        date: new Date(this.clock.now()).toUTCString(),
        ...(status === 429 ? { "retry-after": this.#limited.retryAfter } : {}),
      },
      body: JSON.stringify(body),
    };
  }
}

/**
 * A number with every digit of its text, for a member that the SDK types as a number: a double would round it, and could
 * not show an exponent where the text has one.
 */
export function exactNumber(text: string): number {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.stringify writes its text, as a number's
  return JSON.rawJSON(text) as unknown as number;
}

/** The values of a list in a query: `name=a&name=b`, `name[]=a` and `name=a,b`. */
export function listOf(query: URLSearchParams, name: string): string[] {
  const values = [...query.getAll(name), ...query.getAll(`${name}[]`)];
  return values.flatMap((value) => value.split(",")).filter((value) => value !== "");
}

/** A whole number of a query within bounds; the default if it is absent. */
export function wholeOf(
  query: URLSearchParams,
  name: string,
  [least, most]: readonly [number, number],
  otherwise: number,
): number {
  const text = query.get(name);
  if (text === null || text === "") return otherwise;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Refusal(400, `'${name}' must be an integer between ${least} and ${most}.`);
}

/** The values that a list may have; refuses others. */
export function checkList(name: string, values: readonly string[], known: readonly string[]): void {
  const wrong = values.find((value) => !known.includes(value));
  if (wrong !== undefined) throw new Refusal(400, `'${name}' cannot be '${wrong}'.`);
}

/**
 * A token for the page that begins at `place`, good for this very query only.
 *
 * @param state the refresh of the data that the token belongs to; the token ends with the next refresh. 0 if tokens do not end
 */
export function tokenOf(path: string, query: URLSearchParams, place: number, state = 0): string {
  return `page_${Buffer.from(`${place}:${digestOf(path, query)}:${state}`).toString("base64url")}`;
}

/** The place that a page token names; 0 without a token. */
export function placeOf(path: string, query: URLSearchParams, state = 0): number {
  const token = query.get("page");
  if (token === null || token === "") return 0;
  const text = Buffer.from(token.slice("page_".length), "base64url").toString();
  const [place, digest, of] = text.split(":");
  if (digest !== digestOf(path, query)) throw new Refusal(400, "Invalid 'page' for this query.");
  if (of !== String(state))
    throw new Refusal(410, "The data was refreshed: begin again with the first page.");
  return Number(place);
}

function digestOf(path: string, query: URLSearchParams): string {
  const rest = [...query].filter(([name]) => name !== "page").map((pair) => pair.join("="));
  return createHash("sha256")
    .update(`${path}?${rest.toSorted().join("&")}`)
    .digest("hex")
    .slice(0, 16);
}

/** The part of a list behind an id, `limit` entries at most. */
export function partAfter<Item extends { readonly id: string }>(
  all: readonly Item[],
  after: string | null,
  limit: number,
): { readonly part: readonly Item[]; readonly hasMore: boolean } {
  const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== null && from === 0) throw new Refusal(400, "There is no such object.");
  return { part: all.slice(from, from + limit), hasMore: from + limit < all.length };
}
