/** The comparison that the demo ends with: text in, text out, no number in between. */

/** Rows and the exact sum of one measure, such as `billed USD`; the amount is a decimal as text. */
export interface Sum {
  readonly measure: string;
  readonly rows: number;
  readonly amount: string;
}

/** The sums of all measures, as each side tells them. */
export interface Sides {
  /** The raw tables, added up as they are. */
  readonly naive: readonly Sum[];
  /** What the views take for true. */
  readonly current: readonly Sum[];
  readonly provider: readonly Sum[];
}

/** One measure on all sides; `null` where a side does not have it. */
export interface Comparison {
  readonly measure: string;
  readonly naive: Sum | null;
  readonly current: Sum | null;
  readonly provider: Sum | null;
  /** Current less provider, a decimal as text without trailing zeros. */
  readonly difference: string;
  /** Whether current and provider have the measure, with as many rows and the same sum. */
  readonly equal: boolean;
}

interface Decimal {
  readonly units: bigint;
  /** Digits after the point. */
  readonly scale: number;
}

/** @throws TypeError where the text is no plain decimal: a sum in scientific notation has been through a float */
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

/** `left` less `right`, exactly. */
export function subtract(left: string, right: string): string {
  const [a, b] = [parseDecimal(left), parseDecimal(right)];
  const scale = Math.max(a.scale, b.scale);
  const scaled = ({ units, scale: own }: Decimal): bigint => units * 10n ** BigInt(scale - own);
  return formatDecimal({ units: scaled(a) - scaled(b), scale });
}

/** Compares the sides, measure by measure, in the order of the provider's and then of those that only we have. */
export function compare(sides: Sides): Comparison[] {
  const all = [...sides.provider, ...sides.current, ...sides.naive];
  return [...new Set(all.map(({ measure }) => measure))].map((measure) => {
    const of = (sums: readonly Sum[]): Sum | null =>
      sums.find((sum) => sum.measure === measure) ?? null;
    const [naive, current, provider] = [of(sides.naive), of(sides.current), of(sides.provider)];
    const difference = subtract(current?.amount ?? "0", provider?.amount ?? "0");
    const equal = current !== null && current.rows === provider?.rows && difference === "0";
    return { measure, naive, current, provider, difference, equal };
  });
}

/** Whether there was something to compare and all of it is equal. */
export function isReconciled(comparisons: readonly Comparison[]): boolean {
  return comparisons.length > 0 && comparisons.every(({ equal }) => equal);
}
