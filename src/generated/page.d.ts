/* Made by `npm run generate` from schemas/. Do not edit. */

/**
 * The envelope of a page of records (interface section 2.6.1); the records are checked one by one against their own schema.
 */
export interface Page {
  /**
   * The page's records.
   */
  data: unknown[];
  /**
   * Opaque cursor of the next page; null on the last page.
   */
  next_cursor: string | null;
  /**
   * The instant that the listing shows (UTC).
   */
  as_of: string;
  /**
   * The instant before which the provider declares its data available (UTC).
   */
  available_through: string;
}
