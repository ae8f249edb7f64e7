/** A record's members, not yet checked against the schema. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member as a label of control totals, with U+FFFD for a lone surrogate, as the record is written (V4). */
export const labelOf = (value: unknown): string => textOf(value).toWellFormed();

/** A member of a record as text, even if the member breaks the schema because it is no text. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  // An object from the provider may have a member called `toString`.
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
