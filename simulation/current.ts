/**
 * R4 to R9: if the newest report proves a day, the tables have the rows that the provider showed when the day was read. This is
 * judged after every sync, also after kills, for two tables: one that only grows, and one that keeps the newest row of each key.
 * After the last full pass, when the provider is quiet, every day must be proven.
 */
import { awaitsHidden, awaitsInVain, awaitsNext, mayReadAgain } from "./awaiting.ts";
import { date, DAY, dayOf } from "./calendar.ts";
import type { Item, ReportRow, StateValue, Warehouse } from "./platform.ts";
import { isHidden, isStrayOf, type Span } from "./outages.ts";
import { type Exchange, isPostedLater, type Rules } from "./provider.ts";
import type { Judgeable } from "./judgeable.ts";
import { judgeUntold } from "./untold.ts";
import { movedTwice, seenSince } from "./moving.ts";
import { isDue, wasListed } from "./reread.ts";
import { coversDay } from "./standing.ts";
import { addUp } from "./totals.ts";
import { type Life, livesOn, type StreamName, type Version, visible } from "./records.ts";

/** R10: whether a sync reads all windows that are due. With a small bound some of them wait for later syncs. */
export const readsAllDue = ({ trials }: Judgeable["world"]): boolean =>
  trials.limits.dueWindows > 100;

/** L1: whether a state has room for a few strays only. */
const remembersFew = ({ trials }: Judgeable["world"]): boolean => trials.limits.knownStrays < 100;

/** L1: whether the state names as many strays as it has room for: it may have forgotten others, which come again like new ones. */
const isFull = ({ world, strayCountOf }: Judgeable, stream: StreamName): boolean =>
  remembersFew(world) && strayCountOf(stream) >= world.trials.limits.knownStrays;

/** S8, L1: whether a state has forgotten the content of days, or a read the records that it has seen. */
const forgets = ({ forgetsDays, mayCountTwice }: Judgeable): boolean =>
  forgetsDays || mayCountTwice;

/** The rows of a day as a table shows them. */
interface Shown {
  readonly table: "append" | "dedup";
  readonly versions: readonly Version[];
}

/** Every day whose proof is wrong: its report is confirmed, its rows are all there, and the provider showed others. */
export function judgeProofs(judgeable: Judgeable): string[] {
  const { world, warehouse, chainOf } = judgeable;
  if (!world.reports) return [];
  return world.provider.options.datasets.flatMap((rules) => {
    const { stream } = rules;
    const faults: string[] = [];
    for (const report of newestReports(stream, warehouse.reports, chainOf(stream)).values()) {
      if (!report.confirmed || report.shrunk) continue;
      for (const shown of shownOf(stream, report, warehouse)) {
        if (shown.versions.length !== report.rows) continue; // the models say: rows are missing
        const since = seenSince(rules, report, warehouse);
        faults.push(...judgeDay(rules, { report, since }, shown, world.lives));
      }
    }
    return faults;
  });
}

/**
 * Names the records that the last pass was shown but that the table lacks, and the days that it read but did not prove.
 *
 * @param items the output of the last pass
 * @param states the states that it began with
 */
export function judgeCurrent(
  judgeable: Judgeable,
  items: readonly Item[],
  states: ReadonlyMap<string, { readonly value: StateValue }>,
): string[] {
  const { world, warehouse, scheduler, chainOf, dueOf } = judgeable;
  const faults: string[] = [];
  for (const exchange of world.provider.exchanges) {
    const { stream, start, end, versions } = exchange;
    const own = world.provider.exchanges.filter((other) => other.stream === stream);
    const stored = states.get(stream)?.value;
    const told = stored && { items, stored, reports: world.reports };
    if (told !== undefined && wasListed(exchange, own, told)) continue;
    for (const { record, text } of versions) {
      if (warehouse.rows[stream].get(record.id)?.text === text) continue;
      const isStray = isStrayOf(exchange, record);
      if (isStray && isLook(exchange, world.provider.exchanges)) continue;
      if (isStray && judgeable.mayLoseStrays) continue;
      if (judgeable.tooOld.has(stream)) continue;
      // A sync may list the strays of a window whose days wait for a later sync. It writes none of its rows.
      if (!readsAllDue(world) && isDue({ start, end }, { due: dueOf(stream) })) continue;
      faults.push(`R6: ${record.id} was shown, and is not in the table`);
    }
  }
  if (!world.reports) return faults;
  const isVolatile = world.provider.options.members === "volatile";
  for (const rules of world.provider.options.datasets) {
    const { stream } = rules;
    const newest = newestReports(stream, warehouse.reports, chainOf(stream));
    // A5: each sync finds the strays of such a provider restated, so that their days await them each time. L1, S8: a state that forgets
    // strays finds them again as new ones, and one that forgets days has nothing that a reading could agree with. L1: a read that forgets
    // the records of a day takes its strays for new ones.
    const mayAwait = isVolatile || forgets(judgeable) || isFull(judgeable, stream);
    for (const day of daysOf(stream, world.provider.exchanges, scheduler.now)) {
      const report = newest.get(date(day));
      const name = `${stream} ${date(day)}`;
      if (report === undefined) continue;
      // A listing that moved while it was read for the first time proves nothing yet (P6).
      if (!report.confirmed && report.rows_reading_id === report.reading_id) continue;
      const whole = { start: dayOf(day), end: dayOf(day) + DAY };
      // A sync may list the strays of a window that waits. That proves no day.
      if (!readsAllDue(world) && isDue(whole, { due: dueOf(stream) })) continue;
      const isAwaiting = mayAwait || awaitsNext(judgeable, { stream, day, states, items });
      if (!report.confirmed && isAwaiting) continue;
      if (!report.confirmed || report.shrunk) {
        faults.push(`P6: ${name} is not proven by reading ${report.reading_id}`);
        continue;
      }
      for (const shown of shownOf(stream, report, warehouse)) {
        const { table, versions } = shown;
        if (versions.length !== report.rows) {
          // A5: this provider repeats a record with other values, in a listing and as a stray. The models then report missing rows.
          if (isVolatile || judgeable.mayCountTwice) continue;
          if (table === "dedup" && judgeable.tooOld.has(stream)) continue;
          faults.push(`R5: ${name}: ${report.rows} rows reported, ${table} has ${versions.length}`);
        } else if (!addUp(report, versions)) {
          faults.push(`R5: ${name}: the rows of ${table} do not add up to the control totals`);
        }
        const since = seenSince(rules, report, warehouse);
        faults.push(...judgeDay(rules, { report, since }, shown, world.lives));
      }
    }
  }
  return faults;
}

