/** The windows that the checks look at, each read once for all of them. */
import { Missing } from "./errors.ts";
import type { Exchange } from "./http.ts";
import { DAY, HOUR, floorTo, monthStart } from "./instants.ts";
import { read, whole } from "./reading.ts";
import type { Reading, Series, Window } from "./pages.ts";
import { CAPABILITIES, Once } from "./session.ts";
import type { Session } from "./session.ts";

/** Whether an endpoint is a versioned path below the base URL, without dot segments, query or escapes. */
export function isPlainEndpoint(baseUrl: string, endpoint: string): boolean {
  if (!/^\/v[0-9]+\//.test(endpoint) || /[?#%\\]|\/\//.test(endpoint)) return false;
  const base = new URL(baseUrl);
  const url = new URL(`${baseUrl}${endpoint}`);
  const path = `${base.pathname.replace(/\/$/, "")}${endpoint}`;
  return url.origin === base.origin && url.pathname === path;
}

/** A limit of a dataset that capabilities name: a whole number of at least 1. */
export async function announced(
  session: Session,
  dataset: "usage" | "costs",
  name: "retention_days" | "maximum_window_days",
): Promise<number | undefined> {
  const value = (await session.offer(dataset))?.[name];
  return typeof value === "number" && Number.isInteger(value) && value >= 1 ? value : undefined;
}

const listings = new Once<readonly Series[]>();

/** The listings that the account is offered. */
export function seriesOf(session: Session): Promise<readonly Series[]> {
  return listings.of(session, "", async () => {
    const found: Series[] = [];
    for (const dataset of ["usage", "costs"] as const) {
      const offer = await session.offer(dataset);
      if (offer === undefined) continue;
      const endpoint = offer["endpoint"];
      const usable =
        typeof endpoint === "string" && isPlainEndpoint(session.options.baseUrl, endpoint);
      const path = usable ? endpoint : `/v1/finops/${dataset}`;
      if (dataset === "costs") {
        found.push({ name: "costs", dataset, granularity: undefined, path });
        continue;
      }
      const offered = offer["granularities"];
      for (const granularity of ["1d", "1h"] as const) {
        if (Array.isArray(offered) && offered.includes(granularity))
          found.push({ name: `usage ${granularity}`, dataset, granularity, path });
      }
    }
    if (found.length === 0) throw new Missing("a dataset that capabilities offer");
    return found;
  });
}

/**
 * Tells the exchanges of the three operations from others: metadata of OAuth, and an address that serves nothing. The interface's rules
 * of answers are about the operations alone.
 */
export async function operationsOf(session: Session): Promise<(exchange: Exchange) => boolean> {
  const offered = ((await offersOf(session)) ?? []).map(({ path }) => path);
  const paths = [CAPABILITIES, "/v1/finops/usage", "/v1/finops/costs", ...offered];
  const addresses = new Set(paths.map((path) => addressOf(session.options.baseUrl + path)));
  return ({ url }) => addresses.has(addressOf(url.href));
}

/** The listings on offer; undefined if there is none. */
async function offersOf(session: Session): Promise<readonly Series[] | undefined> {
  try {
    return await seriesOf(session);
  } catch (error) {
    if (error instanceof Missing) return undefined;
    throw error;
  }
}

function addressOf(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}

/** Width of a series' bucket in milliseconds. */
export function bucketOf(series: Series): number {
  return series.granularity === "1h" ? HOUR : DAY;
}

async function boundsOf(session: Session, series: Series) {
  const longest = (await announced(session, series.dataset, "maximum_window_days")) ?? 1;
  const retention = (await announced(session, series.dataset, "retention_days")) ?? 30;
  const now = await session.now();
  return { longest, now, floor: floorTo(DAY, now - retention * DAY) + 2 * DAY };
}

/** Windows to try in turn, all inside retention and none longer than is accepted. */
interface Candidates {
  /** These windows lie in the last days; the longest window comes first. */
  readonly recent: readonly Window[];
  /** For an account that had nothing in the last days. */
  readonly older: readonly Window[];
}

async function candidates(session: Session, series: Series): Promise<Candidates> {
  const { longest, now, floor } = await boundsOf(session, series);
  const end = floorTo(DAY, now);
  const month = { start: monthStart(now, 1), end: monthStart(now) };
  const days = Math.min(longest, 7);
  const recent: Window[] = [];
  if (series.dataset === "costs" && (month.end - month.start) / DAY <= longest) recent.push(month);
  if (series.granularity === "1h") recent.push(...(await busyDays(session)));
  else recent.push({ start: end - days * DAY, end });
  recent.push({ start: end - DAY, end });
  if (series.granularity === "1h") recent.push({ start: end - HOUR, end });
  const far = Math.min(longest, 31) * DAY;
  const steps = Array.from({ length: session.options.deep ? 12 : 3 }, (_, index) => index + 1);
  const older = steps.map((back) => ({ start: end - (back + 1) * far, end: end - back * far }));
  const isRetained = ({ start }: Window): boolean => start >= floor;
  return { recent: recent.filter(isRetained), older: older.filter(isRetained) };
}

/** Windows for hourly usage: the latest day of the daily usage, or none if that is not known. */
async function busyDays(session: Session): Promise<Window[]> {
  const days = (await seriesOf(session)).find(({ name }) => name === "usage 1d");
  if (days === undefined) return [];
  try {
    const starts = (await sample(session, days)).records.flatMap(({ start }) => start ?? []);
    const last = floorTo(DAY, Math.max(...starts));
    return [{ start: last, end: last + DAY }];
  } catch (error) {
    if (error instanceof Missing) return [];
    throw error;
  }
}

const samples = new Once<Reading>();

/** Reads windows until one has records and few enough pages. If none has, gives the reason. */
async function firstFit(session: Session, series: Series, windows: readonly Window[]) {
  let busy: Window | undefined;
  let broken: Reading | undefined;
  for (const window of windows) {
    const reading = await read(session, series, window, {
      most: session.options.limits.samplePages,
    });
    if (reading.end === "last" && reading.records.length > 0) return { fit: reading };
    if (reading.end === "too long") busy = window;
    else if (reading.end !== "last") broken ??= reading;
  }
  return { busy, broken };
}

/** The first reading of a series' window with records. Throws {@link Missing} if there is none. */
export function sample(session: Session, series: Series): Promise<Reading> {
  return samples.of(session, series.name, async () => {
    const { recent, older } = await candidates(session, series);
    const near = await firstFit(session, series, recent);
    if (near.fit !== undefined) return near.fit;
    // The last window that had too many pages is the smallest one: it gives the reason.
    if (near.busy !== undefined) return whole(await read(session, series, near.busy));
    const far = near.broken === undefined ? await firstFit(session, series, older) : near;
    if (far.fit !== undefined) return far.fit;
    if (far.broken !== undefined) return whole(far.broken);
    throw new Missing(
      `records of ${series.name} in a window that is small enough to be read whole`,
    );
  });
}

const repeats = new Once<Reading>();

/** The same window again, a moment later. */
export function again(session: Session, series: Series): Promise<Reading> {
  return repeats.of(session, series.name, async () => {
    const first = await sample(session, series);
    const { clock, limits } = session.options;
    await clock.sleep(limits.pause);
    return whole(await read(session, series, first.window));
  });
}

const pageds = new Once<Reading>();

/** The same window in pages of a quarter of its records. Throws {@link Missing} if it has fewer than two. */
export function paged(session: Session, series: Series): Promise<Reading> {
  return pageds.of(session, series.name, async () => {
    const { records, window } = await sample(session, series);
    if (records.length < 2) throw new Missing(`two records of ${series.name} in one window`);
    const limit = Math.min(1000, Math.ceil(records.length / 4));
    return read(session, series, window, { limit });
  });
}

const tilings = new Once<readonly (readonly Reading[])[]>();

/** The same window in adjacent parts: once in two, once in three; cut at starts of charge periods. */
export function parts(session: Session, series: Series): Promise<readonly (readonly Reading[])[]> {
  return tilings.of(session, series.name, async () => {
    const { records, window } = await sample(session, series);
    const inside = records
      .flatMap(({ start }) => start ?? [])
      .filter((start) => start > window.start && start < window.end && start % HOUR === 0);
    const starts = [...new Set(inside)].toSorted((a, b) => a - b);
    const middle = starts[Math.floor(starts.length / 2)];
    if (middle === undefined)
      throw new Missing(`records of ${series.name} that begin inside a window, to cut it there`);
    const all = session.options.deep ? [starts] : [];
    const outer = [...new Set([starts[0] ?? middle, starts.at(-1) ?? middle])];
    const cuts = [[middle], ...(outer.length === 1 && outer[0] === middle ? [] : [outer]), ...all];
    const found: Reading[][] = [];
    for (const edges of cuts) {
      const bounds = [window.start, ...edges, window.end];
      const tiling: Reading[] = [];
      for (const [index, start] of bounds.slice(0, -1).entries()) {
        const end = bounds[index + 1] ?? window.end;
        tiling.push(whole(await read(session, series, { start, end })));
      }
      found.push(tiling);
    }
    return found;
  });
}
