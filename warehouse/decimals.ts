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