/**
 * R10: every whole day that the config and retention let a sync read is proven, and the tables show the proven rows. Call it
 * when the provider has been quiet for two complete syncs. {@link judgeProofs} judges the content of the reports.
 *
 * @param range the instants that are read, by stream
 */
export function judgeProven(judgeable: Judgeable, range: (rules: Rules) => Span): string[] {
  const { world, warehouse, chainOf, mayLoseStrays } = judgeable;
  // A5: if a member differs in each answer, two readings never agree.
  if (!world.reports || world.provider.options.members === "volatile") return [];
  // S8: a listing that moves is not read again if the state has left out what to compare it with.
  if (judgeable.mayCountTwice || judgeable.forgetsDays) return [];
  const faults: string[] = [];
  for (const rules of world.provider.options.datasets) {
    const { stream } = rules;
    const { start, end } = range(rules);
    const forgetsStrays = isFull(judgeable, stream);
    faults.push(...judgeUntold(stream, warehouse, { start, end }, chainOf(stream)));
    for (const [day, report] of newestReports(stream, warehouse.reports, chainOf(stream))) {
      if (Date.parse(day) < start || Date.parse(day) + DAY > end) continue;
      if (judgeable.tooOldFor.has(report.id)) continue;
      if (awaitsInVain(judgeable, stream, Date.parse(day))) continue;
      if (awaitsHidden(judgeable, stream, Date.parse(day)) && !report.confirmed) continue;
      // L1: with room for few strays, those of a day may find room in turn, one in each sync, and the state forgets the others. Each sync
      // writes them again then, and has no room to read their days once more, or it takes them for new strays of the days that it reads.
      const isCrowded =
        mayLoseStrays || forgetsStrays || (!mayReadAgain(world) && remembersFew(world));
      if (isCrowded && !report.confirmed) continue;
      const shown = shownOf(stream, report, warehouse).filter(
        ({ table, versions }) =>
          versions.length !== report.rows &&
          !(table === "dedup" && judgeable.tooOld.has(stream)) &&
          !(table === "dedup" && haveMoved(report, versions, warehouse)),
      );
      if (report.confirmed && !report.shrunk && shown.length === 0) continue;
      if (shown.length === 0 && movedTwice(report, warehouse.reportsOf(stream, day))) continue;
      const why = shown.map(({ table, versions }) => `${table} has ${versions.length} rows`);
      faults.push(
        `R10: ${stream} ${day} is not proven by ${report.reading_id}: confirmed ${report.confirmed}, shrunk ${report.shrunk}, ` +
          `${report.rows} rows of ${report.rows_reading_id}, ${why.join(", ")}`,
      );
    }
  }
  return faults;
}

/**
 * R10: whether the rows that a day lacks now stand on another day, to which they moved after the reading had shown them. If no later pass
 * reads the old day, it stays unproven until the scrub. The reading saw the rows, so it began before they moved.
 */
function haveMoved(
  report: ReportRow,
  versions: readonly Version[],
  { readings, deduplicated }: Warehouse,
): boolean {
  const { rows_reading_id: readingId, first_as_of: beganAt, day } = report;
  const own = [...(readings.get(readingId) ?? [])];
  const lacking = own
    .filter(({ record }) => date(record.start) === day)
    .filter((one) => !versions.includes(one));
  return (
    versions.length + lacking.length === report.rows &&
    lacking.every(({ record: { id, stream, start } }) => {
      const standing = deduplicated[stream].get(id)?.version.record;
      return (
        standing !== undefined &&
        dayOf(standing.start) !== dayOf(start) &&
        (standing.versions[0]?.at ?? 0) > Date.parse(beganAt)
      );
    })
  );
}

