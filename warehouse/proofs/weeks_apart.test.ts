/** R10: what two syncs prove after syncs that were weeks apart, by the models' verdicts on scripted reads. */
import { expect, test } from "vitest";
import { DAY, formatDay, formatInstant } from "../../src/core/time.ts";
import type { Range } from "../../src/core/window.ts";
import type { Fields } from "../../src/records/fields.ts";
import { fourWindows, provider, recordOf } from "../../src/streams/scripted/testing.ts";
import type { FetchedPage } from "../../src/streams/stream.ts";
import { DAY_ONE } from "../../src/streams/testing.ts";
import { type Part, sync, verdictsOn } from "./testing.ts";

const DAYS = 60;

/** A record, and the days between whose midnights the provider shows it. */
interface Shown {
  readonly record: Fields;
  readonly day: number;
  readonly from: number;
  readonly until: number;
}

/** Two rows a day. On each fifth day one of them is withdrawn up to a month later, or moves to an earlier day. */
const SHOWN: readonly Shown[] = Array.from({ length: DAYS }, (_, day): readonly Shown[] => {
  const stays = { record: recordOf(`s${day}`, day), day, from: day, until: Infinity };
  const until = day % 5 === 0 ? day + 3 + ((day * 7) % 29) : Infinity;
  const goes = { record: recordOf(`g${day}`, day), day, from: day, until };
  const to = Math.max(0, day - 2);
  const moved = { record: recordOf(`m${day}`, to), day: to, from: until, until: Infinity };
  return day % 10 === 0 ? [stays, goes, moved] : [stays, goes];
}).flat();

const shownAt = (now: number): readonly Shown[] =>
  SHOWN.filter(({ from, until }) => DAY_ONE + from * DAY <= now && now < DAY_ONE + until * DAY);

/** A provider at an instant. Either its pages say the instant as `as_of`, or each of them has one of its own. */
const at =
  (now: number, perPage: number, isStill: boolean) =>
  (window: Range, cursor: string | null): FetchedPage[] => {
    const shown = shownAt(now).map(({ record }) => record);
    const first = Number(cursor?.slice(1) ?? 0);
    return provider(shown, perPage)(window, cursor).map((page, index) => ({
      ...page,
      asOf: formatInstant(now + (isStill ? 0 : 1000 * (first + index))),
      availableThrough: now,
    }));
  };

test.each([
  ["pages of all windows", 1000, true],
  ["pages of a few rows", 10, true],
  ["pages that each have an as_of of their own", 10, false],
])(
  "R10: two syncs prove each day after syncs that were weeks apart, with %s",
  async (_, perPage, isStill) => {
    let all: readonly Part[] = [];
    for (const day of [5, 12, 34, 41, 59, 90, 91]) {
      const now = DAY_ONE + (day + 0.5) * DAY;
      const input = {
        ...fourWindows,
        now,
        endDate: null,
        startDate: DAY_ONE,
        retentionDays: 400,
        lookback: 2 * DAY,
        reconcileFrom: DAY_ONE + (day - 7) * DAY,
        scrubDays: 30,
        maximumWindowDays: 31,
      };
      const done = await sync(at(now, perPage, isStill), input, all);
      expect(done.run.succeeded).toBe(true);
      all = done.all;
    }
    const verdicts = await verdictsOn(all.map((part) => ({ ...part, retentionDays: 400 })));
    const truth = Array.from({ length: DAYS }, (__, day) => {
      const shown = shownAt(DAY_ONE + 91 * DAY).filter((each) => each.day === day);
      const ids = shown.map(({ record }) => String(record["x_RecordId"])).toSorted();
      return `${formatDay(DAY_ONE + day * DAY).slice(5)} proven: ${ids.join(" ")}`;
    });
    expect(verdicts.slice(0, DAYS)).toEqual(truth);
  },
);
