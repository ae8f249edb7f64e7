/**
 * The pages of one window (interface sections 2.6.1, 4.2 to 4.4; rules P1 to P3), one request after the other. The
 * caller decides when a page is requested (streams/flow.ts).
 */
import { hash } from "node:crypto";
import { foreignText } from "../core/foreign_text.ts";
import { formatInstant, parseInstant } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import type { Page as Envelope } from "../generated/page.js";
import { validatePage } from "../generated/validators.js";
import { checkClosed, describeViolation } from "./strictness.ts";
import { type Answer, type Client, MAXIMUM_PAGE_BYTES, type ProblemText } from "../http/client.ts";
import { quoteProblem } from "../http/problem.ts";
import type { PageRecords } from "../records/page_records.ts";
import { ParsedRecords } from "../records/parsed.ts";
import { scanPage } from "../records/scan.ts";

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
  /** Receives warnings. `kind` names what they have in common; an unknown property is named once for a window. */
  readonly onWarning?: ((kind: string, message: string) => void) | undefined;
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

/** The most bytes of a cursor as JSON (L1): the state keeps one for each open window. */
const MAXIMUM_CURSOR_BYTES = 8 * 1024;

/** The most characters of an instant (L1). */
const MAXIMUM_INSTANT = 40;

/** The most cursors that are remembered: a window of 20 million records at the default limit. */
const REMEMBERED_CURSORS = 20_000;

/** The most subjects of warnings that are remembered: a page may invent a name for each of its properties. */
const REMEMBERED_SUBJECTS = 1000;

/** Reads one window, from its first page (`cursor` null) or from the page where an earlier reading stopped. */
export class WindowPages {
  readonly #client: Client;
  readonly #query: PageQuery;
  readonly #options: PageOptions;
  readonly #seen = new SeenCursors();
  /** The subjects of the warnings that were given; each is given once. */
  readonly #warned = new Set<string>();
  /** The cursor of the next request. */
  #cursor: string | null;

  constructor(client: Client, query: PageQuery, cursor: string | null, options: PageOptions) {
    this.#client = client;
    this.#query = query;
    this.#cursor = cursor;
    this.#options = options;
  }

  /**
   * Requests the next page and judges it, its `next_cursor` included, so that a reading can go on from every page that this
   * gives. To be called again only after the page has come, and not after the last one.
   *
   * @param parseAfter defers parsing: until it resolves, the body stays as the bytes that came
   * @throws ConnectorError `cursor_refused` for a 400 on a request that carried a cursor (S4), `bad_request` for one on a
   *   request without; `provider_fault` if a page breaks the interface, P1, P2 or L1; and the errors of {@link Client.get}
   */
  async next(parseAfter?: Promise<void>): Promise<Page> {
    const cursor = this.#cursor;
    const { signal, deadlineMs } = this.#options;
    const answer = await this.#client.get({
      url: pageUrl(this.#query, cursor),
      signal,
      deadlineMs,
      scan: scanPage,
      maximumBytes: MAXIMUM_PAGE_BYTES,
      turn: parseAfter,
      onBadRequest: (problem, detail) =>
        cursor === null
          ? queryRefused(this.#query, problem, detail)
          : cursorRefused(this.#query, problem, detail),
    });
    const page = this.#judge(answer, cursor);
    this.#cursor = page.nextCursor;
    return page;
  }

  /**
   * Called after each page. `broken` is the rule that the listing breaks, or null (`Listing.endPage` in core/listing.ts). So a listing has
   * an end, also if records and cursors differ from page to page (P2, L3).
   *
   * @throws ConnectorError `provider_fault` if a rule is broken and the page is not the last one
   */
  wrote(broken: string | null, { nextCursor }: Pick<Page, "nextCursor">): void {
    if (nextCursor !== null && broken !== null) throw this.#fault(broken);
  }

  /** Judges the answer to a request that carried `sent`. */
  #judge(answer: Answer<PageRecords>, sent: string | null): Page {
    const { value } = answer;
    const envelope = this.#envelope(value);
    const availableThrough = parseInstant(envelope.available_through);
    if (availableThrough === undefined) {
      throw this.#fault(
        `available_through ${foreignText(envelope.available_through)} is no instant`,
      );
    }
    for (const name of ["as_of", "available_through"] as const) {
      if (envelope[name].length > MAXIMUM_INSTANT) {
        throw this.#fault(`${name} is longer than ${MAXIMUM_INSTANT} characters`);
      }
    }
    if (sent !== null) this.#seen.add(sent);
    const { data: values, next_cursor: nextCursor, as_of: asOf } = envelope;
    const { content, bytes, release } = answer;
    const records =
      typeof content === "string" ? new ParsedRecords(values, content, release) : content;
    this.#checkCursor(nextCursor, sent);
    this.#checkCount(records.length);
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
      const message = `A page holds the unknown property ${foreignText(name)}; it is ignored.`;
      this.#warn("unknown properties of pages", name, message);
    }
    return value;
  }

  /** P1: only null ends a window. A cursor that would lead in a circle is an error, never an end. */
  #checkCursor(next: string | null, sent: string | null): void {
    if (next === null) return;
    if (next.length > MAXIMUM_CURSOR_BYTES || jsonBytes(next) > MAXIMUM_CURSOR_BYTES) {
      throw this.#fault(`next_cursor is longer than ${MAXIMUM_CURSOR_BYTES} bytes`);
    }
    // No address and no state can carry such a cursor unchanged (V4).
    if (!next.isWellFormed()) {
      throw this.#fault("next_cursor holds half a character (a lone surrogate)");
    }
    if (next === sent) throw this.#fault("next_cursor is the cursor that was just sent");
    if (this.#seen.has(next)) throw this.#fault("next_cursor was seen before in this window");
  }

  /** P2: more records than requested are kept. */
  #checkCount(count: number): void {
    const { limit } = this.#query;
    if (count > limit) {
      const message = `A page holds ${count} records where at most ${limit} were requested; all are kept.`;
      this.#warn("pages with too many records", "limit", message);
    }
  }

  #warn(kind: string, subject: string, message: string): void {
    if (this.#warned.has(subject)) return;
    if (this.#warned.size >= REMEMBERED_SUBJECTS) this.#warned.clear();
    this.#warned.add(subject);
    this.#options.onWarning?.(kind, `${message} (${describeQuery(this.#query)})`);
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

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

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