/**
 * Whether a window was read because strays of other windows start in it (P5). If so, every window before it had ended, or another
 * lane read it for the same reason. The connector does not follow the strays of such a window, because each look would lead to the
 * next one through the whole history. The scrub finds these strays (R7).
 */
function isLook({ stream, start, end }: Exchange, exchanges: readonly Exchange[]): boolean {
  const own = exchanges.filter((other) => other.stream === stream);
  const isHere = (window: Exchange): boolean => window.start === start && window.end === end;
  const before = own.slice(0, own.findIndex(isHere));
  const hasLed = before.some((window) =>
    window.versions.some(
      ({ record }) =>
        record.start >= start &&
        record.start < end &&
        (record.start < window.start || record.start >= window.end),
    ),
  );
  const hasEnded = (window: Exchange): boolean =>
    before.some(
      (last) =>
        last.start === window.start &&
        last.end === window.end &&
        (last.nextCursor === null || last.status === 400),
    );
  return hasLed && before.every((window) => hasEnded(window) || isLook(window, exchanges));
}

function shownOf(stream: StreamName, report: ReportRow, warehouse: Warehouse): Shown[] {
  const readingId = report.rows_reading_id;
  const append = [...(warehouse.readings.get(readingId) ?? [])];
  const isOfDay = ({ record }: Version): boolean =>
    record.stream === stream && date(record.start) === report.day;
  const dedup: Version[] = [];
  for (const row of warehouse.deduplicated[stream].values())
    if (row.readingId === readingId && isOfDay(row.version)) dedup.push(row.version);
  return [
    { table: "append", versions: append.filter(isOfDay) },
    { table: "dedup", versions: dedup },
  ];
}

/**
 * The faults of the rows of a proven day. The table may have only versions that were visible at some instant of the reading that
 * proves the day, and it must have every record that was visible all the time. Only some windows show a record that is longer than
 * its day.
 */
export function judgeDay(
  rules: Rules,
  { report, since }: { readonly report: ReportRow; readonly since: number },
  { table, versions }: Shown,
  lives: readonly Life[],
): string[] {
  const { stream, outages } = rules;
  const [from, until] = [Date.parse(report.first_as_of), Date.parse(report.last_as_of)];
  const isEdge = (at: number): boolean => from < at && at <= until;
  if (outages.some(({ start, end }) => isEdge(start) || isEdge(end))) return [];
  const day = Date.parse(report.day);
  const texts = new Set(versions.map(({ text }) => text));
  const faults: string[] = [];
  for (const life of livesOn(lives, stream, day)) {
    if (isPostedLater(rules, life)) continue; // a stray by its nature
    if (isHidden(rules, life, from)) {
      if (versions.some(({ record }) => record === life)) faults.push(`shows ${life.id}`);
      continue;
    }
    const [first, last] = [visible(life, since), visible(life, until)];
    const isSteady = first !== undefined && first === last;
    if (isSteady && !texts.has(first.text)) faults.push(`misses ${life.id} version ${first.index}`);
    const own = versions.find(({ record }) => record === life);
    if (own === undefined) continue;
    const wasThere = life.versions.some(
      ({ at, index, text }) =>
        text === own.text &&
        at <= until &&
        (life.versions[index + 1]?.at ?? Infinity) > from &&
        life.withdrawnAt > from,
    );
    if (!wasThere) faults.push(`shows ${life.id} version ${own.index}`);
  }
  return faults.map(
    (fault) =>
      `R4: ${stream} ${report.day}, rows of ${report.rows_reading_id} vouched for by ${report.reading_id} as of ` +
      `${report.last_as_of}: ${table} ${fault}`,
  );
}

/**
 * The newest report of each day, by the order of the reading ids of the state's chain; it names the rows that stand. A report
 * that does not cover the whole day proves nothing.
 */
export function newestReports(
  stream: StreamName,
  reports: readonly ReportRow[],
  chain: string | undefined,
): Map<string, ReportRow> {
  const newest = new Map<string, ReportRow>();
  for (const row of reports) {
    if (row.dataset !== stream || row.chain !== chain || !row.inside_window) continue;
    if (row.reading_id >= (newest.get(row.day)?.reading_id ?? "")) newest.set(row.day, row);
  }
  return new Map([...newest].filter(([, row]) => coversDay(row)));
}

/** The days that were requested as a whole; today counts up to now. */
function daysOf(stream: StreamName, exchanges: readonly Exchange[], now: number): Set<number> {
  const days = new Set<number>();
  for (const exchange of exchanges) {
    if (exchange.stream !== stream) continue;
    for (let day = exchange.start; Math.min(day + DAY, now) <= exchange.end; day += DAY) {
      if (day >= exchange.end) break;
      days.add(day);
    }
  }
  return days;
}
