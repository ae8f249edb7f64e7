import fc from "fast-check";
import { expect, test } from "vitest";
import { isDecimal, KnownTexts, NULL } from "./texts.ts";

test("a decimal in bytes is what the schema's pattern takes", () => {
  const near = fc.string({ unit: fc.constantFrom("-", "0", "1", "9", ".", "e"), maxLength: 6 });
  fc.assert(
    fc.property(near, near, near, (before, text, after) => {
      const bytes = Buffer.from(before + text + after);
      const expected = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text);
      expect(isDecimal(bytes, before.length, before.length + text.length)).toBe(expected);
    }),
    { numRuns: 5000 },
  );
});

test("a set of texts knows what it was told, and nothing else", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "é"), maxLength: 4 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 64 }), fc.array(text), (told, asked) => {
      const known = new KnownTexts();
      const add = (value: string): void => {
        const bytes = Buffer.from(`"${value}"`);
        known.add(bytes, 1, bytes.length - 1);
      };
      for (const value of told) add(value);
      for (const value of [...told, ...asked]) {
        const bytes = Buffer.from(`: ${value},`);
        expect(known.has(bytes, 2, bytes.length - 1)).toBe(told.includes(value));
      }
    }),
  );
});

test("a set of texts knows null only once it was told", () => {
  const known = new KnownTexts();
  expect(known.has(Buffer.from("null"), NULL, 3)).toBe(false);
  known.add(Buffer.from("null"), NULL, 3);
  expect(known.has(Buffer.from("null"), NULL, 3)).toBe(true);
});

test("L1: a set of texts is bounded", () => {
  const known = new KnownTexts();
  const long = Buffer.from("x".repeat(65));
  known.add(long, 0, long.length);
  expect(known.has(long, 0, long.length)).toBe(false);
  const texts = Array.from({ length: 100 }, (_, number) => Buffer.from(`text ${number}`));
  for (const bytes of texts) known.add(bytes, 0, bytes.length);
  expect(texts.filter((bytes) => known.has(bytes, 0, bytes.length))).toHaveLength(64);
});
