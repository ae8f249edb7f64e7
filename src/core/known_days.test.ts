import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DayDigest } from "./digests.ts";
import {
  confirm,
  forget,
  isKnown,
  isSuspicious,
  judgeDay,
  type DayVerdict,
  type KnownDays,
  learn,
  NOTHING_KNOWN,
  prune,
  suspect,
  type View,
  withParts,
} from "./known_days.ts";
import { DAY, formatInstant, HOUR } from "./time.ts";

const ONE = 20_000 * DAY;
const NOON = ONE + 40 * DAY + DAY / 2;

const seen = (records: number, mark: string, day = ONE): DayDigest => ({
  day,
  records,
  digest: mark.padEnd(24, "0"),
});
/** A reading that shows the data of its own start. */
const at = (now: number): View => ({ beganAt: now, firstAsOf: formatInstant(now) });
const knowing = (digest: DayDigest, confirmed = true): KnownDays =>
  learn(NOTHING_KNOWN, digest, { readingId: "r1", confirmed });

describe("judgeDay()", () => {
  test("R6: a day that was never read completely is unknown, an empty one is known", () => {
    expect(judgeDay(NOTHING_KNOWN, seen(0, ""), at(NOON))).toBe("unknown");
    const empty = knowing(seen(0, ""));
    expect(judgeDay(empty, seen(0, ""), at(NOON))).toBe("same");
    expect(judgeDay(empty, seen(1, "a"), at(NOON))).toBe("differs");
  });

  test("R6: equal digest and number are the same day, anything else differs", () => {
    const known = knowing(seen(12, "a"));
    expect(judgeDay(known, seen(12, "a"), at(NOON))).toBe("same");
    expect(judgeDay(known, seen(12, "b"), at(NOON))).toBe("differs");
    expect(judgeDay(known, seen(13, "a"), at(NOON))).toBe("differs");
  });

  test("R8: less than half of ten or more records is suspicious until a reading an hour later agrees", () => {
    const known = knowing(seen(10, "a"));
    expect(judgeDay(known, seen(5, "b"), at(NOON))).toBe("differs");
    expect(judgeDay(known, seen(4, "b"), at(NOON))).toBe("shrunk");
    expect(judgeDay(knowing(seen(9, "a")), seen(0, ""), at(NOON))).toBe("differs");
    const doubted = suspect(known, seen(4, "b"), NOON);
    expect(judgeDay(doubted, seen(4, "b"), at(NOON + HOUR - 1))).toBe("shrunk");
    expect(judgeDay(doubted, seen(4, "b"), at(NOON + HOUR))).toBe("differs");
    expect(judgeDay(doubted, seen(3, "c"), at(NOON + HOUR))).toBe("shrunk");
  });

  test("R8: the hour counts from the first reading that showed the same", () => {
    const known = knowing(seen(10, "a"));
    const twice = suspect(suspect(known, seen(4, "b"), NOON), seen(4, "b"), NOON + HOUR / 2);
    expect(twice.days.get(ONE)?.shrinkage?.at).toBe(NOON);
    const other = suspect(twice, seen(3, "c"), NOON + HOUR / 2);
    expect(other.days.get(ONE)?.shrinkage?.at).toBe(NOON + HOUR / 2);
  });
});

