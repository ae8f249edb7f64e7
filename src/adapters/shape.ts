/** Readers of a provider's JSON, which is hostile until judged. Each reader returns its type or throws a fault. */
import { ConnectorError } from "../errors.ts";
import { formatInstant, parseInstant } from "../core/time.ts";
import type { Json, JsonObject } from "./exact.ts";
import type { Query } from "./report.ts";

/** The error for a report that differs from its documentation. */
export function reportFault(what: string): ConnectorError {
  return new ConnectorError(
    "provider_fault",
    `The provider's report differs from its documentation: ${what}. No record was read from this page. Report it to the ` +
      "connector's maintainers; `source-ai-billing record` saves the answers that they need.",
    { detail: `report: ${what}` },
  );
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member that is an object; an empty object if it is null or absent. */
export function objectIn(parent: JsonObject, name: string): JsonObject {
  const value = parent[name] ?? {};
  if (isObject(value)) return value;
  throw reportFault(`${name} is no object`);
}

/** A member that is a list of objects. */
export function objectsIn(parent: JsonObject, name: string): JsonObject[] {
  const value = parent[name];
  if (!Array.isArray(value)) throw reportFault(`${name} is no list`);
  return value.map((item: Json) => {
    if (isObject(item)) return item;
    throw reportFault(`${name} holds something that is no object`);
  });
}

/** A member as text: strings, numbers by their digits, `true` and `false`; null if it is null or absent. */
export function textIn(parent: JsonObject, name: string): string | null {
  const value = parent[name] ?? null;
  if (value === null || typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  throw reportFault(`${name} is neither a text nor a number`);
}

/**
 * Demands members that each row of a report has by its documentation. A quantity that was renamed would vanish otherwise.
 *
 * @returns the row
 * @throws ConnectorError `provider_fault` that names the first member that the row lacks
 */
export function having(row: JsonObject, names: readonly string[]): JsonObject {
  const missing = names.find((name) => (row[name] ?? null) === null);
  if (missing !== undefined) throw reportFault(`a row has no ${missing}`);
  return row;
}

/** Tells by `has_more` if another page follows. */
export function hasMore(body: JsonObject): boolean {
  const value = body["has_more"];
  if (typeof value !== "boolean") throw reportFault("has_more is neither true nor false");
  return value;
}

/** A member that is an instant in UTC, in milliseconds since 1970; undefined if it is null or absent. */
export function instantIn(parent: JsonObject, name: string): number | undefined {
  const text = textIn(parent, name);
  if (text === null) return undefined;
  const at = parseInstant(text);
  if (at === undefined) throw reportFault(`${name} is no instant in UTC`);
  return at;
}

/** The start of a bucket that a report names, judged against the width of what was asked for. */
export function bucketStart(at: number | undefined, width: number): number {
  if (at === undefined) throw reportFault("a bucket names no start");
  if (!Number.isSafeInteger(at) || at % width !== 0)
    throw reportFault("a bucket does not begin where a day or an hour does");
  return at;
}

/**
 * The start of a bucket, judged against the range that was asked for: a row of another time belongs to none of its buckets.
 *
 * @param from the start of the first bucket that was asked for
 */
export function judgeStart(at: number, from: number, { end }: Pick<Query, "end">): number {
  if (at >= from && at < end) return at;
  const asked = `${formatInstant(from)} to ${formatInstant(end)}`;
  throw reportFault(`it shows ${formatInstant(at)}, although it was asked for ${asked}`);
}
