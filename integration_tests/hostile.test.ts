/**
 * The real process against providers that mean harm. The process always ends, its memory stays below 300 MiB, a
 * STATE below 1 MB, and no character that steers a terminal is in any message.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { INJECTION, PAGES, serveHostile } from "./hostile/server.ts";
import { bearerConfig, catalogOf } from "./support/config.ts";
import { launch, peakMemory, UNTIL_END } from "./support/process.ts";

const TOKEN = "s3cr3t-token-of-a-customer";
const DAY = 86_400_000;

/** Controls, marks of direction, separators of lines and half characters. A config error may have several lines. */
const HARMFUL = /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/u;

interface Outcome {
  readonly code: number | null;
  readonly peakMiB: number;
  /** The lines that are no RECORD. */
  readonly lines: readonly string[];
  readonly stderr: string;
}

interface SyncOptions {
  /** SIGTERM is sent after so many milliseconds. */
  readonly patience?: number;
  readonly configOf?: typeof bearerConfig;
  /** The days that are read before today. */
  readonly days?: number;
}

/** Reads the last days from a provider of the interface, or through an adapter. */
async function sync(
  baseUrl: string,
  { patience = 45_000, configOf = bearerConfig, days = 3 }: SyncOptions = {},
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "hostile-"));
  const output = openSync(join(folder, "messages.jsonl"), "w");
  try {
    const start = new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
    const more = { start_date: start, invalid_records: "warn", concurrency: 4 };
    const running = launch("read", {
      config: configOf(baseUrl, TOKEN, more),
      catalog: catalogOf("incremental", ["usage", "export_windows"]),
      stdout: output,
    });
    let peakMiB = 0;
    const look = setInterval(
      () => (peakMiB = Math.max(peakMiB, peakMemory(running.child.pid))),
      10,
    );
    const term = setTimeout(() => running.child.kill("SIGTERM"), patience);
    const { code, stderr } = await running.done;
    clearInterval(look);
    clearTimeout(term);
    const all = readFileSync(join(folder, "messages.jsonl"), "utf8").split("\n");
    const lines = all.filter((line) => line !== "" && !line.startsWith('{"type":"RECORD"'));
    return { code, peakMiB, lines, stderr };
  } finally {
    closeSync(output);
    rmSync(folder, { recursive: true });
  }
}

function expectLimits({ peakMiB, lines, stderr }: Outcome): void {
  expect(peakMiB).toBeLessThan(300);
  for (const line of lines) expect(line.length).toBeLessThan(1_000_000);
  const logs = lines.filter((line) => line.includes('"level":"WARN"'));
  expect(logs.length).toBeLessThan(100);
  const shown = [...lines.filter((line) => !line.startsWith('{"type":"STATE"')), stderr];
  for (const text of shown) {
    const said = text.startsWith("{") ? textsOf(JSON.parse(text)).join(" ") : text;
    expect(said).not.toMatch(HARMFUL);
    expect(said).not.toContain(TOKEN.slice(0, 8));
  }
}

/** All texts of a value. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

test.each(Object.keys(PAGES) as (keyof typeof PAGES)[])("%s", async (name) => {
  await using provider = await serveHostile(PAGES[name]);
  // A window of endless pages ends after a thousand of them, so one is enough.
  const outcome = await sync(provider.baseUrl, name === "endless pages" ? { days: 0 } : {});
  expect([0, 1]).toContain(outcome.code);
  expectLimits(outcome);
});

test("an error that echoes the token and steers the terminal", async () => {
  await using provider = await serveHostile(PAGES["a bomb"], (response, token) => {
    const detail = `${INJECTION}${"x".repeat(150)}${token}`;
    response.writeHead(400, { "content-type": "application/problem+json" });
    response.end(JSON.stringify({ type: INJECTION, title: token, status: 400, detail }));
  });
  const outcome = await sync(provider.baseUrl);
  expect(outcome.code).toBe(1);
  expectLimits(outcome);
});

test("a page that drips: SIGTERM ends the process", async () => {
  await using provider = await serveHostile(PAGES["a bomb"], (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  });
  const began = Date.now();
  const outcome = await sync(provider.baseUrl, { patience: 1500 });
  expect(Date.now() - began).toBeLessThan(1500 + UNTIL_END);
  expect(outcome.code).not.toBe(0);
  expectLimits(outcome);
});

/** The config of a provider whose own reports are read. */
const adapterConfig: typeof bearerConfig = (baseUrl, token, extra) => ({
  base_url: baseUrl,
  credentials: { auth_type: "openai_admin_key", api_key: token },
  ...extra,
});

const REPORTS = {
  "30 MB of empty lists": `{"data":[${"[],".repeat(10 * 1024 ** 2)}[]]}`,
  "300,000 buckets": `{"data":[${"{},".repeat(300_000)}{}],"has_more":false}`,
  "a text of 31 MiB": `{"data":"${"x".repeat(31 * 1024 ** 2)}"}`,
  "deep nesting": "[".repeat(20 * 1024 ** 2),
} as const;

/** Answers the first request, which only asks if the key is accepted, and then with `rest`. */
function afterProbe(rest: (response: ServerResponse) => void): (response: ServerResponse) => void {
  let requests = 0;
  return (response) => {
    requests += 1;
    if (requests > 1) return rest(response);
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"data":[],"has_more":false}');
  };
}

test.each(Object.keys(REPORTS) as (keyof typeof REPORTS)[])(
  "a provider's own report of %s is an error at once",
  async (name) => {
    const body = gzipSync(REPORTS[name], { level: 1 });
    const answer = afterProbe((response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(body);
    });
    await using provider = await serveHostile(PAGES["a bomb"], answer);
    const outcome = await sync(provider.baseUrl, { configOf: adapterConfig });
    expect(outcome.code).toBe(1);
    expect(outcome.lines.join("\n")).toContain(
      "a page of /v1/organization/usage/completions is too large",
    );
    expectLimits(outcome);
  },
);

test("a provider's own report that drips: SIGTERM ends the process", async () => {
  const answer = afterProbe((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  });
  await using provider = await serveHostile(PAGES["a bomb"], answer);
  const began = Date.now();
  const outcome = await sync(provider.baseUrl, { patience: 1500, configOf: adapterConfig });
  expect(Date.now() - began).toBeLessThan(1500 + UNTIL_END);
  expect(outcome.code).not.toBe(0);
  expectLimits(outcome);
});
