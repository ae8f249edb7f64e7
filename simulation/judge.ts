/** The rules that every sync must keep by itself, with or without faults. The ids are those of src/core/SPEC.md. */
import type { Limits } from "../src/core/limits.ts";
import { MAXIMUM_LOAD } from "../src/core/sightings.ts";
import { DAY, dayOf, floorOf, hourOf, monthOf } from "./calendar.ts";
import type { Item, OpenWindow, StateValue } from "./platform.ts";
import { overlap, type Span } from "./outages.ts";
import type { Exchange, Rules } from "./provider.ts";
import type { StreamName, Version } from "./records.ts";
import { isListing } from "./reread.ts";
import type { SyncResult } from "./sync.ts";

export interface Judged {
  readonly result: SyncResult;
  /** The milliseconds by which the header `Date` was ahead of the provider's time. */
  readonly ahead: number;
  readonly exchanges: readonly Exchange[];
  readonly streams: readonly StreamName[];
  readonly versions: ReadonlyMap<string, Version>;
  readonly rulesOf: (stream: StreamName) => Rules | undefined;
  /** Whether the sync had no fault and therefore must have succeeded. */
  readonly mustSucceed: boolean;
  /** Whether the network drew a 400 that may have shortened a window that reaches past now (W4). */
  readonly mayShorten: boolean;
  /** The states that the sync began with. If one has a pass, the open windows of the pass may end on any hour. */
  readonly stored: ReadonlyMap<string, { readonly value: StateValue }>;
  /** Whether the tables of sightings may have been too small, so that a repeat passed (P5). */
  readonly mayForget: boolean;
  readonly limits: Pick<Limits, "firstSightings" | "sightings">;
  /** S8: whether a state of the life has left out some of its parts, perhaps windows that are half read. */
  readonly mayLeaveOut: boolean;
  /** Whether stdout is fast enough for a run to end within seconds of SIGTERM. */
  readonly prompt: boolean;
}

/** The rules that the sync broke, as `rule: what`. */
export function judgeSync(judged: Judged): string[] {
  return [
    ...judged.result.faults,
    ...judgeRecords(judged),
    ...judgeStates(judged.result.items),
    ...judgeEnd(judged),
    ...judged.streams.flatMap((stream) => judgeWindows(stream, judged)),
    ...judged.streams.flatMap((stream) => judgeCursors(stream, judged)),
  ];
}

/** R3, V3: only records that the provider sent, byte for byte; P5: none twice. */
function judgeRecords(judged: Judged): string[] {
  const { result, versions, mayForget } = judged;
  const faults: string[] = [];
  const seen = new Set<string>();
  const mayRepeat = strayRepeats(judged);
  for (const item of result.items) {
    // W3: if retention cuts off a part of a window during the sync, the rest is a new reading and may write its rows again.
    if (item.kind === "log" && item.message.includes("has left the provider's retention"))
      seen.clear();
    if (item.kind !== "record") continue;
    const version = versions.get(item.text);
    if (version === undefined || version.record.stream !== item.stream) {
      faults.push(`V3: a record that the provider never sent: ${item.text}`);
    }
    if (seen.has(item.text) && !mayForget && !mayRepeat(item))
      faults.push(`P5: a version twice in one read: ${item.text}`);
    seen.add(item.text);
  }
  return faults;
}

/**
 * P5: whether a record may come twice because the tables have forgotten which window returned it as its own: one entry of a table stands
 * for each record of a reading. Only a reading that writes strays writes it once more then. Without reports nobody can tell these apart.
 */
function strayRepeats({
  result,
  exchanges,
  limits,
}: Judged): (item: Item & { readonly kind: "record" }) => boolean {
  const remembered = (limits.firstSightings + limits.sightings) * MAXIMUM_LOAD;
  const reports = result.items.flatMap((item) => (item.kind === "report" ? [item.row] : []));
  const ofStrays = new Set(
    reports.filter((row) => !row.inside_window).map((row) => row.reading_id),
  );
  return ({ stream, readingId }) => {
    const shown = exchanges
      .filter((one) => one.stream === stream)
      .reduce((sum, { versions }) => sum + versions.length, 0);
    return shown > remembered && (reports.length === 0 || ofStrays.has(readingId));
  };
}

