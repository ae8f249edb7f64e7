/**
 * Pages of the provider of which only a part was given. They save requests. A cursor leads to their content again, so the next process
 * after a kill requests them once more.
 */

/** The most records of all pages together: some 60 MB. The oldest page goes first. */
const MOST_RECORDS = 60_000;

export class KeptPages<Page extends { readonly drafts: readonly unknown[] }> {
  readonly #pages = new Map<string, Page>();

  /** The page that was kept under a key, which is then free. */
  take(key: string): Page | undefined {
    const page = this.#pages.get(key);
    this.#pages.delete(key);
    return page;
  }

  keep(key: string, page: Page): void {
    this.#pages.delete(key);
    this.#pages.set(key, page);
    let records = [...this.#pages.values()].reduce((sum, { drafts }) => sum + drafts.length, 0);
    for (const [oldest, { drafts }] of this.#pages) {
      if (records <= MOST_RECORDS) return;
      this.#pages.delete(oldest);
      records -= drafts.length;
    }
  }
}
