import type { JsonObject } from "../protocol.ts";

/** Whether a JSON value is an object, not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy of an object's members; no members where the value is no object. */
export function membersOf(value: unknown): JsonObject {
  return isObject(value) ? { ...value } : {};
}
