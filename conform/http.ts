/** Sends one HTTP request and gives all that came back, broken or whole. It tolerates no fault and throws none. */
import * as http from "node:http";
import * as https from "node:https";
import { createGunzip } from "node:zlib";
import { reasonOf } from "../src/file_faults.ts";

/** A request. `url` is absolute. */
export interface Request {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** A form to send; only the token endpoint of OAuth gets one. */
  readonly form?: URLSearchParams;
}

/** A request and its answer. */
export interface Exchange {
  readonly method: string;
  readonly url: URL;
  /** Names of the request's headers in lower case; `authorization` is never kept. */
  readonly sent: Readonly<Record<string, string>>;
  /** Whether the request carried the token under test. */
  readonly withToken: boolean;
  /** 0 if no answer came. */
  readonly status: number;
  /** Names in lower case; one that came several times is joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body after decoding, as UTF-8; empty if none came. */
  readonly text: string;
  /** The break on the way, in words; null if the answer is whole. */
  readonly broken: string | null;
}

/** Bounds of one request. */
export interface HttpLimits {
  /** Silence before an answer or within it, in milliseconds. */
  readonly silence: number;
  /** Whole request, in milliseconds. */
  readonly total: number;
  /** Body after decoding, in bytes. */
  readonly bytes: number;
}

/** The bytes that are kept of a body that broke off or is too long. */
const KEPT_OF_BROKEN = 4096;

type Answer = Pick<Exchange, "status" | "headers" | "text" | "broken">;

const NOTHING: Answer = { status: 0, headers: {}, text: "", broken: null };

/** Sends requests, on connections that stay open between them. */
export class Wire {
  readonly #limits: HttpLimits;
  readonly #agents: { readonly http: http.Agent; readonly https: https.Agent };

  /** @param proxies environment variables that may name proxies (`HTTPS_PROXY`, `NO_PROXY` …) */
  constructor(limits: HttpLimits, proxies: NodeJS.ProcessEnv = {}) {
    this.#limits = limits;
    const options = { keepAlive: true, maxSockets: 4, proxyEnv: proxies };
    this.#agents = { http: new http.Agent(options), https: new https.Agent(options) };
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  /** Never rejects: a transfer that broke is an answer too. */
  async send(request: Request): Promise<Answer> {
    const first = await this.#once(request);
    // A server may close an idle connection at the moment when a request is sent. That is no fault of the provider.
    return first === "stale" ? this.#fresh(request) : first;
  }

  async #fresh(request: Request): Promise<Answer> {
    const answer = await this.#once(request);
    return answer === "stale" ? { ...NOTHING, broken: "the connection was reset" } : answer;
  }

  #once(request: Request): Promise<Answer | "stale"> {
    const { url, method, form } = request;
    const headers = { ...request.headers };
    if (form !== undefined) headers["content-type"] = "application/x-www-form-urlencoded";
    return new Promise((resolve) => {
      const secure = url.protocol === "https:";
      const agent = secure ? this.#agents.https : this.#agents.http;
      const client = (secure ? https : http).request(url, { method, headers, agent });
      const { silence, total } = this.#limits;
      let answer = NOTHING;
      const timer = setTimeout(() => end(`no end after ${total / 1000} s`), total);
      const end = (broken: string | null): void => {
        clearTimeout(timer);
        resolve({ ...answer, broken });
        if (broken !== null) client.destroy();
      };
      client.setTimeout(silence, () => end(`nothing came for ${silence / 1000} s`));
      client.on("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        const stale = client.reusedSocket && answer === NOTHING && error.code === "ECONNRESET";
        resolve(stale ? "stale" : { ...answer, broken: wordsOf(error) });
      });
      client.on("response", (response) => {
        answer = { ...NOTHING, status: response.statusCode ?? 0, headers: headersOf(response) };
        const finish = async (): Promise<void> => {
          const { text, broken } = await readBody(response, method, this.#limits.bytes);
          answer = { ...answer, text };
          end(broken);
        };
        void finish();
      });
      client.end(form?.toString());
    });
  }
}

/** The fault of a connection in words, and with its code, for which a provider's engineers can search. */
const wordsOf = (error: NodeJS.ErrnoException): string =>
  error.code === undefined ? error.message : `${reasonOf(error)} (${error.code})`;

function headersOf(response: http.IncomingMessage): Record<string, string> {
  const entries = Object.entries(response.headersDistinct);
  return Object.fromEntries(entries.map(([name, values = []]) => [name, values.join(", ")]));
}

async function readBody(
  response: http.IncomingMessage,
  method: string,
  most: number,
): Promise<{ text: string; broken: string | null }> {
  const coding = (response.headers["content-encoding"] ?? "identity").toLowerCase();
  const packed = coding === "gzip" || coding === "x-gzip";
  const chunks: Buffer[] = [];
  let length = 0;
  let broken: string | null = null;
  const bodyless = method === "HEAD" || response.statusCode === 204;
  const source = packed && !bodyless ? response.pipe(createGunzip()) : response;
  response.on("error", (error) => source.destroy(error));
  response.on("aborted", () => source.destroy(new Error("the body was cut off")));
  try {
    for await (const chunk of source) {
      if (!Buffer.isBuffer(chunk)) continue;
      length += chunk.length;
      if (length > most) throw new Error(`the body is longer than ${most} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    broken = error instanceof Error ? error.message : String(error);
    // Nobody reads a broken body to its end, and a run keeps all bodies.
    return decoded(Buffer.concat(chunks.slice(0, 1)).subarray(0, KEPT_OF_BROKEN), broken);
  }
  return decoded(Buffer.concat(chunks), broken);
}

function decoded(bytes: Buffer, broken: string | null): { text: string; broken: string | null } {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(bytes), broken };
  } catch {
    return { text: bytes.toString("utf8"), broken: broken ?? "the body is not UTF-8" };
  }
}
