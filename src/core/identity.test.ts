import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawChain, firstInstant, readingId, ReadingIds, RecordFingerprint } from "./identity.ts";

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

  test("R4: increase from the first one, also behind ids of earlier syncs", () => {
    const ids = new ReadingIds(6000);
    ids.follow(readingId(5000, "zzzzz"));
    ids.follow("no id");
    expect([ids.next("abcde"), ids.next("aaaaa")]).toEqual([
      readingId(6000, "abcde"),
      readingId(6001, "aaaaa"),
    ]);
    const late = new ReadingIds(1);
    late.follow(readingId(5000, "zzzzz"));
    expect(late.next("aaaaa") > readingId(5000, "zzzzz")).toBe(true);
  });

  test("R4: a process reserves at most a hundred ids, or as many as it has drawn, beyond the last one", () => {
    const drawn = fc.integer({ min: 1, max: 400 });
    fc.assert(
      fc.property(drawn, (count) => {
        const ids = new ReadingIds(6000);
        const made = Array.from({ length: count }, () => ids.next("abcde"));
        const newest = ids.reserve(made.at(-1) ?? "");
        expect(newest).toBe(readingId(6000 + count + Math.max(100, count), "abcde"));
        // An id of an earlier process that lies ahead is reserved too.
        expect(ids.reserve(readingId(9e9, "abcde")) > readingId(9e9, "abcde")).toBe(true);
      }),
    );
  });

  test("R4 S2: no two reservations return the same id", () => {
    const ids = new ReadingIds(1000);
    const id = ids.next("abcde");
    const [first = "", second = "", third = ""] = [1, 2, 3].map(() => ids.reserve(id));
    expect([first < second, second < third]).toEqual([true, true]);
  });

  test("R4: a sync of any length reserves few times", () => {
    const ids = new ReadingIds(0);
    let [newest, reservations] = ["", 0];
    for (let count = 0; count < 20_000; count++) {
      const id = ids.next("abcde");
      if (id <= newest) continue;
      newest = ids.reserve(id);
      reservations += 1;
    }
    expect(reservations).toBeLessThan(10);
  });

  test("R4: kills without end move the ids no further ahead than what was reserved", () => {
    // A provider whose clock stands still, and a process that begins each time where the reservation of the one before ends.
    let newest = "";
    for (let kill = 0; kill < 1000; kill++) {
      const ids = new ReadingIds(firstInstant(0, kill * 300));
      ids.follow(newest);
      newest = ids.reserve(ids.next("abcde"));
    }
    expect(newest < readingId(1000 * 103, "")).toBe(true);
  });

  const instant = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
  const whole = (ms: number): number => Math.floor(ms / 1000) * 1000;

  test("R4: the provider's second decides where a process begins, whatever the local clock says", () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: -1e12, max: 1e12 }), (now, ours) => {
        const first = firstInstant(whole(now), ours);
        expect(Number.isInteger(first)).toBe(true);
        expect(whole(first)).toBe(whole(now));
        // So a later second sorts behind it, however the local clock steps.
        expect(firstInstant(whole(now) + 1000, ours - 5000)).toBeGreaterThan(first);
      }),
    );
  });

  test("R4: within one second of the provider the local clock decides, if it differs by the same second at most", () => {
    expect(firstInstant(0, 1100)).toBeGreaterThan(firstInstant(0, 700));
    const skew = fc.integer({ min: -1000, max: 1000 });
    const pause = fc.integer({ min: 3, max: 5000 });
    fc.assert(
      fc.property(instant, skew, pause, (now, ahead, after) => {
        const [first, second] = [now, now + after].map((at) => firstInstant(whole(at), at + ahead));
        expect(second).toBeGreaterThan(first ?? NaN);
      }),
    );
  });

  test("R4: with any constant difference of the clocks, at most one instant of a second turns the order round", () => {
    const skew = fc.integer({ min: -1e9, max: 1e9 });
    fc.assert(
      fc.property(instant, skew, (now, ahead) => {
        const second = whole(now);
        const firsts = Array.from({ length: 334 }, (_, step) =>
          firstInstant(second, second + 3 * step - 1 + ahead),
        );
        const turns = firsts.filter(
          (first, index) => index > 0 && first <= (firsts[index - 1] ?? 0),
        );
        expect(turns.length).toBeLessThan(2);
      }),
    );
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

test("R4: an id has 14 digits whatever year the provider's clock says, so that later ids sort behind it", () => {
  const now = Date.UTC(2026, 0, 1);
  const far = new ReadingIds(firstInstant(Date.UTC(9999, 11, 31), now));
  const newest = far.reserve(far.next("chain"));
  expect(newest).toHaveLength(14);
  const ids = new ReadingIds(firstInstant(now, now));
  ids.follow(newest);
  expect(ids.next("chain") > newest).toBe(true);
});
