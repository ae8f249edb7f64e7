import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashBytes } from "./hash.ts";

function hashOf(bytes: Uint8Array, start = 0, end = bytes.length): string {
  const out = new Uint32Array(4);
  hashBytes(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), start, end, out);
  return [...out].map((word) => word.toString(16).padStart(8, "0")).join(" ");
}

const upTo = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => index);
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** Words as another implementation, the Python package mmh3 5.2 (x86 variant, seed 0), gives them. */
const VECTORS: readonly (readonly [Uint8Array, string])[] = [
  [text(""), "00000000 00000000 00000000 00000000"],
  [text("a"), "a794933c 5556b01b 5556b01b 5556b01b"],
  [text("abc"), "75cdc6d1 a2b006a5 a2b006a5 a2b006a5"],
  [text("The quick brown fox jumps over the lazy dog"), "2f1583c3 ecee2c67 5d7bf66c e5e91d2c"],
  [upTo(4), "c72c99e7 4e343ce2 4e343ce2 4e343ce2"],
  [upTo(5), "90f84e5e 4e7ccbd1 9275e765 9275e765"],
  [upTo(7), "ccfa23d7 bea74c33 c75d01c8 c75d01c8"],
  [upTo(8), "91f4928a b18cd5bc 867244ac 867244ac"],
  [upTo(12), "3f7e3ab4 efbbacdb 43f77828 566fef0e"],
  [upTo(15), "757b9c59 62a6e4ca 61e2db4e ca775566"],
  [upTo(16), "6c25c825 559180ee ea538074 89a55bef"],
  [upTo(17), "6ac99cdb 359c940b ae1673ad a275ab51"],
  [upTo(31), "24ab92ee ac1d89ca 45f5bc18 9ad5dda3"],
  [upTo(32), "d6b16afd a4795780 b7bd7575 97df89ce"],
  [upTo(33), "50de15ba 76f99136 20e7b670 220dc781"],
  [new Uint8Array(64).fill(255), "5b8f309c 91f881d2 ee54a469 a6810a2e"],
];

describe("hashBytes()", () => {
  test.each(VECTORS)("computes the reference vector of %j", (bytes, expected) => {
    expect(hashOf(bytes)).toBe(expected);
  });

  test("depends on nothing but the bytes between its ends", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), fc.uint8Array(), (before, bytes, after) => {
        const all = Uint8Array.from([...before, ...bytes, ...after]);
        expect(hashOf(all, before.length, before.length + bytes.length)).toBe(hashOf(bytes));
      }),
    );
  });
});
