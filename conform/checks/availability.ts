/** AVL: how far the data are complete (interface section 2.6.1). */
import type { Check, Finding } from "../check.ts";
import { Missing } from "../errors.ts";
import { DAY, HOUR, floorTo, formatInstant, parseInstant } from "../instants.ts";
import type { Series } from "../pages.ts";
import { dateOf } from "../retry_after.ts";
import { again, sample } from "../samples.ts";
import type { Session } from "../session.ts";
import { each, judgedAll, quoted, readingsSeen } from "./shared.ts";

async function notLaterThanNow(session: Session) {
  const findings: Finding[] = [];
  for (const { pages } of await readingsSeen(session)) {
    for (const { envelope, exchange } of pages) {
      const through = parseInstant(envelope?.["available_through"]);
      const asOf = dateOf(exchange) ?? parseInstant(envelope?.["as_of"]);
      if (through === undefined || asOf === undefined || through <= asOf + 1000) continue;
      const seen = `available_through is ${quoted(envelope?.["available_through"])}, and it is ${formatInstant(asOf)}`;
      findings.push({ seen, expected: "an instant that is not in the future", exchange });
    }
  }
  return judgedAll(findings);
}

const CLOCKS_APART = 5 * 60_000;

async function asOfIsNow(session: Session) {
  const findings: Finding[] = [];
  let judged = false;
  for (const { pages } of await readingsSeen(session)) {
    for (const { envelope, exchange } of pages.slice(0, 1)) {
      const asOf = parseInstant(envelope?.["as_of"]);
      const date = dateOf(exchange);
      if (asOf === undefined || date === undefined) continue;
      judged = true;
      if (asOf <= date + CLOCKS_APART) continue;
      const seen = `as_of is ${quoted(envelope?.["as_of"])}, and Date is ${quoted(exchange.headers["date"])}`;
      findings.push({ seen, expected: "an as_of that is not after the answer", exchange });
    }
  }
  if (!judged) throw new Missing("pages with as_of and Date");
  return judgedAll(findings);
}

async function neverBack(session: Session, series: Series): Promise<Finding[]> {
  const { window } = await sample(session, series);
  await again(session, series);
  // Only readings of one window are compared, because some providers never name a later instant than the window's end.
  const readings = session.readings.filter(
    (reading) => reading.series === series && reading.window === window,
  );
  let highest = -Infinity;
  for (const { pages } of readings) {
    const through = parseInstant(pages[0]?.envelope?.["available_through"]);
    if (through === undefined) continue;
    if (through < highest) {
      const seen = `available_through went back from ${formatInstant(highest)} to ${formatInstant(through)}`;
      return [{ seen, expected: "an instant that never goes back", exchange: pages[0]?.exchange }];
    }
    highest = through;
  }
  return [];
}

async function freshAsSaid(session: Session, series: Series): Promise<Finding[]> {
  const lag = (await session.offer("usage"))?.["freshness_lag_minutes"];
  if (typeof lag !== "number") throw new Missing("an announced freshness_lag_minutes");
  const { pages, window } = await sample(session, series);
  const page = pages[0];
  const through = parseInstant(page?.envelope?.["available_through"]);
  const now = page && (dateOf(page.exchange) ?? parseInstant(page.envelope?.["as_of"]));
  if (through === undefined || now === undefined) throw new Missing("available_through");
  const bucket = series.granularity === "1h" ? HOUR : DAY;
  const due = floorTo(bucket, now - lag * 60_000) - bucket;
  if (through >= Math.min(due, window.end)) return [];
  const seen = `available_through is ${formatInstant(through)} at ${formatInstant(now)}, with a freshness lag of ${lag} minutes`;
  return [
    { seen, expected: "no more than a bucket behind the announced lag", exchange: page?.exchange },
  ];
}

export const availabilityChecks: readonly Check[] = [
  {
    id: "AVL-01",
    level: "should",
    clause: "2.6.1",
    title: "`available_through` is not in the future.",
    protects: "A client counts days as complete that have not begun.",
    mend: "Send the end of the last bucket that is wholly processed.",
    run: notLaterThanNow,
  },
  {
    id: "AVL-02",
    level: "should",
    clause: "2.6.1",
    title: "`as_of` is not after the answer's `Date`.",
    protects: "Clients compare the two to know what is new.",
    mend: "Take as_of and Date from one clock, in UTC.",
    run: asOfIsNow,
  },
  {
    id: "AVL-03",
    level: "should",
    clause: "2.6.1",
    title: "`available_through` never goes back within a run.",
    protects: "A client does not read again what was complete before.",
    mend: "Store the highest value that was ever sent, and send no lower one.",
    run: each(neverBack),
  },
  {
    id: "AVL-04",
    level: "should",
    clause: "2.6.1, 8",
    title: "Usage is as fresh as `freshness_lag_minutes` says.",
    protects: "Clients re-read by the announced lag; what comes later is missed.",
    mend: "Announce the lag that the pipeline really has.",
    run: each(freshAsSaid, "usage"),
  },
];
