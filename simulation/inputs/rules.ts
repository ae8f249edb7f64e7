/**
 * The rules of the interface, for the checks: its schemas, run by ajv itself, with this module's reading of instants.
 * (The connector has compiled validators with its own formats.)
 */
import { readFileSync } from "node:fs";
import { Ajv, type AnySchemaObject, type ValidateFunction } from "ajv";

function schemaOf(name: string): AnySchemaObject {
  const text = readFileSync(new URL(`../../schemas/${name}.json`, import.meta.url), "utf8");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(text) as AnySchemaObject;
}

function validatorOf(name: string): ValidateFunction {
  const schema = schemaOf(name);
  const ajv = new Ajv({ allowUnionTypes: true });
  ajv.addFormat("date-time", (instant) => instantOf(instant) !== undefined);
  return ajv.compile(schema);
}

export const isPage = validatorOf("page");
export const isRecord = { usage: validatorOf("usage"), costs: validatorOf("costs") } as const;

const namesOf = (name: string): ReadonlySet<string> =>
  new Set(Object.keys(schemaOf(name)["properties"]));

/** The members of a record that the interface names. */
export const named = { usage: namesOf("usage"), costs: namesOf("costs") } as const;

const INSTANT =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[Tt](?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:\.(?<fraction>\d+))?(?:[Zz]|[+-]00:00)$/;

/** An instant in UTC (RFC 3339) in milliseconds since 1970; a leap second is the last millisecond of its minute. */
export function instantOf(text: unknown): number | undefined {
  const parts = typeof text === "string" ? INSTANT.exec(text)?.groups : undefined;
  if (parts === undefined) return undefined;
  const [year, month, day, hour, minute, second] = [
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
  ].map((name) => Number(parts[name]));
  const midnight = dayOf(`${parts["year"]}-${parts["month"]}-${parts["day"]}`);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (hour === undefined || minute === undefined || second === undefined) return undefined;
  if (midnight === undefined || hour > 23 || minute > 59 || second > 60) return undefined;
  const thousandths = Number((parts["fraction"] ?? "").slice(0, 3).padEnd(3, "0"));
  const within = second === 60 ? 59_999 : second * 1000 + thousandths;
  return midnight + (hour * 60 + minute) * 60_000 + within;
}

/** Midnight UTC of a calendar date in milliseconds since 1970. */
function dayOf(text: unknown): number | undefined {
  const parts = typeof text === "string" ? /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) : null;
  if (parts === null) return undefined;
  const [year, month, day] = parts.slice(1).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() : undefined;
}

export type Plain = Readonly<Record<string, unknown>>;

export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
