/** WIN: half-open windows and their parts (interface sections 1, 4.2 and 4.3). */
import type { Check, Finding, Result } from "../check.ts";
import { ZERO, add, formatDecimal, parseDecimal } from "../decimals.ts";
import { Missing } from "../errors.ts";
import { DAY, floorTo, formatInstant } from "../instants.ts";
import { canonical } from "../json.ts";
import { byId, read, whole } from "../reading.ts";
import type { Reading, Seen, Series, Window } from "../pages.ts";
import { announced, bucketOf, parts, sample } from "../samples.ts";
import type { Session } from "../session.ts";
import { each, eachRecord, judgedAll, nameOf, quoted, readingsSeen, steady } from "./shared.ts";

function shown({ start, end }: Window): string {
  return `[${formatInstant(start)}, ${formatInstant(end)})`;
}

/** Whether the record lies inside one bucket. */
function isShort({ start, end, series }: Seen): boolean {
  if (start === undefined || end === undefined || end <= start) return false;
  const bucket = bucketOf(series);
  return floorTo(bucket, start) === floorTo(bucket, end - 1);
}

/** Whether the record lies inside one bucket, and no edge between the parts divides it. */
function isUndivided(seen: Seen, tiling: readonly Reading[]): boolean {
  const { start = 0, end = 0 } = seen;
  return isShort(seen) && !tiling.some(({ window }) => start < window.start && window.start < end);
}

/** Tells records with one id apart by the start of the charge period: the interface does not say how far an id is unique. */
const keyOf = ({ id, start }: Seen): string => `${id} ${start}`;

async function strays(session: Session): Promise<Result> {
  const findings: Finding[] = [];
  for (const { records, window } of await readingsSeen(session)) {
    findings.push(
      ...eachRecord(records, (seen) => {
        const { start, end } = seen;
        if (start === undefined || end === undefined) return undefined;
        // A record that begins at the window's end is a matter of two adjacent windows: see halfOpen.
        if (start <= window.end && (end > window.start || start >= window.start)) return undefined;
        return {
          seen: `${nameOf(seen)} covers ${shown({ start, end })}`,
          expected: `a charge period in the window ${shown(window)}`,
        };
      }),
    );
  }
  return judgedAll(findings);
}

/** Records of one kind, with the numbers of the parts that show them. */
function placesOf(tiling: readonly Reading[], accepts: (seen: Seen) => boolean) {
  const places = new Map<string, { seen: Seen; parts: Set<number> }>();
  for (const [number, { records }] of tiling.entries()) {
    for (const seen of records) {
      if (seen.id === undefined || !accepts(seen)) continue;
      const place = places.get(keyOf(seen)) ?? { seen, parts: new Set<number>() };
      place.parts.add(number);
      places.set(keyOf(seen), place);
    }
  }
  return places;
}

async function halfOpen(session: Session, series: Series): Promise<Finding[]> {
  const { restless } = await steady(session, series);
  const findings: Finding[] = [];
  for (const tiling of await parts(session, series)) {
    const places = placesOf(tiling, (seen) => isUndivided(seen, tiling));
    for (const { seen, parts: numbers } of places.values()) {
      if (numbers.size < 2 || restless.has(String(seen.id))) continue;
      findings.push({
        seen: `${nameOf(seen)} is in ${numbers.size} of ${tiling.length} adjacent windows`,
        expected: "start inclusive, end exclusive: a record is in one of two adjacent windows",
        exchange: seen.exchange,
      });
    }
  }
  return findings;
}

/** The amounts of records by unit or currency, in words. */
function amountOf(records: readonly Seen[]): string {
  const sums = new Map<string, typeof ZERO>();
  for (const { value } of records) {
    const unit = value?.["BillingCurrency"] ?? value?.["ConsumedUnit"];
    const amount = parseDecimal(value?.["BilledCost"] ?? value?.["ConsumedQuantity"]);
    if (typeof unit !== "string" || amount === undefined) continue;
    sums.set(unit, add(sums.get(unit) ?? ZERO, amount));
  }
  return [...sums].map(([unit, sum]) => `${formatDecimal(sum)} ${unit}`).join(", ");
}

async function tiles(session: Session, series: Series): Promise<Finding[]> {
  const { records, restless } = await steady(session, series);
  const { window } = await sample(session, series);
  const findings: Finding[] = [];
  for (const tiling of await parts(session, series)) {
    const all = tiling.flatMap((part) => part.records);
    const shownByParts = byId(all);
    const asShown = new Set(all.map(({ text }) => text));
    const short = [...records.values()].filter((seen) => isUndivided(seen, tiling));
    const texts = new Set([...shownByParts.values()].map(withoutId));
    const lost = short.filter(
      (seen) => !shownByParts.has(String(seen.id)) && !texts.has(withoutId(seen)),
    );
    const range = shown(window);
    const exchange = tiling.at(-1)?.pages[0]?.exchange;
    if (lost.length > 0) {
      const seen = `${lost.length} of ${short.length} records of ${range} (${amountOf(lost)}) are in none of its ${tiling.length} parts, such as ${quoted(lost[0]?.id)}`;
      findings.push({ seen, expected: "a range equals the sum of its parts", exchange });
    }
    const known = new Set([...records.values()].map(withoutId));
    const gained = [...shownByParts.values()].filter(
      (seen) =>
        isUndivided(seen, tiling) &&
        !records.has(String(seen.id)) &&
        !restless.has(String(seen.id)) &&
        !known.has(withoutId(seen)) &&
        isInside(seen, window),
    );
    if (gained.length > 0) {
      const seen = `${gained.length} records (${amountOf(gained)}) are in a part of ${range} but not in the whole, such as ${quoted(gained[0]?.id)}`;
      findings.push({
        seen,
        expected: "a range equals the sum of its parts",
        exchange: gained[0]?.exchange,
      });
    }
    const changed = short.find((seen) => {
      return shownByParts.has(String(seen.id)) && !asShown.has(seen.text);
    });
    if (changed !== undefined) {
      const seen = `${nameOf(changed)} has other values in a part of the window than in the whole`;
      findings.push({
        seen,
        expected: "the same values in any window",
        exchange: shownByParts.get(String(changed.id))?.exchange,
      });
    }
  }
  return findings;
}

