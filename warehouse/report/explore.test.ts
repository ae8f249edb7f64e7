import { describe, expect, it } from "vitest";
import { isRead, wholeMonthBefore } from "./explore.ts";

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