describe("transitions", () => {
  test("R8: a suspected day keeps its rows; one that is back or written anew is suspected no longer", () => {
    const doubted = suspect(knowing(seen(10, "a")), seen(4, "b"), NOON);
    expect(doubted.days.get(ONE)).toMatchObject({ records: 10, readingId: "r1" });
    expect(judgeDay(doubted, seen(10, "a"), at(NOON))).toBe("same");
    expect(confirm(doubted, ONE).days.get(ONE)?.shrinkage).toBe(null);
    const anew = learn(doubted, seen(8, "c"), { readingId: "r2", confirmed: true });
    expect(anew.days.get(ONE)?.shrinkage).toBe(null);
  });

  test("R8: a forgotten day keeps the largest number of its records, and its suspicion, until it is known again", () => {
    const forgotten = forget(knowing(seen(10, "a")), [{ day: ONE, records: 40, writtenBy: null }]);
    const gone = suspect(forgotten, seen(4, "b"), NOON);
    expect(isKnown(gone, ONE)).toBe(false);
    const entry = { day: ONE, most: 40, records: 10, readingId: "r1", confirmed: true };
    expect(gone.forgotten.get(ONE)).toMatchObject(entry);
    expect(isSuspicious(gone, seen(19, "c"), at(NOON))).toBe(true);
    expect(isSuspicious(gone, seen(20, "c"), at(NOON))).toBe(false);
    expect(isSuspicious(gone, seen(4, "b"), at(NOON + HOUR - 1))).toBe(true);
    expect(isSuspicious(gone, seen(4, "b"), at(NOON + HOUR))).toBe(false);
    const twice = forget(gone, [{ day: ONE, records: 3, writtenBy: "r2" }]);
    expect(twice.forgotten.get(ONE)).toMatchObject(entry);
    expect(suspect(gone, seen(3, "c"), NOON).forgotten.get(ONE)?.shrinkage?.digest).toBe(
      seen(3, "c").digest,
    );
    expect(learn(gone, seen(12, "d"), { readingId: "r3", confirmed: true }).forgotten.size).toBe(0);
  });

  test("R8: a reading that shows at least half of the rows again ends the suspicion", () => {
    const doubted = suspect(knowing(seen(30, "a")), seen(4, "b"), NOON);
    const shown = (records: number, writtenBy: string | null) =>
      forget(doubted, [{ day: ONE, records, writtenBy }]);
    for (const writtenBy of [null, "r2"]) {
      expect(isSuspicious(shown(15, writtenBy), seen(4, "b"), at(NOON + HOUR))).toBe(true);
      expect(isSuspicious(shown(14, writtenBy), seen(4, "b"), at(NOON + HOUR))).toBe(false);
    }
    const again = forget(shown(14, null), [{ day: ONE, records: 15, writtenBy: null }]);
    expect(isSuspicious(again, seen(4, "b"), at(NOON + HOUR))).toBe(true);
    const unseen = forget(
      suspect(
        forget(NOTHING_KNOWN, [{ day: ONE, records: 0, writtenBy: null }]),
        seen(0, "b"),
        NOON,
      ),
      [{ day: ONE, records: 0, writtenBy: null }],
    );
    expect(unseen.forgotten.get(ONE)?.shrinkage).not.toBeNull();
  });

  test("R8: a day of which a reading that was given up has shown a part keeps the number of its records until it is known", () => {
    const part = withParts(NOTHING_KNOWN, [seen(20, "a")]);
    expect([...part.inPart]).toEqual([[ONE, 20]]);
    expect([...withParts(part, [seen(12, "b")]).inPart]).toEqual([[ONE, 20]]);
    expect(part.forgotten.size).toBe(0);
    expect(isSuspicious(part, seen(9, "b"), at(NOON))).toBe(true);
    expect(isSuspicious(part, seen(10, "b"), at(NOON))).toBe(false);
    const gone = forget(part, [{ day: ONE, records: 9, writtenBy: "r1" }]);
    expect(gone.forgotten.get(ONE)).toMatchObject({ most: 20, records: 9, readingId: "r1" });
    expect(gone.inPart.size).toBe(0);
    expect(withParts(gone, [seen(25, "c")]).forgotten.get(ONE)).toMatchObject({ most: 25 });
    expect(learn(part, seen(9, "b"), { readingId: "r1", confirmed: true }).inPart.size).toBe(0);
    expect(prune(part, { start: ONE + DAY, end: ONE + 2 * DAY }).inPart.size).toBe(0);
    expect(withParts(knowing(seen(9, "a")), [seen(20, "b")]).inPart.size).toBe(0);
  });

  test("R8: a reading that was given up ends the suspicion of a day if it has shown at least half of the rows", () => {
    const gone = forget(knowing(seen(30, "a")), [{ day: ONE, records: 0, writtenBy: null }]);
    const doubted = suspect(gone, seen(4, "b"), NOON);
    const after = (records: number) => withParts(doubted, [seen(records, "c")]);
    expect(isSuspicious(after(15), seen(4, "b"), at(NOON + HOUR))).toBe(true);
    expect(isSuspicious(after(14), seen(4, "b"), at(NOON + HOUR))).toBe(false);
    // A known day is due for its suspicion, which no reading of less than half can confirm.
    const known = suspect(knowing(seen(30, "a")), seen(4, "b"), NOON);
    expect(withParts(known, [seen(14, "a")])).toEqual(known);
    const over = withParts(known, [seen(15, "part")]);
    expect(over.days.get(ONE)).toMatchObject({
      records: 30,
      shrinkage: { digest: seen(15, "part").digest },
    });
    expect(isSuspicious(known, seen(4, "b"), at(NOON + HOUR))).toBe(false);
    expect(isSuspicious(over, seen(4, "b"), at(NOON + HOUR))).toBe(true);
    expect(withParts(knowing(seen(30, "a")), [seen(15, "a")])).toEqual(knowing(seen(30, "a")));
  });

  test("R8: rows of an incomplete reading are the ones that stand, if there are no earlier ones", () => {
    const gone = forget(NOTHING_KNOWN, [{ day: ONE, records: 12, writtenBy: "r1" }]);
    expect(gone.forgotten.get(ONE)).toMatchObject({ most: 12, records: 12, readingId: "r1" });
    expect(isSuspicious(gone, seen(5, "b"), at(NOON))).toBe(true);
    expect(prune(gone, { start: ONE + DAY, end: ONE + 2 * DAY }).forgotten.size).toBe(0);
  });

  test("P6: a day that two readings agree on is confirmed", () => {
    const known = knowing(seen(3, "a"), false);
    expect(known.days.get(ONE)?.confirmed).toBe(false);
    expect(confirm(known, ONE).days.get(ONE)?.confirmed).toBe(true);
    expect(confirm(knowing(seen(3, "a")), ONE + DAY).days.size).toBe(1);
  });

  test("R6: a day is known exactly from when it was learned until it is forgotten or pruned", () => {
    const step = fc.record({
      what: fc.constantFrom("learn", "forget", "prune"),
      day: fc.integer({ min: 0, max: 8 }).map((index) => ONE + index * DAY),
      records: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let known = NOTHING_KNOWN;
        const model = new Map<number, number>();
        for (const { what, day, records } of steps) {
          if (what === "learn") {
            known = learn(known, seen(records, "x", day), { readingId: "r", confirmed: true });
            model.set(day, records);
          } else if (what === "forget") {
            known = forget(known, [{ day, records: 0, writtenBy: null }]);
            model.delete(day);
          } else {
            known = prune(known, { start: day, end: day + 3 * DAY });
            for (const each of model.keys())
              if (each < day || each >= day + 3 * DAY) model.delete(each);
          }
        }
        for (let day = ONE - DAY; day < ONE + 10 * DAY; day += DAY) {
          expect(isKnown(known, day)).toBe(model.has(day));
          expect(known.days.get(day)?.records ?? 0).toBe(model.get(day) ?? 0);
          expect(known.forgotten.has(day) && isKnown(known, day)).toBe(false);
        }
      }),
    );
  });
});

