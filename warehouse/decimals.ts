/** Exact decimals as text. No amount becomes a number. */

interface Decimal {
  readonly units: bigint;
  /** The number of digits after the point. */
  readonly scale: number;
}

/** @throws TypeError if the text is no plain decimal: scientific notation would mean that a float was involved */
function parseDecimal(text: string): Decimal {
  const [, sign, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) throw new TypeError(`"${text}" is no plain decimal`);
  return { units: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length };
}

function formatDecimal({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const point = digits.length - scale;
  const fraction = digits.slice(point).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${digits.slice(0, point)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** The same decimal without trailing zeros. */
export function plain(text: string): string {
  return formatDecimal(parseDecimal(text));
}

/** `left` minus `right`, exactly. */
export function subtract(left: string, right: string): string {
  const [a, b] = [parseDecimal(left), parseDecimal(right)];
  const scale = Math.max(a.scale, b.scale);
  const scaled = ({ units, scale: own }: Decimal): bigint => units * 10n ** BigInt(scale - own);
  return formatDecimal({ units: scaled(a) - scaled(b), scale });
}

/** The exact sum; 0 of none. */
export function add(amounts: readonly string[]): string {
  return amounts.reduce((sum, amount) => subtract(sum, subtract("0", amount)), "0");
}

/**
 * `factor` times `amount` divided by `by`, cut after six digits.
 *
 * @throws RangeError if `by` is 0
 */
export function ratio(amount: string, by: string, factor = 1): string {
  const [a, b] = [parseDecimal(amount), parseDecimal(by)];
  const units = a.units * BigInt(factor) * 10n ** BigInt(b.scale + 6);
  return formatDecimal({ units: units / (b.units * 10n ** BigInt(a.scale)), scale: 6 });
}

/** The amount with exactly so many digits after the point, halves away from zero. */
export function rounded(amount: string, digits: number): string {
  const { units, scale } = parseDecimal(amount);
  const more = 10n ** BigInt(Math.max(0, digits - scale));
  const step = 10n ** BigInt(Math.max(0, scale - digits));
  const half = units < 0n ? -step / 2n : step / 2n;
  const kept = (units * more + half) / step;
  const text = String(kept < 0n ? -kept : kept).padStart(digits + 1, "0");
  const point = text.length - digits;
  const sign = kept < 0n ? "-" : "";
  return `${sign}${text.slice(0, point)}${digits === 0 ? "" : `.${text.slice(point)}`}`;
}
