/**
 * Reads the pages of one window (interface sections 2.6.1, 4.2 to 4.4; rules P1 to P3): an async generator that requests the
 * next page while its consumer works on this one (C1).
 */
import { hash } from "node:crypto";
import { formatInstant, parseInstant } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import type { Page as Envelope } from "../generated/page.js";
import { validatePage } from "../generated/validators.js";
import { checkClosed, describeViolation } from "./strictness.ts";
import type { Answer, Client, ProblemText } from "../http/client.ts";
import { quoteProblem } from "../http/problem.ts";
import { type PageRecords, type ScannedRecords, scanPage } from "./scan.ts";

/** The query of a window; the same for all its pages (interface section 4.4, rule 1). */
export interface PageQuery {
  /** The address of the dataset, from `resolveEndpoint`. */
  readonly endpoint: URL;
  /** Inclusive, milliseconds since 1970, whole seconds. */
  readonly start: number;
  /** Exclusive, milliseconds since 1970, whole seconds. */
  readonly end: number;
  /** Only for usage. */
  readonly granularity?: "1h" | "1d" | undefined;
  /** 1 to 1,000. */
  readonly limit: number;
}

export interface PageOptions {
  readonly signal: AbortSignal;
  /** `invalid_records: "warn"`: unknown properties of the envelope are ignored with a warning (V2). */
  readonly tolerateUnknown: boolean;
  /** Receives each kind of warning once for each reading. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Page 2 waits until this resolves: until this lane's previous window has been written. */
  readonly before?: Promise<void> | undefined;
  /** See {@link Client.get}; for the probes of `check`. */
  readonly deadlineMs?: number | undefined;
}

/** One page. */
export interface Page {
  /** Not checked against the schema yet. */
  readonly records: PageRecords;
  /** Length of the decompressed body in bytes. */
  readonly bytes: number;
  /** `null` on the last page; else the cursor of the next page, never empty. */
  readonly nextCursor: string | null;
  /** As the provider wrote it. */
  readonly asOf: string;
  /** Milliseconds since 1970. */
  readonly availableThrough: number;
  /** The `limit` of the request; the page may hold more records (P2). */
  readonly limit: number;
}

/** The most empty pages in a row that go on (P2). */
const MAXIMUM_EMPTY_PAGES = 1000;

/** The most cursors that are remembered: a window of 20 million records at the default limit. */
const REMEMBERED_CURSORS = 20_000;

/**
 * Reads the pages of a window, from the first page (`cursor` null) or from the cursor of an earlier reading.
 *
 * Yields a page only after its `next_cursor` was checked, so that a reading can resume after every yielded page. While the
 * consumer works on a page, one more page is in flight, never two. A consumer that stops early aborts that request.
 *
 * @throws ConnectorError `cursor_refused` for a 400 to a request with a cursor (S4), `bad_request` for a 400 to a request
 *   without one; `provider_fault` if a page breaks the interface, P1, P2 or L1; and the errors of {@link Client.get}
 */
export async function* readPages(
  client: Client,
  query: PageQuery,
  cursor: string | null,
  options: PageOptions,
): AsyncGenerator<Page, void, undefined> {
  const stop = new AbortController();
  const forward = (): void => stop.abort(options.signal.reason);
  if (options.signal.aborted) forward();
  else options.signal.addEventListener("abort", forward, { once: true });
  const reading = new PageValidator(client, query, { ...options, signal: stop.signal });
  let turn = Promise.withResolvers<void>();
  try {
    let next: string | null = cursor;
    let coming = reading.ask(next, turn.promise);
    do {
      turn.resolve();
      const page = reading.judge(await coming, next);
      next = page.nextCursor;
      turn = Promise.withResolvers<void>();
      if (next !== null) {
        await options.before;
        coming = reading.ask(next, turn.promise);
      }
      yield page;
    } while (next !== null);
  } finally {
    options.signal.removeEventListener("abort", forward);
    stop.abort();
    turn.resolve(); // a body that waits for its turn then ends by the signal
  }
}

/** Requests and checks the pages of one window. */
class PageValidator {
  readonly #client: Client;
  readonly #query: PageQuery;
  readonly #options: PageOptions;
  readonly #seen = new SeenCursors();
  /** The kinds of warnings that this reading has given. */
  readonly #warned = new Set<string>();
  #emptyInARow = 0;

  constructor(client: Client, query: PageQuery, options: PageOptions) {
    this.#client = client;
    this.#query = query;
    this.#options = options;
  }