/** S2: no two STATEs are equal if records lie between them; recordCount counts the records since the STATE before. */
function judgeStates(items: readonly Item[]): string[] {
  const faults: string[] = [];
  const counts = new Map<string, number>();
  const last = new Map<string, string>();
  for (const item of items) {
    if (item.kind === "record") counts.set(item.stream, (counts.get(item.stream) ?? 0) + 1);
    if (item.kind === "report")
      counts.set("export_windows", (counts.get("export_windows") ?? 0) + 1);
    if (item.kind !== "state") continue;
    const { stream, json, recordCount } = item;
    const count = counts.get(stream) ?? 0;
    if (count !== recordCount) faults.push(`S2: recordCount ${recordCount}, ${count} records came`);
    if (count > 0 && last.get(stream) === json)
      faults.push(`S2: two equal STATEs, ${count} records between: ${json}`);
    last.set(stream, json);
    counts.set(stream, 0);
  }
  return faults;
}

/** Design section 4: the statuses of every stream and the result fit together, and no error is a defect of the connector. */
function judgeEnd({ result, streams, mustSucceed, prompt }: Judged): string[] {
  const faults: string[] = [];
  const { outcome, items, stoppedFor } = result;
  for (const item of items) {
    if (item.kind === "error" && item.message.startsWith("internal"))
      faults.push(`internal: ${item.message}`);
  }
  if (prompt && stoppedFor !== undefined && stoppedFor > 5000)
    faults.push(`stop: it took ${stoppedFor} ms to end`);
  if (outcome === undefined) return faults;
  const ends = streams.map((stream) => {
    const statuses = items.flatMap((item) =>
      item.kind === "status" && item.stream === stream ? [item.status] : [],
    );
    const shape = statuses.map((status) => status.slice(0, 1)).join("");
    if (!/^S(R*C|R*I)$/.test(shape)) faults.push(`status: ${stream} says ${statuses.join(" ")}`);
    return statuses.at(-1);
  });
  const complete = ends.every((status) => status === "COMPLETE");
  if ((outcome === true) !== complete)
    faults.push(`exit: ${String(outcome)} with ${ends.join(" ")}`);
  if (mustSucceed && outcome !== true) {
    const said = items.flatMap((item) => (item.kind === "error" ? [item.message] : []));
    faults.push(`live: a sync with no fault failed: ${String(outcome)} ${said.join(" ")}`);
  }
  return faults;
}

/** The selections by which a window also returns records that start outside the window. */
const STRAYING: ReadonlySet<Rules["selects"]> = new Set(["overlap", "inclusive", "posting"]);

/** W1 to W3: the bounds of the windows of one read. */
function judgeWindows(
  stream: StreamName,
  { result, ahead, exchanges, rulesOf, stored, mayShorten }: Judged,
): string[] {
  const rules = rulesOf(stream);
  if (rules === undefined) return [];
  const resumes = [...stored.values()].some(({ value }) => value.pass !== undefined);
  const listsFrom = stored.get(stream)?.value;
  const faults: string[] = [];
  const windows: { start: number; end: number; refused: boolean }[] = [];
  const floor = floorOf(result.startedAt + ahead - 1000, rules.retentionDays);
  for (const exchange of exchanges) {
    if (exchange.stream !== stream) continue;
    const { start, end, cursor, status } = exchange;
    const shown = `${new Date(start).toISOString()} ${new Date(end).toISOString()}`;
    if (exchange.refusal === "cursor-of-another-query" || exchange.refusal === "cursor-unknown") {
      faults.push(
        `S3: a page was asked for with another query than its window: ${exchange.refusal}`,
      );
    }
    const known = windows.find((window) => window.start === start && window.end === end);
    if (cursor === null) {
      if (end - start > rules.maximumWindowDays * DAY) faults.push(`W2: too long: ${shown}`);
      const isSecond = exchanges.some(
        (other) =>
          other.stream === stream &&
          other.start === start &&
          other.end === end &&
          other.cursor !== null &&
          other.at < exchange.at,
      );
      // A second reading (R6) of a resumed window has the bounds that a sync of an earlier day planned.
      if (start < floor && !isSecond) faults.push(`W3: before the floor: ${shown}`);
      const hourly = rules.granularity === "1h";
      const wholeStart = hourly && resumes ? hourOf(start) : dayOf(start);
      if (wholeStart !== start || (hourly ? hourOf(end) : dayOf(end)) !== end)
        faults.push(`W1: not on whole buckets: ${shown}`);
      // P5 S8: with room for few entries, one entry stands for all windows that show awaited strays, and is read as one window.
      const isNamed = (listsFrom?.awaited ?? []).some(
        ([, , from, until]) => Date.parse(from) <= start && end <= Date.parse(until),
      );
      if (stream === "costs" && monthOf(start, 0) !== monthOf(end - 1, 0) && !isNamed)
        faults.push(`W1: crosses a month: ${shown}`);
    }
    // P5: a day is read once more if strays of other windows start on it.
    const isLook = STRAYING.has(rules.selects);
    if (known === undefined && !isLook) {
      const shared = windows.filter((window) => overlap(window, exchange));
      // W3: the start of a resumed window may have left retention. The second reading (R6) then covers only the rest of the window.
      const edge = exchange.date - rules.retentionDays * DAY;
      const legal = shared.every(
        (window) =>
          (window.refused || mayShorten || window.start < edge) &&
          window.start <= start &&
          window.end >= end,
      );
      if (!legal && !isAgain(exchange, shared, { windows, exchanges, resumes, listsFrom }))
        faults.push(`W1: overlaps another window of this read: ${shown}`);
      windows.push({ start, end, refused: status === 400 });
    } else if (status === 400 && known !== undefined) known.refused = true;
  }
  return faults;
}

