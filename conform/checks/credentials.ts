/** ERR: which credentials are accepted (interface section 5). */
import { broken, passed } from "../check.ts";
import type { Check, Result } from "../check.ts";
import { Missing } from "../errors.ts";
import type { Exchange } from "../http.ts";
import { DAY, floorTo } from "../instants.ts";
import { queryOf } from "../reading.ts";
import { operationsOf, seriesOf } from "../samples.ts";
import { CAPABILITIES, bodyOf, Once } from "../session.ts";
import type { Session } from "../session.ts";
import { judgedAll, quoted, readingsSeen, statusOf, yesterday } from "./shared.ts";

/** Requests to every operation: capabilities and what they offer. */
async function operations(session: Session) {
  const end = floorTo(DAY, await session.now());
  const series = await seriesOf(session);
  const exports = series.map((one) => ({
    path: one.path,
    query: queryOf(one, { start: end - DAY, end }, 1),
  }));
  return [{ path: CAPABILITIES, query: {} }, ...exports];
}

const strangers = new Once<readonly Exchange[]>();

function unauthorized(token: string | null) {
  return (session: Session): Promise<readonly Exchange[]> =>
    strangers.of(session, String(token), async () => {
      const answers: Exchange[] = [];
      for (const { path, query } of await operations(session))
        answers.push(await session.ask({ path, query, token, probe: true }));
      return answers;
    });
}

const withoutToken = unauthorized(null);
const withWrongToken = unauthorized("not-a-token-of-anybody");

function are401(answers: (session: Session) => Promise<readonly Exchange[]>, what: string) {
  return async (session: Session): Promise<Result> => {
    const findings = (await answers(session)).flatMap((exchange) =>
      exchange.status === 401
        ? []
        : [
            {
              seen: `${what} is answered with ${statusOf(exchange)}`,
              expected: "status 401",
              exchange,
            },
          ],
    );
    return judgedAll(findings);
  };
}

async function challenges(session: Session): Promise<Result> {
  const all = [...(await withoutToken(session)), ...(await withWrongToken(session))];
  const refused = all.filter(({ status }) => status === 401);
  if (refused.length === 0) throw new Missing("a 401: mend ERR-04 and ERR-05 first");
  const bare = refused.filter(
    ({ headers }) => !/^[A-Za-z][\w-]*( |,|$)/.test(headers["www-authenticate"] ?? ""),
  );
  return judgedAll(
    bare.map((exchange) => ({
      seen: `a 401 has WWW-Authenticate ${quoted(exchange.headers["www-authenticate"])}`,
      expected: "a challenge such as Bearer",
      exchange,
    })),
  );
}

async function queryToken(session: Session): Promise<Result> {
  const { token } = session.options.credentials;
  if ((await withoutToken(session)).some(({ status }) => status !== 401))
    throw new Missing("a 401 to a request without a token: mend ERR-04 first");
  const query = { access_token: token };
  const exchange = await session.ask({ path: CAPABILITIES, query, token: null, probe: true });
  if (exchange.status >= 400) return passed;
  const seen = `a token in the query is answered with ${statusOf(exchange)}`;
  return broken(seen, "status 401: query strings stand in logs", exchange);
}

/** Makes the usual requests that must be refused, then gives all refusals by the operations. */
export async function refusals(session: Session): Promise<readonly Exchange[]> {
  await withoutToken(session);
  await withWrongToken(session);
  await readingsSeen(session);
  const statuses = new Set([400, 401, 403, 429]);
  const isOperation = await operationsOf(session);
  // An answer to HEAD has no body to judge.
  return session
    .answers()
    .filter((one) => statuses.has(one.status) && one.method === "GET" && isOperation(one));
}

async function scopes(session: Session): Promise<Result> {
  const { limitedToken } = session.options.credentials;
  if (limitedToken === undefined)
    throw new Missing("a token without billing.cost.read: set AI_BILLING_LIMITED_TOKEN");
  const costs = (await seriesOf(session)).find(({ dataset }) => dataset === "costs");
  if (costs === undefined) throw new Missing("a dataset of costs");
  const query = queryOf(costs, await yesterday(session, costs), 1);
  const exchange = await session.ask({ path: costs.path, query, token: limitedToken, probe: true });
  if (exchange.status !== 403)
    return broken(
      `costs without billing.cost.read answer with ${statusOf(exchange)}`,
      "status 403",
      exchange,
    );
  const allowed = await session.ask({ path: CAPABILITIES, token: limitedToken, probe: true });
  if (bodyOf(allowed) !== undefined) return passed;
  const seen = `capabilities with the two scopes that they need answer with ${statusOf(allowed)}`;
  return broken(seen, "status 200", allowed);
}

async function noSecrets(session: Session): Promise<Result> {
  await refusals(session);
  const { shown } = session.options;
  const findings = session.log.flatMap(({ exchange, issuesTokens }) => {
    if (issuesTokens) return [];
    const head = Object.entries(exchange.headers).map(([name, value]) => `${name}: ${value}`);
    const place = shown.reveals(exchange.text)
      ? "body"
      : shown.reveals(head.join("\n"))
        ? "head"
        : "";
    if (place === "") return [];
    return [
      {
        seen: `the ${place} of an answer has the token in it`,
        expected: "no credential",
        exchange,
      },
    ];
  });
  return judgedAll(findings);
}

export const credentialChecks: readonly Check[] = [
  {
    id: "ERR-04",
    level: "must",
    clause: "5 rule 1, 7",
    title: "A request without a credential is a 401.",
    protects: "Anybody could read the bill.",
    mend: "Check the Authorization header before anything else, on all three operations. Answer 401 with WWW-Authenticate, not 403, if the Authorization header is missing; 403 is for a valid token without the scope.",
    run: are401(withoutToken, "a request without a token"),
  },
  {
    id: "ERR-05",
    level: "must",
    clause: "5 rule 1, 7",
    title: "A request with a wrong token is a 401.",
    protects: "A client renews its token at a 401, and at nothing else.",
    mend: "Answer 401 to a token that is unknown, expired or revoked.",
    run: are401(withWrongToken, "a wrong token"),
  },
  {
    id: "ERR-06",
    level: "must",
    clause: "5 rule 1, 7",
    title: "A 401 has a `WWW-Authenticate` header.",
    protects: "Clients find the way to sign in by it.",
    mend: 'Send WWW-Authenticate: Bearer realm="…" with every 401.',
    run: challenges,
  },
  {
    id: "ERR-07",
    level: "should",
    clause: "5 (RFC 6750 section 2.3)",
    title: "A token in the query string is not accepted.",
    protects: "Addresses stand in the logs of every proxy on the way.",
    mend: "Read the token from the Authorization header only.",
    run: queryToken,
  },
  {
    id: "ERR-08",
    level: "must",
    clause: "5 rule 2, 7",
    title: "Costs without the scope `billing.cost.read` are a 403; capabilities do not need it.",
    protects: "A customer who shares usage alone must not share money.",
    mend: "Check the scopes of section 5 for each operation.",
    run: scopes,
  },
  {
    id: "ERR-11",
    level: "must",
    clause: "5",
    title: "No answer has the credential in it.",
    protects: "Answers are logged and shown; a token in them is a token given away.",
    mend: "Do not echo request headers or tokens, not even in errors.",
    run: noSecrets,
  },
];
