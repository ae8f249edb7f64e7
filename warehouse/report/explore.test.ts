import { describe, expect, it } from "vitest";
import { isRead } from "./explore.ts";

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
