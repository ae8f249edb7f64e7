/** A provider that means harm: each behavior aims at one limit of the connector (rules L1 to L4). */
import { createServer, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

const DAY = 86_400_000;
const MIB = 1024 ** 2;

/** Colors, a title for the terminal, a mark of direction, line breaks and half a character. */
export const INJECTION =
  "\u001B[31mred\u001B]0;owned\u0007\u202Ereversed\u2028\r\nFAKE LINE \uD83D";

const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** A usage record of the UTC day `start` that keeps the interface. */
function record(id: string, start: number, more: object = {}): object {
  return {
    x_RecordId: id,
    x_RecordUpdatedAt: instant(start + DAY),
    x_Granularity: "1d",
    ChargePeriodStart: instant(start),
    ChargePeriodEnd: instant(start + DAY),
    ServiceProviderName: "Hostile",
    ServiceCategory: "AI and Machine Learning",
    ServiceName: "Chat",
    SkuId: "sku",
    SkuMeter: "tokens",
    ConsumedQuantity: "1.5",
    ConsumedUnit: "Tokens",
    x_UsageType: "input_tokens",
    ...more,
  };
}

const records = (count: number, start: number, more: (index: number) => object): object[] =>
  Array.from({ length: count }, (_, index) => record(`${start}-${index}`, start, more(index)));

function page(data: readonly object[], more: object = {}): object {
  const now = instant(Date.now());
  return { data, next_cursor: null, as_of: now, available_through: now, ...more };
}

/**
 * The answer to the request for a page of the window that begins at `start`, in gzip. `count` is the number of such requests so far.
 */
type PageBody = (start: number, count: number) => Buffer;

const text =
  (make: (start: number, count: number) => object): PageBody =>
  (start, count) =>
    packed(JSON.stringify(make(start, count)));

/** The body in gzip: a large body of one repeated byte takes a thousandth. */
const packed = (body: string | Buffer): Buffer => gzipSync(body, { level: 1 });

/** A body that is the same for all windows. It is packed once. */
function constant(make: () => string | Buffer): PageBody {
  let bytes: Buffer | undefined;
  return () => (bytes ??= packed(make()));
}

/** 31 MiB of records, each with only the members that even `invalid_records: "warn"` demands. */
const halfAMillion = (): string =>
  JSON.stringify(page([])).replace(
    "[]",
    `[${Array.from({ length: 490_000 }, (_, index) => `{"x_RecordId":"${index}","ChargePeriodStart":"","ChargePeriodEnd":""}`).join()}]`,
  );

export const PAGES = {
  "large plain pages": text((start) =>
    page(records(1000, start, () => ({ x_ModelId: "m".repeat(30_000) }))),
  ),
  "large pages with escapes": text((start) =>
    page(records(1000, start, () => ({ x_ModelId: `${"m".repeat(7000)}\\` }))),
  ),
  "text of the provider's own": text((start) =>
    page(records(1, start, () => ({ x_note: "ü".repeat(15_500_000) }))),
  ),
  "half a million records": constant(halfAMillion),
  "one record of 7 MiB": text((start) =>
    page(records(1, start, () => ({ x_ModelId: `\\${"m".repeat(7 * MIB)}` }))),
  ),
  "many values": text((start) =>
    page(records(1, start, () => ({ x_list: Array.from({ length: 45_000 }, () => ({})) }))),
  ),
  "a bomb": constant(() => Buffer.alloc(200 * MIB, " ")),
  "deep nesting": constant(() => "[".repeat(20 * MIB)),
  "records of a shape each": text((start) =>
    page(records(3000, start, (index) => ({ [`x_${index}`]: "1" }))),
  ),
  "a flood of unknown names": text((start, count) =>
    page(
      records(1, start, () => ({})),
      Object.fromEntries(
        Array.from({ length: 900 }, (_, index) => [`${INJECTION}${count}-${index}`, index]),
      ),
    ),
  ),
  "groups without end": text((start) =>
    page(records(1000, start, (index) => ({ x_UsageType: `x_${start}_${index}` }))),
  ),
  "a decimal of 100,000 digits": text((start) =>
    page(records(50, start, () => ({ ConsumedQuantity: "9".repeat(100_000) }))),
  ),
  "endless pages": text((start, count) =>
    page([record("always", start)], { next_cursor: `cursor-${count}` }),
  ),
  "a cursor of 5 MB": text((start) => page([record("a", start)], { next_cursor: "c".repeat(5e6) })),
  "an instant of 5 MB": text((start) =>
    page([record("a", start)], { as_of: `2026-01-01T00:00:00.${"0".repeat(5e6)}Z` }),
  ),
  "records with harmful ids": text((start) =>
    page(records(1000, start, (index) => ({ x_RecordId: `${INJECTION}${index}`, SkuId: "" }))),
  ),
} as const satisfies Record<string, PageBody>;

export interface HostileServer extends AsyncDisposable {
  readonly baseUrl: string;
}

function json(response: ServerResponse, body: unknown, more: object = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...more });
  response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
}

function capabilities(): object {
  const usage = {
    endpoint: "/v1/finops/usage",
    granularities: ["1d"],
    retention_days: 1_000_000,
    maximum_window_days: 31,
    dimensions: [],
  };
  return {
    profile_version: "0.1",
    focus_version: "1.4",
    provider: INJECTION,
    authorization_methods: ["scoped_bearer_token"],
    datasets: { usage },
  };
}

/**
 * Serves pages on loopback, packed with gzip.
 *
 * @param answer writes the answer to a request for a page; the default is a page of `body`
 */
export async function serveHostile(
  body: PageBody,
  answer?: (response: ServerResponse, token: string) => void,
): Promise<HostileServer> {
  let count = 0;
  const made = new Map<string, Buffer>();
  const server = createServer(({ url = "", headers }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    if (pathname === "/v1/finops/capabilities") return json(response, capabilities());
    count += 1;
    if (answer !== undefined) return answer(response, headers.authorization ?? "");
    const start = searchParams.get("start") ?? "";
    const key = searchParams.has("cursor") ? url : start;
    const bytes = made.get(key) ?? body(Date.parse(start), count);
    made.set(key, bytes);
    json(response, bytes, { "content-encoding": "gzip" });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