test("R8: a view of the data that was made before the first smaller reading ended confirms it only after 20 hours", () => {
  const day = seen(4, "b");
  const doubted = suspect(knowing(seen(30, "a")), day, NOON);
  const verdict = (later: number, made: number): DayVerdict =>
    judgeDay(doubted, day, { beganAt: NOON + later, firstAsOf: formatInstant(NOON + made) });
  expect(verdict(HOUR, 1000)).toBe("differs");
  expect(verdict(HOUR, 0)).toBe("shrunk");
  expect(verdict(20 * HOUR - 1, -HOUR)).toBe("shrunk");
  expect(verdict(20 * HOUR, -HOUR)).toBe("differs");
  expect(judgeDay(doubted, day, { beganAt: NOON + HOUR, firstAsOf: null })).toBe("shrunk");
});

test("R8: if the provider's clock was more than a day ahead at the first reading that showed less, the hour begins a day after the next one; a clock that is put back by hours changes nothing", () => {
  const day = seen(4, "b");
  const ahead = suspect(knowing(seen(30, "a")), day, NOON + 900 * DAY);
  expect(judgeDay(ahead, day, at(NOON))).toBe("shrunk");
  const again = suspect(ahead, day, NOON);
  expect(judgeDay(again, day, at(NOON + DAY + HOUR / 2))).toBe("shrunk");
  expect(judgeDay(again, day, at(NOON + DAY + HOUR))).toBe("differs");
  const back = suspect(suspect(knowing(seen(30, "a")), day, NOON), day, NOON - 5 * HOUR);
  expect(judgeDay(back, day, at(NOON + HOUR / 2))).toBe("shrunk");
});
