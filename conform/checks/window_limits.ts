/** WIN: which windows are accepted (interface sections 2, 4.2, 4.3, 7 and 8). */
import type { Check, Finding } from "../check.ts";
import { Missing } from "../errors.ts";
import { DAY, floorTo, formatInstant } from "../instants.ts";
import { queryOf } from "../reading.ts";
import type { Series } from "../pages.ts";
import { announced, sample } from "../samples.ts";
import { bodyOf } from "../session.ts";
import type { Session } from "../session.ts";
import { each, firstOf, statusOf } from "./shared.ts";
import { atFloor } from "./windows.ts";

type Change = (
  query: Record<string, string>,
  now: number,
) => Readonly<Record<string, string | undefined>>;

/** Asks with a changed query; what is undefined in `change` is left out. */
async function answerTo(session: Session, series: Series, change: Change) {
  const now = await session.now();
  const end = floorTo(DAY, now);
  const query = queryOf(series, { start: end - DAY, end }, 10);
  const changed = Object.entries({ ...query, ...change(query, now) });
  const sent = Object.fromEntries(
    changed.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return session.ask({ path: series.path, query: sent, probe: true });
}

interface Probe {
  readonly what: string;
  readonly change: Change;
}

function refused(...probes: readonly Probe[]) {
  return each(async (session, series) => {
    const findings: Finding[] = [];
    for (const { what, change } of probes) {
      const exchange = await answerTo(session, series, change);
      if (exchange.status === 400) continue;
      const seen = `a query with ${what} is answered with ${statusOf(exchange)}`;
      findings.push({ seen, expected: "status 400", exchange });
    }
    const finding = firstOf(findings);
    return finding === undefined ? [] : [finding];
  });
}

async function largestWindow(session: Session, series: Series, extra: number) {
  const days = await announced(session, series.dataset, "maximum_window_days");
  const retention = await announced(session, series.dataset, "retention_days");
  if (days === undefined || retention === undefined)
    throw new Missing("the limits of capabilities");
  const end = floorTo(DAY, await session.now());
  const start = end - days * DAY - extra;
  if (days >= retention - 1) throw new Missing("a retention longer than the largest window");
  const exchange = await session.ask({
    path: series.path,
    query: queryOf(series, { start, end }, 10),
    probe: true,
  });
  return { days, exchange };
}

async function largestIsServed(session: Session, series: Series): Promise<Finding[]> {
  const { days, exchange } = await largestWindow(session, series, 0);
  if (exchange.status === 200) return [];
  const seen = `a window of exactly ${days} days is answered with ${statusOf(exchange)}`;
  return [
    { seen, expected: "status 200: it is the largest window that the dataset accepts", exchange },
  ];
}

async function largerIsRefused(session: Session, series: Series): Promise<Finding[]> {
  const { days, exchange } = await largestWindow(session, series, 1000);
  if (exchange.status === 400) return [];
  const seen = `a window of ${days} days and a second is answered with ${statusOf(exchange)}`;
  return [{ seen, expected: "status 400", exchange }];
}

async function retentionIsServed(session: Session, series: Series): Promise<Finding[]> {
  const { window, retention } = await atFloor(session, series, 2);
  if (window.end > (await session.now())) throw new Missing("a retention of three days or more");
  const exchange = await session.ask({
    path: series.path,
    query: queryOf(series, window, 10),
    probe: true,
  });
  if (exchange.status === 200) return [];
  const seen = `a day inside the ${retention} days of retention is answered with ${statusOf(exchange)}`;
  return [{ seen, expected: "status 200", exchange }];
}

async function olderIsSaid(session: Session, series: Series): Promise<Finding[]> {
  const { window } = await atFloor(session, series, -2);
  const exchange = await session.ask({
    path: series.path,
    query: queryOf(series, window, 10),
    probe: true,
  });
  if (exchange.status === 400) return [];
  const page = bodyOf(exchange);
  const data = page?.["data"];
  if (Array.isArray(data) && data.length > 0) return [];
  const seen = `a day before retention is answered with ${statusOf(exchange)} and no records`;
  return [{ seen, expected: "status 400, or the records", exchange }];
}

const FORMS: readonly (readonly [string, (text: string) => string])[] = [
  ["fractions of a second", (text) => text.replace("Z", ".000Z")],
  ["the offset +00:00", (text) => text.replace("Z", "+00:00")],
];

async function forms(session: Session, series: Series): Promise<Finding[]> {
  for (const [what, form] of FORMS) {
    const exchange = await answerTo(session, series, ({ start = "", end = "" }) => ({
      start: form(start),
      end: form(end),
    }));
    if (exchange.status === 200) continue;
    const seen = `instants with ${what} are answered with ${statusOf(exchange)}`;
    return [{ seen, expected: "status 200: RFC 3339 allows them", exchange }];
  }
  return [];
}

async function future(session: Session, series: Series): Promise<Finding[]> {
  // One day, because some datasets accept no longer window.
  const change: Change = ({ end = "" }, now) => ({
    start: end,
    end: formatInstant(floorTo(DAY, now) + DAY),
  });
  const exchange = await answerTo(session, series, change);
  if (exchange.status === 200) return [];
  const seen = `a window that ends with the current day is answered with ${statusOf(exchange)}`;
  return [{ seen, expected: "status 200 and what there is of the day", exchange }];
}

async function emptyWindow(session: Session, series: Series): Promise<Finding[]> {
  const { window } = await sample(session, series);
  const start = window.start;
  const exchange = await session.ask({
    path: series.path,
    query: queryOf(series, { start, end: start }, 10),
    probe: true,
  });
  const data = bodyOf(exchange)?.["data"];
  if (exchange.status === 400 || (Array.isArray(data) && data.length === 0)) return [];
  const seen = `a window whose end is its start is answered with ${statusOf(exchange)}${Array.isArray(data) ? " and records" : ""}`;
  return [{ seen, expected: "status 400, or no records", exchange }];
}

const granularity = each(async (session, series) => {
  const findings: Finding[] = [];
  for (const text of [undefined, "2h"]) {
    const exchange = await answerTo(session, series, () => ({ granularity: text }));
    if (exchange.status === 400) continue;
    const seen = `usage with granularity ${text ?? "left out"} is answered with ${statusOf(exchange)}`;
    findings.push({ seen, expected: "status 400", exchange });
  }
  return findings;
}, "usage");

const missing = (name: string): Probe => ({
  what: `no ${name}`,
  change: () => ({ [name]: undefined }),
});

export const windowLimitChecks: readonly Check[] = [
  {
    id: "WIN-05",
    level: "must",
    clause: "4.2, 4.3, 7",
    title: "A window that ends before it starts is a 400.",
    protects: "An empty answer hides a client's defect and looks like a time without cost.",
    mend: "Refuse end < start with a problem document.",
    run: refused({
      what: "end before start",
      change: ({ start, end }) => ({ start: end, end: start }),
    }),
  },
  {
    id: "WIN-06",
    level: "must",
    clause: "8",
    title: "A window of exactly maximum_window_days is accepted.",
    protects: "Clients plan windows of just this size.",
    mend: "Refuse only windows longer than maximum_window_days x 24 hours.",
    run: each(largestIsServed),
  },
  {
    id: "WIN-07",
    level: "must",
    clause: "8",
    title: "A longer window is a 400.",
    protects: "A window that is cut in silence loses what lies behind the cut.",
    mend: "Answer 400 with a problem document to a window longer than maximum_window_days x 24 hours. Another status, such as 422, is not in the interface.",
    run: each(largerIsRefused),
  },
  {
    id: "WIN-08",
    level: "must",
    clause: "8",
    title: "All of retention can be read.",
    protects:
      "A first sync reads from the retention edge on; what is refused there is never loaded.",
    mend: "Serve every window that starts within retention_days, or announce fewer days.",
    run: each(retentionIsServed),
  },
  {
    id: "WIN-09",
    level: "should",
    clause: "8",
    title: "A window before retention is refused, not trimmed in silence.",
    protects: "An empty answer for old days looks as if their charges had been withdrawn.",
    mend: "Answer 400 if start lies before retention.",
    run: each(olderIsSaid),
  },
  {
    id: "WIN-10",
    level: "must",
    clause: "2, 4.2, 4.3",
    title: "`start` and `end` may be written in every form of RFC 3339 in UTC.",
    protects: "A correct client whose library writes +00:00 is refused.",
    mend: "Parse date-time with a library, and take fractions and +00:00.",
    run: each(forms),
  },
  {
    id: "WIN-11",
    level: "should",
    clause: "4.2, 4.3",
    title: "A window may end after now.",
    protects: "The day in progress could not be seen until it is over.",
    mend: "Answer with the records that there are; available_through says how far they are complete.",
    run: each(future),
  },
  {
    id: "WIN-12",
    level: "must",
    clause: "1",
    title: "A window whose end is its start has no records.",
    protects: "Such an answer counts an hour or a day that was not asked for.",
    mend: "Answer with no records or with 400.",
    run: each(emptyWindow),
  },
  {
    id: "WIN-13",
    level: "must",
    clause: "4.2, 4.3, 7",
    title: "A query without `start` or `end` is a 400.",
    protects: "A default window hides a client's defect: it loads days that it did not mean.",
    mend: "Require both parameters.",
    run: refused(missing("start"), missing("end")),
  },
  {
    id: "WIN-14",
    level: "must",
    clause: "2, 4.2, 4.3, 7",
    title: "An instant that is malformed or impossible is a 400.",
    protects:
      "An instant that is rolled over to another reads other hours or days than were asked for.",
    mend: "Parse date-time strictly: no dates alone, no words, no days that do not exist.",
    run: refused(
      { what: "start=yesterday", change: () => ({ start: "yesterday" }) },
      {
        what: "a start in minute 61",
        change: ({ start = "" }) => ({ start: start.replace(":00:00Z", ":61:00Z") }),
      },
    ),
  },
  {
    id: "WIN-15",
    level: "must",
    clause: "4.2, 7",
    title: "Usage without `granularity`, or with an unknown one, is a 400.",
    protects: "A default granularity mixes hours and days in one table.",
    mend: "Require granularity and take only 1h and 1d.",
    run: granularity,
  },
];
