/** From a row of a usage report to one draft for each of its meters. */
import { addDecimals, isDecimal } from "../core/decimal.ts";
import type { JsonObject } from "./exact.ts";
import { decimalOf } from "./exact.ts";
import type { Draft } from "./report.ts";
import { textIn } from "./shape.ts";

/** A quantity of a row. */
export interface Meter {
  /** A usage type of the interface (section 2.1), or `x_…`. */
  readonly usageType: string;
  /** `SkuMeter`, e.g. `Input Tokens`. */
  readonly name: string;
  readonly unit: string;
  /** A decimal; null if the row does not have it. */
  readonly quantity: string | null;
}

/** A member as a decimal; null if the row does not have it. */
export function quantityIn(row: JsonObject, name: string): string | null {
  const text = textIn(row, name);
  return text === null ? null : decimalOf(text);
}

/** `from` less all the others. Members that the row does not have count as 0. */
export function less(from: string | null, ...others: readonly (string | null)[]): string | null {
  return others.reduce((rest, other) => {
    if (rest === null || other === null || !isDecimal(rest) || !isDecimal(other)) return rest;
    return addDecimals(rest, other.startsWith("-") ? other.slice(1) : `-${other}`);
  }, from);
}

/** The drafts of a row: one for each meter that it has a quantity of, other than 0. */
export function usageDrafts(
  start: number,
  identity: readonly (string | null)[],
  members: Draft["members"],
  meters: readonly Meter[],
): Draft[] {
  return meters.flatMap(({ usageType, name, unit, quantity }) =>
    quantity === null || /^-?0(\.0+)?$/.test(quantity)
      ? []
      : [
          {
            start,
            identity: [...identity, usageType],
            members: { ...members, SkuMeter: name, ConsumedUnit: unit, x_UsageType: usageType },
            sums: { ConsumedQuantity: quantity },
          },
        ],
  );
}
