import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foreignText, maskSecrets, SHOWN_CHARACTERS } from "./foreign_text.ts";

const SECRET = "s3cr3t-token-of-32-characters-xyz";

/** Characters that steer a terminal, reverse the text or are half of a character. */
const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe("L4: foreign text is fit for a message", () => {
  test.each([
    ["colors of a terminal", "\u001b[31mred\u001b[0m", "red"],
    ["a title for the terminal", "a\u001b]0;owned\u0007b", "ab"],
    ["the one-byte form of a control sequence", "a\u009b2Jb", "ab"],
    ["a lone escape", "a\u001b", "a"],
    ["line breaks and tabs", "a\r\n\tb\u2028c\u0085d", "a b c d"],
    ["marks of direction", "a\u202eb\u2066c\u200fd", "abcd"],
    ["characters without width", "a\u200b\ufeffb", "ab"],
    ["half a character", "a\ud83db", "a\ufffdb"],
    ["letters of all scripts", "Ä 日本 🙂", "Ä 日本 🙂"],
    ["blanks around it", "  a  ", "a"],
  ])("%s: a message shows what is harmless", (_, text, shown) => {
    expect(foreignText(text)).toBe(shown);
  });

  test("a long text is cut, and never inside of a character", () => {
    expect(foreignText("x".repeat(SHOWN_CHARACTERS))).toHaveLength(SHOWN_CHARACTERS);
    expect(foreignText("x".repeat(5_000_000))).toBe(`${"x".repeat(SHOWN_CHARACTERS)}…`);
    expect(foreignText(`${"x".repeat(SHOWN_CHARACTERS - 1)}🙂y`)).toBe(
      `${"x".repeat(SHOWN_CHARACTERS - 1)}…`,
    );
  });

  test("whatever comes in, nothing harmful and nothing long comes out", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), (text) => {
        const shown = foreignText(text);
        expect(shown).not.toMatch(HARMFUL);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown.length).toBeLessThanOrEqual(SHOWN_CHARACTERS + 1);
      }),
    );
  });

  test("the secret is masked before the cut, wherever it stands, in any case of its letters", () => {
    for (let before = 0; before <= 4100; before += before < 210 || before > 3960 ? 1 : 50) {
      for (const secret of [SECRET, SECRET.toUpperCase()]) {
        const shown = foreignText("x".repeat(before) + secret + "y".repeat(300), SECRET);
        expect(shown.toLowerCase(), String(before)).not.toContain(SECRET.slice(0, 4));
      }
    }
  });

  test("a text of nothing but secrets shows none of them", () => {
    expect(foreignText(SECRET.repeat(200), SECRET)).not.toContain("s3cr");
  });
});

describe("L4: secrets are masked", () => {
  test.each([
    ["in the middle", `a ${SECRET} b`, "a **** b"],
    ["in other letters", `a ${SECRET.toUpperCase()} b`, "a **** b"],
    ["cut in the middle", `"${SECRET.slice(0, 20)}…" and on`, '"****…" and on'],
    [
      "cut in an address",
      `?cursor=${SECRET.slice(0, 9)}%E2%80%A6&x=1`,
      "?cursor=****%E2%80%A6&x=1",
    ],
    ["cut to three characters, which show nothing", `${SECRET.slice(0, 3)}…`, "s3c…"],
    ["a text without them", "nothing … here", "nothing … here"],
  ])("%s", (_, text, shown) => {
    expect(maskSecrets(text, [SECRET])).toBe(shown);
  });

  test("characters that mean something in a pattern are plain characters of a secret", () => {
    expect(maskSecrets("a.*b axxb", ["a.*b"])).toBe("**** axxb");
  });
});
