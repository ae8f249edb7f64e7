import fc from "fast-check";
import { expect, test } from "vitest";
import { addDecimals, isSummable } from "./decimal.ts";

test.each([
  ["0", "0", "0"],
  ["-0", "0.00", "0"],
  ["1.10", "2.9", "4"],
  ["0.1", "0.2", "0.3"],
  ["-0.05", "0.04", "-0.01"],
  ["99999999999999999999.999999999999999999", "0.000000000000000001", "100000000000000000000"],
  ["12345678901234567.89", "0.0000000001234567", "12345678901234567.8900000001234567"],
])("%s + %s = %s", (a, b, sum) => {
  expect(addDecimals(a, b)).toBe(sum);
});

test("a sum is the sum of the units at any scale", () => {
  const scaled = fc.tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.nat(20));
  const text = (units: bigint, scale: number): string => {
    const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
    const point = digits.length - scale;
    const body = scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
    return units < 0n ? `-${body}` : body;
  };
  fc.assert(
    fc.property(scaled, scaled, ([a, scaleA], [b, scaleB]) => {
      const exact = a * 10n ** BigInt(20 - scaleA) + b * 10n ** BigInt(20 - scaleB);
      const sum = addDecimals(text(a, scaleA), text(b, scaleB));
      expect(addDecimals(sum, text(-exact, 20))).toBe("0");
      expect(sum).toMatch(/^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/);
    }),
  );
});

test.each([
  ["9".repeat(100), true],
  [`-${"9".repeat(50)}.${"9".repeat(50)}`, true],
  ["9".repeat(101), false],
  [`0.${"0".repeat(100)}`, false],
  ["1".repeat(1_000_000), false],
  ["1e5", false],
  [1, false],
])("L1: a decimal of at most 100 digits is added up (%#)", (value, expected) => {
  expect(isSummable(value)).toBe(expected);
});
