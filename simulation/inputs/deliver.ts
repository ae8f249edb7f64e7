/** Runs pages through the connector's own code: the client, the checks of bodies and pages, and the making of lines. */
import { Sightings } from "../../src/core/sightings.ts";
import { BACKOFF_POLICY, RATE_LIMIT_POLICY } from "../../src/core/retry.ts";
import type { HttpResponse } from "../../src/edges.ts";
import { bearer } from "../../src/http/auth.ts";
import { Gate } from "../../src/http/gate.ts";
import { Client } from "../../src/http/client.ts";
import { WindowPages } from "../../src/interface/pages.ts";
import { costs } from "../../src/streams/costs.ts";
import type { WindowContext } from "../../src/streams/record_filter.ts";
import type { Range } from "../../src/core/window.ts";
import { judgePage } from "../../src/streams/records.ts";
import { Strays } from "../../src/streams/strays.ts";
import { DAY_ONE } from "../../src/streams/testing.ts";
import { usage } from "../../src/streams/usage.ts";
import { LAST, type PageInput, TOKEN } from "./pages.ts";

const ORIGIN = "https://billing.example.com";
const DAY = 86_400_000;
const NONE: Range = { start: Infinity, end: Infinity };
export const READING_ID = "r1";
export const WINDOW = { start: DAY_ONE, end: DAY_ONE + 7 * DAY };

/** The result of an input. */
export interface Delivered {
  /** RECORD lines by page. */
  readonly pages: readonly (readonly string[])[];
  readonly cursors: readonly (string | null)[];
  /** The error that ended the reading; null after the last page. */
  readonly error: unknown;
}

/** Delivers the pages to the connector's own code. */
export async function deliver(input: PageInput): Promise<Delivered> {
  const [pages, cursors]: [string[][], (string | null)[]] = [[], []];
  const stream = input.stream === "usage" ? usage : costs;
  const query = {
    endpoint: new URL(`${ORIGIN}/v1/finops/${input.stream}`),
    ...WINDOW,
    granularity: input.granularity ?? undefined,
    limit: 3,
  };
  try {
    const bounds = {
      signal: new AbortController().signal,
      tolerateUnknown: input.mode === "warn",
    };
    const reading = new WindowPages(clientOf(input), query, input.cursor, bounds);
    const context: WindowContext = {
      rules: {
        stream,
        granularity: input.granularity,
        invalidRecords: input.mode,
        warn: () => undefined,
      },
      window: WINDOW,
      readingId: READING_ID,
      planFrom: DAY_ONE,
      planEnd: Infinity,
      withTotals: true,
      memory: new Sightings().open(),
      purpose: { kind: "window", withStrays: true },
      writes: () => true,
      form: "present",
      strays: new Strays([]),
    };
    const options = {
      emittedAt: DAY_ONE,
      take: (length: number) => Buffer.alloc(length),
      also: [],
    };
    for (let isLast = false; !isLast;) {
      const page = await reading.next();
      const lines = judgePage({ ...page, doubtful: NONE }, context, false).write(options);
      pages.push(linesOf(lines.bytes));
      cursors.push(page.nextCursor);
      isLast = page.nextCursor === null;
    }
    return { pages, cursors, error: null };
  } catch (error) {
    return { pages, cursors, error };
  }
}

/** A client that sends each request once and never waits, with a provider that answers in order. */
function clientOf({ answers }: PageInput): Client {
  let calls = 0;
  const clock = { now: () => DAY_ONE + 30 * DAY, sleep: () => Promise.resolve() };
  const random = (): number => 0;
  const transport = (): Promise<HttpResponse> => {
    const next = answers[calls] ?? LAST;
    calls += 1;
    const body = (async function* () {
      const half = next.body.length >>> 1;
      yield next.body.subarray(0, half);
      yield next.body.subarray(half);
    })();
    return Promise.resolve({ status: next.status, headers: next.headers, body });
  };
  return new Client({
    edges: { clock, transport, random },
    auth: bearer(TOKEN),
    gate: new Gate({
      clock,
      random,
      policy: RATE_LIMIT_POLICY,
      waits: true,
      onHold: () => undefined,
    }),
    origin: ORIGIN,
    backoff: { ...BACKOFF_POLICY, retries: 0 },
    userAgent: "inputs",
  });
}

function linesOf(bytes: Uint8Array): string[] {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  return text.split("\n").slice(0, -1);
}
