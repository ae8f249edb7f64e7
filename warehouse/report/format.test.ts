import { describe, expect, it } from "vitest";
import {
  billingPeriod,
  billingPeriodCode,
  count,
  decimal,
  haveShares,
  longDate,
  money,
  month,
  percent,
  shortDate,
  signedMoney,
  shortName,
  throughDay,
} from "./format.ts";

describe("figures", () => {
  it("are no shares of a sum that one of them exceeds, or that is 0 or less", () => {
    expect(haveShares(["99.5", "0.5"], "100")).toBe(true);
    expect(haveShares(["100"], "100")).toBe(true);
    expect(haveShares(["100.000000000000000001", "-1"], "100")).toBe(false);
    expect(haveShares(["0"], "0")).toBe(false);
  });

  it.each([
    ["0", "0"],
    ["999", "999"],
    ["1721.5886", "1,721.5886"],
    ["-2.6217", "−2.6217"],
    ["-1234567.000000000000000001", "−1,234,567.000000000000000001"],
    ["123456789012345678901234567890", "123,456,789,012,345,678,901,234,567,890"],
  ])("%s is written %s, with every digit", (text, written) => {
    expect(decimal(text)).toBe(written);
  });

  it.each([
    ["0", "0.00"],
    ["1333.241", "1,333.24"],
    ["0.005", "0.01"],
    ["0.004", "0.0040"],
    ["-0.000123456", "−0.00012"],
    ["0.000000000000000001", "0.0000000000000000010"],
  ])("%s is shown as %s, and nothing but 0 is shown as 0", (amount, shown) => {
    expect(money(amount, 2)).toBe(shown);
  });

  it("have a sign where they are a change", () => {
    expect(["12", "-3.5", "0", "0.0004"].map((amount) => signedMoney(amount, 2))).toEqual([
      "+12.00",
      "−3.50",
      "0.00",
      "+0.00040",
    ]);
  });

  it("are changes in percent, with all digits of a very large one", () => {
    expect([percent("12.5", "100"), percent("-1", "3"), percent("0.004", "1")]).toEqual([
      "+13%",
      "−33%",
      "±0%",
    ]);
    expect([percent("1", "0"), percent("1", "-5")]).toEqual(["", ""]);
    expect(percent("10000000", "0.000000000000001")).toBe("+1,000,000,000,000,000,000,000,000%");
  });

  it("counts in words", () => {
    expect([count(1, "day"), count(1109, "day"), count(2, "is", "are")]).toEqual([
      "1 day",
      "1,109 days",
      "2 are",
    ]);
  });
});

describe("dates", () => {
  it("are UTC", () => {
    expect([longDate("2025-10-01"), longDate("2025-10-01T23:59:59Z")]).toEqual([
      "October 1, 2025",
      "October 1, 2025",
    ]);
    const [november, january] = [
      { month: "2025-11-01", daysInMonth: 30 },
      { month: "2026-01-01", daysInMonth: 31 },
    ];
    expect([throughDay(november, 29), throughDay(november, 30), throughDay(january, 30)]).toEqual([
      "through Nov 30",
      "through Oct 31",
      "through Jan 31",
    ]);
    expect([shortDate("2025-10-01"), month("2025-10-01")]).toEqual(["Oct 1", "October 2025"]);
  });

  it("tell billing periods of one month apart", () => {
    const halves = ["2025-10-01", "2025-10-16"];
    expect(halves.map(billingPeriod)).toEqual(["October 2025", "October 2025 from Oct 16"]);
    expect(halves.map(billingPeriodCode)).toEqual(["2025-10", "2025-10-16"]);
  });
});

it("cuts a name after sixty characters, never within one", () => {
  expect(shortName("x".repeat(60))).toBe("x".repeat(60));
  expect(shortName("😀".repeat(200))).toBe(`${"😀".repeat(59)}…`);
});
