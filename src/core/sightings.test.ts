import { expect, test } from "vitest";
import { RecordFingerprint } from "./identity.ts";
import { LIMITS } from "./limits.ts";
import { type Place, REMEMBERED, Sightings, type Verdict, type WindowMemory } from "./sightings.ts";

/** A record's fingerprint; its words differ from one record to the next as those of a hash do. */
function fingerprint(index: number, content = 0): RecordFingerprint {
  const spread = (factor: number): number => Math.imul(index + 1, factor) >>> 0;
  const made = new RecordFingerprint();
  made.version.set([spread(0x9e3779b1), spread(0x85ebca6b)]);
  made.content.set([spread(0xc2b2ae35), content]);
  return made;
}

/** The different verdicts on the records `from` (inclusive) to `to` (exclusive). */
function judged(
  window: WindowMemory,
  from: number,
  to: number,
  place: Place = "inside",
): Verdict[] {
  const said = new Map<string, Verdict>();
  for (let index = from; index < to; index++) {
    const verdict = window.judge(fingerprint(index), place);
    said.set(JSON.stringify(verdict), verdict);
  }
  return [...said.values()];
}

const NEW = { repeats: false, conflicts: false, counts: true, hasOwner: false };
const REPEAT = { repeats: true, conflicts: false, counts: false, hasOwner: false };

test("P5: a record is known once seen, and another content of its version is a conflict", () => {
  const window = new Sightings().open();
  expect(judged(window, 0, 2000)).toEqual([NEW]);
  expect(judged(window, 0, 2000)).toEqual([REPEAT]);
  expect(window.judge(fingerprint(7, 1), "inside")).toEqual({ ...NEW, conflicts: true });
  expect(window.judge(fingerprint(7, 1), "inside")).toEqual(REPEAT);
  expect(window.judge(fingerprint(7), "inside")).toEqual(REPEAT);
});

test("P5: a hash of zeros is a hash like any other", () => {
  const window = new Sightings().open();
  const nothing = new RecordFingerprint();
  expect(window.judge(nothing, "inside")).toEqual(NEW);
  expect(window.judge(nothing, "inside")).toEqual(REPEAT);
});

test("P5: a stray is known to belong to the window that returned it as its own, and to no window that saw a stray", () => {
  const sightings = new Sightings();
  const [one, two, own] = [sightings.open(), sightings.open(), sightings.open()];
  expect(one.judge(fingerprint(7), "stray")).toEqual(NEW);
  expect(two.judge(fingerprint(7), "stray")).toEqual(NEW);
  expect(own.judge(fingerprint(7), "inside")).toEqual(NEW);
  expect(two.judge(fingerprint(7), "stray")).toEqual(REPEAT);
  expect(sightings.open().judge(fingerprint(7), "stray")).toEqual({ ...NEW, hasOwner: true });
});

test("P5: a read remembers the ids of all records that windows have returned as their own, and of no strays", () => {
  const sightings = new Sightings({ ...LIMITS, firstSightings: 16, sightings: 16 });
  const ofId = (index: number): RecordFingerprint => {
    const made = fingerprint(index);
    made.id.set([Math.imul(index + 1, 0x9e3779b1) >>> 0, Math.imul(index + 1, 0x85ebca6b) >>> 0]);
    return made;
  };
  const [one, other] = [sightings.open(), sightings.open()];
  for (let index = 0; index < 40; index++) one.judge(ofId(index), "inside");
  other.judge(ofId(50), "stray");
  expect(sightings.isComplete).toBe(false);
  const textOf = (index: number): string =>
    Array.from(ofId(index).id.slice(0, 3), (word) => word.toString(16).padStart(8, "0")).join("");
  const have = (from: number, to: number): boolean[] =>
    Array.from({ length: to - from }, (_, index) => sightings.mayHaveOwner(textOf(from + index)));
  expect(have(0, 40)).toEqual(Array.from({ length: 40 }, () => true));
  expect(have(50, 90).filter(Boolean).length).toBeLessThan(10);
  expect(sightings.mayHaveOwner(textOf(50))).toBe(false);
});

