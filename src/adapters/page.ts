/** One page of the interface from the provider's pages. */
import { hash } from "node:crypto";
import { DAY, floorTo, formatInstant, HOUR } from "../core/time.ts";
import type { HttpResponse } from "../edges.ts";
import { jsonAnswer, problem } from "./answers.ts";
import { type Cursor, decodeCursor, encodeCursor } from "./cursor.ts";
import {
  compare,
  identified,
  type IdentifiedDraft,
  type RecordContext,
  recordOf,
  widthOf,
} from "./records.ts";
import type { Api, Assumptions, ProviderReports, Query, Report, ReportPage } from "./report.ts";
import { isObject, reportFault } from "./shape.ts";
import type { KeptPages } from "./kept_pages.ts";
import type { ReportMemory } from "./memory.ts";
import type { MissingGroups } from "./missing_groups.ts";
import { judgeUncovered, refuse, sayMissing } from "./refusals.ts";
import type { Rate, Send } from "./upstream.ts";

/** The most pages without a row that one page skips, and the longest time for it in milliseconds: `check` has ten seconds in all. */
const MOST_SKIPPED = 32;
const SKIPPING = 2000;

/** Statuses that refuse a report. */
const REFUSALS: ReadonlySet<number> = new Set([403, 404]);

/** How many pages one request fills, where the number of its buckets is free. */
const PAGES_A_REQUEST = 4;

export interface PageOptions {
  readonly provider: ProviderReports;
  readonly api: Api;
  readonly query: Query;
  readonly assumptions: Assumptions;
  /** The account label of the config; null if there is none. */
  readonly label: string | null;
  readonly send: Send;
  readonly kept: KeptPages<Fetched>;
  readonly memory: ReportMemory;
  readonly missingGroups: MissingGroups;
  readonly say: (level: "INFO" | "WARN", message: string) => void;
  /** Gets how long a long window takes, by the rate that the provider allows: once for each dataset. */
  readonly estimate: (rate: Rate, dataset: Query["dataset"], requestsADay: number) => void;
  /** This side's clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** The provider's clock; undefined before its first answer. */
  readonly providerNow: () => number | undefined;
}

/** A page and the place behind it. */
interface Page {
  readonly data: ReturnType<typeof recordOf>[];
  /** Undefined if the window ends with the page. */
  readonly next: Cursor | undefined;
  /** Instants in milliseconds since 1970. */
  readonly asOf: number;
  readonly availableThrough: number;
  /** The provider's `Date` header. */
  readonly date: string | undefined;
}

/** A provider's page, as drafts with their ids. */
export interface Fetched {
  /** The number of buckets or rows that was asked for. */
  readonly size: number;
  readonly rate: Rate | undefined;
  /** The provider refuses the report, so that it counts as empty. */
  readonly isRefused?: boolean;
  readonly drafts: readonly IdentifiedDraft[];
  readonly context: RecordContext;
  readonly next: ReportPage["next"];
  readonly refreshedAt?: ReportPage["refreshedAt"];
  readonly date: string | undefined;
  readonly now: number;
}

/** Makes the pages of one query. */
export class PageMaker {
  readonly #options: PageOptions;
  readonly #reports: readonly Report[];

  constructor(options: PageOptions) {
    this.#options = options;
    this.#reports = options.api[options.query.dataset];
  }

