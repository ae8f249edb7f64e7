/** One run against one provider: its requests, their answers, and the readings that the checks share. */
import { CannotRun, Missing } from "./errors.ts";
import type { Exchange, Wire } from "./http.ts";
import { parseInstant } from "./instants.ts";
import { isObject, parseJson, withDoubles } from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { Memory } from "./memory.ts";
import type { Reading } from "./pages.ts";
import { delayOf, dateOf } from "./retry_after.ts";
import type { Shown } from "./text.ts";

/** Bounds of a run. */
export interface RunLimits {
  /** Requests in all. */
  readonly requests: number;
  /** Waiting for `Retry-After` in all, in milliseconds. */
  readonly waiting: number;
  /** From the beginning of the run to its last request, in milliseconds. */
  readonly time: number;
  /** Bodies of all answers after decoding, in bytes. They are kept until the run has ended. */
  readonly bytes: number;
  /** Pages of one chain. */
  readonly pages: number;
  /** The most pages of the window that the checks read; if a window has more, a smaller one is tried. */
  readonly samplePages: number;
  /** Time between two passes over the same window, in milliseconds. */
  readonly pause: number;
}

/** The machine's clock. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** The credentials of a run. Never printed. */
export interface Credentials {
  readonly token: string;
  /** A token of the same account that lacks `billing.cost.read`. */
  readonly limitedToken: string | undefined;
  readonly oauth: OAuthCredentials | undefined;
}

/** The input of a refresh (RFC 6749 section 6). */
export interface OAuthCredentials {
  /** The file that they came from. */
  readonly file: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly refreshToken: string;
  /** Saves the refresh token that replaced the one before. */
  readonly save: (refreshToken: string) => Promise<void>;
}

export interface SessionOptions {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  /** Whether the longer checks run too. */
  readonly deep: boolean;
  /** The view of an earlier run; undefined without `--state` or at the first run. */
  readonly earlier: Memory | undefined;
  readonly limits: RunLimits;
  readonly clock: Clock;
  readonly wire: Wire;
  readonly shown: Shown;
  /** Called after each request, with the number of requests so far. */
  readonly onRequest?: (requests: number) => void;
}

/** A request as a check asks for it. */
export interface Ask {
  /** Path under the base URL, or an absolute address. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Token to send; null for none. Default: the token under test. */
  readonly token?: string | null;
  /** Client credentials for a token endpoint, in base64; sent as `Basic` in place of a token. Never kept. */
  readonly basic?: string | undefined;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The request is meant to be refused: it is not repeated, and a refusal is no fault. */
  readonly probe?: boolean;
  readonly form?: URLSearchParams;
}

/** An exchange and whether it was meant to be refused. */
export interface Logged {
  readonly exchange: Exchange;
  readonly probe: boolean;
  /** Whether the answer should contain tokens. */
  readonly issuesTokens: boolean;
}

export const CAPABILITIES = "/v1/finops/capabilities";

/** Things of one kind that are made once in a run, for all checks. A failure is shared too. */
export class Once<Value> {
  readonly #made = new WeakMap<Session, Map<string, Promise<Value>>>();

  /** The value of the key; `make` makes it at the first call. */
  of(session: Session, key: string, make: () => Promise<Value>): Promise<Value> {
    const all = this.#made.get(session) ?? new Map<string, Promise<Value>>();
    this.#made.set(session, all);
    const made = all.get(key) ?? make();
    all.set(key, made);
    return made;
  }
}

const capabilities = new Once<Exchange>();
const clocks = new Once<number>();

export class Session {
  readonly options: SessionOptions;
  readonly log: Logged[] = [];
  /** Every passage through a window, whole or not. */
  readonly readings: Reading[] = [];
  #waited = 0;
  #bytes = 0;
  readonly #began: number;

  constructor(options: SessionOptions) {
    this.options = options;
    this.#began = options.clock.now();
  }

  /** All answers that came so far, also those to requests that were meant to be refused. */
  answers(): Exchange[] {
    return this.log.map(({ exchange }) => exchange);
  }

  /**
   * Sends a GET, or the given request. After a 429 it waits as long as the answer says. Repeats a request once after a
   * broken transfer or a 5xx, unless it is a probe. Every try is in the log. Throws {@link Missing} if the run's budget is used up.
   */
  async ask(request: Ask): Promise<Exchange> {
    const { probe = false } = request;
    for (let failures = 0; ;) {
      const exchange = await this.#send(request, probe);
      if (exchange.status === 429) {
        await this.#wait(exchange);
        continue;
      }
      const failed = exchange.broken !== null || exchange.status >= 500;
      failures += 1;
      if (!failed || probe || failures === 2) return exchange;
    }
  }

