/** Helpers of several checks. */
import type { Finding, Result } from "../check.ts";
import { Missing } from "../errors.ts";
import type { Exchange } from "../http.ts";
import { DAY, floorTo } from "../instants.ts";
import { byId, queryOf, read, whole } from "../reading.ts";
import type { Reading, Seen, Series, Window } from "../pages.ts";
import { again, announced, paged, parts, sample, seriesOf } from "../samples.ts";
import { Once } from "../session.ts";
import type { Session } from "../session.ts";

/** The first of the findings, with how many there are. */
export function firstOf(findings: readonly Finding[]): Finding | undefined {
  const [first, ...others] = findings;
  if (first === undefined || others.length === 0) return first;
  return { ...first, seen: `${first.seen} (and ${others.length} more like it)` };
}

/** Broken if there are findings, else passed. */
export function judgedAll(findings: readonly Finding[]): Result {
  const finding = firstOf(findings);
  return finding === undefined ? { kind: "passed" } : { kind: "broken", finding };
}

/**
 * Judges each listing that the account is offered. A listing that lacks something the check needs is left out. If every listing lacks
 * something, the check is not verified.
 */
export async function eachSeries(
  session: Session,
  judge: (series: Series) => Promise<readonly Finding[]>,
  dataset?: "usage" | "costs",
): Promise<Result> {
  const findings: Finding[] = [];
  const missing: string[] = [];
  const offered = await seriesOf(session);
  const all = offered.filter((series) => dataset === undefined || series.dataset === dataset);
  if (all.length === 0) throw new Missing(`the dataset ${dataset}`);
  for (const series of all) {
    try {
      findings.push(...(await judge(series)));
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      missing.push(error.message);
    }
  }
  if (findings.length > 0) return judgedAll(findings);
  const lacks = [...new Set(missing)].join("; ");
  if (missing.length === all.length) return { kind: "not_verified", missing: lacks };
  return missing.length === 0 ? { kind: "passed" } : { kind: "passed", note: `without ${lacks}` };
}

type PerSeries = (session: Session, series: Series) => Promise<readonly Finding[]>;

/** A check that judges each listing, of one dataset or of both, by itself. */
export function each(
  judge: PerSeries,
  dataset?: "usage" | "costs",
): (session: Session) => Promise<Result> {
  const ofServed = async (session: Session, series: Series): Promise<readonly Finding[]> => {
    if ((await trial(session, series)).status === 200) return judge(session, series);
    throw new Missing(`${series.name}, which is on offer and not served`);
  };
  return (session) => eachSeries(session, (series) => ofServed(session, series), dataset);
}

const trials = new Once<Exchange>();

/** The answer to a small request for what is on offer. */
export function trial(session: Session, series: Series): Promise<Exchange> {
  return trials.of(session, series.name, async () => {
    const query = queryOf(series, await yesterday(session, series), 1);
    return session.ask({ path: series.path, query });
  });
}

/** The last whole day. Throws {@link Missing} if it begins before retention. */
export async function yesterday(session: Session, series: Series): Promise<Window> {
  const end = floorTo(DAY, await session.now());
  if ((await announced(session, series.dataset, "retention_days")) === 1)
    throw new Missing("a retention of two days or more");
  return { start: end - DAY, end };
}

async function attempt(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
  }
}

const usual = new Once<void>();

/** Every record that any reading showed. Reads the usual windows first. Throws {@link Missing} if there are none. */
export async function recordsSeen(session: Session): Promise<readonly Seen[]> {
  await usual.of(session, "", async () => {
    for (const series of await seriesOf(session)) {
      for (const take of [sample, again, paged, parts]) await attempt(take(session, series));
    }
  });
  const records = session.readings.flatMap((reading) => reading.records);
  if (records.length === 0) throw new Missing("records to judge");
  return records;
}

/** The readings so far, after the usual windows were read. */
export async function readingsSeen(session: Session): Promise<Session["readings"]> {
  await attempt(recordsSeen(session));
  if (session.readings.length === 0) throw new Missing("pages to judge");
  return session.readings;
}

/** Findings about records, one for each distinct record that `judge` finds fault with. */
export function eachRecord(
  records: readonly Seen[],
  judge: (seen: Seen) => { seen: string; expected: string } | undefined,
): Finding[] {
  const judged = new Map<string, Finding | undefined>();
  for (const seen of records) {
    const key = `${seen.series.name} ${seen.text}`;
    if (judged.has(key)) continue;
    const fault = judge(seen);
    judged.set(key, fault && { ...fault, exchange: seen.exchange });
  }
  return [...judged.values()].flatMap((finding) => finding ?? []);
}

const passes = new Once<Reading>();

function afterwards(session: Session, series: Series): Promise<Reading> {
  return passes.of(session, series.name, async () => {
    for (const take of [paged, parts]) await attempt(take(session, series));
    const { window } = await sample(session, series);
    return whole(await read(session, series, window));
  });
}

/** The records of a series' window that three passes showed alike, and the ids of all others. */
export interface Steady {
  readonly records: ReadonlyMap<string, Seen>;
  readonly restless: ReadonlySet<string>;
}

/**
 * Separates records that change by themselves from records that depend on the query. Two passes come before the window is read in parts
 * and in pages, and one pass after it. Records that come, go or change between these passes are left out.
 */
export async function steady(session: Session, series: Series): Promise<Steady> {
  const readings = [
    await sample(session, series),
    await again(session, series),
    await afterwards(session, series),
  ];
  const maps = readings.map(({ records }) => byId(records));
  const restless = new Set<string>();
  const steadyRecords = new Map<string, Seen>();
  for (const [id, seen] of maps.flatMap((pass) => [...pass])) {
    if (maps.every((pass) => pass.get(id)?.text === seen.text)) steadyRecords.set(id, seen);
    else restless.add(id);
  }
  return { records: steadyRecords, restless };
}

/** Longest foreign value in a finding. */
const LONGEST = 200;

/** A value as a report shows it. */
export function quoted(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

/** The name of a record in a report. */
export function nameOf(seen: Seen): string {
  return `record ${quoted(seen.id)} of ${seen.series.name}`;
}

/** The status of an answer in words. */
export function statusOf({ status, broken }: Exchange): string {
  return status === 0 ? `no answer (${broken ?? "nothing came"})` : `status ${status}`;
}
