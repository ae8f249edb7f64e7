/**
 * Pages of the provider whose records were given only in part. They save requests. After a kill, the next process requests such a
 * page once more, because the cursor holds its place.
 */

/** The most records of all pages together: some 60 MB. The oldest page goes first. */
const MOST_RECORDS = 60_000;

export class KeptPages<Page extends { readonly drafts: readonly unknown[] }> {
  readonly #pages = new Map<string, Page>();

  /** Takes out the page that was kept under a key. */
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
