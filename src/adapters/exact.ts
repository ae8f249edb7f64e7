/** Numbers by their digits: JSON that keeps the text of each number, decimals moved and written out as text. */

/** A value of JSON in which each number is its text. */
export type Json = string | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/**
 * Parses JSON; each number becomes the text that it came as, digit for digit (`1.095e-05`, `0.10`).
 *
 * @throws SyntaxError if the text is no JSON; RangeError if it is nested deeper than the stack
 */
export function parseExact(text: string): Json {
  const value: unknown = JSON.parse(text, (_name, each: unknown, context?: { source?: string }) =>
    typeof each === "number" ? (context?.source ?? String(each)) : each,
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this is what JSON.parse gives, without numbers
  return value as Json;
}

/** The most digits that an exponent may add: no honest amount comes near it. */
const MOST_ZEROS = 60;

/** A zero with an exponent: OpenAI wrote `0E-6176` in 2026, the smallest exponent of a 128-bit decimal. */
const ZERO = /^[+-]?0+(?:\.0*)?[eE][+-]?\d{1,9}$/;

const NUMBER = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/**
 * A number's text as a DecimalString (interface section 2.1), times 10^`places`: exponents written out, no digit lost or
 * rounded. A zero is `0` whatever its exponent. A text that is no number, or whose exponent is beyond all reason, comes back as it
 * is, so that the check of records refuses it.
 */
export function decimalOf(text: string, places = 0): string {
  if (ZERO.test(text)) return "0";
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(text) ?? [];
  const shift = Number(exponent) + places;
  if (whole === "" || Math.abs(shift) > MOST_ZEROS) return text;
  const digits = (whole + fraction).padEnd(whole.length + Math.max(shift, 0), "0");
  const point = whole.length + shift;
  const padded = point < 1 ? "0".repeat(1 - point) + digits : digits;
  const at = Math.max(point, 1);
  const before = padded.slice(0, at).replace(/^0+(?=\d)/, "");
  const after = padded.slice(at);
  const decimal = after === "" ? before : `${before}.${after}`;
  return sign === "-" && /[1-9]/.test(decimal) ? `-${decimal}` : decimal;
}
