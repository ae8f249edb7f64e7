/**
 * JSON as it is written: every number and text with its own characters, names that come twice, the order of members. A
 * reader of its own (RFC 8259), to judge the connector's by, and the tree that mutations work on.
 */

/** A scalar holds its own characters, quotes included. */
export type Json =
  | { readonly kind: "object"; readonly members: readonly Member[] }
  | { readonly kind: "array"; readonly items: readonly Json[] }
  | { readonly kind: "scalar"; readonly text: string };

/** `name` with its quotes. */
export interface Member {
  readonly name: string;
  readonly value: Json;
}

/** Deeper than this is nothing that anybody compares. */
const MAXIMUM_DEPTH = 1000;

const SCALAR =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;

export class TooDeep extends Error {}

/** The tree of a text; undefined where it is no JSON. Throws {@link TooDeep}. */
export function readJson(text: string): Json | undefined {
  const reader = new Reader(text);
  const value = reader.value(0);
  return value !== undefined && reader.isAtEnd() ? value : undefined;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#skipBlanks();
    return this.#at === this.#text.length;
  }

  value(depth: number): Json | undefined {
    if (depth > MAXIMUM_DEPTH) throw new TooDeep();
    if (this.#take("{")) return this.#object(depth + 1);
    if (this.#take("[")) return this.#array(depth + 1);
    const text = this.#scalar();
    return text === undefined ? undefined : { kind: "scalar", text };
  }

  #object(depth: number): Json | undefined {
    const members: Member[] = [];
    if (this.#take("}")) return { kind: "object", members };
    do {
      this.#skipBlanks();
      const name = this.#scalar();
      if (name === undefined || !name.startsWith('"') || !this.#take(":")) return undefined;
      const value = this.value(depth);
      if (value === undefined) return undefined;
      members.push({ name, value });
    } while (this.#take(","));
    return this.#take("}") ? { kind: "object", members } : undefined;
  }

  #array(depth: number): Json | undefined {
    const items: Json[] = [];
    if (this.#take("]")) return { kind: "array", items };
    do {
      const value = this.value(depth);
      if (value === undefined) return undefined;
      items.push(value);
    } while (this.#take(","));
    return this.#take("]") ? { kind: "array", items } : undefined;
  }

  /** Takes a mark, with the blanks before and after it. */
  #take(mark: string): boolean {
    this.#skipBlanks();
    if (this.#text[this.#at] !== mark) return false;
    this.#at += 1;
    this.#skipBlanks();
    return true;
  }

  #skipBlanks(): void {
    while (" \t\n\r".includes(this.#text[this.#at] ?? "x")) this.#at += 1;
  }

  #scalar(): string | undefined {
    SCALAR.lastIndex = this.#at;
    const found = SCALAR.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

/** The tree of any value that JSON can say. */
export function treeOf(value: unknown): Json {
  const tree = readJson(JSON.stringify(value));
  if (tree === undefined) throw new TypeError("no JSON");
  return tree;
}

/** The members of an object by their names, of those that come twice the last; undefined for anything else. */
export function membersOf(json: Json | undefined): ReadonlyMap<string, Json> | undefined {
  if (json?.kind !== "object") return undefined;
  return new Map(json.members.map(({ name, value }) => [textOf(name), value]));
}

/**
 * What a tree says, in one spelling: members sorted by name and each there once, texts as characters, numbers with their
 * own digits. Half a character is U+FFFD, as it is for every reader of UTF-8.
 */
export function meaningOf(json: Json): string {
  switch (json.kind) {
    case "scalar":
      return json.text.startsWith('"') ? wellFormed(json.text) : json.text;
    case "array":
      return `[${json.items.map(meaningOf).join(",")}]`;
    case "object": {
      const last = new Map(json.members.map(({ name, value }) => [wellFormed(name), value]));
      const sorted = [...last].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return `{${sorted.map(([name, value]) => `${name}:${meaningOf(value)}`).join(",")}}`;
    }
  }
}

/** What is between the quotes of a text. */
export function textOf(scalar: string): string {
  if (!scalar.includes("\\")) return scalar.slice(1, -1);
  const value: unknown = JSON.parse(scalar);
  return String(value);
}

function wellFormed(scalar: string): string {
  if (!scalar.includes("\\") && scalar.isWellFormed()) return scalar;
  return JSON.stringify(textOf(scalar).toWellFormed());
}
