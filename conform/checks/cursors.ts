/** PAG: cursors, and which limits are accepted (interface sections 4.4, 7 and 8). */
import { broken, passed } from "../check.ts";
import type { Check, Finding, Result } from "../check.ts";
import { Missing } from "../errors.ts";
import type { Exchange } from "../http.ts";
import { DAY, HOUR, floorTo } from "../instants.ts";
import { canonical } from "../json.ts";
import { queryOf } from "../reading.ts";
import type { Series } from "../pages.ts";
import { sample } from "../samples.ts";
import { bodyOf, objectIn } from "../session.ts";
import type { Session } from "../session.ts";
import { chainOf } from "./pages.ts";
import { each, firstOf, quoted, statusOf, steady } from "./shared.ts";

/** The first page of a chain and the cursor that it gives. */
async function firstCursor(session: Session, series: Series) {
  const reading = await chainOf(session, series);
  const [first, second] = reading.pages;
  const cursor = first?.envelope?.["next_cursor"];
  if (typeof cursor !== "string" || second === undefined) throw new Missing("a cursor");
  const query = queryOf(series, reading.window, reading.limit);
  return { reading, second, cursor, query };
}

function dataOf(exchange: Exchange): string {
  return canonical(bodyOf(exchange)?.["data"]);
}

async function repeatable(session: Session, series: Series): Promise<Finding[]> {
  const { second, cursor, query } = await firstCursor(session, series);
  const exchange = await session.ask({ path: series.path, query: { ...query, cursor } });
  const { restless } = await steady(session, series);
  if (second.records.some(({ id }) => id !== undefined && restless.has(id)))
    throw new Missing(`a page of ${series.name} whose records stay as they are`);
  if (dataOf(exchange) === dataOf(second.exchange)) return [];
  const seen = exchange.status === 200 ? "other records than the first time" : statusOf(exchange);
  return [
    { seen: `the cursor, sent a second time, brings ${seen}`, expected: "the same page", exchange },
  ];
}

async function boundToQuery(session: Session, series: Series): Promise<Finding[]> {
  const { reading, cursor } = await firstCursor(session, series);
  const { start, end } = reading.window;
  const query = { ...queryOf(series, { start: start + HOUR, end }, reading.limit), cursor };
  const exchange = await session.ask({ path: series.path, query, probe: true });
  if (exchange.status === 400) return [];
  const seen = `a cursor of another window is answered with ${statusOf(exchange)}`;
  return [{ seen, expected: "status 400", exchange }];
}

/** A refusal of a query that is not valid. */
function refusal(change: Readonly<Record<string, string>>, what: string) {
  return async (session: Session, series: Series): Promise<Finding[]> => {
    const { window } = await sample(session, series);
    const query = { ...queryOf(series, window, 10), ...change };
    const exchange = await session.ask({ path: series.path, query, probe: true });
    if (exchange.status === 400) return [];
    return [
      { seen: `${what} is answered with ${statusOf(exchange)}`, expected: "status 400", exchange },
    ];
  };
}

const badLimits = ["0", "1001", "ten"].map((limit) => refusal({ limit }, `limit=${limit}`));

async function limits(session: Session, series: Series): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const probe of badLimits) findings.push(...(await probe(session, series)));
  const finding = firstOf(findings);
  return finding === undefined ? [] : [finding];
}

/** Any window will do: an empty page, too, shows that the limit is accepted. */
async function largeLimits(session: Session, series: Series): Promise<Finding[]> {
  const end = floorTo(DAY, await session.now());
  const findings: Finding[] = [];
  for (const limit of [1000, 501]) {
    const query = queryOf(series, { start: end - DAY, end }, limit);
    const exchange = await session.ask({ path: series.path, query, probe: true });
    if (exchange.status === 200) continue;
    const seen = `limit=${limit} is answered with ${statusOf(exchange)}`;
    findings.push({ seen, expected: "status 200, with as many records as you like", exchange });
  }
  const finding = firstOf(findings);
  return finding === undefined ? [] : [finding];
}

const FORGED = "bm90LWEtY3Vyc29y";

