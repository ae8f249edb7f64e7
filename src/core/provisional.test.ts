import { expect, test } from "vitest";
import { addMissingDays } from "./provisional.ts";
import { DAY } from "./time.ts";

test("L2: the days that have no sum yet are found without a search through all others", () => {
  let searched = 0;
  const daysFrom = (first: number) =>
    Array.from({ length: 1000 }, (_, index) => ({
      get day() {
        searched += 1;
        return (first + index) * DAY;
      },
      records: 1,
      billed: {},
    }));
  expect(addMissingDays(daysFrom(0), daysFrom(500))).toHaveLength(1500);
  expect(searched).toBeLessThan(50_000);
});
