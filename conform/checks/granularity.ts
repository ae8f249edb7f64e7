/** GRN: hours and days of usage tell the same story (interface sections 1 and 4.2). */
import { passed } from "../check.ts";
import type { Check, Finding, Result } from "../check.ts";
import { Missing } from "../errors.ts";
import { add, formatDecimal, parseDecimal, ZERO } from "../decimals.ts";
import { DAY, floorTo, formatInstant } from "../instants.ts";
import { read, whole } from "../reading.ts";
import type { Reading, Seen } from "../pages.ts";
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
  const first = await sample(session, hours);
  const day = floorTo(DAY, first.window.start);
  const window = { start: day, end: day + DAY };
  if (first.window.start !== window.start || first.window.end < window.end)
    throw new Missing("a whole day of usage by the hour that is small enough to be read");
  if (first.records.some(({ value }) => value?.["x_Granularity"] !== "1h"))
    throw new Missing("usage by the hour that has x_Granularity 1h");
  // A record that came between two readings makes no difference at the second try.
  const once = differences(first, whole(await read(session, days, window)), day);
  if (once.length === 0) return passed;
  const byHour = whole(await read(session, hours, window));
  return judgedAll(differences(byHour, whole(await read(session, days, window)), day));
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
