/** IDS, STB: what stays as it is from one request to the next (interface section 2.4). */
import type { Check, Finding } from "../check.ts";
import { Missing } from "../errors.ts";
import { formatInstant, parseInstant } from "../instants.ts";
import { byId } from "../reading.ts";
import type { Seen, Series } from "../pages.ts";
import { again, sample } from "../samples.ts";
import type { Session } from "../session.ts";
import { each, eachRecord, judgedAll, nameOf, quoted, readingsSeen } from "./shared.ts";
import { withoutId } from "./windows.ts";

export function updatedOf({ value }: Seen): number | undefined {
  return parseInstant(value?.["x_RecordUpdatedAt"]);
}

/** Pairs of a record as two passes a moment apart showed it. */
async function pairs(session: Session, series: Series): Promise<[Seen, Seen][]> {
  const first = byId((await sample(session, series)).records);
  const second = byId((await again(session, series)).records);
  return [...first].flatMap(([id, seen]) => {
    const other = second.get(id);
    return other === undefined ? [] : [[seen, other]];
  });
}

async function restated(session: Session, series: Series): Promise<Finding[]> {
  const found = (await pairs(session, series)).filter(
    ([first, second]) => first.text !== second.text && updatedOf(first) === updatedOf(second),
  );
  return found.map(([first, second]) => ({
    seen: `${nameOf(first)} changed, and its x_RecordUpdatedAt did not`,
    expected: "a later x_RecordUpdatedAt with each change",
    exchange: second.exchange,
  }));
}

async function backwards(session: Session, series: Series): Promise<Finding[]> {
  return (await pairs(session, series)).flatMap(([first, second]) => {
    const [before, after] = [updatedOf(first), updatedOf(second)];
    if (before === undefined || after === undefined || after >= before) return [];
    return [
      {
        seen: `x_RecordUpdatedAt of ${nameOf(first)} went back from ${formatInstant(before)} to ${formatInstant(after)}`,
        expected: "an instant that never goes back",
        exchange: second.exchange,
      },
    ];
  });
}

/** `lost`: records that only the first of two passes showed. `names`: ids that only the second one showed, by content. */
async function gone(session: Session, series: Series) {
  const first = await sample(session, series);
  const second = await again(session, series);
  const ids = new Set(second.records.map(({ id }) => id));
  const before = new Set(first.records.map(({ id }) => id));
  const names = new Map(
    second.records.flatMap((seen) => (before.has(seen.id) ? [] : [[withoutId(seen), seen.id]])),
  );
  const exchange = second.pages[0]?.exchange;
  const lost = first.records.filter((seen) => seen.id !== undefined && !ids.has(seen.id));
  return { lost, names, exchange };
}

async function vanished(session: Session, series: Series): Promise<Finding[]> {
  const { lost, names, exchange } = await gone(session, series);
  return lost
    .filter((seen) => !names.has(withoutId(seen)))
    .map((seen) => ({
      seen: `${nameOf(seen)} is not there a moment later`,
      expected: "the same records, unless they were withdrawn in that moment",
      exchange,
    }));
}

async function renamed(session: Session, series: Series): Promise<Finding[]> {
  const { lost, names, exchange } = await gone(session, series);
  return lost.flatMap((seen) => {
    const name = names.get(withoutId(seen));
    if (name === undefined) return [];
    return [
      {
        seen: `${nameOf(seen)} is ${quoted(name)} a moment later`,
        expected: "one id for ever",
        exchange,
      },
    ];
  });
}

/** The fault of a record whose id another record of an earlier page has. A record that changed in between is the same one. */
function otherRecord(seen: Seen, earlier: Seen | undefined): Finding[] {
  if (earlier === undefined || earlier.text === seen.text) return [];
  if (earlier.start === seen.start && updatedOf(earlier) !== updatedOf(seen)) return [];
  const fault = `${nameOf(seen)} is another one on page ${earlier.page}`;
  return [{ seen: fault, expected: "an id for each record", exchange: seen.exchange }];
}

async function repeatedIds(session: Session) {
  const findings: Finding[] = [];
  for (const { pages } of await readingsSeen(session)) {
    const earlier = new Map<string, Seen>();
    for (const { records } of pages) {
      findings.push(...records.flatMap((seen) => otherRecord(seen, earlier.get(seen.id ?? ""))));
      for (const seen of records) if (seen.id !== undefined) earlier.set(seen.id, seen);
      const seenIds = new Set<string>();
      findings.push(
        ...records.flatMap((seen) => {
          if (seen.id === undefined || !seenIds.has(seen.id)) {
            seenIds.add(seen.id ?? "");
            return [];
          }
          const fault = `${nameOf(seen)} is twice on one page`;
          return [{ seen: fault, expected: "each x_RecordId once", exchange: seen.exchange }];
        }),
      );
    }
  }
  return judgedAll(findings);
}

async function sharedIds(session: Session) {
  const readings = await readingsSeen(session);
  const hours = byId(
    readings.flatMap(({ series, records }) => (series.name === "usage 1h" ? records : [])),
  );
  const days = readings.flatMap(({ series, records }) =>
    series.name === "usage 1d" ? records : [],
  );
  if (hours.size === 0 || days.length === 0) throw new Missing("usage at both granularities");
  return judgedAll(
    eachRecord(days, (seen) => {
      const other = hours.get(seen.id ?? "");
      if (
        other === undefined ||
        other.text === seen.text ||
        other.value?.["x_Granularity"] !== "1h"
      )
        return undefined;
      if (seen.value?.["x_Granularity"] !== "1d") return undefined;
      return {
        seen: `${nameOf(seen)} and a record of usage 1h have one id`,
        expected: "an id for each record",
      };
    }),
  );
}

export const stabilityChecks: readonly Check[] = [
  {
    id: "IDS-01",
    level: "should",
    clause: "2.4",
    title: "An `x_RecordId` stands for one record.",
    protects: "A table keyed by id keeps one of two records and loses the other's money.",
    mend: "Build the id of everything that makes the record what it is: bucket, SKU, dimensions.",
    run: repeatedIds,
  },
  {
    id: "IDS-02",
    level: "should",
    clause: "2.4",
    title: "A record keeps its `x_RecordId`.",
    protects: "A record that comes back under another id is counted twice.",
    mend: "Derive the id from what does not change; never draw it when the record is read.",
    run: each(renamed),
  },
  {
    id: "IDS-03",
    level: "should",
    clause: "2.4",
    title: "Hours and days of usage have ids of their own.",
    protects: "In one table an hour would overwrite its day.",
    mend: "Make the granularity part of the id.",
    run: sharedIds,
  },
  {
    id: "STB-01",
    level: "should",
    clause: "2.4",
    title: "A record that changes gets a later `x_RecordUpdatedAt`.",
    protects:
      "Two versions have the same time, so a client cannot tell the newer one. If a value differs in every answer, every sync writes every day again, and a true loss of records is never confirmed.",
    mend: "Set x_RecordUpdatedAt in the same transaction as the change, and send nothing in a record that depends on the request.",
    run: each(restated),
  },
  {
    id: "STB-02",
    level: "should",
    clause: "2.4",
    title: "`x_RecordUpdatedAt` never goes back.",
    protects: "The newer version loses against the older one.",
    mend: "Take it from the stored record, not from the machine that answers.",
    run: each(backwards),
  },
  {
    id: "STB-03",
    level: "should",
    clause: "1, 4.2",
    title: "Two passes a moment apart show the same records.",
    protects: "A record that comes and goes is money that comes and goes.",
    mend: "Answer from one store, or from replicas that show the same snapshot.",
    run: each(vanished),
  },
];
