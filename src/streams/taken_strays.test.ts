/** Strays that their days have taken over, and whose rows the days have still to write (P5). */
import { expect, test } from "vitest";
import { dayRange } from "../core/window.ts";
import type { WrittenStray } from "./stray_listings.ts";
import { TakenStrays } from "./taken_strays.ts";
import { DAY_ONE } from "./testing.ts";

const strayOf = (hash: string, id?: string): WrittenStray => ({
  hash,
  ...(id !== undefined && { id }),
  day: DAY_ONE,
  readingId: "r1",
  window: dayRange(DAY_ONE),
});

/** The strays "a1" and "a2" with one id, and "b" without an id. */
function three(): TakenStrays {
  const taken = new TakenStrays();
  for (const stray of [strayOf("a1", "a"), strayOf("a2", "a"), strayOf("b")])
    taken.take(stray, false);
  return taken;
}
const standing = (taken: TakenStrays): string[] => taken.standing.map(({ hash }) => hash);

test.each([
  ["in whatever version", "a", "other", ["b"]],
  ["a stray without an id by its content", "c", "b", ["a1", "a2"]],
])(
  "P5: once the day's row goes out, the stray no longer stands: %s",
  (_, id, contentText, left) => {
    const taken = three();
    expect(taken.takeReplaced()).toBe(false);
    taken.replaced(id, { contentText });
    expect(standing(taken)).toEqual(left);
    expect([taken.takeReplaced(), taken.takeReplaced()]).toEqual([true, false]);
  },
);

test("P5: the row of another record leaves all strays, and no STATE has to go out for it", () => {
  const taken = three();
  taken.replaced("c", { contentText: "c" });
  expect(standing(taken)).toEqual(["a1", "a2", "b"]);
  expect(taken.takeReplaced()).toBe(false);
});

test("P5: a stray whose day's row goes out at once does not stand", () => {
  const taken = new TakenStrays();
  taken.take(strayOf("a1", "a"), true);
  expect([taken.isEmpty, taken.takeReplaced()]).toEqual([true, true]);
  expect(three().isEmpty).toBe(false);
});

test("R8: the strays that a day has taken over in a read count for the day, also once its row has gone out", () => {
  const taken = three();
  taken.take(strayOf("c", "c"), true);
  taken.replaced("a", { contentText: "a1" });
  expect([taken.on(DAY_ONE), taken.on(DAY_ONE + 1)]).toEqual([4, 0]);
});
