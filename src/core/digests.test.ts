import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addDigests,
  type DayDigest,
  daysOf,
  digestOf,
  EMPTY_DIGEST,
  PageDigests,
} from "./digests.ts";
import { DAY } from "./time.ts";

const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const record = fc.record({
  day: fc.integer({ min: 20_000, max: 20_003 }).map((day) => day * DAY),
  hash: fc.tuple(word, word, word, word),
});

type Drawn = typeof record extends fc.Arbitrary<infer Value> ? Value : never;

function digestsOf(records: readonly Drawn[]): DayDigest[] {
  const digests = new PageDigests();
  for (const { day, hash } of records) digests.add(day, Uint32Array.from(hash));
  return digests.result();
}

describe("digests of days", () => {
  test("R6: do not depend on the order of the records, nor on how pages cut them", () => {
    fc.assert(
      fc.property(fc.array(record), fc.nat(), (records, at) => {
        const whole = digestsOf(records);
        expect(digestsOf(records.toReversed())).toEqual(whole);
        const cut = records.length === 0 ? 0 : at % records.length;
        const parts = [digestsOf(records.slice(0, cut)), digestsOf(records.slice(cut))] as const;
        expect(addDigests(parts[0], parts[1])).toEqual(whole);
        expect(addDigests(parts[1], parts[0])).toEqual(whole);
      }),
    );
  });

  test("R6: tell apart a day that lost, gained or changed a record", () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1 }), record, (records, other) => {
        const [first, ...rest] = records;
        const one = digestOf(digestsOf(records), first?.day ?? 0);
        expect(digestOf(digestsOf(rest), one.day)).not.toEqual(one);
        const same = other.hash.slice(0, 3).join() === first?.hash.slice(0, 3).join();
        const swapped = digestOf(digestsOf([{ ...other, day: one.day }, ...rest]), one.day);
        expect(swapped.digest === one.digest).toBe(same);
      }),
    );
  });

  test("an empty day has the digest of no records", () => {
    expect(digestOf([], DAY)).toEqual({ day: DAY, records: 0, digest: EMPTY_DIGEST });
    expect(new PageDigests().result()).toEqual([]);
  });

  test("daysOf() gives the midnight of each day that a range touches", () => {
    expect(daysOf({ start: DAY, end: 3 * DAY })).toEqual([DAY, 2 * DAY]);
    expect(daysOf({ start: DAY, end: 2 * DAY + 1 })).toEqual([DAY, 2 * DAY]);
    expect(daysOf({ start: DAY, end: DAY })).toEqual([]);
  });
});
