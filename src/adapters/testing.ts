/** Shared by the tests of the adapters: fakes behind a Transport, and a client that reads windows. Never part of the connector. */
import {
  createFake,
  type Fake,
  type FakeName,
  type FakeOptions,
} from "../../fake_providers/index.ts";
import { addDecimals } from "../core/decimal.ts";
import type { Host } from "../connector.ts";
import type { Clock, HttpRequest, Transport } from "../edges.ts";
import { readBody } from "../http/body.ts";
import { hostOf as realHostOf } from "../testing_host.ts";
import { createAdapter } from "./adapter.ts";
import { providers, type Assumptions } from "./index.ts";
import type { Recording } from "./recording.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

const ASSUMPTIONS: Assumptions = { usageLagHours: 4, costsLagHours: 24, finalAfterDays: 5 };

/** A fake's API without a socket, under `https://provider.test`. */
export function transportOf(fake: Fake): Transport {
  return async ({ url, headers }: HttpRequest) => {
    const path = url.pathname.slice(fake.api.basePath.length);
    const answer = fake.handle({ path, query: url.searchParams, headers });
    return { ...answer, body: chunksOf(answer.body) };
  };
}

/** A body of one chunk. */
export async function* chunksOf(body: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(body);
}

/** A provider's fake and where its adapter is asked. */
export interface Bench {
  readonly fake: Fake;
  readonly name: FakeName;
  readonly baseUrl: string;
}

export function benchOf(name: FakeName, now: number, options: Partial<FakeOptions> = {}): Bench {
  const fake = createFake(name, { now, seed: 11, ...options });
  return { fake, name, baseUrl: `https://provider.test${fake.api.basePath}` };
}

/** The config's `auth_type` of each provider. */
export const TYPES = {
  anthropic: "anthropic_admin_key",
  openai: "openai_admin_key",
  openrouter: "openrouter_management_key",
} as const;

/** Longer sleeps are deadlines, which no test comes near. */
const LONGEST_WAIT = 5000;

/** A clock that is the fake's: each wait moves it on, and each request takes half a second. */
function timedClock({ clock }: Fake): Clock {
  return {
    now: () => clock.now(),
    sleep: async (ms, signal) => {
      const until = clock.now() + ms;
      await new Promise(setImmediate);
      signal.throwIfAborted();
      // Another wait may have moved it further.
      if (clock.now() < until) clock.set(until);
    },
  };
}

/** A host like that of {@link hostOf} whose waits and requests take the fake's time, so that hours pass on both sides. */
export function timedHostOf(bench: Bench, files: Files, stop: AbortSignal): Host {
  const transport: Transport = async (request) => {
    bench.fake.clock.advance(500);
    return await transportOf(bench.fake)(request);
  };
  return {
    ...hostOf(bench, files, stop),
    clock: timedClock(bench.fake),
    openTransport: () => ({ transport, close: () => Promise.resolve() }),
  };
}

/** The files of a run, by name; what `config` lacks is made up for the fake. */
export interface Files {
  readonly config: object;
  readonly catalog?: unknown;
  readonly state?: unknown;
}

/**
 * A host whose network is a fake, and whose clock is the fake's, moved on by each wait.
 *
 * @param skew how much this side's clock is ahead of the provider's, in milliseconds
 */
export function hostOf(
  { fake, name, baseUrl }: Bench,
  files: Files,
  stop: AbortSignal,
  skew = 0,
): Host {
  const credentials = { auth_type: TYPES[name], api_key: fake.api.key };
  const config = { base_url: baseUrl, credentials, ...files.config };
  let waited = skew;
  return realHostOf(
    { ...files, config },
    {
      clock: {
        now: () => fake.clock.now() + waited,
        sleep: async (ms, signal) => {
          signal.throwIfAborted();
          if (ms <= LONGEST_WAIT) waited += ms;
          else await new Promise((_, reject) => signal.addEventListener("abort", reject));
        },
      },
      stop,
      openTransport: () => ({ transport: transportOf(fake), close: () => Promise.resolve() }),
      stateInterval: 0,
    },
  );
}

/** Answers from a recording. A request that the recording does not have is a fault of the test. */
export function replay(
  recording: Recording,
  bodyOf: (file: string) => string,
  basePath: string,
): Transport {
  return async ({ url }) => {
    const request = `${url.pathname.slice(basePath.length)}${url.search === "" ? "?" : url.search}`;
    const answer = recording.answers.find((each) => each.request === request);
    // A recording of before the control total was asked for.
    if (answer === undefined && request === "/v1/credits?")
      return { status: 404, headers: {}, body: chunksOf("{}") };
    if (answer === undefined) throw new Error(`not recorded: ${request}`);
    return { ...answer, body: chunksOf(bodyOf(answer.file)) };
  };
}

