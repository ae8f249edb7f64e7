import { createServer, STATUS_CODES } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import Fastify from "fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { authenticate, requireScopes } from "./accounts.ts";
import type { Account, BearerTokens, Grant, Scope, TokenVerifier } from "./accounts.ts";
import type { Certificate } from "./certificate.ts";
import type { Clock } from "./clock.ts";
import type { CursorSealer } from "./cursors.ts";
import { capabilitiesText, pageText } from "./faults/alter.ts";
import type { CursorHistory } from "./faults/alter.ts";
import { alteredAnswer, faultAnswer } from "./faults/answers.ts";
import type { Answer } from "./faults/answers.ts";
import { Struck } from "./faults/engine.ts";
import { alterMetadata } from "./faults/metadata.ts";
import { alteredRefusal, refusalFault } from "./faults/refusals.ts";
import type { FaultEngine } from "./faults/engine.ts";
import type { OAuth } from "./oauth/oauth.ts";
import { exportPage, offerOf } from "./pages.ts";
import { ProblemError } from "./problems.ts";
import { parseQuery } from "./query.ts";
import type { RateLimit } from "./rate_limit.ts";
import type { LoggedRequest, RequestLog } from "./requests.ts";
import { deliver } from "./wire.ts";

/** The parts of a provider. */
export interface World {
  readonly clock: Clock;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly tokens: BearerTokens;
  readonly verifiers: readonly TokenVerifier[];
  readonly faults: FaultEngine;
  readonly requests: RequestLog;
  readonly sealer: CursorSealer;
  readonly history: CursorHistory;
  readonly rateLimit: RateLimit | undefined;
  /** Set once the server listens, because OAuth needs its address; undefined if OAuth is off. */
  oauth: OAuth | undefined;
  /** Path under which the operations are served; empty or starting with a slash. */
  readonly basePath: string;
}

export type Operation = "capabilities" | "usage" | "costs";

/** The scopes that an operation needs (interface section 5). */
const REQUIRED_SCOPES: Readonly<Record<Operation, readonly Scope[]>> = {
  capabilities: ["billing.account.read", "billing.usage.read"],
  usage: ["billing.usage.read"],
  costs: ["billing.cost.read"],
};

/** Paths of the operations (interface section 4), and other endpoints that the capabilities name. */
function operationAt(world: World, path: string): Operation | undefined {
  if (!path.startsWith(world.basePath)) return undefined;
  const rest = path.slice(world.basePath.length);
  for (const operation of ["capabilities", "usage", "costs"] as const) {
    if (rest === `/v1/finops/${operation}`) return operation;
  }
  for (const { capabilities } of world.accounts.values()) {
    if (rest === capabilities.datasets.usage.endpoint) return "usage";
    if (rest === capabilities.datasets.costs?.endpoint) return "costs";
  }
  return undefined;
}

/** A request on its way through the provider. */
interface Exchange {
  readonly operation: Operation;
  readonly parameters: URLSearchParams;
  readonly authorization: string | undefined;
  readonly logged: LoggedRequest;
}

function accountOf(world: World, grant: Grant): Account {
  const account = world.accounts.get(grant.account);
  if (account === undefined) {
    throw new ProblemError("insufficient-scope", "The access token's account is not served here.", {
      "www-authenticate": 'Bearer realm="billing export", error="insufficient_scope"',
    });
  }
  return account;
}

function ownAnswer(world: World, exchange: Exchange, grant: Grant, struck: Struck): Answer {
  const { operation, parameters } = exchange;
  requireScopes(grant, REQUIRED_SCOPES[operation]);
  const account = accountOf(world, grant);
  world.rateLimit?.count(account.id);
  const ok = {
    status: 200,
    contentType: "application/json",
    headers: { "cache-control": "no-store" },
  };
  if (operation === "capabilities") {
    const { capabilities } = account;
    return {
      ...ok,
      body: capabilitiesText(world.oauth?.offeredIn(capabilities) ?? capabilities, struck),
    };
  }
  offerOf(account, operation);
  const query = parseQuery(operation, parameters, {
    unknown: struck.of("refuse_unknown") !== undefined,
    forms: struck.of("refuse_forms") !== undefined,
    limits: struck.of("refuse_limits") !== undefined,
  });
  const draft = exportPage(account, query, world.clock.now(), world.sealer, struck);
  return { ...ok, body: pageText(draft, query.cursor, struck, world.history) };
}

function problemAnswer(error: unknown): Answer & { readonly problem: string } {
  const problem =
    error instanceof ProblemError ? error : new ProblemError("internal-error", String(error));
  return {
    status: problem.status,
    contentType: "application/problem+json",
    headers: problem.headers,
    body: problem.body(),
    problem: `/problems/${problem.type}`,
  };
}

function withPlainCursor(world: World, parameters: URLSearchParams): URLSearchParams {
  const plain = new URLSearchParams(parameters);
  const cursors = plain.getAll("cursor");
  const [cursor] = cursors;
  if (cursors.length === 1 && cursor !== undefined)
    plain.set("cursor", world.history.undecorated(cursor));
  return plain;
}

