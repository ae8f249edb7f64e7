/** The server on loopback that the browser comes back to, for one sign-in (RFC 8252 section 7.3). */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ConnectorError } from "../errors.ts";
import { reasonOf } from "../file_faults.ts";

/** The page that the browser shows at the end. */
export interface Page {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

export interface CallbackServer {
  readonly redirectUri: string;
  /** Sets the function that answers every tab. The server calls `shown` when the page has been sent. */
  onCallback(answer: (callback: URL) => Promise<{ page: Page; shown?: () => void }>): void;
  close(): Promise<void>;
}

type Answer = Parameters<CallbackServer["onCallback"]>[0];

const PATH = "/callback";
const NOT_HERE: Page = {
  status: 404,
  title: "Nothing here",
  text: "This is where a sign-in ends. Go back to the address that the command shows.",
};

/**
 * Listens on 127.0.0.1.
 *
 * @param port 0 for any free one
 * @throws ConnectorError `invalid_arguments` if the port is in use or not allowed
 */
export async function listenForCallback(port: number): Promise<CallbackServer> {
  let answer: Answer = () => Promise.resolve({ page: NOT_HERE });
  const server = createServer(
    (request, response) => void respond(request, response, (url) => answer(url)),
  );
  const idle = idleSocketsOf(server);
  const at = await listen(server, port);
  const origin = `http://127.0.0.1:${at}`;
  return {
    redirectUri: `${origin}${PATH}`,
    onCallback: (given) => {
      answer = given;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of idle) socket.destroy();
      }),
  };
}

/**
 * The connections that have brought no complete request yet. Node counts those with half a request as busy, so it would not close
 * them. A connection with a request ends with its answer.
 */
function idleSocketsOf(server: Server): ReadonlySet<Socket> {
  const idle = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    idle.add(socket);
    socket.once("close", () => idle.delete(socket));
  });
  server.on("request", ({ socket }: IncomingMessage) => idle.delete(socket));
  return idle;
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      const code = "code" in error ? String(error.code) : "unknown";
      const why = code === "EADDRINUSE" ? "is in use" : `cannot be used: ${reasonOf(error)}`;
      reject(
        new ConnectorError(
          "invalid_arguments",
          `Port ${port} on 127.0.0.1 ${why}. Choose another with --port, or leave --port out for any free one.`,
          { detail: code },
        ),
      );
    });
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<void> {
  // Another site could point a name of its own at this address (DNS rebinding), but not a number.
  const host = request.headers.host ?? "";
  const url = URL.parse(`http://${host}${request.url ?? "/"}`);
  const isCallback =
    url?.hostname === "127.0.0.1" && url.pathname === PATH && request.method === "GET";
  const { page, shown } = isCallback && url !== null ? await answer(url) : { page: NOT_HERE };
  response.writeHead(page.status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    // The address holds the code; no other site may learn it.
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    connection: "close",
  });
  response.end(htmlOf(page), () => shown?.());
  // The answer counts even if the tab went away before it saw the page.
  response.once("close", () => shown?.());
}

function htmlOf({ title, text }: Page): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title></head>
<body><h1>${escape(title)}</h1><p>${escape(text)}</p></body></html>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