export interface Asked {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  readonly text: string;
}

/**
 * Asks a new adapter each time, so that an adapter with a memory would fail.
 *
 * @param change another key than the right one; an account label; a body to answer the adapter with, instead of the fake's;
 *   another network
 */
export async function ask(
  { fake, name, baseUrl }: Bench,
  pathAndQuery: string,
  change: { key?: string; body?: string; transport?: Transport; label?: string } = {},
): Promise<Asked> {
  const { transport: network = transportOf(fake) } = change;
  const transport: Transport = async (request) => {
    const answer = await network(request);
    return change.body === undefined ? answer : { ...answer, body: chunksOf(change.body) };
  };
  const adapter = createAdapter(providers[name], {
    transport,
    assumptions: ASSUMPTIONS,
    label: change.label,
    now: () => fake.clock.now(),
  });
  const response = await adapter.transport({
    url: new URL(`${baseUrl}${pathAndQuery}`),
    headers: { authorization: `Bearer ${change.key ?? fake.api.key}` },
    signal: new AbortController().signal,
  });
  const { text } = await readBody(response, 32 * 1024 ** 2);
  return { status: response.status, headers: response.headers, body: JSON.parse(text), text };
}

/** One adapter for some requests, as in a process. Gives the pages that it answers. */
export function adapterOf(bench: Bench): (pathAndQuery: string) => Promise<Page> {
  const { fake, name, baseUrl } = bench;
  const adapter = createAdapter(providers[name], {
    transport: transportOf(fake),
    assumptions: ASSUMPTIONS,
    now: () => fake.clock.now(),
  });
  return async (pathAndQuery) => {
    const response = await adapter.transport({
      url: new URL(`${baseUrl}${pathAndQuery}`),
      headers: { authorization: `Bearer ${fake.api.key}` },
      signal: new AbortController().signal,
    });
    const page: Page = JSON.parse((await readBody(response, 32 * 1024 ** 2)).text);
    return page;
  };
}

/** A record of an adapter: texts and nulls. */
export type Row = Readonly<Record<string, string | null>>;

/** A page as the adapter gives it. */
export interface Page {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
  readonly as_of: string;
  readonly available_through: string;
}

export interface Window {
  readonly start: number;
  readonly end: number;
  readonly limit?: number;
  readonly granularity?: "1d" | "1h";
}

/** The pages of a window, from the first to the last. */
export async function* pagesOf(
  bench: Bench,
  endpoint: string,
  { start, end, limit = 1000, granularity = "1d" }: Window,
): AsyncGenerator<Page> {
  const iso = (at: number): string => new Date(at).toISOString();
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({
      start: iso(start),
      end: iso(end),
      limit: String(limit),
      ...(endpoint.endsWith("usage") ? { granularity } : {}),
      ...(cursor === null ? {} : { cursor }),
    });
    const asked: Asked = await ask(bench, `${endpoint}?${query.toString()}`);
    if (asked.status !== 200) throw new Error(`${asked.status}: ${asked.text}`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the readers of the pages judge them
    const page = asked.body as Page;
    yield page;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/** The records of a window. */
export async function recordsOf(bench: Bench, endpoint: string, window: Window): Promise<Row[]> {
  const records: Row[] = [];
  for await (const page of pagesOf(bench, endpoint, window)) records.push(...page.data);
  return records;
}

/** Sums by day, model and usage type or currency, as the fakes tell theirs. */
export function sumsOf(records: Iterable<Readonly<Record<string, unknown>>>): unknown[] {
  const sums = new Map<string, string>();
  for (const row of records) {
    const text = (name: string): string => {
      const value = row[name];
      return typeof value === "string" ? value : "";
    };
    const costs = "BilledCost" in row;
    const key = JSON.stringify({
      day: text("ChargePeriodStart").slice(0, 10),
      model: row["x_ModelId"] ?? null,
      meter: text(costs ? "BillingCurrency" : "x_UsageType"),
    });
    const amount = text(costs ? "BilledCost" : "ConsumedQuantity");
    sums.set(key, addDecimals(sums.get(key) ?? "0", amount));
  }
  return [...sums]
    .filter(([, sum]) => sum !== "0")
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, sum]) => ({ ...JSON.parse(key), sum }));
}
