import { describe, expect, it } from "vitest";
import { add, ratio, rounded } from "./decimals.ts";

describe("decimals", () => {
  it.each([
    ["1.005", 2, "1.01"],
    ["-1.005", 2, "-1.01"],
    ["1.0049999999999999999", 2, "1.00"],
    ["0.004", 2, "0.00"],
    ["-0.004", 2, "0.00"],
    ["12", 4, "12.0000"],
    ["99999999999999999999.995", 2, "100000000000000000000.00"],
    ["0.5", 0, "1"],
  ])("%s with %i digits is %s", (amount, digits, text) => {
    expect(rounded(amount, digits)).toBe(text);
  });

  it("are added and divided without a float", () => {
    expect(add(["0.1", "0.2", "-0.3", "0.000000000000000001"])).toBe("0.000000000000000001");
    expect(add([])).toBe("0");
    expect(ratio("2", "3")).toBe("0.666666");
    expect(ratio("1.5", "300000", 1_000_000)).toBe("5");
    expect(() => ratio("1", "0")).toThrow(RangeError);
  });
});
