import { expect, test } from "vitest";
import { REMEMBERED, Tables } from "../core/identity.ts";
import { judgeRepeat, Repeats } from "./repeats.ts";

const fingerprint = (low: number) => ({ version: { high: low, low }, content: { high: low, low } });

test("P5: memory that is used again has forgotten everything, also what other windows emitted", () => {
  const tables = new Tables();
  const repeats = new Repeats(tables);
  for (let low = 0; low < REMEMBERED; low++) repeats.note(fingerprint(low));
  repeats.markForeign(fingerprint(1));
  repeats.release();
  expect(repeats.isForeign(fingerprint(1))).toBe(false);
  const next = new Repeats(tables);
  const sightings = new Set<string>();
  for (let low = 0; low < REMEMBERED; low++) sightings.add(next.note(fingerprint(low)));
  expect(sightings).toEqual(new Set(["new"]));
});

test("P5: what the window before it emitted is known to each that replaces it, and to no other", () => {
  const before = new Repeats();
  before.note(fingerprint(1));
  before.markForeign(fingerprint(2));
  const [one, two] = [before.part(), before.part()];
  expect(one.note(fingerprint(1))).toBe("repeat");
  expect(one.note(fingerprint(3))).toBe("new");
  expect(two.note(fingerprint(3))).toBe("new");
  expect(two.isForeign(fingerprint(2))).toBe(true);
  expect(before.knows(fingerprint(3))).toBe(false);
});

test("P5: a record at the edge of two windows is emitted by the first, and owned by it alone", () => {
  const edgeRecords = new Repeats();
  const [one, two] = [new Repeats(), new Repeats()];
  const judge = (repeats: Repeats) =>
    judgeRepeat(fingerprint(7), false, { repeats, seenSinceRestart: repeats, edgeRecords });
  expect(judge(one)).toMatchObject({ repeats: false, counts: true, owned: true });
  expect(judge(two)).toMatchObject({ repeats: true, counts: true, owned: false });
  expect(judge(two)).toMatchObject({ repeats: true, counts: false, owned: false });
});

test("P5: it says once it may have forgotten something", () => {
  const repeats = new Repeats();
  for (let low = 0; low <= 2 * REMEMBERED; low++) repeats.note(fingerprint(low));
  expect(repeats.hasForgotten).toBe(true);
});
