import { describe, expect, it } from "vitest";
import { dayCosts } from "./day_costs.ts";
import { isRead, type PeriodName, periodOf, sharesOf, wholeMonthBefore } from "./explore.ts";

const [october, november] = [
  { from: 0, to: 31 },
  { from: 31, to: 48 },
];

describe("two periods are compared", () => {
  const both = [october, november];
  const from = 0;

  it("if each account with costs was read wholly in both", () => {
    const reaches = [{ from, to: 48, read: [{ from: -5, to: 48 }] }];
    expect(isRead({ reaches }, both)).toBe(true);
  });

  it("but not with a day that was not read, nor with an account that is behind", () => {
    const gap = {
      from,
      to: 48,
      read: [
        { from: 0, to: 20 },
        { from: 21, to: 48 },
      ],
    };
    expect(isRead({ reaches: [gap] }, both)).toBe(false);
    expect(isRead({ reaches: [gap] }, [november])).toBe(true);
    const behind = { from, to: 33, read: [{ from: 0, to: 33 }] };
    expect(isRead({ reaches: [behind] }, both)).toBe(false);
  });

  it("also where an account whose costs ended earlier is not read any more", () => {
    const reaches = [{ from: -60, to: -10, read: [{ from: -60, to: -10 }] }];
    expect(isRead({ reaches }, both)).toBe(true);
  });
});

describe("the chart of the running month has the month before", () => {
  const start = Date.parse("2025-10-01");
  const days = Array.from({ length: 48 }, (_, day) =>
    new Date(start + day * 86_400_000).toISOString().slice(0, 10),
  );
  const headline = { month: "2025-11-01", throughDay: "2025-11-17" };
  const monthsWith = (to: number) =>
    wholeMonthBefore({ days, headline, reaches: [{ from: 0, to, read: [{ from: 0, to }] }] });

  it("if each account was read up to the day of the page", () => {
    expect(monthsWith(48)).toMatchObject(october);
  });

  it("not if an account is behind: the lines would be of different accounts", () => {
    expect(monthsWith(36)).toBeNull();
  });
});

it("this month is compared with as many days of the month before, another period with the one before it", () => {
  const start = Date.parse("2025-08-01");
  const days = Array.from({ length: 61 }, (_, day) =>
    new Date(start + day * 86_400_000).toISOString().slice(0, 10),
  );
  const headline = { month: "2025-09-01", throughDay: "2025-09-30" };
  const view = { days, headline, reaches: [{ from: 0, to: 61, read: [{ from: -31, to: 61 }] }] };
  const of = (name: PeriodName) => periodOf(view, name);
  expect(of("month")).toEqual({ from: 31, to: 61, before: { from: 0, to: 30 } });
  expect(of("last-month")).toEqual({ from: 0, to: 31, before: { from: -31, to: 0 } });
  expect(of("7")).toEqual({ from: 54, to: 61, before: { from: 47, to: 54 } });
  expect(of("all").before).toBeNull();
});

it("the costs of a value come from one text, with the days that cost nothing left out", () => {
  expect(dayCosts("1.25 3:7.5 2")).toEqual([
    [0, "1.25"],
    [4, "7.5"],
    [5, "2"],
  ]);
  expect(dayCosts("")).toEqual([]);
  const dimension = { name: "Model", values: ["a", "b"], costs: ["1.25 3:7.5 2", "4:10"] };
  expect(sharesOf(dimension, { from: 4, to: 6, before: { from: 0, to: 4 } })).toEqual([
    { value: "b", billed: "10", previous: "0", change: "10" },
    { value: "a", billed: "9.5", previous: "1.25", change: "8.25" },
  ]);
});
