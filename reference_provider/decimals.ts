/** An exact decimal: `units` times ten to the power of minus `scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { units: 0n, scale: 0 };

/** Reads a DecimalString (interface section 2.1) of any length without loss. Throws a RangeError for other text. */
export function parseDecimal(text: string): Decimal {
  if (!/^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text)) throw new RangeError(`"${text}" is no decimal`);
  const point = text.indexOf(".");
  if (point < 0) return { units: BigInt(text), scale: 0 };
  return {
    units: BigInt(text.slice(0, point) + text.slice(point + 1)),
    scale: text.length - point - 1,
  };
}

function unitsAt(decimal: Decimal, scale: number): bigint {
  return decimal.scale === scale
    ? decimal.units
    : decimal.units * 10n ** BigInt(scale - decimal.scale);
}

/** The exact sum. */
export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

/** The exact difference. */
export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, { units: -b.units, scale: b.scale });
}

/** Writes a DecimalString without trailing zeros after the point, without an exponent, and never as `-0`. */
export function formatDecimal(decimal: Decimal): string {
  const sign = decimal.units < 0n ? "-" : "";
  const digits = (decimal.units < 0n ? -decimal.units : decimal.units)
    .toString()
    .padStart(decimal.scale + 1, "0");
  const whole = digits.slice(0, digits.length - decimal.scale);
  const fraction = digits.slice(digits.length - decimal.scale).replace(/0+$/, "");
  return fraction === "" ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

/** Rounds half away from zero to `places` decimals. */
export function round(decimal: Decimal, places: number): Decimal {
  if (decimal.scale <= places) return decimal;
  const divisor = 10n ** BigInt(decimal.scale - places);
  const half = decimal.units < 0n ? -divisor / 2n : divisor / 2n;
  return { units: (decimal.units + half) / divisor, scale: places };
}
