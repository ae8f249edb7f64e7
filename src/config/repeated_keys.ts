/** Keys that stand more than once in one object of a config. `JSON.parse` takes the last one and says nothing. */

export interface RepeatedKey {
  /** `credentials.access_token`, `accounts[1].base_url`. A key that is no plain word stands as `…`, because it may be a secret. */
  readonly path: string;
  /** The offsets of the key in UTF-16 units, at least two. */
  readonly offsets: readonly number[];
}

/** An object or a list that has begun and not ended. */
interface Level {
  readonly path: string;
  readonly isList: boolean;
  readonly keys: Map<string, { readonly path: string; readonly offsets: number[] }>;
  /** The path of the member or item that comes next. */
  next: string;
  items: number;
}

/** A text, with the colon behind it if it is a key, or a mark. Numbers and words are of no use here. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\],]/g;

/** Keys of the schema are plain words, as are those that a platform adds. */
const PLAIN = /^[A-Za-z_]{1,40}$/;

/** @param text a text that `JSON.parse` takes */
export function repeatedKeys(text: string): readonly RepeatedKey[] {
  const found: RepeatedKey[] = [];
  const open: Level[] = [];
  for (const { 0: token, 1: colon, index } of text.matchAll(TOKEN)) {
    const level = open.at(-1);
    if (token === "{" || token === "[") open.push(levelIn(level, token === "["));
    else if (token === "}" || token === "]") open.pop();
    else if (level === undefined) continue;
    else if (token === ",") level.items += 1;
    else if (colon !== undefined) {
      const key = String(JSON.parse(token.slice(0, -colon.length)));
      const known = level.keys.get(key) ?? { path: memberOf(level.path, key), offsets: [] };
      level.keys.set(key, known);
      known.offsets.push(index);
      if (known.offsets.length === 2) found.push(known);
      level.next = known.path;
    }
  }
  return found;
}

function levelIn(outer: Level | undefined, isList: boolean): Level {
  const path = outer?.isList === true ? `${outer.path}[${outer.items}]` : (outer?.next ?? "");
  return { path, isList, keys: new Map(), next: "", items: 0 };
}

function memberOf(path: string, key: string): string {
  const shown = PLAIN.test(key) ? key : "…";
  return path === "" ? shown : `${path}.${shown}`;
}