/**
 * R10: whether a request reads days once more in other windows. The windows of these days were read to their end before. No window of
 * other days follows, except for those that an earlier process of the pass has read, and for windows that list their strays.
 */
function isAgain(
  { stream, at }: Exchange,
  shared: readonly Span[],
  {
    windows,
    exchanges,
    resumes,
    listsFrom,
  }: Pick<Judged, "exchanges"> & {
    windows: readonly Span[];
    resumes: boolean;
    listsFrom: StateValue | undefined;
  },
): boolean {
  const own = exchanges.filter((other) => other.stream === stream);
  const hasEnded = ({ start, end }: Span): boolean =>
    own.some(
      (other) =>
        other.start === start && other.end === end && other.nextCursor === null && other.at < at,
    );
  const isKnown = (other: Exchange): boolean =>
    windows.some((window) => overlap(window, other)) ||
    (listsFrom !== undefined && isListing(other, own, listsFrom));
  const isLast = resumes || own.every((other) => other.at <= at || isKnown(other));
  return shared.every(hasEnded) && isLast;
}

/**
 * S4: a window that is open in a STATE is open in the next one too, unless it was read to its end or its own cursor was refused.
 * A failure of another window must not close this one. Drawn faults may refuse any cursor, so lives with them are not checked.
 */
function judgeCursors(
  stream: StreamName,
  { result, exchanges, mayShorten, mayLeaveOut }: Judged,
): string[] {
  if (mayShorten || mayLeaveOut) return [];
  const faults: string[] = [];
  const byWindow = Map.groupBy(
    exchanges.filter((exchange) => exchange.stream === stream),
    (exchange) => `${exchange.start} ${exchange.end}`,
  );
  let before: readonly OpenWindow[] = [];
  for (const item of result.items) {
    if (item.kind !== "state" || item.stream !== stream) continue;
    const { pass } = item.value;
    for (const { start, end } of pass === undefined ? [] : before) {
      const [from, to] = [Date.parse(start), Date.parse(end)];
      const isOpen = pass?.open.some((open) => open.start === start && open.end === end) ?? false;
      const isRead = (pass?.reads ?? []).some(
        (read) => Date.parse(read.start) <= from && Date.parse(read.end) >= to,
      );
      if (isOpen || isRead) continue;
      const own = byWindow.get(`${from} ${to}`) ?? [];
      const isRefused = own.some(({ cursor, status }) => cursor !== null && status === 400);
      // A window whose last page has come waits for its second reading (R6) or for its strays (P5).
      const isOver = own.some(({ status, nextCursor }) => status === 200 && nextCursor === null);
      // V1, P3: an answer that stays broken after five retries costs its window the cursor.
      const staysBroken = own.some(
        ({ cursor }) => own.filter((other) => other.cursor === cursor).length > 5,
      );
      if (!isRefused && !isOver && !staysBroken)
        faults.push(
          `S4: the cursor of ${stream} ${start} to ${end} is lost, and nobody refused it`,
        );
    }
    before = pass?.open ?? [];
  }
  return faults;
}

/** The last STATE of a stream, if there was one. */
export function lastState(
  items: readonly Item[],
  stream: string,
): { json: string; value: StateValue } | undefined {
  return items.filter((item) => item.kind === "state").findLast((item) => item.stream === stream);
}