test("P5: after a restart records are repeats, and count once more", () => {
  const window = new Sightings().open();
  window.judge(fingerprint(2), "inside");
  window.restart();
  expect(window.judge(fingerprint(2), "inside")).toMatchObject({ repeats: true, counts: true });
  expect(window.judge(fingerprint(2), "inside")).toMatchObject({ repeats: true, counts: false });
});

test("P5 S4: after a restart a stray still belongs to the window that returned it as its own, in whichever table that is known", () => {
  const sightings = new Sightings({ ...LIMITS, firstSightings: 64, sightings: 64 });
  const [owner, other] = [sightings.open(), sightings.open()];
  judged(owner, 0, 40);
  judged(other, 40, 60); // a new table begins
  const elsewhere = { ...NEW, hasOwner: true };
  const again = { ...elsewhere, repeats: true };
  expect(judged(other, 0, 10, "stray")).toEqual([elsewhere]);
  other.restart();
  expect(judged(other, 0, 10, "stray")).toEqual([again]);
  expect(judged(other, 0, 10, "stray")).toEqual([REPEAT]);
  expect(judged(owner, 50, 60, "inside")).toEqual([elsewhere]);
  other.restart();
  expect(judged(other, 0, 10, "stray")).toEqual([again]);
  const shorter = sightings.open(other);
  expect(judged(shorter, 0, 10, "stray")).toEqual([again]);
});

test("P5 S4: after a restart a stray belongs to the window that has returned it as its own meanwhile", () => {
  const sightings = new Sightings({ ...LIMITS, firstSightings: 64, sightings: 64 });
  const [owner, other] = [sightings.open(), sightings.open()];
  judged(other, 0, 10, "stray");
  judged(owner, 10, 60); // a new table begins
  judged(owner, 0, 10);
  other.restart();
  expect(judged(other, 0, 10, "stray")).toEqual([{ ...NEW, hasOwner: true, repeats: true }]);
});

test("P5: the records of a replaced window are known to each window that replaces it, and to no other", () => {
  const sightings = new Sightings();
  const before = sightings.open();
  before.judge(fingerprint(1), "inside");
  const [one, two, stranger] = [sightings.open(before), sightings.open(before), sightings.open()];
  expect(one.judge(fingerprint(1), "inside")).toMatchObject({ repeats: true, counts: true });
  expect(one.judge(fingerprint(1), "inside")).toMatchObject({ repeats: true, counts: false });
  expect(two.judge(fingerprint(1), "inside")).toMatchObject({ repeats: true, counts: true });
  expect(one.judge(fingerprint(3), "inside")).toEqual(NEW);
  expect(stranger.judge(fingerprint(1), "inside")).toMatchObject({ repeats: false });
});

test("P5: of very many records the newest are known, and it says that older ones are not", () => {
  const sightings = new Sightings();
  const window = sightings.open();
  const many = 3 * REMEMBERED;
  expect(judged(window, 0, many)).toEqual([NEW]);
  expect(sightings.hasForgotten).toBe(true);
  expect(judged(window, many - REMEMBERED, many)).toEqual([REPEAT]);
  expect(window.judge(fingerprint(0), "inside")).toEqual(NEW);
});

test("P5: records of windows that are over are forgotten without a word", () => {
  const sightings = new Sightings();
  for (let index = 0; index < 6; index++) {
    const window = sightings.open();
    const from = (index * REMEMBERED) / 2;
    expect(judged(window, from, from + REMEMBERED / 2)).toEqual([NEW]);
    window.close();
  }
  expect(sightings.hasForgotten).toBe(false);
});

test("the limits set how many records are known", () => {
  const sightings = new Sightings({ ...LIMITS, firstSightings: 4, sightings: 8 });
  const window = sightings.open();
  expect(judged(window, 0, 3 + 6)).toEqual([NEW]);
  expect([sightings.isComplete, sightings.hasForgotten]).toEqual([true, false]);
  expect(judged(window, 9, 10)).toEqual([NEW]);
  expect([sightings.isComplete, sightings.hasForgotten]).toEqual([false, true]);
  expect(judged(window, 3, 10)).toEqual([REPEAT]);
});
