/** PAG: pages (interface sections 2.6.1, 4.4 and 8). */
import { validatePage } from "../../src/generated/all_violations.js";
import type { Violation } from "../../src/generated/all_violations.js";
import { passed } from "../check.ts";
import type { Check, Finding, Result } from "../check.ts";
import { Missing } from "../errors.ts";
import { whole } from "../reading.ts";
import type { Reading, Series } from "../pages.ts";
import { paged } from "../samples.ts";
import type { Session } from "../session.ts";
import { each, judgedAll, quoted, readingsSeen, steady } from "./shared.ts";
import { findingOf, violationsOf } from "./violations.ts";

const isClosed = ({ keyword }: Violation): boolean => keyword === "additionalProperties";

async function envelope(session: Session, closed: boolean): Promise<Result> {
  const pages = (await readingsSeen(session)).flatMap((reading) => reading.pages);
  const findings = pages.flatMap(({ envelope: value, exchange }) =>
    value === undefined
      ? []
      : violationsOf(validatePage, value)
          .filter((one) => isClosed(one) === closed)
          .map((one) => findingOf("the page", value, one, exchange)),
  );
  return judgedAll(findings);
}

async function limitKept(session: Session): Promise<Result> {
  const findings: Finding[] = [];
  for (const { limit = 1000, pages } of await readingsSeen(session)) {
    for (const { records, exchange } of pages) {
      if (records.length <= limit) continue;
      const seen = `the page has ${records.length} records`;
      findings.push({ seen, expected: `at most limit=${limit}`, exchange });
    }
  }
  return judgedAll(findings);
}

async function cursorsGoOn(session: Session): Promise<Result> {
  const readings = await readingsSeen(session);
  const findings = readings.flatMap(({ end, pages }) => {
    const exchange = pages.at(-1)?.exchange;
    const seen = `page ${pages.length} leads back to a cursor that was sent before`;
    return end === "cycle" ? [{ seen, expected: "a new cursor, or null", exchange }] : [];
  });
  if (findings.length > 0) return judgedAll(findings);
  if (!readings.some(({ pages }) => pages.length > 1)) throw new Missing("a window of two pages");
  return passed;
}

/** Chains of several pages; throws if there is none. */
export async function chainOf(session: Session, series: Series): Promise<Reading> {
  const reading = whole(await paged(session, series));
  if (reading.pages.length > 1) return reading;
  throw new Missing(`a window of ${series.name} in several pages`);
}

function lostOrRepeated(reading: Reading, expected: ReadonlyMap<string, unknown>): Finding[] {
  const findings: Finding[] = [];
  const pages = new Map<string, number>();
  const shown = new Set<string>();
  for (const { id, text, page, exchange } of reading.records) {
    if (id === undefined || !expected.has(id)) continue;
    shown.add(id);
    // Two records with one id are another fault: here one record is looked for, with all that it says.
    const first = pages.get(text) ?? page;
    pages.set(text, first);
    if (first === page) continue;
    const seen = `${quoted(id)} is on page ${first} and on page ${page}`;
    findings.push({ seen, expected: "each record on one page of a chain", exchange });
  }
  const lost = [...expected.keys()].filter((id) => !shown.has(id));
  if (lost.length > 0) {
    const seen = `${lost.length} of ${expected.size} records are on no page of the chain, such as ${quoted(lost[0])}`;
    const exchange = reading.pages.at(-1)?.exchange;
    findings.push({ seen, expected: "the same records as in larger pages", exchange });
  }
  return findings;
}

async function sameRecords(session: Session, series: Series): Promise<Finding[]> {
  const reading = await chainOf(session, series);
  return lostOrRepeated(reading, (await steady(session, series)).records);
}

async function sameMember(
  session: Session,
  series: Series,
  name: "as_of" | "available_through",
): Promise<Finding[]> {
  const { pages } = await chainOf(session, series);
  const first = pages[0]?.envelope?.[name];
  const other = pages.find((page) => page.envelope?.[name] !== first);
  if (other === undefined) return [];
  const seen = `${name} is ${quoted(first)} on page 1 and ${quoted(other.envelope?.[name])} on page ${other.number}`;
  return [{ seen, expected: "the same on every page of a chain", exchange: other.exchange }];
}

async function noEmptyPages(session: Session): Promise<Result> {
  const findings: Finding[] = [];
  for (const { pages } of await readingsSeen(session)) {
    for (const { envelope: page, records, exchange, number } of pages) {
      const data = page?.["data"];
      const next = page?.["next_cursor"];
      if (!Array.isArray(data) || records.length > 0 || typeof next !== "string" || next === "")
        continue;
      findings.push({
        seen: `page ${number} is empty and has a next_cursor`,
        expected: "records, or the end",
        exchange,
      });
    }
  }
  return judgedAll(findings);
}

export const pageChecks: readonly Check[] = [
  {
    id: "PAG-01",
    level: "must",
    clause: "2.6.1",
    title: "A page has `data`, `next_cursor`, `as_of` and `available_through`, with their types.",
    protects:
      "Only a next_cursor of null ends a window; a missing one cuts it short, and money is lost.",
    mend: "Send all four members on every page; on the last one next_cursor is null, not absent or empty.",
    run: (session) => envelope(session, false),
  },
  {
    id: "PAG-02",
    level: "must",
    clause: "2.6.1",
    title: "A page has no member that the interface does not name.",
    protects: "The page is a closed object: a strict client refuses it.",
    mend: "Leave the member out of the page.",
    run: (session) => envelope(session, true),
  },
  {
    id: "PAG-03",
    level: "must",
    clause: "4.4 rule 3, 8",
    title: "A page holds at most `limit` records.",
    protects: "Clients reserve memory for this number of records.",
    mend: "Cut the page at limit, 1000 if none is given, and give a next_cursor for the rest.",
    run: limitKept,
  },
  {
    id: "PAG-04",
    level: "must",
    clause: "4.4 rules 1 and 2",
    title: "Following `next_cursor` leads to the end, never back.",
    protects: "A chain that goes in circles never ends, and its window is never complete.",
    mend: "Give each page a cursor of its own, and null on the last.",
    run: cursorsGoOn,
  },
  {
    id: "PAG-05",
    level: "must",
    clause: "1, 4.4",
    title: "Small pages bring the same records as large ones, each once.",
    protects: "A record between two pages is lost, or counted twice.",
    mend: "Page by key (period start and id) or from a snapshot, not by offset into a list that moves.",
    run: each(sameRecords),
  },
  {
    id: "PAG-06",
    level: "should",
    clause: "2.6.1",
    title: "All pages of a chain have one `as_of`.",
    protects: "A listing that moves while it is read can skip records.",
    mend: "Keep the instant of the first page in the cursor and show that snapshot to the end.",
    run: each((session, series) => sameMember(session, series, "as_of")),
  },
  {
    id: "PAG-07",
    level: "should",
    clause: "2.6.1",
    title: "All pages of a chain have one `available_through`.",
    protects: "A client that takes the last page's value believes more than the first page showed.",
    mend: "Keep available_through of the first page in the cursor.",
    run: each((session, series) => sameMember(session, series, "available_through")),
  },
  {
    id: "PAG-08",
    level: "should",
    clause: "4.4",
    title: "Only a last page is empty.",
    protects: "Clients give up after some empty pages in a row.",
    mend: "Look on until there is a record to send, or end the chain.",
    run: noEmptyPages,
  },
];
