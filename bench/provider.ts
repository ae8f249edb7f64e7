/**
 * The bench's provider: a plain Node HTTP server on loopback in its own process. Its parent process controls it by
 * messages. It renders each page once and keeps it, so that it costs little time beside the process that reads.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Holdings, renderPage } from "./records.ts";

/** The data that a provider serves, and its behavior. */
export interface ProviderOptions {
  readonly holdings: Holdings;
  /** The number of records of costs; null if it equals the number of records of usage. */
  readonly costs: number | null;
  readonly maximumWindowDays: number;
  /** The delay before each page, in milliseconds. */
  readonly delayMs: number;
  /** Whether the capabilities are delayed too. */
  readonly delaysAll: boolean;
  /** Whether to keep rendered pages. */
  readonly keep: boolean;
}

/** The requests since the last message `seen`. Instants are milliseconds since 1970, with fractions. */
export interface Seen {
  readonly paths: readonly string[];
  readonly connections: number;
  /** The instant at which the last byte of the first page was sent; null before. */
  readonly firstPageAt: number | null;
}

const DAY = 86_400_000;
const now = (): number => performance.timeOrigin + performance.now();

let options: ProviderOptions | undefined;
const pages = new Map<string, Buffer>();
let paths: string[] = [];
let connections = 0;
let firstPageAt: number | null = null;

function capabilities({ maximumWindowDays }: ProviderOptions): Buffer {
  const common = {
    retention_days: 3650,
    maximum_window_days: maximumWindowDays,
    dimensions: ["model", "project", "workspace", "api_key", "service_tier"],
  };
  const usage = {
    ...common,
    endpoint: "/v1/finops/usage",
    granularities: ["1h", "1d"],
    freshness_lag_minutes: 60,
  };
  const costs = {
    ...common,
    endpoint: "/v1/finops/costs",
    granularities: ["1d"],
    settlement_lag_hours: 24,
    currencies: ["USD"],
  };
  return Buffer.from(
    JSON.stringify({
      profile_version: "0.1",
      focus_version: "1.4",
      provider: "bench",
      authorization_methods: ["scoped_bearer_token"],
      protected_resource_metadata_url: null,
      datasets: { usage, costs },
    }),
  );
}

function page(path: string, { holdings: some, costs, keep }: ProviderOptions): Buffer {
  const known = pages.get(path);
  if (known !== undefined) return known;
  const dataset = path.startsWith("/v1/finops/costs") ? "costs" : "usage";
  const records = dataset === "costs" ? (costs ?? some.records) : some.records;
  const holdings = { ...some, dataset, records } as const;
  const { searchParams } = new URL(path, "http://localhost");
  const at = (name: string): number => Date.parse(searchParams.get(name) ?? "");
  const offset = Number((searchParams.get("cursor") ?? "page-at-0").slice("page-at-".length));
  const limit = Number(searchParams.get("limit") ?? "1000");
  const span = { start: at("start"), end: at("end") };
  const asOf = holdings.start + (holdings.days + 2) * DAY;
  const body = renderPage(holdings, span, offset, limit, asOf);
  if (keep) pages.set(path, body);
  return body;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? "";
  if (options === undefined) throw new Error("no holdings yet");
  if (path.startsWith("/v1/finops/capabilities")) {
    if (options.delaysAll) await sleep(options.delayMs);
    const body = capabilities(options);
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
    return;
  }
  paths.push(path);
  if (options.delayMs > 0) await sleep(options.delayMs);
  const body = page(path, options);
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  response.end(body, () => {
    firstPageAt ??= now();
  });
}

const server = createServer((request, response) => {
  answer(request, response).catch((reason: unknown) => response.destroy(new Error(String(reason))));
});
server.on("connection", () => (connections += 1));
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) process.send?.(address.port);
});

process.on("message", (message: ProviderOptions | "seen") => {
  if (message === "seen") {
    process.send?.({ paths, connections, firstPageAt } satisfies Seen);
    [paths, connections, firstPageAt] = [[], 0, null];
    return;
  }
  options = message;
  pages.clear();
  process.send?.("ready");
});
process.on("disconnect", () => {
  server.close();
  server.closeAllConnections();
});
