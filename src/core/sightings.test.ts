import { expect, test } from "vitest";
import type { RecordFingerprint } from "./identity.ts";
import { type Place, REMEMBERED, Sightings, type Verdict, type WindowMemory } from "./sightings.ts";

/** A record's fingerprint; its halves differ from one record to the next as those of a hash do. */
function fingerprint(index: number, content = 0): RecordFingerprint {
  const spread = (factor: number): number => Math.imul(index + 1, factor) >>> 0;
  return {
    version: { high: spread(0x9e3779b1), low: spread(0x85ebca6b) },
    content: { high: spread(0xc2b2ae35), low: content },
  };
}

/** The verdicts on records `from` to `to`: one where all are alike. */
function judged(
  window: WindowMemory,
  from: number,
  to: number,
  place: Place = "within",
): Verdict[] {
  const said = new Map<string, Verdict>();
  for (let index = from; index < to; index++) {
    const verdict = window.judge(fingerprint(index), place);
    said.set(JSON.stringify(verdict), verdict);
  }
  return [...said.values()];
}

const NEW = { repeats: false, conflicts: false, counts: true, owned: true };
const REPEAT = { repeats: true, conflicts: false, counts: false, owned: false };

test("P5: a record is known once seen, and another content of its version is a conflict", () => {
  const window = new Sightings().open();
  expect(judged(window, 0, 2000)).toEqual([NEW]);
  expect(judged(window, 0, 2000)).toEqual([REPEAT]);
  expect(window.judge(fingerprint(7, 1), "within")).toEqual({ ...NEW, conflicts: true });
  expect(window.judge(fingerprint(7, 1), "within")).toEqual(REPEAT);
  expect(window.judge(fingerprint(7), "within")).toEqual(REPEAT);
});

test("P5: a hash of zeros is a hash like any other", () => {
  const window = new Sightings().open();
  const nothing = { version: { high: 0, low: 0 }, content: { high: 0, low: 0 } };
  expect(window.judge(nothing, "within")).toEqual(NEW);
  expect(window.judge(nothing, "within")).toEqual(REPEAT);
});

test.each(["touches", "reaches"] as const)(
  "P5: a record that %s an edge is emitted by the first of two windows, and owned by it alone",
  (place) => {
    const sightings = new Sightings();
    const [one, two] = [sightings.open(), sightings.open()];
    const judge = (window: WindowMemory): Verdict => window.judge(fingerprint(7), place);
    expect(judge(one)).toMatchObject({ repeats: false, counts: true, owned: true });
    expect(judge(two)).toMatchObject({ repeats: true, counts: true, owned: false });
    expect(judge(two)).toMatchObject({ repeats: true, counts: false, owned: false });
    expect(judge(one)).toMatchObject({ repeats: true, counts: false, owned: false });
  },
);

test("P5: after a restart records are repeats, count once more, and those of other windows stay theirs", () => {
  const sightings = new Sightings();
  const [other, window] = [sightings.open(), sightings.open()];
  other.judge(fingerprint(1), "reaches");
  window.judge(fingerprint(1), "reaches");
  window.judge(fingerprint(2), "within");
  window.restart();
  for (const [index, owned] of [
    [1, false],
    [2, true],
  ] as const) {
    const place = index === 1 ? "reaches" : "within";
    expect(window.judge(fingerprint(index), place)).toMatchObject({
      repeats: true,
      counts: true,
      owned,
    });
    expect(window.judge(fingerprint(index), place)).toMatchObject({ repeats: true, counts: false });
  }
});

test("P5: the records of a replaced window are known to each window that replaces it, and to no other", () => {
  const sightings = new Sightings();
  const [first, before] = [sightings.open(), sightings.open()];
  first.judge(fingerprint(2), "reaches");
  before.judge(fingerprint(1), "within");
  before.judge(fingerprint(2), "reaches");
  const [one, two, stranger] = [sightings.open(before), sightings.open(before), sightings.open()];
  expect(one.judge(fingerprint(1), "within")).toMatchObject({ repeats: true, counts: true });
  expect(one.judge(fingerprint(1), "within")).toMatchObject({ repeats: true, counts: false });
  expect(two.judge(fingerprint(1), "within")).toMatchObject({ repeats: true, counts: true });
  expect(one.judge(fingerprint(3), "within")).toEqual(NEW);
  expect(two.judge(fingerprint(3), "within")).toEqual(NEW);
  expect(stranger.judge(fingerprint(1), "within")).toEqual(NEW);
  expect(two.judge(fingerprint(2), "reaches")).toMatchObject({ repeats: true, owned: false });
});

test("P5: of very many records the newest are known, and it says that older ones are not", () => {
  const sightings = new Sightings();
  const window = sightings.open();
  const many = 3 * REMEMBERED;
  expect(judged(window, 0, many)).toEqual([NEW]);
  expect(sightings.hasForgotten).toBe(true);
  expect(judged(window, many - REMEMBERED, many)).toEqual([REPEAT]);
  expect(window.judge(fingerprint(0), "within")).toEqual(NEW);
});

test("P5: records of windows that are over are forgotten without a word, but for those that reach beyond", () => {
  const sightings = new Sightings();
  const first = sightings.open();
  judged(first, 0, 1000, "reaches");
  judged(first, 1000, 2000, "touches");
  first.close();
  for (let index = 1; index < 6; index++) {
    const window = sightings.open();
    const from = (index * REMEMBERED) / 2;
    expect(judged(window, from, from + REMEMBERED / 2, "touches")).toEqual([NEW]);
    window.close();
  }
  expect(sightings.hasForgotten).toBe(false);
  const last = sightings.open();
  expect(judged(last, 0, 1000, "reaches")).toEqual([
    { repeats: true, conflicts: false, counts: true, owned: false },
  ]);
  expect(judged(last, 1000, 2000, "touches")).toEqual([NEW]);
});
