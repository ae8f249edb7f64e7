/** The secrets of a run, masked in all that is shown. */
import { maskSecrets } from "./core/foreign_text.ts";

/** This many characters of a secret, or more, are masked wherever they stand: a provider may quote a part of a key, or break it in lines. */
const PART = 20;

/** Each part of {@link PART} characters holds a whole block of this length, wherever the part begins. */
const BLOCK = PART / 2;

/** A place in one form of a secret. */
interface Place {
  readonly value: string;
  readonly at: number;
}

/** Secret values that must never be written. A renewed token adds a value. */
export class Secrets {
  #values: readonly string[] = [];
  /** The blocks of the long values. */
  #blocks: ReadonlyMap<string, readonly Place[]> = new Map();

  /**
   * Adds values, also in their forms in base64, in hexadecimal digits, in a URL, in a form and in JSON, and as a header carries them.
   * Ignores empty values.
   */
  add(values: readonly string[]): void {
    const forms = values.flatMap((value) => (value === "" ? [] : formsOf(value)));
    // The longest first: a secret may contain a shorter one, and all of it has to be masked.
    const all = [...new Set([...this.#values, ...forms])];
    this.#values = all.toSorted((a, b) => b.length - a.length);
    this.#blocks = blocksOf(this.#values.filter(({ length }) => length > PART));
  }

  /** Replaces every secret in the text, and every part of one that has 20 characters or more. */
  mask(text: string): string {
    return withoutParts(maskSecrets(text, this.#values), this.#blocks);
  }
}

/** A shorter secret would have forms of so few characters that they stand in other texts, too. */
const LONG_ENOUGH = 8;

function formsOf(secret: string): string[] {
  const encoded = [secret, `Bearer ${secret}`].flatMap((text) => {
    const bytes = Buffer.from(text);
    return [bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
  });
  const form = new URLSearchParams([["", secret]]).toString().slice("=".length);
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [secret, encodeURIComponent(secret.toWellFormed()), form, json, ...encoded];
  const bytes = Buffer.from(secret);
  if (bytes.length < LONG_ENOUGH) return forms;
  const hex = bytes.toString("hex");
  const percent = hex.replaceAll(/../g, "%$&");
  return [...forms, hex, percent, json.replaceAll("/", String.raw`\/`), ...insideBase64(bytes)];
}

/**
 * The characters that stand for a secret in the base64 of a longer text, such as all headers of a request. They depend on the place of
 * its first byte. Characters that stand for a byte before or after it, too, are left out.
 */
const insideBase64 = (bytes: Buffer): string[] =>
  [0, 1, 2].flatMap((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    const whole = all.subarray(0, all.length - (all.length % 3));
    const shared = before === 0 ? 0 : before + 1;
    return [whole.toString("base64").slice(shared), whole.toString("base64url").slice(shared)];
  });

/** Only ASCII, so that each character keeps its place: the small form of "\u0130" is two characters. */
const inSmallLetters = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

function blocksOf(values: readonly string[]): ReadonlyMap<string, readonly Place[]> {
  const blocks = new Map<string, Place[]>();
  for (const value of values.map(inSmallLetters)) {
    for (let at = 0; at + BLOCK <= value.length; at += BLOCK) {
      const block = value.slice(at, at + BLOCK);
      const places = blocks.get(block);
      if (places === undefined) blocks.set(block, [{ value, at }]);
      else places.push({ value, at });
    }
  }
  return blocks;
}

/** The text with each long part of a secret masked, as far as the text agrees with the secret. */
function withoutParts(text: string, blocks: ReadonlyMap<string, readonly Place[]>): string {
  if (blocks.size === 0) return text;
  const where = inSmallLetters(text);
  let shown = "";
  let from = 0;
  for (let at = 0; at + BLOCK <= where.length; at += 1) {
    const places = blocks.get(where.slice(at, at + BLOCK)) ?? [];
    const found = places.map((place) => partAt(where, at, from, place));
    const begin = Math.min(...found.map((part) => part.begin));
    const end = Math.max(...found.map((part) => part.end));
    if (end - begin < PART) continue;
    shown += `${text.slice(from, begin)}****`;
    from = end;
    at = end - 1;
  }
  return shown + text.slice(from);
}

/** The part of a secret around a block that stands at `at`. It begins no earlier than `from`. */
function partAt(
  text: string,
  at: number,
  from: number,
  place: Place,
): { readonly begin: number; readonly end: number } {
  const { value } = place;
  let begin = at;
  let first = place.at;
  while (begin > from && first > 0 && text[begin - 1] === value[first - 1]) {
    begin -= 1;
    first -= 1;
  }
  let end = at + BLOCK;
  let next = place.at + BLOCK;
  while (end < text.length && next < value.length && text[end] === value[next]) {
    end += 1;
    next += 1;
  }
  return { begin, end };
}
