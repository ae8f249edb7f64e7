/**
 * The tests of this directory share a clock that never waits, a client with everything injected, pages and
 * capabilities that keep the interface, and real servers on loopback. Never part of the connector.
 */
import { createServer as createHttpServer, type RequestListener } from "node:http";
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { BACKOFF_POLICY, RATE_LIMIT_POLICY } from "../core/retry.ts";
import type { Clock, HttpResponse, Transport } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import { bearer } from "./auth.ts";
import type { Hold } from "./gate.ts";
import { Gate } from "./gate.ts";
import type { ClientOptions, Retry } from "./client.ts";
import { Client } from "./client.ts";
import { openTransport, type TransportOptions } from "./transport.ts";

export const NOW = Date.UTC(2026, 2, 15, 12, 0, 0);
export const ORIGIN = "https://api.example.com";
export const TOKEN = "s3cr3t-token";

/** A clock on which a sleep takes no time: it moves the clock on at once. */
export interface InstantClock extends Clock {
  /** The waits, in milliseconds, in order. */
  readonly slept: number[];
}

export function instantClock(start = NOW): InstantClock {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    async sleep(ms, signal) {
      signal.throwIfAborted();
      slept.push(ms);
      now += ms;
    },
  };
}

/** Real time, for what is tested against real servers with small limits. */
export const realClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, { signal });
  },
};

/** A client, and the log lines and pauses that it reported. */
export interface Harness {
  readonly client: Client;
  readonly gate: Gate;
  readonly slept: readonly number[];
  readonly retries: Retry[];
  readonly holds: Hold[];
}

export interface HarnessOptions extends Partial<ClientOptions> {
  readonly transport?: Transport;
  readonly clock?: Clock;
  /** `false` as for `check`. */
  readonly waits?: boolean;
}

/** A client of `https://api.example.com` with a clock that never waits and dice that always say 0. */
export function harness(options: HarnessOptions = {}): Harness {
  const instant = instantClock();
  const { transport = sharedTransport.transport, clock = instant, waits = true, ...rest } = options;
  const [retries, holds]: [Retry[], Hold[]] = [[], []];
  const random = (): number => 0;
  const onHold = (hold: Hold): void => void holds.push(hold);
  const gate = new Gate({
    clock,
    random,
    policy: RATE_LIMIT_POLICY,
    waits,
    concurrency: 4,
    onHold,
  });
  const client = new Client({
    edges: { clock, transport, random },
    auth: bearer(TOKEN),
    gate,
    origin: ORIGIN,
    backoff: BACKOFF_POLICY,
    userAgent: "source-ai-billing/test",
    onRetry: (retry) => void retries.push(retry),
    ...rest,
  });
  return { client, gate, slept: instant.slept, retries, holds };
}

/** Limits that let a test against a real server end soon. */
export const SMALL_LIMITS: TransportOptions = {
  limits: { connectMs: 300, headersMs: 150, bodyMs: 150, answerMs: 2000 },
  connections: 4,
  proxies: {},
};

const sharedTransport = openTransport({
  ...SMALL_LIMITS,
  limits: { connectMs: 5000, headersMs: 5000, bodyMs: 5000, answerMs: 20_000 },
});

/** A transport that answers from memory: each call takes the next answer, the last one stays. */
export function scripted(...answers: readonly (ScriptedAnswer | Error)[]): Transport {
  let calls = 0;
  return async ({ signal }) => {
    signal.throwIfAborted();
    const answer = answers[Math.min(calls, answers.length - 1)];
    calls += 1;
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no answer");
    return response(answer);
  };
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

function response({ status = 200, headers = {}, body = "" }: ScriptedAnswer): HttpResponse {
  const bytes =
    body instanceof Uint8Array
      ? body
      : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: (async function* () {
      yield bytes;
    })(),
  };
}

/** A page that keeps the interface. */
export function page(
  records: readonly unknown[],
  nextCursor: string | null,
  more: object = {},
): object {
  return {
    data: records,
    next_cursor: nextCursor,
    as_of: "2026-03-15T12:00:00Z",
    available_through: "2026-03-15T11:00:00Z",
    ...more,
  };
}

/** Capabilities that keep the interface. */
export function capabilities(more: object = {}): object {
  const dataset = {
    endpoint: "/v1/finops/usage",
    granularities: ["1h", "1d"],
    retention_days: 90,
    maximum_window_days: 31,
    dimensions: ["model"],
  };
  return {
    profile_version: "0.1",
    focus_version: "1.4",
    provider: "Example",
    authorization_methods: ["scoped_bearer_token"],
    datasets: { usage: dataset, costs: { ...dataset, endpoint: "/v1/finops/costs" } },
    ...more,
  };
}

/** The error that a promise rejects with; throws if it does not reject with a ConnectorError. */
export async function failure(promise: Promise<unknown>): Promise<ConnectorError> {
  const outcome = await promise.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  if (outcome instanceof ConnectorError) return outcome;
  throw outcome;
}

/** A real server on a free port of 127.0.0.1; `await using` ends it with all its connections. */
export interface Served extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  /** How many connections were opened. */
  connections(): number;
}

export function serveHttp(listener: RequestListener): Promise<Served> {
  return listen(createHttpServer(listener), "http");
}

/** A server that speaks whatever the handler writes. */
export function serveTcp(onSocket: (socket: Socket) => void): Promise<Served> {
  return listen(createTcpServer(onSocket), "http");
}

export async function listen(server: Server, scheme: "http" | "https"): Promise<Served> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined); // a client that aborts resets the connection
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server.address());
  return {
    origin: `${scheme}://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}
