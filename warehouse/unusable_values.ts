/** The shape of values that no sum of the models holds, for the commands and for the report's page in a browser. */

/** A value that is in no sum, and the row that it belongs to. */
export interface Unusable {
  readonly dataset: string;
  /** The account of the row, which may have the same records as another one; null if such rows are of one account only. */
  readonly account: string | null;
  readonly record: string;
  readonly day: string;
  readonly column: string;
  readonly value: string;
  readonly reason: string;
}

/** The number of such values, and the first ones. */
export interface Unusables {
  readonly rows: number;
  readonly first: readonly Unusable[];
}
