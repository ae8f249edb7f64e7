const MOST = 200;

// Controls, line separators and marks that change the direction of the text around them.
const UNSHOWABLE =
  /[\u0000-\u001F\u007F-\u009F\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** Knows the secrets of a run and makes every foreign text fit to be shown. */
export class Shown {
  readonly #secrets: string[] = [];

  /** Adds secrets that no report may show. They are masked in their percent-encoded form too. */
  hide(secret: string): void {
    if (secret.length < 4) return;
    this.#secrets.push(secret, encodeURIComponent(secret));
    this.#secrets.sort((a, b) => b.length - a.length);
  }

  /** The text with every secret replaced by `***`. */
  mask(text: string): string {
    let masked = text;
    for (const secret of this.#secrets) masked = masked.replaceAll(secret, "***");
    return masked;
  }

  /** Whether the text has a secret in it. */
  reveals(text: string): boolean {
    return this.#secrets.some((secret) => text.includes(secret));
  }

  /** Masked, well-formed, without control characters, cut at `most` characters (default 200). */
  readonly foreign = (text: string, most: number = MOST): string => {
    const clean = this.mask(text).toWellFormed().replace(UNSHOWABLE, " ").trim();
    return clean.length <= most ? clean : `${clean.slice(0, most - 1)}…`;
  };
}
