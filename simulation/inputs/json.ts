/**
 * A second JSON reader (RFC 8259), to check the connector's reader, and the tree that mutations change. The tree keeps
 * the characters of every number and text, repeated names, and the order of members.
 */

/** A scalar holds its characters, with the quotes. */
export type Json =
  | { readonly kind: "object"; readonly members: readonly Member[] }
  | { readonly kind: "array"; readonly items: readonly Json[] }
  | { readonly kind: "scalar"; readonly text: string };

/** The name has its quotes. */
export interface Member {
  readonly name: string;
  readonly value: Json;
}

/** The greatest depth that is compared. */
const MAXIMUM_DEPTH = 1000;

const SCALAR =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;

export class TooDeep extends Error {}

/** The tree of a text; undefined if the text is no JSON. Throws {@link TooDeep}. */
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

  /** Reads a punctuation mark and the blanks around it. */
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

/** The tree of a value that JSON can express. */
export function treeOf(value: unknown): Json {
  const tree = readJson(JSON.stringify(value));
  if (tree === undefined) throw new TypeError("no JSON");
  return tree;
}

/** The members of an object by name; the last one wins if a name is repeated. Undefined if the value is no object. */
export function membersOf(json: Json | undefined): ReadonlyMap<string, Json> | undefined {
  if (json?.kind !== "object") return undefined;
  return new Map(json.members.map(({ name, value }) => [textOf(name), value]));
}

/**
 * The content of a tree in a canonical form: members sorted by name without repetition, texts as characters, numbers
 * with their own digits. A lone surrogate becomes U+FFFD, as in UTF-8.
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

/** Whether an object of a tree has two members of one name. */
export function hasNameTwice(json: Json): boolean {
  switch (json.kind) {
    case "scalar":
      return false;
    case "array":
      return json.items.some(hasNameTwice);
    case "object":
      return (
        new Set(json.members.map(({ name }) => textOf(name))).size < json.members.length ||
        json.members.some(({ value }) => hasNameTwice(value))
      );
  }
}

/** The characters between the quotes of a text. */
export function textOf(scalar: string): string {
  if (!scalar.includes("\\")) return scalar.slice(1, -1);
  const value: unknown = JSON.parse(scalar);
  return String(value);
}

function wellFormed(scalar: string): string {
  if (!scalar.includes("\\") && scalar.isWellFormed()) return scalar;
  return JSON.stringify(textOf(scalar).toWellFormed());
}
