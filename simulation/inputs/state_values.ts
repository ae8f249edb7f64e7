/** The values of a state file, read without the connector's code; each throws where a value is not what it must be. */
import { dayOf, instantOf, isPlain, type Plain } from "./rules.ts";

/** The state must be refused. */
export class Refused extends Error {}

/** The state has names that the connector may accept or refuse. */
export class Open extends Error {}

export function plain(value: unknown): Plain {
  if (!isPlain(value)) throw new Refused();
  return value;
}

export function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Refused();
  return value;
}

export const orNone = (value: unknown): readonly unknown[] =>
  value === null || value === undefined ? [] : listOf(value);

export function tuple(value: unknown, length: number): readonly unknown[] {
  const parts = listOf(value);
  if (parts.length !== length) throw new Refused();
  return parts;
}

export function mapOf<Value>(
  value: unknown,
  read: (value: unknown) => Value,
): Record<string, Value> {
  const members = plain(value);
  if (["__proto__", "constructor"].some((name) => Object.hasOwn(members, name))) throw new Open();
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, read(member)]));
}

export function text(value: unknown): string {
  if (typeof value !== "string") throw new Refused();
  return value;
}

export function matching(value: unknown, pattern: RegExp): string {
  if (!pattern.test(text(value))) throw new Refused();
  return text(value);
}

export const decimal = (value: unknown): string => matching(value, /^-?\d+(\.\d+)?$/);

export function instant(value: unknown): number {
  return instantOf(value) ?? refused();
}

export function date(value: unknown): number {
  return dayOf(value) ?? refused();
}

function refused(): never {
  throw new Refused();
}

export function whole(value: unknown): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw new Refused();
  return value;
}

export function truth(value: unknown): boolean {
  if (typeof value !== "boolean") throw new Refused();
  return value;
}
