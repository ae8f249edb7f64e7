import { describe, expect, test } from "vitest";
import { afterReading, dueDays, dueOfOlderState, withDue } from "./due.ts";
import { forget, learn, NOTHING_KNOWN, suspect } from "./known_days.ts";
import { DAY, HOUR } from "./time.ts";

const ONE = 20_000 * DAY;
const range = (from: number, to: number) => ({ start: ONE + from * DAY, end: ONE + to * DAY });
const seen = (day: number, records: number) => ({
  day: ONE + day * DAY,
  records,
  digest: String(records).padStart(24, "a"),
});
const wrote = { readingId: "r", confirmed: true };

/** Days 0 to 4 of thirty records; day 3 was written by a listing that moved. */
const five = [0, 1, 2, 3, 4].reduce(
  (known, day) => learn(known, seen(day, 30), { ...wrote, confirmed: day !== 3 }),
  NOTHING_KNOWN,
);

describe("dueDays()", () => {
  test("R10: forgotten days and days that show less than half are due until they are known again", () => {
    const doubted = suspect(five, seen(1, 3), ONE);
    const known = forget(doubted, [{ ...seen(2, 30), writtenBy: null }]);
    expect(dueDays({ known, due: [], unreported: [] }, true)).toEqual([range(1, 3)]);
    const learned = learn(known, seen(2, 30), wrote);
    expect(dueDays({ known: learned, due: [], unreported: [] }, true)).toEqual([range(1, 2)]);
    const more = { known: five, due: [range(7, 8)], unreported: [range(9, 10)] };
    expect(dueDays(more, false)).toEqual([range(7, 8)]);
    expect(dueDays(more, true)).toEqual([range(7, 8), range(9, 10)]);
  });
});

describe("the list of due days", () => {
  test("R10: a day leaves the list with its next reading, unless that one is doubtful for the first time", () => {
    const read = [0, 1, 2].map((day) => ONE + day * DAY);
    expect(afterReading([range(0, 5)], read, [])).toEqual([range(3, 5)]);
    expect(afterReading([range(0, 5)], read, [ONE + DAY])).toEqual([range(1, 2), range(3, 5)]);
    expect(afterReading([], read, [ONE + DAY])).toEqual([range(1, 2)]);
  });

  test("R10: whole days that are over are due, never today", () => {
    const parts = [{ start: ONE, end: ONE + DAY + HOUR }, range(3, 5)];
    expect(withDue([], parts, ONE + 4 * DAY + HOUR)).toEqual([range(0, 2), range(3, 4)]);
    const late = { start: ONE + HOUR, end: ONE + DAY };
    expect(withDue([], [late], ONE + 4 * DAY)).toEqual([range(0, 1)]);
  });

  test("R10: of a state of 0.2.0 unconfirmed days are due, and unknown ones between known days", () => {
    const known = { ...five, ranges: [range(0, 1), range(2, 5)] };
    expect(dueOfOlderState(known)).toEqual([range(1, 2), range(3, 4)]);
    expect(dueOfOlderState(NOTHING_KNOWN)).toEqual([]);
  });
});
