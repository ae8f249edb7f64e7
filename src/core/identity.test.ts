import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawChain, readingId, ReadingIds, RecordFingerprint } from "./identity.ts";

describe("reading ids", () => {
  const dice = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  test("R4: sort, as text, by when their readings began, whatever their chain", () => {
    const began = fc.integer({ min: 0, max: Date.UTC(4999, 0, 1) });
    fc.assert(
      fc.property(began, began, dice, dice, (a, b, first, second) => {
        const [one, two] = [readingId(a, drawChain(first)), readingId(b, drawChain(second))];
        expect(one).toMatch(/^[0-9a-z]{14}$/);
        if (a !== b) expect(one < two).toBe(a < b);
      }),
    );
  });

  test("R4: increase where the provider's clock stands still or goes back, also behind ids of earlier syncs", () => {
    const ids = new ReadingIds();
    ids.follow(readingId(5000, "zzzzz"));
    ids.follow("no id");
    const made = [6000, 6000, 10, 5999].map((now) => ids.next(now, "abcde"));
    expect(made.toSorted()).toEqual(made);
    expect(new Set(made).size).toBe(4);
    expect(made[0]).toBe(readingId(6000, "abcde"));
    const late = new ReadingIds();
    late.follow(readingId(5000, "zzzzz"));
    expect(late.next(1, "aaaaa") > readingId(5000, "zzzzz")).toBe(true);
  });

  test("R9: chains that were drawn apart differ", () => {
    const chains = Array.from({ length: 1000 }, (_, index) => drawChain(index / 1000));
    expect(new Set(chains).size).toBe(1000);
    for (const chain of chains) expect(chain).toMatch(/^[0-9a-z]{5}$/);
  });
});

describe("RecordFingerprint", () => {
  const versionOf = (id: string, updatedAt: string): string => {
    const fingerprint = new RecordFingerprint();
    fingerprint.setVersion(id, updatedAt);
    return [...fingerprint.version].join(" ");
  };

  test("P5: a version is told by its id and its x_RecordUpdatedAt, and by where one ends", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (id, one, two) => {
        expect(versionOf(id, one)).toBe(versionOf(id, one));
        expect(versionOf(id, one) === versionOf(id, two)).toBe(
          one.toWellFormed() === two.toWellFormed(),
        );
      }),
    );
    expect(versionOf("ab", "c")).not.toBe(versionOf("a", "bc"));
    expect(versionOf("x".repeat(5000), "1")).not.toBe(versionOf("x".repeat(5000), "2"));
  });

  test("P5: a version is the same from texts and from their bytes", () => {
    const fingerprint = new RecordFingerprint();
    const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.constant("ü".repeat(3000)));
    fc.assert(
      fc.property(text, text, text, (before, id, updatedAt) => {
        const [start, end] = [before, before + id].map((part) => Buffer.byteLength(part));
        const bytes = Buffer.from(before + id + updatedAt);
        fingerprint.setVersionAt(bytes, start ?? 0, end ?? 0, end ?? 0, bytes.length);
        expect([...fingerprint.version].join(" ")).toBe(versionOf(id, updatedAt));
      }),
    );
  });

  test("R6: a content's text is the first 96 bits of its hash", () => {
    const fingerprint = new RecordFingerprint();
    const bytes = new TextEncoder().encode("The quick brown fox jumps over the lazy dog");
    fingerprint.setContent(new DataView(bytes.buffer), 0, bytes.length);
    expect(fingerprint.contentText).toBe("2f1583c3ecee2c675d7bf66c");
  });
});