async function exchangeAnswer(
  world: World,
  exchange: Exchange,
): Promise<{ answer: Answer; struck: Struck }> {
  const { parameters, operation, logged, authorization } = exchange;
  let grant: Grant | undefined;
  let refusal: unknown;
  try {
    grant = await authenticate(authorization, world.verifiers, world.clock.now());
  } catch (error) {
    refusal = error;
  }
  logged.token = grant?.id ?? null;
  logged.account = grant?.account ?? null;
  const struck = world.faults.strike({
    operation,
    page: logged.page,
    hasCursor: parameters.has("cursor"),
    token: logged.token,
    account: logged.account,
    granularity: parameters.get("granularity"),
    start: parameters.get("start"),
  });
  logged.faults = struck.kinds;
  try {
    const instead = faultAnswer(struck, REQUIRED_SCOPES[operation]);
    if (instead !== undefined) return { answer: instead, struck };
    if (grant === undefined) throw refusal;
    return { answer: alteredAnswer(ownAnswer(world, exchange, grant, struck), struck), struck };
  } catch (error) {
    const { problem, ...answer } = problemAnswer(error);
    logged.problem = problem;
    const headers = world.oauth?.withMetadata(answer.headers) ?? answer.headers;
    const fault = refusalFault(struck, error);
    const whole = { ...answer, headers };
    if (fault === undefined) return { answer: whole, struck };
    const document = operation === "capabilities" ? firstCapabilities(world) : undefined;
    const refused = { now: world.clock.now(), authorization, document };
    return { answer: alteredRefusal(fault, whole, refused), struck };
  }
}

function firstCapabilities(world: World): object | undefined {
  return world.accounts.values().next().value?.capabilities;
}

/** Lets OAuth answer a request to one of its own addresses. The log has neither codes nor tokens. */
async function serveOAuth(
  world: World,
  oauth: OAuth,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const logged = world.requests.add(
    world.clock.now(),
    request.method,
    path,
    new URLSearchParams(),
    1,
  );
  const { raw } = reply.hijack();
  raw.once("close", () => {
    logged.status = raw.writableFinished ? raw.statusCode : "reset";
  });
  alterMetadata(oauth.metadataAt(path), world.faults, raw);
  await oauth.answer(request.raw, raw);
}

/** The answer to an unknown address or method, which no operation gives. */
function unservedAnswer(world: World, refusal: ProblemError): Answer {
  const answer = problemAnswer(refusal);
  const fault = world.faults.refusal(refusal.type);
  const document = firstCapabilities(world);
  const refused = { now: world.clock.now(), authorization: undefined, document };
  return fault === undefined ? answer : alteredRefusal(fault, answer, refused);
}

/** The credential of a request: its header, or with the fault `query_token` also a parameter. */
function authorizationOf(
  world: World,
  request: FastifyRequest,
  parameters: URLSearchParams,
): string | undefined {
  const token = parameters.get("access_token");
  const isTaken = token !== null && world.faults.has("query_token");
  return request.headers.authorization ?? (isTaken ? `Bearer ${token}` : undefined);
}

async function serve(world: World, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  // URL() would read //host/path as another host and resolve dot segments.
  const [path = "/", ...rest] = request.url.split("?");
  if (world.oauth?.serves(path) === true)
    return serveOAuth(world, world.oauth, path, request, reply);
  const sent = new URLSearchParams(rest.join("?"));
  const parameters = withPlainCursor(world, sent);
  const page = world.sealer.pageOf(parameters.get("cursor"));
  const operation = operationAt(world, path);
  const logged = world.requests.add(world.clock.now(), request.method, path, sent, page);
  let outcome: { answer: Answer; struck: Struck };
  if (operation === undefined || request.method !== "GET") {
    const refusal =
      operation === undefined
        ? new ProblemError("not-found", `There is nothing at ${path}.`)
        : new ProblemError("method-not-allowed", "Use GET.", { allow: "GET" });
    logged.problem = `/problems/${refusal.type}`;
    outcome = { answer: unservedAnswer(world, refusal), struck: new Struck() };
  } else {
    const authorization = authorizationOf(world, request, sent);
    outcome = await exchangeAnswer(world, { operation, parameters, authorization, logged });
  }
  reply.hijack();
  const { answer, struck } = outcome;
  const latency = struck.all("latency").reduce((sum, fault) => sum + fault.milliseconds, 0);
  if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
  const date = new Date(world.clock.now()).toUTCString();
  logged.status = await deliver(
    reply.raw,
    answer,
    request.headers["accept-encoding"],
    date,
    struck,
  );
}

/** Answers bytes that are no HTTP request, or whose head is too long, and closes their connection. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  const isGone = error.code === "ECONNRESET" || error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  if (!isGone && socket.writable) {
    const { status, contentType, body } = problemAnswer(
      new ProblemError("malformed-request", "It is no HTTP request, or its head is too long."),
    );
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `content-type: ${contentType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      "connection: close",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  }
  socket.destroy(error);
}

/**
 * Makes the HTTP server of the three operations (interface section 4). Every other path is a 404, every method but GET
 * a 405. All errors are problem documents. The server does not listen yet.
 */
export function buildServer(world: World, certificate?: Certificate): FastifyInstance {
  const app = Fastify({
    // Fastify's own option for https gives the instance another type.
    serverFactory: (answer) =>
      certificate === undefined ? createServer(answer) : createSecureServer(certificate, answer),
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    clientErrorHandler: refuseMalformed,
    // A path with a broken percent escape reaches no route.
    frameworkErrors: (_error, request, reply: FastifyReply) => void serve(world, request, reply),
  });
  const onRequest = (request: FastifyRequest, reply: FastifyReply) => serve(world, request, reply);
  // Answers before the body is read: no operation has a request body.
  app.route({ method: app.supportedMethods, url: "*", onRequest, handler: () => undefined });
  // This handler also gets the methods that the framework does not know.
  app.setNotFoundHandler((request, reply) => serve(world, request, reply));
  return app;
}
