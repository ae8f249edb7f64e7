/** A passage through one window, from its first page to its last. */
import { Missing } from "./errors.ts";
import type { Exchange } from "./http.ts";
import { formatInstant, parseInstant } from "./instants.ts";
import { canonical, isObject } from "./json.ts";
import type { End, Page, Reading, Seen, Series, Window } from "./pages.ts";
import { bodyOf } from "./session.ts";
import type { Session } from "./session.ts";

/** The query of a window's first page. */
export function queryOf(series: Series, window: Window, limit?: number): Record<string, string> {
  return {
    start: formatInstant(window.start),
    end: formatInstant(window.end),
    ...(series.granularity === undefined ? {} : { granularity: series.granularity }),
    ...(limit === undefined ? {} : { limit: String(limit) }),
  };
}

function seenOf(series: Series, record: unknown, page: number, exchange: Exchange): Seen {
  const value = isObject(record) ? record : undefined;
  const id = value?.["x_RecordId"];
  return {
    series,
    value,
    id: typeof id === "string" ? id : undefined,
    start: parseInstant(value?.["ChargePeriodStart"]),
    end: parseInstant(value?.["ChargePeriodEnd"]),
    text: canonical(record),
    page,
    exchange,
  };
}

function pageOf(series: Series, number: number, exchange: Exchange): Page {
  const envelope = bodyOf(exchange);
  const data = envelope?.["data"];
  const records = Array.isArray(data)
    ? data.map((record: unknown) => seenOf(series, record, number, exchange))
    : [];
  return { number, exchange, envelope, records };
}

/**
 * Reads a window to its end, or until a fault of the provider or a limit of the run ends the reading.
 *
 * @param options `limit` of records in a page, default: none is sent; `most` pages, default: the run's limit
 */
export async function read(
  session: Session,
  series: Series,
  window: Window,
  options: { readonly limit?: number; readonly most?: number } = {},
): Promise<Reading> {
  const { limit, most = session.options.limits.pages } = options;
  const query = queryOf(series, window, limit);
  const pages: Page[] = [];
  const followed = new Set<string>();
  const done = (end: End): Reading => {
    const records = pages.flatMap((page) => page.records);
    const reading = { series, window, limit, pages, records, end };
    session.readings.push(reading);
    return reading;
  };
  for (let cursor: string | undefined; ;) {
    const more = cursor === undefined ? query : { ...query, cursor };
    const page = pageOf(
      series,
      pages.length + 1,
      await session.ask({ path: series.path, query: more }),
    );
    pages.push(page);
    if (page.envelope === undefined) return done("refused");
    const next = page.envelope["next_cursor"];
    if (next === null) return done("last");
    if (typeof next !== "string" || next === "") return done("no cursor");
    if (followed.has(next)) return done("cycle");
    if (pages.length >= most) return done("too long");
    followed.add(next);
    cursor = next;
  }
}

/** The reading if it is whole; throws {@link Missing} otherwise. */
export function whole(reading: Reading): Reading {
  if (reading.end === "last") return reading;
  throw new Missing(`a window of ${reading.series.name} that can be read to its end`);
}

/** Records by id; records without one are left out, the last of several with one id stays. */
export function byId(records: readonly Seen[]): Map<string, Seen> {
  return new Map(records.flatMap((seen) => (seen.id === undefined ? [] : [[seen.id, seen]])));
}