  async #wait(exchange: Exchange): Promise<void> {
    const { clock, limits } = this.options;
    const delay = Math.max(1000, delayOf(exchange) ?? 1000);
    if (this.#waited + delay > limits.waiting)
      throw new Missing("the provider's rate limit leaves no time: run it again later");
    this.#waited += delay;
    await clock.sleep(delay);
  }

  async #send(request: Ask, probe: boolean): Promise<Exchange> {
    const { wire, credentials, onRequest } = this.options;
    this.#assertBudget();
    const { path, query = {}, token = credentials.token, method = "GET", form } = request;
    const url = new URL(path.startsWith("http") ? path : `${this.options.baseUrl}${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
    const sent = {
      accept: "application/json",
      "accept-encoding": "gzip",
      "user-agent": "source-ai-billing-conform",
      ...request.headers,
    };
    const bearer = token === null ? undefined : `Bearer ${token}`;
    const authorization = request.basic === undefined ? bearer : `Basic ${request.basic}`;
    const headers = authorization === undefined ? sent : { ...sent, authorization };
    const answer = await wire.send({
      method,
      url,
      headers,
      ...(form === undefined ? {} : { form }),
    });
    this.#bytes += answer.text.length;
    const exchange = { method, url, sent, withToken: token === credentials.token, ...answer };
    this.log.push({ exchange, probe, issuesTokens: form !== undefined });
    onRequest?.(this.log.length);
    return exchange;
  }

  /** Throws {@link Missing} if the run may send nothing more. */
  #assertBudget(): void {
    const { limits, clock, deep } = this.options;
    const isSpent = (budget: string): Missing =>
      new Missing(`the run's budget of ${budget} is used up${deep ? "" : ": use --deep"}`);
    if (this.log.length >= limits.requests) throw isSpent(`${limits.requests} requests`);
    if (clock.now() - this.#began >= limits.time) throw isSpent(`${limits.time / 60_000} minutes`);
    if (this.#bytes >= limits.bytes) throw isSpent(`${limits.bytes / 1024 ** 2} MiB of answers`);
  }

  /** The answer of capabilities. Throws {@link CannotRun} if the address or the token is of no use. */
  capabilitiesExchange(): Promise<Exchange> {
    return capabilities.of(this, "", async () => {
      const exchange = await this.ask({ path: CAPABILITIES });
      const { status, broken } = exchange;
      const where = this.options.shown.foreign(String(exchange.url));
      if (status === 0)
        throw new CannotRun(
          `${where} cannot be reached: ${this.options.shown.foreign(broken ?? "")}`,
        );
      if (status === 401 || status === 403)
        throw new CannotRun(
          `${where} answers ${status} to the token: give a token with all three scopes ` +
            "(billing.account.read, billing.usage.read, billing.cost.read)",
        );
      return exchange;
    });
  }

  /** The document of capabilities, not judged by its schema. Throws {@link Missing} if it is no JSON object. */
  async capabilities(): Promise<JsonObject> {
    const body = withDoubles(bodyOf(await this.capabilitiesExchange()) ?? null);
    if (!isObject(body)) throw new Missing("capabilities, which were not served as a JSON object");
    return body;
  }

  /** The entry of a dataset in capabilities; undefined if it is not offered. */
  async offer(dataset: "usage" | "costs"): Promise<JsonObject | undefined> {
    const { datasets } = await this.capabilities();
    const offer = isObject(datasets) ? datasets[dataset] : undefined;
    return isObject(offer) ? offer : undefined;
  }

  /** The provider's clock: its `Date`, else its `as_of`, else this machine's clock. */
  now(): Promise<number> {
    return clocks.of(this, "", async () => {
      const date = dateOf(await this.capabilitiesExchange());
      if (date !== undefined) return date;
      const local = this.options.clock.now();
      const end = new Date(local).toISOString();
      const start = new Date(local - 86_400_000).toISOString();
      const query = { start, end, granularity: "1d", limit: "1" };
      const page = bodyOf(await this.ask({ path: "/v1/finops/usage", query }));
      return parseInstant(page?.["as_of"]) ?? local;
    });
  }
}

/** The body of a 200 as a JSON object; undefined if it is anything else. A byte order mark is skipped. */
export function bodyOf({ status, text, broken }: Exchange): JsonObject | undefined {
  return status === 200 && broken === null ? objectIn(text) : undefined;
}

/** A text as a JSON object; undefined if it is anything else. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text.replace(/^\uFEFF/, ""));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
