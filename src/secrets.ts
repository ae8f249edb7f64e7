/** The secrets of a run, masked in all that is shown. */
import { maskSecrets } from "./core/foreign_text.ts";

/** This many first characters of a secret, or more, are masked wherever they stand: a provider may quote a part of a key. */
const BEGINNING = 20;

/** Secret values that must never be written. A renewed token adds a value. */
export class Secrets {
  #values: readonly string[] = [];

  /** Adds values, also in their forms in base64, in a URL, in a form and in JSON, and as a header carries them. Ignores empty values. */
  add(values: readonly string[]): void {
    const forms = values.flatMap((value) => (value === "" ? [] : formsOf(value)));
    // The longest first: a secret may contain a shorter one, and all of it has to be masked.
    const all = [...new Set([...this.#values, ...forms])];
    this.#values = all.toSorted((a, b) => b.length - a.length);
  }

  /** Replaces every secret in the text, and every beginning of one that has 20 characters or more. */
  mask(text: string): string {
    const long = this.#values.filter(({ length }) => length > BEGINNING);
    return long.reduce(
      (shown, value) => withoutBeginning(shown, value),
      maskSecrets(text, this.#values),
    );
  }
}

function formsOf(secret: string): string[] {
  const encoded = [secret, `Bearer ${secret}`].flatMap((text) => {
    const bytes = Buffer.from(text);
    return [bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
  });
  const form = new URLSearchParams([["", secret]]).toString().slice("=".length);
  const json = JSON.stringify(secret).slice(1, -1);
  return [secret, encodeURIComponent(secret.toWellFormed()), form, json, ...encoded];
}

/** Only ASCII, so that each character keeps its place: the small form of "\u0130" is two characters. */
const inSmallLetters = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The text with each beginning of a secret masked, as far as the text agrees with the secret. */
function withoutBeginning(text: string, secret: string): string {
  const [where, what] = [inSmallLetters(text), inSmallLetters(secret)];
  const beginning = what.slice(0, BEGINNING);
  let shown = "";
  let from = 0;
  for (let at = where.indexOf(beginning); at !== -1; at = where.indexOf(beginning, from)) {
    let length = BEGINNING;
    while (length < what.length && where[at + length] === what[length]) length += 1;
    shown += `${text.slice(from, at)}****`;
    from = at + length;
  }
  return shown + text.slice(from);
}
