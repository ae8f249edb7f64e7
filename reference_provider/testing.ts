import { expect } from "vitest";
import {
  validateCapabilities,
  validateCosts,
  validatePage,
  validateProblem,
  validateUsage,
} from "../src/generated/validators.js";
import type { Validator } from "../src/generated/validators.js";
import { createProvider } from "./provider.ts";
import type { Provider, ProviderOptions } from "./provider.ts";
import { isObject } from "./model.ts";

/** A provider that serves, and functions that send requests to it. */
export interface Bench extends AsyncDisposable {
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly token: string;
  /** Requests a path under the base URL, with the ready token or with `authorization` instead. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answered>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; an empty object if it is no JSON object. */
  readonly body: Record<string, unknown>;
}

/** Starts a provider on a free port; `await using` stops it. */
export async function startBench(options: ProviderOptions): Promise<Bench> {
  const provider = createProvider(options);
  const { baseUrl } = await provider.listen();
  const { token } = provider.issueToken({ id: "ready" });
  return {
    provider,
    baseUrl,
    token,
    get: (path, headers = {}) =>
      ask(`${baseUrl}${path}`, { authorization: `Bearer ${token}`, ...headers }),
    [Symbol.asyncDispose]: () => provider.close(),
  };
}

/** One GET, without following redirects. */
export async function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answered> {
  const response = await fetch(url, { headers, redirect: "manual" });
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  const parsed: unknown = type.includes("json") ? JSON.parse(text) : {};
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isObject(parsed) ? parsed : {},
  };
}

function expectValid(validator: Validator, value: unknown): void {
  const valid = validator(value);
  expect(valid ? [] : validator.errors).toEqual([]);
}

/** A page's records, after checking envelope and records against their schemas. */
export function recordsOf(
  answered: Answered,
  dataset: "usage" | "costs",
): Record<string, unknown>[] {
  expect(answered.status, answered.text.slice(0, 300)).toBe(200);
  expect(answered.headers.get("content-type")).toBe("application/json");
  expectValid(validatePage, answered.body);
  const data = answered.body["data"];
  if (!Array.isArray(data)) throw new TypeError("data is no array");
  return data.map((record: unknown) => {
    expectValid(dataset === "usage" ? validateUsage : validateCosts, record);
    if (!isObject(record)) throw new TypeError("a record is no object");
    return record;
  });
}

/** A problem's type, after checking the answer against the schema and the rules of interface section 7. */
export function problemOf(answered: Answered, status: number): string {
  expect(answered.status, answered.text.slice(0, 300)).toBe(status);
  expect(answered.headers.get("content-type")).toBe("application/problem+json");
  expectValid(validateProblem, answered.body);
  expect(answered.body["status"]).toBe(status);
  if (status === 401) expect(answered.headers.get("www-authenticate")).toMatch(/^Bearer /);
  if (status === 429) expect(answered.headers.get("retry-after")).not.toBeNull();
  return String(answered.body["type"]).replace("/problems/", "");
}

/** Checks capabilities against their schema. */
export function expectCapabilities(answered: Answered): void {
  expect(answered.status, answered.text.slice(0, 300)).toBe(200);
  expectValid(validateCapabilities, answered.body);
}

/** Reads a whole chain of pages: `query` is the path with its parameters. Stops after `most` pages. */
export async function readChain(
  bench: Bench,
  query: string,
  dataset: "usage" | "costs",
  most = 1000,
): Promise<{ records: Record<string, unknown>[]; pages: Answered[] }> {
  const records: Record<string, unknown>[] = [];
  const pages: Answered[] = [];
  let cursor = "";
  while (pages.length < most) {
    const answered = await bench.get(`${query}${cursor}`);
    pages.push(answered);
    records.push(...recordsOf(answered, dataset));
    const next = answered.body["next_cursor"];
    if (typeof next !== "string") break;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
  return { records, pages };
}
