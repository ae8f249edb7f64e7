/** JSON as the wire carries it: numbers keep their digits, and a name that stands twice in one object is found. */

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !("rawJSON" in value && Object.isFrozen(value))
  );
}

/** A number that may be written otherwise than a double is, or a part of a text that looks like one. */
const UNUSUAL = /(?:^|[[:,])\s*(?:-0|-?\d+[.eE]|-?\d{16})/;

/** Parses JSON. Numbers that are written as a double is stay numbers; all others become raw JSON, which keeps every digit. */
export function parseJson(text: string): unknown {
  // Pages hardly ever have such numbers, and to look at each value takes several times as long as to parse them.
  if (!UNUSUAL.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined || String(value) === source) return value;
    return JSON.rawJSON(source);
  });
}

/** A copy in which every number is a double, for schemas: to them `30.0` is an integer, too. */
export function withDoubles(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A text that is the same for equal JSON values: names are sorted. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/gsu;

/** The first name that stands twice in one object of a JSON text; undefined if there is none. */
export function repeatedName(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const name: unknown = JSON.parse(last);
      const names = open.at(-1);
      if (typeof name === "string" && names?.has(name) === true) return name;
      if (typeof name === "string") names?.add(name);
    }
    last = token;
  }
  return undefined;
}
