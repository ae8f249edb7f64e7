/** A fake as a server on 127.0.0.1, and `/control` beside it: clock, limits, failures, totals, requests. */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { formatInstant, parseInstant } from "../reference_provider/instants.ts";
import type { Fake, FakeAnswer } from "./fake.ts";

/** The running server of a fake. */
export interface Served extends AsyncDisposable {
  /** The `base_url` for the connector, e.g. `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
}

/**
 * Serves a fake until it is disposed of.
 *
 * @param port 0 takes any free one
 * @param control whether `/control` is served too; it asks for no key
 */
export async function serve(fake: Fake, port: number, control: boolean): Promise<Served> {
  const server = createServer((request, response) => {
    reply(fake, control, request).then(
      (answer) => send(response, answer),
      (reason: unknown) => send(response, json(400, { error: String(reason) })),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const taken = typeof address === "object" && address !== null ? address.port : port;
  return {
    baseUrl: `http://127.0.0.1:${taken}${fake.api.basePath}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function reply(fake: Fake, control: boolean, request: IncomingMessage): Promise<FakeAnswer> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
  if (control && pathname.startsWith("/control/"))
    return controlled(fake, pathname, searchParams, await bodyOf(request));
  const { basePath } = fake.api;
  const path = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname;
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return fake.handle({ path, query: searchParams, headers: Object.fromEntries(headers) });
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (request.method !== "POST") return undefined;
  const body: unknown = JSON.parse(await text(request));
  return body;
}

const instant = z.string().transform((value) => {
  const at = parseInstant(value);
  if (at === undefined) throw new RangeError("must be an RFC 3339 instant in UTC");
  return at;
});
const clockBody = z.union([
  z.strictObject({ set: instant }),
  z.strictObject({ advance: z.number() }),
]);
const limitBody = z.strictObject({ count: z.int().min(0), retry_after: z.int().min(0) });
const failBody = z.strictObject({ count: z.int().min(0), status: z.int().min(500).max(599) });
const rangeQuery = z.object({ start: instant.optional(), end: instant.optional() });

/** The clock has the shapes of the reference provider's: `{"set": …}` or `{"advance": seconds}`. */
function controlled(fake: Fake, path: string, query: URLSearchParams, body: unknown): FakeAnswer {
  switch (path) {
    case "/control/clock": {
      const change = body === undefined ? { advance: 0 } : clockBody.parse(body);
      if ("set" in change) fake.clock.set(change.set);
      else fake.clock.advance(change.advance * 1000);
      return json(200, { now: formatInstant(fake.clock.now()) });
    }
    case "/control/limit": {
      const { count, retry_after: seconds } = limitBody.parse(body);
      fake.limit(count, seconds);
      return json(200, {});
    }
    case "/control/fail": {
      const { count, status } = failBody.parse(body);
      fake.fail(count, status);
      return json(200, {});
    }
    case "/control/totals": {
      const now = fake.clock.now();
      const { start = now - 365 * 86_400_000, end = now } = rangeQuery.parse(
        Object.fromEntries(query),
      );
      return json(200, fake.totals(start, end));
    }
    case "/control/requests":
      return json(200, { requests: fake.requests });
    default:
      return json(404, { error: "no such control" });
  }
}

function json(status: number, value: unknown): FakeAnswer {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(value),
  };
}

function send(response: ServerResponse, { status, headers, body }: FakeAnswer): void {
  response.writeHead(status, headers).end(body);
}
