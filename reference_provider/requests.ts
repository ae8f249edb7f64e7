import { formatInstant } from "./instants.ts";
import type { Instant } from "./instants.ts";
import type { FaultKind } from "./faults/schema.ts";
import type { Outcome } from "./wire.ts";

/** One request, as `GET /control/requests` shows it. It names a token by its id; the token itself is not kept. */
export interface LoggedRequest {
  /** 1 for the first request, rising. */
  readonly number: number;
  /** The provider's clock. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Parameters as sent; one that is repeated is an array. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Page of its chain that was asked for. */
  readonly page: number;
  token: string | null;
  account: string | null;
  /** Faults that struck it. */
  faults: readonly FaultKind[];
  /** HTTP status, or what became of the connection; null while unanswered. */
  status: Outcome | null;
  /** `type` of the problem document, where the answer was one of the provider's own. */
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

  /** Forgets all requests; numbers go on rising. */
  clear(): void {
    this.#requests = [];
  }
}

function loggedQuery(parameters: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      // Some clients put their token here (RFC 6750 section 2.3), which this provider does not accept.
      if (name === "access_token") return [name, "…"];
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}
