/** The SQL that makes the values of a row out of its RECORD line. The connector has written the line, so the places of its parts are known. */
import type { Column } from "./columns.ts";

/** A part of a line, in the FROM clause of the values: the line itself, and its members as {@link shapeOf} casts them. */
const LINE = "line";
const DATA = "message.record.data";

/**
 * The shape of a line for `from_json`. A decimal stays JSON, so that a number can be told from a text: DuckDB rounds numbers to
 * floating-point ones. Names of columns are plain words, which SQL and JSON quote in the same way.
 */
export function shapeOf(columns: readonly Column[]): string {
  const fields = columns.map(
    ({ name, type, isDecimal }) =>
      `${name}: "${isDecimal || type === "JSON" ? "JSON" : "VARCHAR"}"`,
  );
  return `{"record": {"data": {${fields.join(", ")}}, "emitted_at": "BIGINT"}}`;
}

/**
 * The value of a column. A value that does not fit its column is only let through by `invalid_records: "warn"`. It becomes null, as at a
 * platform's destination, and its day is not proven.
 */
export function valueOf({ name, type, isDecimal }: Column): string {
  const value = `${DATA}.${name}`;
  if (isDecimal) return decimalOf(name, value);
  if (type === "TIMESTAMP") return instantOf(value);
  if (name === COLUMNS) return providerColumns(value);
  return `TRY_CAST(${value} AS ${type})`;
}

const TIME = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]";
const DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}";
const USUAL_INSTANT = `${DATE}T${TIME}Z`;
const INSTANT = `${DATE}[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)([.][0-9]+)?([Zz]|[+-]00:00)`;

/**
 * An instant as the engine's `parseInstant` reads it, cut to microseconds. DuckDB alone takes no small letters and no second 60, and it
 * ignores offsets. The usual form comes first, because it is the quickest.
 */
export const instantOf = (text: string): string => `
  CASE WHEN regexp_full_match(${text}, '${USUAL_INSTANT}') THEN TRY_CAST(${text} AS TIMESTAMP)
       WHEN regexp_full_match(${text}, '${INSTANT}') THEN TRY_CAST(
         substr(${text}, 1, 10) || ' ' || CASE WHEN substr(${text}, 18, 2) = '60' THEN substr(${text}, 12, 5) || ':59.999'
           ELSE substr(${text}, 12, 8) || regexp_extract(${text}, '[.][0-9]{1,6}') END AS TIMESTAMP) END`;

/**
 * A decimal as it came. One that came as a number is cut out of the line, if the first member of its name is this one: the number of the
 * line then rounds to the one that DuckDB read. Else it is null, because its digits are lost.
 */
function decimalOf(name: string, value: string): string {
  const number = `regexp_extract(${LINE}, '${name}[ \\t]*:[ \\t]*(-?[0-9][-+.0-9Ee]*)', 1)`;
  return String.raw`
    CASE WHEN starts_with(${value}, '"')
           THEN CASE WHEN contains(${value}, '\') THEN ${value} ->> '$' ELSE trim(${value}, '"') END
         WHEN regexp_full_match(${value}, '-?[0-9].*')
           THEN CASE WHEN TRY_CAST(${number} AS DOUBLE) = TRY_CAST(${value} AS DOUBLE) THEN ${number} END
         ELSE CAST(${value} AS VARCHAR) END`;
}

const COLUMNS = '"x_ProviderColumns"';

/** At most so many members named `x_ProviderColumns` are tried in a line, because a line could have any number of them. */
const MOST_TRIED = 20;

/**
 * `x_ProviderColumns` as it stands in the line, because `from_json` rounds its numbers (V3). It ends where the reading id begins, whose length
 * is known, and begins after a member of its name: the last one, or an earlier one if objects inside of it have such a member, too. A text
 * that begins inside of another object is no JSON, because that object ends in it.
 */
function providerColumns(value: string): string {
  const begin = `,${COLUMNS}:`;
  const end = ',"x_ReadingId":""},"emitted_at":}}'.length;
  const lengths = `length(${DATA}."x_ReadingId") + length(CAST(message.record.emitted_at AS VARCHAR))`;
  const json = (text: string): string => `TRY_CAST(left(${text}, -(${end} + ${lengths})) AS JSON)`;
  const parts = `string_split(${LINE}, '${begin}')`;
  const earlier = `[${json(`array_to_string(${parts}[part:], '${begin}')`)} FOR part IN range(2, least(len(${parts}), ${MOST_TRIED}))]`;
  const whole = `list_filter(${earlier}, lambda each: each IS NOT NULL)[1]`;
  return `CASE WHEN ${value} IS NOT NULL THEN coalesce(${json(`${parts}[-1]`)}, ${whole}, ${value}) END`;
}
