/** GRN: hours and days of usage tell the same story (interface sections 1 and 4.2). */
import { passed } from "../check.ts";
import type { Check, Finding, Result } from "../check.ts";
import { Missing } from "../errors.ts";
import { add, formatDecimal, parseDecimal, ZERO } from "../decimals.ts";
import { DAY, floorTo, formatInstant, parseInstant } from "../instants.ts";
import { read, whole } from "../reading.ts";
import type { Reading, Seen, Series } from "../pages.ts";
import { sample, seriesOf } from "../samples.ts";
import type { Session } from "../session.ts";
import { judgedAll } from "./shared.ts";

function sums(records: readonly Seen[], day: number, granularity: string) {
  const totals = new Map<string, typeof ZERO>();
  for (const { value, start } of records) {
    const amount = parseDecimal(value?.["ConsumedQuantity"]);
    if (start === undefined || amount === undefined || floorTo(DAY, start) !== day) continue;
    if (value?.["x_Granularity"] !== granularity) continue;
    const key = `${String(value["x_UsageType"])} in ${String(value["ConsumedUnit"])}`;
    totals.set(key, add(totals.get(key) ?? ZERO, amount));
  }
  return totals;
}

async function hoursAddUp(session: Session): Promise<Result> {
  const series = await seriesOf(session);
  const days = series.find(({ name }) => name === "usage 1d");
  const hours = series.find(({ name }) => name === "usage 1h");
  if (days === undefined || hours === undefined) throw new Missing("usage at both granularities");
  const latest = await sample(session, hours);
  const latestDay = floorTo(DAY, latest.window.start);
  if (latest.window.start !== latestDay || latest.window.end < latestDay + DAY)
    throw new Missing("a whole day of usage by the hour that is small enough to be read");
  const readDay = async (one: Series, day: number): Promise<Reading> =>
    whole(await read(session, one, { start: day, end: day + DAY }));
  let byHour = latest;
  let byDay = await readDay(days, latestDay);
  // Before a day is declared available, one of the two listings may show more of it.
  const through = floorTo(DAY, Math.min(throughOf(byHour), throughOf(byDay)));
  const day = Math.min(latestDay, through - DAY);
  if (day < latestDay) {
    byHour = await readDay(hours, day);
    byDay = await readDay(days, day);
    if (byHour.records.length + byDay.records.length === 0)
      throw new Missing("usage of a day before available_through");
  }
  if (byHour.records.some(({ value }) => value?.["x_Granularity"] !== "1h"))
    throw new Missing("usage by the hour that has x_Granularity 1h");
  // A record that came between two readings makes no difference at the second try.
  if (differences(byHour, byDay, day).length === 0) return passed;
  return judgedAll(differences(await readDay(hours, day), await readDay(days, day), day));
}

/** A page whose `available_through` is no instant is a fault for another check. */
function throughOf({ pages }: Reading): number {
  return parseInstant(pages[0]?.envelope?.["available_through"]) ?? Number.MAX_SAFE_INTEGER;
}

function differences(byHour: Reading, byDay: Reading, day: number): Finding[] {
  const [small, large] = [sums(byHour.records, day, "1h"), sums(byDay.records, day, "1d")];
  const exchange = byHour.pages[0]?.exchange;
  const findings: Finding[] = [];
  for (const key of new Set([...small.keys(), ...large.keys()])) {
    const [ofHours, ofDay] = [small, large].map((totals) => formatDecimal(totals.get(key) ?? ZERO));
    if (ofHours === ofDay) continue;
    const seen = `${key} on ${formatInstant(day).slice(0, 10)}: ${ofHours} by the hour, ${ofDay} by the day`;
    findings.push({ seen, expected: "one sum, by either granularity", exchange });
  }
  return findings;
}

export const granularityChecks: readonly Check[] = [
  {
    id: "GRN-01",
    level: "must",
    clause: "1, 4.2",
    title: "The hours of a day add up to the day.",
    protects: "Both listings claim to be the complete metered usage; one of them is wrong.",
    mend: "Make both from the same events, and find what one of them leaves out.",
    run: hoursAddUp,
  },
];