  /** The empty page of a window that lies outside the days that the provider has. */
  empty(): HttpResponse {
    const now = this.#options.now();
    const availableThrough = this.#availableThrough(undefined, now, "");
    return this.#answer({
      data: [],
      next: undefined,
      asOf: now,
      availableThrough,
      date: undefined,
    });
  }

  /** The page at a cursor; the first page if it is null. */
  async page(text: string | null): Promise<HttpResponse> {
    const { api, query } = this.#options;
    const cursor = text === null ? this.#begin(0, null) : decodeCursor(text, api.name, query);
    if (cursor === undefined || this.#reports[cursor.report] === undefined)
      return problem(400, "Invalid cursor", "The cursor does not belong to this query.");
    for (const index of cursor.refused) refuse(this.#options, this.#reports[index], "");
    const page = await this.#filled(cursor);
    return "status" in page ? page : this.#answer(page);
  }

  /**
   * The next page with a record. It skips pages without one, such as those of a report that the account does not use. If the
   * provider refuses a later request, or its reports have changed meanwhile, the answer is the last empty page: the page's
   * cursor keeps what was skipped, and the client sees that `as_of` changes (P6).
   */
  async #filled(begin: Cursor): Promise<Page | HttpResponse> {
    const until = this.#options.now() + SKIPPING;
    let last: Page | undefined;
    for (let skipped = 0, cursor = begin; ; skipped++) {
      const page = await this.#pageAt(cursor);
      if ("status" in page) return last ?? page;
      if (last !== undefined && page.asOf !== last.asOf) return last;
      const availableThrough = Math.min(page.availableThrough, last?.availableThrough ?? Infinity);
      last = { ...page, availableThrough };
      const isOver = skipped === MOST_SKIPPED || this.#options.now() >= until;
      if (page.data.length > 0 || page.next === undefined || isOver) return last;
      cursor = page.next;
    }
  }

  #answer({ data, next, asOf, availableThrough, date }: Page): HttpResponse {
    const page = {
      data,
      next_cursor: next === undefined ? null : this.#encode(next),
      as_of: formatInstant(asOf),
      available_through: formatInstant(availableThrough),
    };
    return jsonAnswer(page, date);
  }

  /** The first place of a report; undefined behind the last report. */
  #begin(index: number, before: Cursor | null): Cursor | undefined {
    const { query } = this.#options;
    const report = this.#reports[index];
    if (report === undefined) return undefined;
    return {
      report: index,
      start: floorTo(widthOf(query), query.start),
      size: report.sizes(query).first,
      page: null,
      after: null,
      digest: null,
      asOf: before?.asOf ?? 0,
      refused: before?.refused ?? [],
    };
  }

  async #fetch(report: Report, wanted: Cursor): Promise<Fetched | HttpResponse> {
    const { provider, query, assumptions, label, send, providerNow, missingGroups } = this.#options;
    const place = missingGroups.fitted(report, wanted, widthOf(query));
    const known = providerNow();
    if (known !== undefined && report.isBeyond?.(place.start, known) === true) {
      const context = { provider, report: report.name, query, assumptions, label, now: known };
      const { size } = place;
      return {
        drafts: [],
        context,
        next: null,
        date: undefined,
        now: known,
        size,
        rate: undefined,
      };
    }
    const request = missingGroups.without(report, place, report.request(place, query));
    const answer = await send(request);
    if ("tooLarge" in answer) {
      // A page token is valid only with the size of the request that gave it.
      if (place.size === 1 || place.page !== null) throw answer.tooLarge;
      return await this.#fetch(report, { ...place, size: Math.ceil(place.size / 8) });
    }
    const { now } = answer;
    const { size } = place;
    const context = { provider, report: report.name, query, assumptions, label, now };
    if ("refused" in answer) {
      const { missingGroup } = answer;
      if (missingGroup !== undefined) {
        const learned = missingGroups.learn(report, place, request, missingGroup);
        if (learned === "new") sayMissing(this.#options, report, missingGroup);
        if (learned !== "useless") return await this.#fetch(report, place);
      }
      // A page token ends when the provider refreshes its data: the window has to begin again (S4).
      if (answer.status === 410 && place.page !== null)
        return problem(400, "Invalid cursor", "The provider's page token has expired.");
      const beyond = answer.status === 400 && report.isBeyond?.(place.start, now) === true;
      const isOfReport = place.report > 0 && REFUSALS.has(answer.status);
      const isRefused = isOfReport && this.#isFirst(place);
      // Each later process would go on at this place and be refused again, so the window has to begin again (S4).
      if (isOfReport && !isRefused) {
        const what = `${provider.title} refuses the report ${report.name} (HTTP ${answer.status}), of which it has shown a page.`;
        return problem(400, "Invalid cursor", what);
      }
      if (!beyond && !isRefused) return answer.refused;
      if (isRefused) refuse(this.#options, report, ` (HTTP ${answer.status})`);
      const date = answer.refused.headers["date"];
      return { drafts: [], context, next: null, date, now, size, rate: undefined, isRefused };
    }
    if (!isObject(answer.body)) throw reportFault("it is no object");
    const page = report.read(answer.body, { ...place, size }, query);
    if (place.report > 0 && this.#isFirst(place))
      this.#options.memory.answers(query.dataset, report.name, query, now);
    const drafts = identified(page.drafts, context);
    return { ...page, drafts, context, date: answer.date, now, size, rate: answer.rate };
  }

  /**
   * Whether a place is the first page of its report. A refusal there may mean that the account has no such report, unless it is the
   * first report: then the provider refuses the key. A report that has shown a page exists.
   */
  #isFirst({ start, page, after }: Cursor): boolean {
    const { query } = this.#options;
    return page === null && after === null && start === floorTo(widthOf(query), query.start);
  }

  async #pageAt(cursor: Cursor): Promise<Page | HttpResponse> {
    const report = this.#reports[cursor.report];
    if (report === undefined) throw new TypeError("a cursor names no report");
    const { kept, memory, query } = this.#options;
    // If no record of this page has been given, a kept page may come from an earlier reading, so the page is requested.
    const earlier = cursor.after === null ? undefined : kept.take(this.#keyOf(cursor));
    const fetched = earlier ?? (await this.#fetch(report, cursor));
    if ("status" in fetched) return fetched;
    const { after } = cursor;
    const { drafts, context, now, refreshedAt, date } = fetched;
    if (refreshedAt === null && drafts.length === 0) judgeUncovered(this.#options, report);
    if (cursor.report > 0 || refreshedAt !== undefined)
      for (const { start } of drafts) memory.saw(query.dataset, report.name, start);
    const rest = after === null ? drafts : drafts.filter((each) => compare(each, after) > 0);
    const given = rest.slice(0, this.#options.query.limit);
    const asOf = this.#asOf(cursor, fetched);
    const refused =
      fetched.isRefused === true ? [...cursor.refused, cursor.report] : cursor.refused;
    const next =
      rest.length > given.length
        ? this.#within(report, { ...cursor, asOf, refused }, given, fetched)
        : this.#behind(report, { ...cursor, asOf, refused }, fetched);
    if (rest.length > given.length && next !== undefined) kept.keep(this.#keyOf(next), fetched);
    const data = given.map((each) => recordOf(each, context));
    const availableThrough = this.#availableThrough(refreshedAt, now, report.name);
    return { data, next, asOf, availableThrough, date };
  }

  #keyOf({ report, start, size, page }: Cursor): string {
    const { api, query } = this.#options;
    return JSON.stringify([api.name, query, report, start, size, page]);
  }

  #encode(cursor: Cursor): string {
    const text = encodeCursor(cursor, this.#options.api.name, this.#options.query);
    if (text === undefined) throw reportFault("its page token is longer than a cursor may be");
    return text;
  }

  /** Goes on behind the last record that was given, on the same page of the provider's. */
  #within(
    report: Report,
    cursor: Cursor,
    given: readonly IdentifiedDraft[],
    { drafts, size: asked }: Fetched,
  ): Cursor {
    const last = given.at(-1);
    if (last === undefined) return cursor;
    const after = { start: last.start, id: last.id };
    const digest = digestOf(drafts, last.start);
    if (report.pages === "rows") return { ...cursor, size: asked, after, digest };
    const size = this.#sizeFor(report, asked, drafts);
    return { ...cursor, start: last.start, size, page: null, after, digest };
  }

  /** Goes on behind the provider's page: on its next one, or in the next report. */
  #behind(report: Report, cursor: Cursor, fetched: Fetched): Cursor | undefined {
    const { next, drafts, size: asked, rate } = fetched;
    const { query, estimate } = this.#options;
    const read = ((next?.start ?? 0) - cursor.start) / DAY;
    if (rate !== undefined && read > 0) estimate(rate, query.dataset, 1 / read);
    if (next === null || (report.pages === "buckets" && next.start >= query.end))
      return this.#begin(cursor.report + 1, cursor);
    // A token is valid only with the query that gave it, so the size stays.
    const isFree = next.page === null && report.pages === "buckets";
    const size = isFree ? this.#sizeFor(report, asked, drafts) : asked;
    return { ...cursor, ...next, size, after: null, digest: null };
  }

  /**
   * The number of buckets for the next request, estimated from the rows just read. One request fills several pages, because a provider
   * may allow few requests. Buckets that do not fit into a page are kept, or requested again.
   */
  #sizeFor(report: Report, size: number, drafts: readonly IdentifiedDraft[]): number {
    const { most } = report.sizes(this.#options.query);
    const each = drafts.length / size;
    const fitting =
      each === 0 ? most : Math.floor((PAGES_A_REQUEST * this.#options.query.limit) / each);
    return Math.min(most, Math.max(1, fitting));
  }

  /**
   * `as_of`: the report's own instant, else the time of the first page. It changes if the report has changed since the last
   * page, so that the reading proves nothing by itself (P6).
   */
  #asOf({ asOf, after, digest }: Cursor, { drafts, refreshedAt, now }: Fetched): number {
    if (typeof refreshedAt === "number") return refreshedAt;
    if (asOf === 0) return now;
    return after !== null && digest !== digestOf(drafts, after.start) ? now : asOf;
  }

  /**
   * The report's own instant, else now less the lag. A whole bucket, never in the future. A report whose exports cover no part of the
   * window (null) has nothing yet, unless it has shown rows of later days: then there is nothing to wait for, and the window's end says
   * so without a word about later days (S1).
   */
  #availableThrough(refreshedAt: ReportPage["refreshedAt"], now: number, report: string): number {
    const { query, assumptions, memory } = this.#options;
    const lag = query.dataset === "usage" ? assumptions.usageLagHours : assumptions.costsLagHours;
    const isPast = (memory.lastDay(query.dataset, report) ?? 0) >= query.end;
    const uncovered = isPast ? query.end : query.start;
    const through = refreshedAt === null ? uncovered : (refreshedAt ?? now - lag * HOUR);
    return floorTo(widthOf(query), Math.min(now, through));
  }
}

/** A digest of the ids and amounts of one bucket. */
function digestOf(drafts: readonly IdentifiedDraft[], start: number): string {
  const bucket = drafts
    .filter((each) => each.start === start)
    .map(({ id, draft }) => [id, draft.sums]);
  return hash("sha256", JSON.stringify(bucket), "base64url").slice(0, 12);
}
