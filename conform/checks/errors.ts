/** ERR: how requests are refused (interface sections 2.7 and 7). */
import { validateProblem } from "../../src/generated/all_violations.js";
import { broken, passed } from "../check.ts";
import type { Check, Finding, Result } from "../check.ts";
import { Missing } from "../errors.ts";
import type { Exchange } from "../http.ts";
import { isObject, withDoubles } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { delayOf } from "../retry_after.ts";
import { operationsOf } from "../samples.ts";
import { CAPABILITIES, objectIn } from "../session.ts";
import type { Session } from "../session.ts";
import { refusals } from "./credentials.ts";
import { firstOf, judgedAll, quoted, readingsSeen, statusOf } from "./shared.ts";
import { findingOf, violationsOf } from "./violations.ts";

/** The body of a refusal as a JSON object; undefined if it is anything else. */
function problemIn({ text }: Exchange): JsonObject | undefined {
  const body = withDoubles(objectIn(text) ?? null);
  return isObject(body) ? body : undefined;
}

const TYPE = /^application\/problem\+json(\s*;.*)?$/i;

async function contentTypes(session: Session): Promise<Result> {
  return judgedAll(
    (await refusals(session)).flatMap((exchange): Finding[] => {
      const type = exchange.headers["content-type"];
      if (TYPE.test(type ?? "")) return [];
      const seen = `the ${exchange.status} has content type ${quoted(type)}`;
      return [{ seen, expected: "application/problem+json", exchange }];
    }),
  );
}

async function shapes(session: Session): Promise<Result> {
  return judgedAll(
    (await refusals(session)).flatMap((exchange): Finding[] => {
      const problem = problemIn(exchange);
      if (problem === undefined)
        return [
          {
            seen: `the ${exchange.status} has a body that is no JSON object`,
            expected: "a problem",
            exchange,
          },
        ];
      const [first] = violationsOf(validateProblem, problem);
      return first === undefined
        ? []
        : [findingOf(`the problem of the ${exchange.status}`, problem, first, exchange)];
    }),
  );
}

async function statuses(session: Session): Promise<Result> {
  return judgedAll(
    (await refusals(session)).flatMap((exchange): Finding[] => {
      const status = problemIn(exchange)?.["status"];
      if (typeof status !== "number" || status < 400 || status > 599 || status === exchange.status)
        return [];
      const seen = `the problem says ${status} in an answer with status ${exchange.status}`;
      return [{ seen, expected: "one status", exchange }];
    }),
  );
}

async function unknownAddress(session: Session): Promise<Result> {
  const path = "/v1/finops/nothing-is-served-here";
  const exchange = await session.ask({ path, probe: true });
  if (exchange.status >= 400 && exchange.status < 500) return passed;
  return broken(
    `an unknown address is answered with ${statusOf(exchange)}`,
    "status 404",
    exchange,
  );
}

async function retryAfter(session: Session): Promise<Result> {
  await readingsSeen(session);
  const { deep } = session.options;
  const isOperation = await operationsOf(session);
  const answers = (): Exchange[] => limitedAnswers(session).filter(isOperation);
  if (deep && answers().length === 0) await burst(session, answers);
  const limited = answers();
  if (limited.length === 0) {
    const more = deep ? "" : ", or use --deep, which sends a burst of requests";
    throw new Missing(
      `a 429, which did not come: lower the rate limit of a staging system for this run${more}`,
    );
  }
  const bare = limited.filter((exchange) => delayOf(exchange) === undefined);
  return judgedAll(
    bare.map((exchange) => ({
      seen: `a 429 has Retry-After ${quoted(exchange.headers["retry-after"])}`,
      expected: "seconds, or an HTTP-date",
      exchange,
    })),
  );
}

function limitedAnswers(session: Session): Exchange[] {
  return session.answers().filter(({ status }) => status === 429);
}

/** A hundred requests as fast as they are answered, or until the first 429. */
async function burst(session: Session, limited: () => readonly Exchange[]): Promise<void> {
  for (let count = 0; count < 100 && limited().length === 0; count += 1)
    await session.ask({ path: CAPABILITIES });
}

async function reliable(session: Session): Promise<Result> {
  await readingsSeen(session);
  const findings = session.log.flatMap(({ exchange, probe }): Finding[] => {
    if (probe || (exchange.status < 500 && exchange.status !== 0)) return [];
    const seen = exchange.status === 0 ? statusOf(exchange) : `status ${exchange.status}`;
    return [{ seen, expected: "an answer to a request that is right", exchange }];
  });
  const finding = firstOf(findings);
  return judgedAll(finding === undefined ? [] : [finding]);
}

export const errorChecks: readonly Check[] = [
  {
    id: "ERR-01",
    level: "must",
    clause: "4, 7",
    title: "Errors have the content type `application/problem+json`.",
    protects:
      "A client shows its user why a request was refused only if it can recognize the reason.",
    mend: "Set Content-Type: application/problem+json on every 400, 401, 403 and 429.",
    run: contentTypes,
  },
  {
    id: "ERR-02",
    level: "must",
    clause: "2.7, 7",
    title: "The body of an error is a Problem.",
    protects: "Support starts with its title and type.",
    mend: "Send a JSON object with type (a URI reference), title and status.",
    run: shapes,
  },
  {
    id: "ERR-03",
    level: "should",
    clause: "2.7 (RFC 9457 section 3.1.2)",
    title: "The `status` of a Problem is the status of the answer.",
    protects: "Logs that keep the body alone tell another story than those that keep the status.",
    mend: "Fill status from the response.",
    run: statuses,
  },
  {
    id: "ERR-09",
    level: "should",
    clause: "4",
    title: "An unknown address is a 404.",
    protects: "A wrong base URL must not look like an account without records.",
    mend: "Answer 404 to every path that is not served.",
    run: unknownAddress,
  },
  {
    id: "ERR-10",
    level: "must",
    clause: "7, 8",
    title: "A 429 says in `Retry-After` how long to wait.",
    protects: "Without it clients guess, and come back too early or too late.",
    mend: "Send Retry-After in whole seconds, or as an HTTP-date, with every 429.",
    run: retryAfter,
  },
  {
    id: "ERR-12",
    level: "should",
    clause: "7",
    title: "Requests that are right are answered, without 5xx and without broken connections.",
    protects: "A sync that fails once in a hundred requests fails every night.",
    mend: "Look the request up in the provider's own logs by its time.",
    run: reliable,
  },
];
