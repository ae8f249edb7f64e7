import { formatInstant } from "./instants.ts";
import type { Instant } from "./instants.ts";
import type { FaultKind } from "./faults/schema.ts";
import type { Outcome } from "./wire.ts";

/** One request, as `GET /control/requests` shows it. It names a token by its id; the token itself is not kept. */
export interface LoggedRequest {
  /** 1 for the first request, then counting up. */
  readonly number: number;
  /** The provider's clock. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Parameters as the client sent them; a repeated one is an array. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** The requested page of its chain. */
  readonly page: number;
  token: string | null;
  account: string | null;
  /** Ids of the faults that applied to it. */
  faults: readonly FaultKind[];
  /** HTTP status, or the way in which the connection broke; null before the response. */
  status: Outcome | null;
  /** `type` of the problem document, if the response was one of the provider's own problems. */
  problem: string | null;
}

const KEPT = 100_000;

/** The latest requests, up to 100,000. */
export class RequestLog {
  #requests: LoggedRequest[] = [];
  #number = 0;

  add(
    now: Instant,
    method: string,
    path: string,
    parameters: URLSearchParams,
    page: number,
  ): LoggedRequest {
    this.#number += 1;
    const request: LoggedRequest = {
      number: this.#number,
      at: formatInstant(now),
      method,
      path,
      query: loggedQuery(parameters),
      page,
      token: null,
      account: null,
      faults: [],
      status: null,
      problem: null,
    };
    this.#requests.push(request);
    if (this.#requests.length > 2 * KEPT) this.#requests = this.#requests.slice(-KEPT);
    return request;
  }

  /** Requests with a number above `since`, in order. */
  list(since = 0): readonly LoggedRequest[] {
    return this.#requests.filter((request) => request.number > since);
  }

  /** Forgets all requests; the numbers continue. */
  clear(): void {
    this.#requests = [];
  }
}

function loggedQuery(parameters: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      // Some clients put their token into the query (RFC 6750 section 2.3). This provider refuses it there; the log
      // hides it.
      if (name === "access_token") return [name, "…"];
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}
