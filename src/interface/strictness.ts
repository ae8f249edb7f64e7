/**
 * Closed objects (interface section 2): an unknown property is an error that names the property. With
 * `invalid_records: "warn"` the property is removed with a warning (V2). Every other broken rule stays an error.
 */
import { foreignText } from "../core/foreign_text.ts";
import type { Validator, Violation } from "../generated/validators.js";

/** The result of the check. */
export interface ClosedCheck {
  /** The JSON pointers (RFC 6901) of the removed properties. */
  readonly unknown: readonly string[];
  /** The first broken rule that was not tolerated. */
  readonly violation: Violation | undefined;
}

/** The most unknown properties that are tolerated in one object. An object with more follows another interface. */
const MAXIMUM_UNKNOWN = 1000;

/** The most properties of an object that is tolerated: no closed object has a hundred of its own. */
const MAXIMUM_PROPERTIES = MAXIMUM_UNKNOWN + 100;

/** Checks a value of JSON.parse against its schema. With `tolerate`, deletes unknown properties from the value. */
export function checkClosed(validator: Validator, value: unknown, tolerate: boolean): ClosedCheck {
  const unknown: string[] = [];
  for (;;) {
    if (validator(value)) return { unknown, violation: undefined };
    const violation = validator.errors?.[0] ?? NO_RULE;
    const name = unknownProperty(violation);
    if (!tolerate || name === undefined || unknown.length >= MAXIMUM_UNKNOWN) {
      return { unknown, violation };
    }
    const holder = at(value, violation.instancePath);
    if (holder === undefined) return { unknown, violation };
    // Each check lists all properties anew: 1,000 checks of 100,000 properties would take most of a minute (L2).
    const isCrowded = Object.keys(holder).length > MAXIMUM_PROPERTIES;
    if (isCrowded || !Reflect.deleteProperty(holder, name)) return { unknown, violation };
    unknown.push(`${violation.instancePath}/${name}`);
  }
}

/**
 * A broken rule in words: `unknown property "x" at /datasets`, `/next_cursor must be string,null`. Shows no value that was sent,
 * only allowed values.
 */
export function describeViolation(violation: Violation | undefined): string {
  if (violation === undefined) return "it breaks its schema";
  const name = unknownProperty(violation);
  if (name !== undefined) return `unknown property "${foreignText(name)}" at ${place(violation)}`;
  const { missingProperty, allowedValue, allowedValues } = violation.params;
  if (violation.keyword === "required" && typeof missingProperty === "string") {
    return `property "${missingProperty}" is missing at ${place(violation)}`;
  }
  const allowed = allowedValue ?? allowedValues;
  const values = allowed === undefined ? "" : `: ${JSON.stringify(allowed)}`;
  return `${place(violation)} ${violation.message ?? violation.keyword}${values}`;
}

const NO_RULE: Violation = { instancePath: "", keyword: "unknown", params: {} };

function unknownProperty({ keyword, params }: Violation): string | undefined {
  const name = params["additionalProperty"];
  return keyword === "additionalProperties" && typeof name === "string" ? name : undefined;
}

function place({ instancePath }: Violation): string {
  return instancePath === "" ? "the top level" : foreignText(instancePath);
}

/** The object at a JSON pointer (RFC 6901), if there is one. */
function at(root: unknown, pointer: string): object | undefined {
  let value = root;
  for (const token of pointer.split("/").slice(1)) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, token.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return typeof value === "object" && value !== null ? value : undefined;
}
