import { describe, expect, it } from "vitest";
import { compare, type Comparison, isReconciled, type Sum } from "./reconciliation.ts";
import { plain, subtract } from "../warehouse/decimals.ts";

const billed = (amount: string, rows = 95): Sum => ({ measure: "billed USD", rows, amount });
const tokens: Sum = { measure: "input_tokens", rows: 3, amount: "123456789012345678901234567890" };

const between = (current: readonly Sum[], provider: readonly Sum[]): Comparison[] =>
  compare({ naive: [], current, provider });
const verdict = (current: readonly Sum[], provider: readonly Sum[]): boolean =>
  isReconciled(between(current, provider));

describe("the reconciliation", () => {
  it("holds where both sides are equal, however many zeros they carry", () => {
    expect(
      verdict([billed("1724.210300000000000000"), tokens], [billed("1724.2103"), tokens]),
    ).toBe(true);
  });

  it("fails on one unit in the last of eighteen places, and says by how much", () => {
    const comparisons = between([billed("1724.210300000000000001")], [billed("1724.2103")]);
    expect(isReconciled(comparisons)).toBe(false);
    expect(comparisons[0]?.difference).toBe("0.000000000000000001");
  });

  it("fails where a float would have called the sums equal", () => {
    const [ours, theirs] = ["9007199254740993", "9007199254740992"];
    expect(Number(ours)).toBe(Number(theirs));
    expect(verdict([billed(ours)], [billed(theirs)])).toBe(false);
  });

  it("fails on rows that cancel each other out", () => {
    expect(verdict([billed("1", 97)], [billed("1", 95)])).toBe(false);
  });

  it("fails where one side lacks a measure, even an empty one", () => {
    expect(verdict([billed("1")], [billed("1"), tokens])).toBe(false);
    expect(verdict([billed("1"), tokens], [billed("1")])).toBe(false);
    expect(verdict([], [billed("0", 0)])).toBe(false);
    expect(verdict([billed("0", 0)], [])).toBe(false);
  });

  it("fails where there is nothing to compare", () => {
    expect(verdict([], [])).toBe(false);
  });

  it("shows the naive sum beside them and does not judge it", () => {
    const current = [billed("1")];
    const [comparison] = compare({ naive: [billed("2", 97)], current, provider: current });
    expect(comparison).toMatchObject({ naive: { amount: "2" }, difference: "0", equal: true });
  });

  it("does not take what has been through a float", () => {
    expect(() => between([billed("1.7242103e3")], [billed("1724.2103")])).toThrow(TypeError);
  });
});

describe("decimals", () => {
  it.each([
    ["0.90", "0.8756", "0.0244"],
    ["-2.6217", "0", "-2.6217"],
    ["1", "1.05", "-0.05"],
    ["-0.5", "-0.5", "0"],
    ["100", "0.000000000000000001", "99.999999999999999999"],
  ])("%s less %s is %s", (left, right, difference) => {
    expect(subtract(left, right)).toBe(difference);
  });

  it.each([
    ["29.082900000000000000", "29.0829"],
    ["-0.00", "0"],
    ["120", "120"],
  ])("%s in short is %s", (text, short) => {
    expect(plain(text)).toBe(short);
  });
});