function isInside({ start }: Seen, window: Window): boolean {
  return start !== undefined && start >= window.start && start < window.end;
}

/** The content of a record without its id, to find records that have another id now. */
export function withoutId({ value, text }: Seen): string {
  return value === undefined ? text : canonical({ ...value, x_RecordId: "" });
}

async function longCharges(session: Session, series: Series): Promise<Finding[]> {
  const { records } = await steady(session, series);
  const { window } = await sample(session, series);
  const long = [...records.values()].filter((seen) => !isShort(seen) && isInside(seen, window));
  if (long.length === 0) {
    if (series.dataset === "usage") return [];
    throw new Missing("charges that cover several days");
  }
  const findings: Finding[] = [];
  for (const tiling of await parts(session, series)) {
    const places = placesOf(tiling, (seen) => !isShort(seen));
    for (const seen of long) {
      const count = places.get(keyOf(seen))?.parts.size ?? 0;
      if (count === 1) continue;
      findings.push({
        seen: `${nameOf(seen)}, which covers several days or none, is in ${count} of ${tiling.length} adjacent windows`,
        expected: "one window: the one that has its ChargePeriodStart",
        exchange: (places.get(keyOf(seen))?.seen ?? seen).exchange,
      });
    }
  }
  return findings;
}

export async function atFloor(session: Session, series: Series, days: number) {
  const retention = await announced(session, series.dataset, "retention_days");
  if (retention === undefined) throw new Missing("the limits of capabilities");
  const floor = floorTo(DAY, (await session.now()) - retention * DAY);
  const window = { start: floor + days * DAY, end: floor + (days + 1) * DAY };
  return { window, retention };
}

async function widest(session: Session, series: Series): Promise<Finding[]> {
  if (!session.options.deep)
    throw new Missing("--deep, which reads whole windows of the largest size");
  const days = (await announced(session, series.dataset, "maximum_window_days")) ?? 1;
  const { window } = await sample(session, series);
  const start = Math.max(window.end - days * DAY, (await atFloor(session, series, 2)).window.start);
  const large = byId(whole(await read(session, series, { start, end: window.end })).records);
  const { records } = await steady(session, series);
  const lost = [...records.values()].filter((seen) => isShort(seen) && !large.has(String(seen.id)));
  if (lost.length === 0) return [];
  const seen = `${lost.length} records (${amountOf(lost)}) of a small window are not in a larger one around it`;
  return [
    {
      seen,
      expected: "a larger window has all that a smaller one has",
      exchange: lost[0]?.exchange,
    },
  ];
}

export const windowChecks: readonly Check[] = [
  {
    id: "WIN-01",
    level: "must",
    clause: "1, 4.2, 4.3",
    title: "The charge period of each record touches the window that was asked for.",
    protects:
      "A record outside is written with a day that was not asked for, and counted there again later.",
    mend: "Return no record whose charge period lies outside the window. Best, select by its start (WIN-04).",
    run: strays,
  },
  {
    id: "WIN-02",
    level: "must",
    clause: "1",
    title: "Windows are half-open: no record is in two adjacent windows.",
    protects: "A record at the edge is counted twice.",
    mend: "Compare with < at the end of the window.",
    run: each(halfOpen),
  },
  {
    id: "WIN-03",
    level: "must",
    clause: "1, 4.2",
    title: "A range read whole equals its parts, in any cut, by id and digit.",
    protects: "Money that only one of two cuts shows is lost in the other.",
    mend: "Compare with <= at the start of the window, and compute nothing that depends on the window.",
    run: each(tiles),
  },
  {
    id: "WIN-04",
    level: "should",
    clause: "1, 4.3",
    title: "A charge that covers several days is in exactly one of several adjacent windows.",
    protects:
      "A monthly charge in every window of its month is counted each time; in none, it is lost.",
    mend: "Select by ChargePeriodStart alone (start <= ChargePeriodStart < end), not by overlap or containment.",
    run: each(longCharges),
  },
  {
    id: "WIN-16",
    level: "must",
    clause: "1, 8",
    title: "The largest window has all that a smaller one inside it has.",
    protects: "A provider that samples or cuts large answers loses money in silence.",
    mend: "Page through everything; never cut an answer.",
    run: each(widest),
  },
];
