/** HTTP: how answers travel (interface section 4, RFC 9110). */
import { broken, passed } from "../check.ts";
import type { Check, Finding, Result } from "../check.ts";
import { Missing } from "../errors.ts";
import type { Exchange } from "../http.ts";
import { queryOf } from "../reading.ts";
import { dateOf } from "../retry_after.ts";
import { operationsOf, sample, seriesOf } from "../samples.ts";
import { CAPABILITIES } from "../session.ts";
import type { Ask, Session } from "../session.ts";
import { judgedAll, quoted, readingsSeen, statusOf } from "./shared.ts";

/** The answers with status 200 to requests of the three operations. */
async function answers(session: Session): Promise<readonly Exchange[]> {
  await session.capabilitiesExchange();
  await readingsSeen(session);
  const isOperation = await operationsOf(session);
  return session
    .answers()
    .filter((one) => one.status === 200 && one.method === "GET" && isOperation(one));
}

function everyAnswer(judge: (exchange: Exchange) => Omit<Finding, "exchange"> | undefined) {
  return async (session: Session): Promise<Result> =>
    judgedAll(
      (await answers(session)).flatMap((exchange) => {
        const finding = judge(exchange);
        return finding === undefined ? [] : [{ ...finding, exchange }];
      }),
    );
}

function contentType({ headers }: Exchange) {
  const type = headers["content-type"];
  if (/^application\/json(\s*;.*)?$/i.test(type ?? "")) return undefined;
  return { seen: `content type ${quoted(type)}`, expected: "application/json" };
}

function json({ text, broken: fault }: Exchange) {
  const expected = "a whole body in JSON, UTF-8, without a byte order mark (RFC 8259 section 8.1)";
  if (fault !== null) return { seen: `the answer broke off: ${fault}`, expected };
  if (text.startsWith("\uFEFF"))
    return { seen: "the body begins with a byte order mark", expected };
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return { seen: `the body is no JSON: ${text.slice(0, 40)}`, expected };
  }
}

function date(exchange: Exchange) {
  if (dateOf(exchange) !== undefined) return undefined;
  const seen = `Date is ${quoted(exchange.headers["date"])}`;
  return { seen, expected: "an HTTP-date (RFC 9110 section 6.6.1)" };
}

function cache({ headers }: Exchange) {
  const control = headers["cache-control"] ?? "";
  if (/\b(no-store|private)\b/i.test(control)) return undefined;
  const seen = `Cache-Control is ${quoted(headers["cache-control"])}`;
  return { seen, expected: "no-store (or private): a bill is for one account" };
}

async function redirects(session: Session): Promise<Result> {
  await readingsSeen(session);
  const isOperation = await operationsOf(session);
  const moved = session
    .answers()
    .filter((one) => one.status >= 300 && one.status < 400 && isOperation(one));
  return judgedAll(
    moved.map((exchange) => ({
      seen: `status ${exchange.status} to ${quoted(exchange.headers["location"])}`,
      expected: "an answer at the address itself: clients do not carry a token along",
      exchange,
    })),
  );
}

/** The answer with a page. An error is left out, because it does not show how pages are sent. */
async function pageFor(session: Session, request: Ask): Promise<Exchange> {
  const exchange = await session.ask(request);
  if (exchange.status === 200) return exchange;
  throw new Missing("a page with status 200, with and without compression");
}

/** One page of a small window, asked for twice, with and without compression. */
async function coding(session: Session): Promise<Result> {
  const [series] = await seriesOf(session);
  if (series === undefined) throw new Missing("a dataset");
  const { window } = await sample(session, series);
  const query = queryOf(series, window);
  const plain = { "accept-encoding": "identity" };
  const exchange = await pageFor(session, { path: series.path, query, headers: plain });
  const used = exchange.headers["content-encoding"] ?? "identity";
  if (used !== "identity")
    return broken(
      `content-encoding ${quoted(used)} though none was accepted`,
      "identity",
      exchange,
    );
  const packed = await pageFor(session, { path: series.path, query });
  const coded = packed.headers["content-encoding"] ?? "identity";
  if (/^(x-)?gzip$|^identity$/i.test(coded)) return passed;
  return broken(
    `content-encoding ${quoted(coded)} though only gzip was accepted`,
    "gzip or identity",
    packed,
  );
}

