/** Exact decimals, as the interface writes them (DecimalString, section 2.1): text in, text out, no rounding ever. */

/** Whether a value is a DecimalString (interface section 2.1). */
export function isDecimal(value: unknown): value is string {
  return typeof value === "string" && /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(value);
}

/** The most digits of a decimal that is added up (L1): sums of a million of them still take microseconds each. */
const MAXIMUM_DIGITS = 100;

/** Whether a value is a decimal that may be added up (L1). A longer one passes as text and is in no sum. */
export function isSummable(value: unknown): value is string {
  const longest = MAXIMUM_DIGITS + 2; // with a sign and a point
  if (typeof value !== "string" || value.length > longest || !isDecimal(value)) return false;
  return value.replace(/[-.]/g, "").length <= MAXIMUM_DIGITS;
}

/** `units` × 10^-`scale`. */
interface Scaled {
  readonly units: bigint;
  readonly scale: number;
}

function parse(text: string): Scaled {
  const point = text.indexOf(".");
  return point === -1
    ? { units: BigInt(text), scale: 0 }
    : {
        units: BigInt(text.slice(0, point) + text.slice(point + 1)),
        scale: text.length - point - 1,
      };
}

/**
 * The exact sum of two decimals, without trailing zeros after the point and never `-0`.
 *
 * @param a matches the interface's DecimalString
 * @param b likewise
 * @throws SyntaxError if one of the texts is no decimal
 */
export function addDecimals(a: string, b: string): string {
  const [left, right] = [parse(a), parse(b)];
  const scale = Math.max(left.scale, right.scale);
  const raise = ({ units, scale: own }: Scaled): bigint => units * 10n ** BigInt(scale - own);
  return format(raise(left) + raise(right), scale);
}

/** The sums of two maps of decimals by name, e.g. `{ USD: "1.5" }`. */
export function addAmounts(
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const sums = new Map(Object.entries(a));
  for (const [name, amount] of Object.entries(b)) {
    sums.set(name, addDecimals(sums.get(name) ?? "0", amount));
  }
  return Object.fromEntries(sums);
}

function format(units: bigint, scale: number): string {
  const sign = units < 0n ? "-" : "";
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const point = digits.length - scale;
  const fraction = digits.slice(point).replace(/0+$/, "");
  const whole = digits.slice(0, point);
  return fraction === "" ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}
