/** The comparison that the demo ends with: text in, text out, no number in between. */

/** Rows and the exact sum of one measure, such as `billed USD`; the amount is a decimal as text. */
export interface Sum {
  readonly measure: string;
  readonly rows: number;
  readonly amount: string;
}

/** One measure on both sides; `null` where a side does not have it. */
export interface Comparison {
  readonly measure: string;
  readonly warehouse: Sum | null;
  readonly provider: Sum | null;
  /** Warehouse less provider, a decimal as text without trailing zeros. */
  readonly difference: string;
  /** Whether both sides have the measure, with as many rows and the same sum. */
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

/** Compares both sides, measure by measure, in the order of the provider's and then of those that only we have. */
export function compare(warehouse: readonly Sum[], provider: readonly Sum[]): Comparison[] {
  const measures = new Set([...provider, ...warehouse].map(({ measure }) => measure));
  return [...measures].map((measure) => {
    const ours = warehouse.find((sum) => sum.measure === measure) ?? null;
    const theirs = provider.find((sum) => sum.measure === measure) ?? null;
    const difference = subtract(ours?.amount ?? "0", theirs?.amount ?? "0");
    const equal = ours !== null && ours.rows === theirs?.rows && difference === "0";
    return { measure, warehouse: ours, provider: theirs, difference, equal };
  });
}

/** Whether there was something to compare and all of it is equal. */
export function isReconciled(comparisons: readonly Comparison[]): boolean {
  return comparisons.length > 0 && comparisons.every(({ equal }) => equal);
}
