/** The comparison at the end of the demo. Decimals stay text; no amount becomes a number. */
import { subtract } from "../warehouse/decimals.ts";

/** Rows and the exact sum of one measure, such as `billed USD`; the amount is a decimal as text. */
export interface Sum {
  readonly measure: string;
  readonly rows: number;
  readonly amount: string;
}

/** The sums of all measures: of the raw tables, the views and the provider. */
export interface Sides {
  /** The raw tables, added up without the views. */
  readonly naive: readonly Sum[];
  /** The views. */
  readonly current: readonly Sum[];
  readonly provider: readonly Sum[];
}

/** One measure of the raw tables, the views and the provider; `null` where it is missing. */
export interface Comparison {
  readonly measure: string;
  readonly naive: Sum | null;
  readonly current: Sum | null;
  readonly provider: Sum | null;
  /** Current minus provider, a decimal as text without trailing zeros. */
  readonly difference: string;
  /** Whether current and provider have the measure, with equal numbers of rows and equal sums. */
  readonly equal: boolean;
}

/** Compares the measures, first in the provider's order, then those that only the warehouse has. */
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

/** Whether there is at least one measure, and all measures are equal. */
export function isReconciled(comparisons: readonly Comparison[]): boolean {
  return comparisons.length > 0 && comparisons.every(({ equal }) => equal);
}