async function head(session: Session): Promise<Result> {
  const exchange = await session.ask({ path: CAPABILITIES, method: "HEAD", probe: true });
  if (
    exchange.broken === null &&
    (exchange.status === 200 || [404, 405, 501].includes(exchange.status))
  )
    return passed;
  return broken(
    `HEAD is answered with ${statusOf(exchange)}`,
    "the status of GET, or 405",
    exchange,
  );
}

async function readOnly(session: Session): Promise<Result> {
  // The POST has no body, and goes to capabilities, where it can change nothing.
  const exchange = await session.ask({ path: CAPABILITIES, method: "POST", probe: true });
  if (exchange.status >= 400 && exchange.status < 600) return passed;
  return broken(`POST is answered with ${statusOf(exchange)}`, "status 405", exchange);
}

async function statusKnown(session: Session): Promise<Result> {
  await readingsSeen(session);
  const isOperation = await operationsOf(session);
  const known = new Set([200, 400, 401, 403, 429]);
  const findings = session.log.flatMap(({ exchange, probe }): Finding[] => {
    const { status } = exchange;
    if (
      probe ||
      !isOperation(exchange) ||
      known.has(status) ||
      status === 0 ||
      status >= 500 ||
      (status >= 300 && status < 400)
    )
      return [];
    return [{ seen: `status ${status}`, expected: "200, 400, 401, 403 or 429", exchange }];
  });
  return judgedAll(findings);
}

export const httpChecks: readonly Check[] = [
  {
    id: "HTTP-01",
    level: "must",
    clause: "4",
    title: "Answers have the content type `application/json`.",
    protects: "A page of a proxy with status 200 must not pass for an empty export.",
    mend: "Set Content-Type: application/json.",
    run: everyAnswer(contentType),
  },
  {
    id: "HTTP-02",
    level: "must",
    clause: "4",
    title: "Answers are whole, and JSON.",
    protects: "Half a page is half the money.",
    mend: "Send the right Content-Length, no byte order mark, and end the gzip stream.",
    run: everyAnswer(json),
  },
  {
    id: "HTTP-03",
    level: "must",
    clause: "4",
    title: "The operations answer themselves, without redirects.",
    protects: "A client that follows a redirect may give its token to another host.",
    mend: "Serve the operations under the base URL that customers are given.",
    run: redirects,
  },
  {
    id: "HTTP-04",
    level: "should",
    clause: "RFC 9110 section 12.5.3",
    title: "Bodies are compressed only as the client accepts.",
    protects: "A client that cannot decode an answer reads nothing.",
    mend: "Compress only if Accept-Encoding names the coding.",
    run: coding,
  },
  {
    id: "HTTP-05",
    level: "should",
    clause: "RFC 9110 section 6.6.1",
    title: "Answers have a `Date`.",
    protects: "Clients plan windows by the provider's clock, for their own may be wrong.",
    mend: "Let the HTTP server send Date, and let no proxy take it away.",
    run: everyAnswer(date),
  },
  {
    id: "HTTP-06",
    level: "should",
    clause: "RFC 9111 section 5.2.2",
    title: "Answers may not be kept by shared caches.",
    protects: "A cache would serve yesterday's bill, or another customer's.",
    mend: "Send Cache-Control: no-store.",
    run: everyAnswer(cache),
  },
  {
    id: "HTTP-07",
    level: "should",
    clause: "4 (RFC 9110 section 9.3.2)",
    title: "HEAD is answered like GET without a body, or with 405.",
    protects: "Monitors ask with HEAD.",
    mend: "Answer HEAD with 200 and no body, or with 405.",
    run: head,
  },
  {
    id: "HTTP-08",
    level: "must",
    clause: "1, 4",
    title: "The operations are read-only: POST is refused.",
    protects: "A read-only interface must not have a side door.",
    mend: "Answer 405 with Allow: GET to every other method.",
    run: readOnly,
  },
  {
    id: "HTTP-09",
    level: "must",
    clause: "7",
    title: "Requests that are right get no status but those that the interface names.",
    protects: "Clients do not know how to react to another status.",
    mend: "Use 400, 401, 403 and 429 as section 7 says.",
    run: statusKnown,
  },
];
