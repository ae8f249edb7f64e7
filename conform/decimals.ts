const DECIMAL = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;

/** An exact decimal number: `units` × 10^-`scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { units: 0n, scale: 0 };

/** A DecimalString (interface section 2.1) of at most 200 characters; undefined for anything else. */
export function parseDecimal(value: unknown): Decimal | undefined {
  const parts = typeof value === "string" && value.length <= 200 ? DECIMAL.exec(value) : null;
  if (parts === null) return undefined;
  const [, sign = "", whole = "", fraction = ""] = parts;
  return { units: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length };
}

/** The exact sum of two decimals. */
export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  const at = (value: Decimal): bigint => value.units * 10n ** BigInt(scale - value.scale);
  return { units: at(a) + at(b), scale };
}

/** Without zeros at the end: two decimals are equal if these texts are. */
export function formatDecimal({ units, scale }: Decimal): string {
  const sign = units < 0n ? "-" : "";
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const cut = digits.length - scale;
  const fraction = digits.slice(cut).replace(/0+$/, "");
  return `${sign}${digits.slice(0, cut)}${fraction === "" ? "" : `.${fraction}`}`;
}
