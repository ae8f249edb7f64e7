/** The secrets of a run, masked in all that is shown. */
import { maskSecrets } from "./core/foreign_text.ts";

/** Secret values that must never be written. A renewed token adds a value. */
export class Secrets {
  #values: readonly string[] = [];

  /** Adds values, also in their forms in base64 and in a URL. Ignores empty values. */
  add(values: readonly string[]): void {
    const forms = values
      .flatMap((value) => [
        value,
        encodeURIComponent(value.toWellFormed()),
        Buffer.from(value).toString("base64"),
        Buffer.from(value).toString("base64url"),
      ])
      .filter((value) => value !== "");
    // The longest first: a secret may contain a shorter one, and all of it has to be masked.
    const all = [...new Set([...this.#values, ...forms])];
    this.#values = all.toSorted((a, b) => b.length - a.length);
  }

  /** Replaces every secret in the text. */
  mask(text: string): string {
    return maskSecrets(text, this.#values);
  }
}
