/**
 * The names of labels' values (N1, N2), such as the name of the project `proj_7fQ`. They are a provider's text, so each of them is judged
 * before it is used. A state keeps a fingerprint of each name, so that only changed names are written.
 */
import { foreignText } from "./foreign_text.ts";
import { hashBytes } from "./hash.ts";

/** A name, as a source of names tells it. */
export interface NamedValue {
  /** The dimension of the interface: `project`, `workspace` or `api_key`. */
  readonly label: string;
  /** The id, as it stands in the records. */
  readonly value: string;
  /** Null if the provider has none. */
  readonly name: string | null;
  /** Whether the value can no longer be used: archived, expired or disabled. */
  readonly isArchived: boolean;
}

/** The most characters of a value. A day with a longer label has no control totals (L1). */
const MOST_OF_VALUE = 200;

/** The most names that are remembered, and so written: their fingerprints take 90 kB of a STATE (S8). */
export const MOST_NAMES = 5000;

/** An e-mail address: personal data, also as the name of a key. */
const E_MAIL = /[^\s@]@[^\s@]+\.[^\s@]/;

/**
 * A name that is fit to be written: cleaned as in a message, because reports and terminals show it (L4). The value stays as it is,
 * because it is compared with those of records.
 *
 * @returns undefined if the value is of no use
 */
export function judgedName({ name, ...named }: NamedValue): NamedValue | undefined {
  const { value } = named;
  if (value === "" || value.length > MOST_OF_VALUE || !value.isWellFormed()) return undefined;
  const clean = name === null || E_MAIL.test(name) ? "" : foreignText(name);
  return { ...named, name: clean === "" ? null : clean };
}

/** The characters of a fingerprint: 48 bits of the label and the value, 60 bits of all that is known of them. */
const OF_IDENTITY = 8;
const OF_CONTENT = 10;
const OF_BOTH = OF_IDENTITY + OF_CONTENT;

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** A text that {@link KnownNames.text} gave. */
export const KNOWN_NAMES = new RegExp(`^(?:[\\w-]{${OF_BOTH}}){0,${MOST_NAMES}}$`);

/** The names that a stream has written. */
export class KnownNames {
  /** The fingerprint of the content by that of the identity. */
  readonly #known = new Map<string, string>();
  readonly #listed = new Set<string>();
  readonly #encoder = new TextEncoder();
  #surplus = 0;

  /** @param text of an earlier state, matching {@link KNOWN_NAMES}; empty if there is none */
  constructor(text: string) {
    for (let at = 0; at < text.length; at += OF_BOTH) {
      this.#known.set(text.slice(at, at + OF_IDENTITY), text.slice(at + OF_IDENTITY, at + OF_BOTH));
    }
  }

  /** The number of values that came beyond {@link MOST_NAMES}. */
  get surplus(): number {
    return this.#surplus;
  }

  /** Takes a name of the present listing. Gives true if it is new or changed. If a value comes twice, the first one counts. */
  take({ label, value, name, isArchived }: NamedValue): boolean {
    const identity = this.#print([label, value], OF_IDENTITY);
    if (this.#listed.has(identity)) return false;
    if (this.#listed.size >= MOST_NAMES) {
      this.#surplus += 1;
      return false;
    }
    this.#listed.add(identity);
    const content = this.#print([label, value, name, isArchived], OF_CONTENT);
    if (this.#known.get(identity) === content) return false;
    this.#known.set(identity, content);
    return true;
  }

  /** Forgets what the present listing did not show. For a listing that is complete. */
  settle(): void {
    for (const identity of this.#known.keys())
      if (!this.#listed.has(identity)) this.#known.delete(identity);
  }

  /** All fingerprints, sorted. If there are too many, those of the present listing stay. */
  get text(): string {
    const listed = [...this.#known].filter(([identity]) => this.#listed.has(identity));
    const others = [...this.#known].filter(([identity]) => !this.#listed.has(identity));
    const kept = [...listed, ...others].slice(0, MOST_NAMES);
    return kept
      .map(([identity, content]) => identity + content)
      .toSorted()
      .join("");
  }

  #print(parts: readonly unknown[], characters: number): string {
    const bytes = this.#encoder.encode(JSON.stringify(parts));
    const words = new Uint32Array(4);
    hashBytes(new DataView(bytes.buffer), 0, bytes.length, words);
    // Six bits a character, five characters a word.
    return Array.from({ length: characters }, (_, index) => {
      const word = words[Math.floor(index / 5)] ?? 0;
      return DIGITS[(word >>> (6 * (index % 5))) & 63] ?? "";
    }).join("");
  }
}
