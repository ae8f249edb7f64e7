import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { SCOPES } from "./accounts.ts";
import type { RecordChange } from "./changes.ts";
import { faultSchema } from "./faults/schema.ts";
import { formatInstant, parseInstant } from "./instants.ts";
import type { Instant } from "./instants.ts";
import { parseLife } from "./lives.ts";
import { capabilities, isObject } from "./model.ts";
import { registerOAuthControl } from "./oauth/control.ts";
import type { Operations } from "./operations.ts";
import type { World } from "./server.ts";

const instant = z.string().transform((text, context): Instant => {
  const parsed = parseInstant(text);
  if (parsed !== undefined) return parsed;
  context.addIssue("must be an RFC 3339 instant in UTC");
  return z.NEVER;
});

const setClock = z.strictObject({ set: instant });
const advanceClock = z.strictObject({ advance: z.number() });
const setFaults = z.strictObject({ set: z.array(faultSchema) });
const clearFaults = z.strictObject({ clear: z.union([z.literal(true), z.string()]) });

const scope = z.enum(SCOPES);

const issueToken = z.strictObject({
  id: z.string().min(1).optional(),
  token: z.string().min(1).optional(),
  account: z.string().optional(),
  scopes: z.array(scope).optional(),
  expires_at: instant.optional(),
});
const revokeToken = z.strictObject({ revoke: z.string() });

const place = { dataset: z.enum(["usage", "costs"]), account: z.string().optional() };
const putLives = z.strictObject({ ...place, lives: z.array(z.unknown()) });
const restateRecord = z.strictObject({
  ...place,
  restate: z.string(),
  at: instant.optional(),
  changes: z.record(z.string(), z.json()),
});
const withdrawRecord = z.strictObject({ ...place, withdraw: z.string(), at: instant.optional() });

const capabilitiesBody = z.strictObject({
  account: z.string().optional(),
  capabilities: z.unknown(),
});

const totalsQuery = z.strictObject({
  account: z.string().optional(),
  at: instant.optional(),
  start: instant.optional(),
  end: instant.optional(),
});

const requestsQuery = z.strictObject({ since: z.coerce.number().int().min(0).optional() });

// One property tells which schema the caller meant. Only that schema is checked, so that its message fits the mistake.
function has(body: unknown, property: string): boolean {
  return isObject(body) && property in body;
}

function changesOf(body: unknown): RecordChange[] {
  if (has(body, "restate")) return [restateRecord.parse(body)];
  if (has(body, "withdraw")) return [withdrawRecord.parse(body)];
  const { dataset, account, lives } = putLives.parse(body);
  return lives.map((value) => ({ dataset, account, life: parseLife(value) }));
}

function registerData(app: FastifyInstance, world: World, operations: Operations): void {
  app.post("/control/records", (request) => {
    const changes = changesOf(request.body);
    for (const change of changes) operations.change(change);
    return { changed: changes.length };
  });
  app.post("/control/capabilities", (request) => {
    const body = capabilitiesBody.parse(request.body);
    const id = body.account ?? world.accounts.keys().next().value ?? "";
    const account = world.accounts.get(id);
    if (account === undefined) throw new RangeError(`there is no account ${id}`);
    account.capabilities = capabilities(body.capabilities);
    return { account: account.id, capabilities: account.capabilities };
  });
  app.get("/control/totals", (request) => operations.totals(totalsQuery.parse(request.query)));
}

function registerConduct(app: FastifyInstance, world: World, operations: Operations): void {
  const shownClock = () => ({ now: formatInstant(world.clock.now()) });
  app.get("/control/clock", shownClock);
  app.post("/control/clock", (request) => {
    if (has(request.body, "set")) world.clock.set(setClock.parse(request.body).set);
    else world.clock.advance(advanceClock.parse(request.body).advance * 1000);
    return shownClock();
  });
  app.get("/control/faults", () => ({ faults: world.faults.list() }));
  app.post("/control/faults", (request) => {
    if (isObject(request.body) && "set" in request.body) {
      const { set } = setFaults.parse({ ...request.body, set: [request.body["set"]].flat() });
      return { ids: world.faults.set(...set) };
    }
    const { clear } = clearFaults.parse(request.body);
    world.faults.clear(clear === true ? undefined : clear);
    return { ids: world.faults.list().map(({ id }) => id) };
  });
  app.get("/control/requests", (request) => ({
    requests: operations.requests(requestsQuery.parse(request.query).since),
  }));
  app.delete("/control/requests", () => {
    world.requests.clear();
    return { requests: [] };
  });
  app.post("/control/tokens", (request) => {
    if (has(request.body, "revoke"))
      return { revoked: operations.revokeToken(revokeToken.parse(request.body).revoke) };
    const { expires_at: expiresAt, ...rest } = issueToken.parse(request.body);
    const { id, token } = operations.issueToken({ ...rest, expiresAt });
    return { id, access_token: token };
  });
}

/** The names of this machine in a `Host` header. */
const OWN_HOSTS: ReadonlySet<string | undefined> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Whether a request names this machine. A web page can point a name of its own site at this machine (DNS rebinding) and
 * would then get past the browser's rule of one origin, but its requests carry that name.
 */
function isForThisMachine({ headers: { host } }: FastifyRequest): boolean {
  return OWN_HOSTS.has(URL.parse(`http://${host}`)?.hostname);
}

function refuse(error: unknown, reply: FastifyReply): void {
  const detail = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
  const isBad =
    error instanceof z.ZodError || error instanceof RangeError || error instanceof TypeError;
  sendProblem(reply, isBad ? 400 : statusOf(error), detail);
}

/** The status of an error of the framework, such as the 400 of a body that is no JSON; 500 for a defect of this server. */
function statusOf(error: unknown): number {
  const status: unknown = isObject(error) ? error["statusCode"] : undefined;
  return typeof status === "number" && status >= 400 && status < 500 ? status : 500;
}

function sendProblem(reply: FastifyReply, status: number, detail: string): void {
  const type = "/problems/control";
  void reply
    .status(status)
    .type("application/problem+json")
    .send(JSON.stringify({ type, title: "The control request failed", status, detail }));
}

/**
 * Serves `/control`: the clock, faults, tokens, records, capabilities, totals and the request log, for tests and
 * demonstrations. It needs no credential; the server listens on loopback only, and a request must name this machine as its
 * `Host`. The README lists the bodies.
 */
export function registerControl(app: FastifyInstance, world: World, operations: Operations): void {
  void app.register(async (scoped) => {
    scoped.setErrorHandler((error, _request, reply) => refuse(error, reply));
    scoped.addHook("onRequest", async (request, reply) => {
      if (isForThisMachine(request)) return;
      sendProblem(reply, 403, "The Host header must be localhost, 127.0.0.1 or [::1].");
      return reply;
    });
    registerData(scoped, world, operations);
    registerConduct(scoped, world, operations);
    registerOAuthControl(
      scoped,
      () => operations.oauth(),
      () => [...world.accounts.keys()][0] ?? "",
    );
  });
}
