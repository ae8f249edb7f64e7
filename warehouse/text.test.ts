import { expect, it } from "vitest";
import { padded, shortName, widthOf } from "./text.ts";

it("knows how many columns of a terminal a text takes", () => {
  const texts = ["Search", "検索", "검색", "ｃｉ", "🚀", "é", "e\u0301", "a\u200Bb", "—…−█"];
  expect(texts.map(widthOf)).toEqual([6, 4, 4, 4, 2, 1, 1, 2, 4]);
  expect([padded("検索", 6), padded("検索", 6, "right"), padded("検索", 2)]).toEqual([
    "検索  ",
    "  検索",
    "検索",
  ]);
});

it("cuts a name after forty columns, never within a character", () => {
  expect(shortName("x".repeat(40))).toBe("x".repeat(40));
  expect(shortName(`${"x".repeat(38)}😀${"y".repeat(9)}`)).toBe(`${"x".repeat(38)}…`);
  expect(shortName("検".repeat(21))).toBe(`${"検".repeat(19)}…`);
});