async function cursorProblem(session: Session, series: Series): Promise<Finding[]> {
  const { window } = await sample(session, series);
  const asks = [{ cursor: FORGED }, { limit: "0" }];
  const types: unknown[] = [];
  let last: Exchange | undefined;
  for (const change of asks) {
    const query = { ...queryOf(series, window, 10), ...change };
    last = await session.ask({ path: series.path, query, probe: true });
    if (last.status !== 400) throw new Missing("a 400 to a forged cursor and to limit=0");
    types.push(objectIn(last.text)?.["type"]);
  }
  if (types[0] !== types[1] || typeof types[0] !== "string") return [];
  const seen = `a refused cursor and a refused limit have the same type, ${quoted(types[0])}`;
  return [
    { seen, expected: "a type of its own for a cursor that is not accepted", exchange: last },
  ];
}

async function oldCursor(session: Session): Promise<Result> {
  const kept = session.options.earlier?.cursor;
  if (kept === undefined)
    throw new Missing("an earlier run with the same --state FILE, hours or days ago");
  const exchange = await session.ask({ path: kept.path, query: kept.query, probe: true });
  if (exchange.status === 400 || bodyOf(exchange) !== undefined) return passed;
  return broken(
    `an old cursor is answered with ${statusOf(exchange)}`,
    "status 400, or the page",
    exchange,
  );
}

/** A cursor to be tried again at the next run. */
export async function cursorToKeep(session: Session, series: readonly Series[]) {
  for (const one of series) {
    try {
      const { cursor, query } = await firstCursor(session, one);
      return { path: one.path, query: { ...query, cursor } };
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
    }
  }
  return undefined;
}

export const cursorChecks: readonly Check[] = [
  {
    id: "PAG-09",
    level: "should",
    clause: "4.4 rule 1",
    title: "A cursor can be sent twice and brings the same page.",
    protects: "A client whose connection broke asks again; a cursor that is spent loses that page.",
    mend: "Make cursors say where the page begins, and keep no state of what was sent.",
    run: each(repeatable),
  },
  {
    id: "PAG-10",
    level: "should",
    clause: "4.4 rule 1",
    title: "A cursor sent with another query is a 400.",
    protects: "Records of one window would count in another.",
    mend: "Put the query, or a hash, into the cursor and compare.",
    run: each(boundToQuery),
  },
  {
    id: "PAG-11",
    level: "must",
    clause: "7",
    title: "A cursor that was never issued is a 400.",
    protects: "An empty answer would end a window that was not read.",
    mend: "Sign cursors or parse them strictly, and refuse all others.",
    run: each(refusal({ cursor: FORGED }, "a forged cursor")),
  },
  {
    id: "PAG-12",
    level: "must",
    clause: "4.2, 4.3, 7",
    title: "An empty `cursor` is a 400.",
    protects: "A client with a defect would read the first page again and again.",
    mend: "Refuse cursor= with a problem document.",
    run: each(refusal({ cursor: "" }, "cursor=")),
  },
  {
    id: "PAG-13",
    level: "must",
    clause: "4.2, 4.3, 8",
    title: "A `limit` below 1, above 1000 or that is no number is a 400.",
    protects: "A limit that is bent in silence makes a client believe it saw a full page.",
    mend: "Refuse such a limit with a problem document.",
    run: each(limits),
  },
  {
    id: "PAG-14",
    level: "should",
    clause: "2.7, 7",
    title: "The problem of a refused cursor has a `type` of its own.",
    protects: 'A client must tell "begin again" from "your query is wrong".',
    mend: "Give problems of cursors a type such as /problems/cursor-expired.",
    run: each(cursorProblem),
  },
  {
    id: "PAG-15",
    level: "must",
    clause: "4.4, 7",
    title: "An old cursor brings its page or a 400, nothing else.",
    protects: "A sync that goes on after a night begins its window again only after a 400.",
    mend: "Answer a cursor that has expired with 400 and a problem document.",
    run: oldCursor,
  },
  {
    id: "PAG-16",
    level: "must",
    clause: "4.2, 4.3, 8",
    title: "Every `limit` up to 1000 is accepted.",
    protects: "Clients ask for the largest page; where it is refused they read nothing.",
    mend: "Accept every limit from 1 to 1000; a page may hold fewer records than the limit, but the request is not refused.",
    run: each(largeLimits),
  },
];
