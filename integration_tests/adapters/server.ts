/**
 * An adapter behind HTTP, for tests only, so that any client of the interface can ask it. The server does what no adapter needs
 * inside the connector: it refuses other methods than GET, and sends `Cache-Control`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { ask, type Bench } from "../../src/adapters/testing.ts";

export interface ServedAdapter extends AsyncDisposable {
  /** The base URL of the interface, e.g. `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
}

/** Serves a bench's adapter on a free port of 127.0.0.1 until it is disposed of. */
export async function serveAdapter(bench: Bench): Promise<ServedAdapter> {
  const server = createServer((request, response) => {
    reply(bench, request, response).catch((reason: unknown) => response.destroy(asError(reason)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function reply(
  bench: Bench,
  { method, url = "/", headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (method !== "GET") {
    const refused = { type: "about:blank", title: "Method Not Allowed", status: 405 };
    response.writeHead(405, { allow: "GET", "content-type": "application/problem+json" });
    response.end(JSON.stringify(refused));
    return;
  }
  const key = headers.authorization?.replace(/^Bearer /, "") ?? "";
  const answer = await ask(bench, url, { key });
  const named = Object.entries(answer.headers).filter(([, value]) => value !== undefined);
  response.writeHead(answer.status, {
    ...Object.fromEntries(named),
    "cache-control": "no-store",
  });
  response.end(answer.text);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
