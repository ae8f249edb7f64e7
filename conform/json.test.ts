import { expect, it } from "vitest";
import { parseJson } from "./json.ts";

const NUMBERS = ["1", "-7", "1.0", "0.10", "-0", "-0.0", "1e5", "2E-7", "1234567890123456789"];

it("every number keeps its digits, wherever it stands", () => {
  for (const number of NUMBERS) {
    const texts = [number, `[${number}]`, `{"a":${number}}`, `{"a":["1.5",${number},{"b":null}]}`];
    for (const text of texts) {
      expect(JSON.stringify(parseJson(text))).toBe(text);
      expect(JSON.stringify(parseJson(text.replaceAll(/[[:,]/g, "$&\n ")))).toBe(text);
    }
  }
});

it("what looks like such a number inside a text stays a text", () => {
  const value = { at: "2026-03-01T00:00:00.5Z", list: ["1,-0.5", ":1e5"] };
  expect(parseJson(JSON.stringify(value))).toEqual(value);
});
