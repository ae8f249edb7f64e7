/** The strays that a state knows (P5), found by content and by id. */
import type { RecordFingerprint } from "../core/identity.ts";
import type { KnownStray } from "../core/state.ts";

/** The hashes of a record that tell strays apart. */
export type StrayPrint = Pick<
  RecordFingerprint,
  "version" | "content" | "former" | "versionText" | "contentText" | "formerText"
>;

export class StrayTable {
  readonly #byContent = new Map<string, KnownStray>();
  /** The contents of strays by id. */
  readonly #byId = new Map<string, Set<string>>();

  constructor(strays: Iterable<KnownStray>) {
    for (const stray of strays) this.set(stray);
  }

  get size(): number {
    return this.#byContent.size;
  }

  get(content: string): KnownStray | undefined {
    return this.#byContent.get(content);
  }

  values(): MapIterator<KnownStray> {
    return this.#byContent.values();
  }

  /** The strays with this id. A stray of an earlier version's state has none. */
  ofId(id: string): readonly KnownStray[] {
    const contents = this.#byId.get(id);
    return contents === undefined
      ? []
      : [...contents].flatMap((content) => this.get(content) ?? []);
  }

  /** A stray with the same content keeps its place. */
  set(stray: KnownStray): void {
    const { hash, id } = stray;
    this.#forgetId(this.get(hash));
    this.#byContent.set(hash, stray);
    if (id !== undefined) this.#byId.set(id, (this.#byId.get(id) ?? new Set()).add(hash));
  }

  delete(content: string): void {
    this.#forgetId(this.get(content));
    this.#byContent.delete(content);
  }

  #forgetId(stray: KnownStray | undefined): void {
    if (stray?.id === undefined) return;
    const contents = this.#byId.get(stray.id);
    contents?.delete(stray.hash);
    if (contents?.size === 0) this.#byId.delete(stray.id);
  }
}
