import fc from "fast-check";
import { expect, test } from "vitest";
import { type Hash, hashBytes, hashTexts, readingId } from "./identity.ts";

const encoder = new TextEncoder();

function hashOf(text: string, offset = 0): Hash {
  const bytes = encoder.encode(" ".repeat(offset) + text);
  return hashBytes(new DataView(bytes.buffer), offset, bytes.length);
}

test("reading ids sort, as text, by when their readings began", () => {
  const began = fc.integer({ min: 0, max: Date.UTC(4999, 0, 1) });
  const dice = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(began, began, dice, dice, (a, b, first, second) => {
      const [one, two] = [readingId(a, first), readingId(b, second)];
      expect(one).toMatch(/^[0-9a-z]{14}$/);
      if (a !== b) expect(one < two).toBe(a < b);
    }),
  );
});

test("readings of one millisecond are told apart by chance", () => {
  const ids = new Set(Array.from({ length: 1000 }, (_, index) => readingId(1, index / 1000)));
  expect(ids.size).toBe(1000);
});

test("the hash depends on the bytes alone, not on where they lie", () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 0, max: 9 }), (text, offset) => {
      expect(hashOf(text, offset)).toEqual(hashOf(text));
    }),
  );
});

/** What tells records apart is little: a digit of an id, of an amount, of an instant. */
const SHAPES: readonly (readonly [string, (index: number) => string])[] = [
  ["numbers", String],
  ["ids", (index) => `row-${index.toString(36)}`],
  [
    "an id and an amount",
    (index) => `{"x_RecordId":"${index % 1000}","BilledCost":"${Math.floor(index / 1000)}.50"}`,
  ],
  [
    "two numbers of one sum",
    (index) => `{"a":"${String(index).padStart(8, "0")}","b":"${999_999 - index}"}`,
  ],
  ["other lengths", (index) => `${"x".repeat(index % 64)}${Math.floor(index / 64)}`],
];
const MANY = 1_000_000;

/** Texts with the 64 bits of another, and what is missing of a million in each half. */
function collisions(hashOfIndex: (index: number) => Hash): { both: number; halves: number[] } {
  const [high, low] = [new Uint32Array(MANY), new Uint32Array(MANY)];
  const both = new BigUint64Array(MANY);
  for (let index = 0; index < MANY; index++) {
    const hash = hashOfIndex(index);
    high[index] = hash.high;
    low[index] = hash.low;
    both[index] = (BigInt(hash.high) << 32n) | BigInt(hash.low);
  }
  const same = (sorted: Uint32Array | BigUint64Array): number => {
    let count = 0;
    for (let index = 1; index < MANY; index++) if (sorted[index] === sorted[index - 1]) count += 1;
    return count;
  };
  return { both: same(both.toSorted()), halves: [same(high.toSorted()), same(low.toSorted())] };
}

test.each(SHAPES)(
  "a million short texts have a million hashes: %s",
  { timeout: 60_000 },
  (_, shape) => {
    for (const hashOfIndex of [
      (index: number) => hashOf(shape(index)),
      (index: number) => hashTexts(shape(index), "2026-01-01T00:00:00Z"),
    ]) {
      const { both, halves } = collisions(hashOfIndex);
      expect(both).toBe(0);
      // Chance gives 116 in 32 bits; a few times that is harmless, thousands would mean that a half is blind to what differs.
      for (const half of halves) expect(half).toBeLessThan(1000);
    }
  },
);

test("two texts are told apart wherever they are cut", () => {
  expect(hashTexts("ab", "c")).not.toEqual(hashTexts("a", "bc"));
  expect(hashTexts("a", "b")).not.toEqual(hashTexts("b", "a"));
});
