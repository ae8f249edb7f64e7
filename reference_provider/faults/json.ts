import { isObject } from "../model.ts";

/** Reads JSON in such a way that `JSON.stringify` writes every number with the same digits. */
export function parseLossless(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === "number" && context?.source !== undefined
      ? JSON.rawJSON(context.source)
      : value,
  );
}

/** Changes of an object: values, values as JSON text, and names to remove. */
export interface Edit {
  readonly set: Readonly<Record<string, unknown>>;
  readonly raw: Readonly<Record<string, string>>;
  readonly drop: readonly string[];
}

/** A changed copy. Every name becomes an own property, also `__proto__`. */
export function edited(
  object: Readonly<Record<string, unknown>>,
  edit: Edit,
): Record<string, unknown> {
  const fields = new Map(Object.entries(object));
  for (const [name, value] of Object.entries(edit.set)) fields.set(name, value);
  for (const [name, text] of Object.entries(edit.raw)) fields.set(name, parseLossless(text));
  for (const name of edit.drop) fields.delete(name);
  return Object.fromEntries(fields);
}

/** A copy with another value at a JSON pointer (RFC 6901); `undefined` removes the value. */
export function withPointer(value: unknown, pointer: string, replacement: unknown): unknown {
  const [, name, ...rest] = pointer.split("/");
  if (name === undefined) return replacement;
  const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
  const object = isObject(value) ? value : {};
  const inner =
    rest.length === 0 ? replacement : withPointer(object[key], `/${rest.join("/")}`, replacement);
  return inner === undefined
    ? edited(object, { set: {}, raw: {}, drop: [key] })
    : edited(object, { set: { [key]: inner }, raw: {}, drop: [] });
}