  /**
   * Requests a page; its body is parsed at its `turn`. A failure may arrive while the consumer works on the page before, so
   * the promise is marked as handled here and rejects where it is awaited.
   */
  ask(cursor: string | null, turn: Promise<void>): Promise<Answer<ScannedRecords>> {
    const { signal, deadlineMs } = this.#options;
    const answer = this.#client.get({
      url: pageUrl(this.#query, cursor),
      signal,
      deadlineMs,
      scan: scanPage,
      turn,
      onBadRequest: (problem, detail) =>
        cursor === null
          ? queryRefused(this.#query, problem, detail)
          : cursorRefused(this.#query, problem, detail),
    });
    answer.catch(() => undefined);
    return answer;
  }

  /** Checks the answer to the request with the cursor `sent`. */
  judge(answer: Answer<ScannedRecords>, sent: string | null): Page {
    const { value } = answer;
    const envelope = this.#envelope(value);
    const availableThrough = parseInstant(envelope.available_through);
    if (availableThrough === undefined) {
      throw this.#fault(`available_through ${shorten(envelope.available_through)} is no instant`);
    }
    if (sent !== null) this.#seen.add(sent);
    const { data: values, next_cursor: nextCursor, as_of: asOf } = envelope;
    const { content, bytes } = answer;
    const records =
      typeof content === "string" ? { length: values.length, values, text: content } : content;
    this.#checkCursor(nextCursor, sent);
    this.#checkCount(records.length, nextCursor);
    return { records, bytes, nextCursor, asOf, availableThrough, limit: this.#query.limit };
  }

  #envelope(value: unknown): Envelope {
    const { tolerateUnknown } = this.#options;
    const { unknown, violation } = checkClosed(validatePage, value, tolerateUnknown);
    if (violation !== undefined || !isEnvelope(value)) {
      const rule = violation === undefined ? "it is none" : describeViolation(violation);
      throw this.#fault(rule, violation?.keyword === "additionalProperties" ? TOLERATE : "");
    }
    for (const name of unknown) {
      this.#warn(name, `A page holds the unknown property ${shorten(name)}; it is ignored.`);
    }
    return value;
  }

  /** P1: only null ends a window. A cursor that would lead in a circle is an error, never an end. */
  #checkCursor(next: string | null, sent: string | null): void {
    if (next === null) return;
    if (next === sent) throw this.#fault("next_cursor is the cursor that was just sent");
    if (this.#seen.has(next)) throw this.#fault("next_cursor was seen before in this window");
  }

  /** P2: reading goes on after short and empty pages, up to a bound. More records than requested are kept. */
  #checkCount(count: number, next: string | null): void {
    const { limit } = this.#query;
    this.#emptyInARow = count === 0 ? this.#emptyInARow + 1 : 0;
    if (next !== null && this.#emptyInARow > MAXIMUM_EMPTY_PAGES) {
      throw this.#fault(`more than ${MAXIMUM_EMPTY_PAGES} empty pages came in a row`);
    }
    if (count > limit) {
      const message = `A page holds ${count} records where at most ${limit} were requested; all are kept.`;
      this.#warn("limit", message);
    }
  }

  #warn(kind: string, message: string): void {
    if (this.#warned.has(kind)) return;
    this.#warned.add(kind);
    this.#options.onWarning?.(`${message} (${describeQuery(this.#query)})`);
  }

  #fault(rule: string, way = ""): ConnectorError {
    return new ConnectorError(
      "provider_fault",
      `A page that the provider sent breaks the interface: ${rule}. The page was requested for ${describeQuery(this.#query)}. ` +
        `The connector did not take the page for the end of the data.${way} Report it to the provider.`,
      { detail: `page: ${rule}; ${this.#query.endpoint.pathname}` },
    );
  }
}

const TOLERATE = ' To go on without the property, set invalid_records to "warn".';

/**
 * The cursors of a window, as hashes of 96 bits, because cursors may be long and a window may have thousands of pages. The
 * memory is bounded: when it is full it is cleared. A circle of fewer pages than its capacity is still found.
 */
class SeenCursors {
  readonly #hashes = new Set<string>();

  add(cursor: string): void {
    if (this.#hashes.size >= REMEMBERED_CURSORS) this.#hashes.clear();
    this.#hashes.add(digest(cursor));
  }

  has(cursor: string): boolean {
    return this.#hashes.has(digest(cursor));
  }
}

const digest = (cursor: string): string => hash("sha256", cursor, "base64").slice(0, 16);

function isEnvelope(value: unknown): value is Envelope {
  return validatePage(value);
}

/** The address of a page. URLSearchParams encodes an opaque cursor exactly. */
export function pageUrl(query: PageQuery, cursor: string | null): URL {
  const url = new URL(query.endpoint);
  url.search = new URLSearchParams({
    start: formatInstant(query.start),
    end: formatInstant(query.end),
    ...(query.granularity === undefined ? {} : { granularity: query.granularity }),
    limit: String(query.limit),
    ...(cursor === null ? {} : { cursor }),
  }).toString();
  return url;
}

/** `2026-01-01T00:00:00Z to 2026-01-08T00:00:00Z, granularity 1d, limit 1000`; for messages. */
function describeQuery({ start, end, granularity, limit }: PageQuery): string {
  const width = granularity === undefined ? "" : `, granularity ${granularity}`;
  return `${formatInstant(start)} to ${formatInstant(end)}${width}, limit ${limit}`;
}

function queryRefused(query: PageQuery, problem: ProblemText, detail: string): ConnectorError {
  const width = query.granularity === undefined ? "" : "the granularity is offered, ";
  return new ConnectorError(
    "bad_request",
    `The provider refuses the query for ${describeQuery(query)} (HTTP 400).${quoteProblem(problem)} Check that ${width}` +
      "the dates lie within the provider's retention, and that its capabilities are right. If they are, report it to the " +
      "provider.",
    { detail },
  );
}

function cursorRefused(query: PageQuery, problem: ProblemText, detail: string): ConnectorError {
  return new ConnectorError(
    "cursor_refused",
    `The provider no longer accepts the cursor that it gave for ${describeQuery(query)} (HTTP 400).` +
      `${quoteProblem(problem)} The window has to be read again from its first page.`,
    { detail },
  );
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
