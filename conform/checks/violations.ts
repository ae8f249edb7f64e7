/** Breaks of the schemas, sorted by the kind of rule that they break. */
import type { Finding } from "../check.ts";
import type { Exchange } from "../http.ts";
import type { Validator, Violation } from "../../src/generated/all_violations.js";
import { quoted } from "./shared.ts";

/** Every rule of its schema that a value breaks. */
export function violationsOf(validate: Validator, value: unknown): readonly Violation[] {
  return validate(value) ? [] : (validate.errors ?? []);
}

/** The property that a violation is about: the last name of its pointer that is no index. */
export function fieldOf({ instancePath }: Violation): string {
  const names = instancePath.split("/").filter((name) => name !== "" && !/^\d+$/.test(name));
  return names.at(-1) ?? "";
}

function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const name of pointer.split("/").slice(1)) {
    if (typeof value !== "object" || value === null) return undefined;
    value = new Map<string, unknown>(Object.entries(value)).get(name);
  }
  return value;
}

function ruleOf({ keyword, params, message = "" }: Violation): string {
  const values = [params["allowedValues"] ?? params["allowedValue"] ?? []].flat().map(String);
  if (keyword === "enum" || keyword === "const") return `one of ${values.join(", ")}`;
  if (keyword === "type") return `a JSON ${[params["type"]].flat().map(String).join(" or ")}`;
  return message;
}

/** A violation in words. `what` names the object that breaks the rule. */
export function findingOf(
  what: string,
  root: unknown,
  violation: Violation,
  exchange?: Exchange,
): Finding {
  const { keyword, params, instancePath } = violation;
  const place = instancePath === "" ? what : `${what}: ${instancePath.slice(1)}`;
  if (keyword === "required")
    return {
      seen: `${place} has no ${String(params["missingProperty"])}`,
      expected: "it is required",
      exchange,
    };
  if (keyword === "additionalProperties") {
    const name = quoted(params["additionalProperty"]);
    return {
      seen: `${place} has the property ${name}`,
      expected: "the object is closed",
      exchange,
    };
  }
  const value = quoted(valueAt(root, instancePath));
  return { seen: `${place} is ${value}`, expected: ruleOf(violation), exchange };
}
