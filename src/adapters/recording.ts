/**
 * A recording: a few answers of a provider, with every id replaced by a hash and every digit kept, which somebody with a live
 * account can send to the maintainers. Replayed, they go through the adapter again.
 */
import { createHmac } from "node:crypto";
import type { HttpResponse, Transport } from "../edges.ts";
import { readBody } from "../http/body.ts";
import { checkShape } from "../http/shape.ts";
import { isHarmlessMember, isHarmlessNumber, isHarmlessText } from "./harmless.ts";
import type { Capabilities } from "../generated/capabilities.js";
import { DAY, floorTo, formatInstant } from "../core/time.ts";
import type { ProviderName } from "./report.ts";

/** The content of `recording.json`. */
export interface Recording {
  readonly version: 1;
  readonly provider: ProviderName;
  /** The origin: a live account, a fake, or an address that may be either. */
  readonly source: string;
  /** The provider's clock, an RFC 3339 instant. */
  readonly now: string;
  /** The local clock when the recording began; the first request depends on it. */
  readonly local_now: string;
  readonly answers: readonly RecordedAnswer[];
}

export interface RecordedAnswer {
  /** The file beside it that holds the body. */
  readonly file: string;
  /** Path under the base URL, and query: `/v1/organization/costs?…`. */
  readonly request: string;
  readonly status: number;
  /** The headers that an adapter reads. */
  readonly headers: Readonly<Record<string, string>>;
}

const HEADERS = ["date", "content-type", "retry-after"] as const;

/** The forms that the value of a header of {@link HEADERS} may have. */
const HEADER =
  /^(?:application\/json(?:; ?charset=utf-8)?|\d{1,6}|\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT)$/i;

/** Kinds of ids, which stay in front of their hashes. Other first words may be names. */
const ID = /^(?:proj|key|user|org|vs|page|wrkspc|apikey|svac|req|endpoint)[_-]/;

/** Collects the answers that pass through it. */
export class Recorder {
  readonly #salt: string;
  readonly #mask: (text: string) => string;
  readonly #basePath: string;
  readonly #answers: { readonly answer: RecordedAnswer; readonly body: string }[] = [];

  /**
   * @param salt a new one for each recording, so that nobody finds an id by hashing guesses
   * @param basePath the path of the base URL
   * @param mask replaces the secrets of the config, last of all
   */
  constructor(salt: string, basePath: string, mask: (text: string) => string) {
    this.#salt = salt;
    this.#mask = mask;
    this.#basePath = basePath.replace(/\/+$/, "");
  }

  get answers(): readonly { readonly answer: RecordedAnswer; readonly body: string }[] {
    return this.#answers;
  }

  /** A transport that notes what the provider answers. */
  around(transport: Transport): Transport {
    return async (request) => {
      const response = await transport(request);
      const { text } = await readBody(response, 8 * 1024 ** 2);
      const { status, headers } = response;
      const file = `${String(this.#answers.length + 1).padStart(3, "0")}.json`;
      const path = request.url.pathname.slice(this.#basePath.length);
      const answer = {
        file,
        request: requestOf(path, request.url.searchParams, (token) => this.#hash(token)),
        status,
        headers: Object.fromEntries(
          HEADERS.flatMap((name) => {
            const value = headers[name];
            return value === undefined || !HEADER.test(value) ? [] : [[name, value]];
          }),
        ),
      };
      this.#answers.push({ answer, body: this.#mask(this.#withoutIds(text)) });
      const { "content-encoding": _, "content-length": __, ...rest } = headers;
      return { status, headers: rest, body: once(text) } satisfies HttpResponse;
    };
  }

  /** The JSON with hashes in place of all that is not known to be harmless. The numbers that stay keep their digits. */
  #withoutIds(text: string): string {
    try {
      checkShape(Buffer.from(text));
      const value: unknown = JSON.parse(
        text,
        (name, each: unknown, context?: { source?: string }) =>
          this.#hidden(name, each, context?.source),
      );
      return JSON.stringify(value);
    } catch {
      return JSON.stringify({ no_json: text.length });
    }
  }

  /** A member's value, as the recording may show it. If the value is an object, names that are not known are hashed. */
  #hidden(name: string, value: unknown, source: string | undefined): unknown {
    // The name of a list's item is its index, which is no known name: numbers in lists are hashed.
    if (typeof value === "number")
      return isHarmlessNumber(name)
        ? JSON.rawJSON(source ?? String(value))
        : this.#hash(String(value));
    if (typeof value === "string") return isHarmlessText(name, value) ? value : this.#hash(value);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    if (JSON.isRawJSON(value)) return value;
    const named = Object.entries(value).map(([member, each]): [string, unknown] => [
      isHarmlessMember(member) ? member : this.#hash(member),
      each,
    ]);
    return Object.fromEntries(named);
  }

  /** The same text gives the same hash. The prefix of an id stays: `proj_8fK2…`. */
  #hash(text: string): string {
    const prefix = ID.exec(text)?.[0] ?? "";
    const digest = createHmac("sha256", this.#salt).update(text).digest("base64url");
    return prefix + digest.slice(0, 16);
  }
}

function requestOf(
  path: string,
  query: URLSearchParams,
  hashed: (token: string) => string,
): string {
  const parameters = [...query].map(([name, value]) => [
    name,
    name === "page" ? hashed(value) : value,
  ]);
  return `${path}?${new URLSearchParams(parameters).toString()}`;
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** The most pages of a dataset in a recording. */
const MOST_PAGES = 40;

/** Days in a recording, by granularity. */
const DAYS = { "1d": 3, "1h": 1 } as const;

/**
 * Reads the last completed days of each dataset, page by page.
 *
 * @param now the provider's clock, in milliseconds since 1970
 * @param ask gives the JSON of a page; `path` is under the base URL, with its query
 * @returns the pages, as they came
 */
export async function* sample(
  { datasets }: Pick<Capabilities, "datasets">,
  now: number,
  ask: (path: string) => Promise<unknown>,
): AsyncGenerator {
  const end = floorTo(DAY, now);
  for (const [name, dataset] of Object.entries(datasets)) {
    for (const granularity of name === "usage" ? dataset.granularities : (["1d"] as const)) {
      let cursor: unknown = null;
      for (let page = 0; page < MOST_PAGES && (page === 0 || cursor !== null); page++) {
        const query = new URLSearchParams({
          start: formatInstant(end - DAYS[granularity] * DAY),
          end: formatInstant(end),
          ...(name === "usage" ? { granularity } : {}),
          ...(typeof cursor === "string" ? { cursor } : {}),
        });
        const answer = await ask(`${dataset.endpoint}?${query.toString()}`);
        yield answer;
        cursor = Reflect.get(Object(answer), "next_cursor") ?? null;
      }
    }
  }
}
