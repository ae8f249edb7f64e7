import fc from "fast-check";
import { expect, test } from "vitest";
import { decimalOf, parseExact } from "./exact.ts";

test("numbers keep their digits", () => {
  expect(parseExact('{"a": [1.095e-05, 0.10, 12345678901234567890], "b": "1", "c": true}')).toEqual(
    {
      a: ["1.095e-05", "0.10", "12345678901234567890"],
      b: "1",
      c: true,
    },
  );
});

test.each([
  ["1.095e-05", 0, "0.00001095"],
  ["1.5E+3", 0, "1500"],
  ["123.45", -2, "1.2345"],
  ["7", -2, "0.07"],
  ["-0.5", -2, "-0.005"],
  ["-0.00", 0, "0.00"],
  ["007.10", 0, "7.10"],
  ["+1.", 0, "1"],
  ["0.012", 2, "1.2"],
  ["123.78912", -2, "1.2378912"],
  ["0E-6176", 0, "0"],
  ["-0.000e+999999999", -2, "0"],
  ["1e999", 0, "1e999"],
  ["1e99999999", 0, "1e99999999"],
  ["n/a", -2, "n/a"],
  ["", 0, ""],
])("%s with the point moved by %i is %s", (text, places, decimal) => {
  expect(decimalOf(text, places)).toBe(decimal);
});

test("a point that moves there and back changes nothing", () => {
  const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  const places = fc.integer({ min: 0, max: 40 });
  fc.assert(
    fc.property(digits, places, (units, moved) => {
      const there = decimalOf(String(units), -moved);
      expect(there).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/);
      expect(decimalOf(there, moved)).toBe(String(units));
    }),
  );
});
