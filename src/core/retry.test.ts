import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  BACKOFF_POLICY,
  backoffWait,
  parseHttpDate,
  parseRetryAfter,
  RATE_LIMIT_POLICY,
  rateLimitWait,
} from "./retry.ts";

const NOW = Date.UTC(2026, 2, 15, 12, 0, 0);

/** Any whole second of the years 1000 to 9998. */
const seconds = fc
  .integer({ min: Date.UTC(1000, 0, 1) / 1000, max: Date.UTC(9998, 11, 31) / 1000 })
  .map((value) => value * 1000);
const random = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

const LONG_DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** Writes the RFC 850 form from the IMF one of the platform. */
function rfc850(ms: number): string {
  const [, day, month, year, time] = new Date(ms).toUTCString().split(" ");
  return `${LONG_DAYS[new Date(ms).getUTCDay()]}, ${day}-${month}-${year?.slice(2)} ${time} GMT`;
}

/** Writes the asctime form from the IMF one of the platform. */
function asctime(ms: number): string {
  const [name, day, month, year, time] = new Date(ms).toUTCString().split(" ");
  return `${name?.slice(0, 3)} ${month} ${day?.replace(/^0/, " ")} ${time} ${year}`;
}

describe("parseHttpDate()", () => {
  test.each([
    ["Sun, 06 Nov 1994 08:49:37 GMT"],
    ["Sunday, 06-Nov-94 08:49:37 GMT"],
    ["Sun Nov  6 08:49:37 1994"],
    ["  Sun, 06 Nov 1994 08:49:37 GMT  "],
  ])("reads the form %j of RFC 9110", (text) => {
    expect(parseHttpDate(text, NOW)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
  });

  test("reads back every instant from all three forms", () => {
    fc.assert(
      fc.property(seconds, (ms) => {
        expect(parseHttpDate(new Date(ms).toUTCString(), NOW)).toBe(ms);
        expect(parseHttpDate(asctime(ms), NOW)).toBe(ms);
      }),
    );
  });

  test("reads back an RFC 850 date within 49 years of now, whatever now is", () => {
    const distance = fc.integer({ min: -49 * 365 * 86_400, max: 49 * 365 * 86_400 });
    const nows = seconds.filter((ms) => ms < Date.UTC(9900, 0, 1));
    fc.assert(
      fc.property(nows, distance, (now, away) => {
        const ms = now + away * 1000;
        expect(parseHttpDate(rfc850(ms), now)).toBe(ms);
      }),
    );
  });

  test("takes a two-digit year more than 50 years ahead for the last century's", () => {
    expect(parseHttpDate("Friday, 15-Mar-75 12:00:00 GMT", NOW)).toBe(Date.UTC(2075, 2, 15, 12));
    expect(parseHttpDate("Monday, 15-Mar-77 12:00:00 GMT", NOW)).toBe(Date.UTC(1977, 2, 15, 12));
  });

  test.each([
    "",
    "Sun, 31 Jun 2026 08:49:37 GMT",
    "Sun, 29 Feb 2026 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 06 Nov 1994 08:49:37 +0000",
    "Sun, 06 nov 1994 08:49:37 GMT",
    "2026-03-15T12:00:00Z",
    "Sun, 6 Nov 1994 08:49:37 GMT",
  ])("refuses %j", (text) => {
    expect(parseHttpDate(text, NOW)).toBeUndefined();
  });

  test("takes a leap second for the next second", () => {
    expect(parseHttpDate("Sat, 31 Dec 2016 23:59:60 GMT", NOW)).toBe(Date.UTC(2017, 0, 1));
  });
});

describe("C2: Retry-After in every legal form", () => {
  test.each([
    ["0", 0],
    ["30", 30_000],
    [" 30 ", 30_000],
    ["007", 7000],
    ["99999999", 99_999_999_000],
  ])("reads delta-seconds %j", (text, wait) => {
    expect(parseRetryAfter(text, undefined, NOW)).toBe(wait);
  });

  test.each(["", "-1", "+1", "1.5", "1e3", "0x10", "soon", "1, 2", "9".repeat(16), "NaN"])(
    "takes %j for no answer",
    (text) => {
      expect(parseRetryAfter(text, NOW, NOW)).toBeUndefined();
    },
  );

  test("measures a date against the response's own date, not against this clock", () => {
    const skewed = NOW + 86_400_000;
    const date = new Date(NOW + 90_000).toUTCString();
    expect(parseRetryAfter(date, NOW, skewed)).toBe(90_000);
    expect(parseRetryAfter(date, undefined, NOW + 30_000)).toBe(60_000);
  });

  test("a date in the past asks for no wait", () => {
    expect(parseRetryAfter("Sun Nov  6 08:49:37 1994", NOW, NOW)).toBe(0);
  });

  test("is never negative and never NaN, whatever the text", () => {
    const text = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      seconds.map((ms) => new Date(ms).toUTCString()),
    );
    fc.assert(
      fc.property(text, (value) => {
        const wait = parseRetryAfter(value, NOW, NOW);
        expect(wait === undefined || wait >= 0).toBe(true);
      }),
    );
  });
});

describe("C2: how long a 429 is waited for", () => {
  const wait = (asked: number | undefined, previous: number, at = 0): number | "give_up" =>
    rateLimitWait(asked, previous, at, RATE_LIMIT_POLICY);

  test("waits at least a second, and twice as long each time 429 follows 429", () => {
    expect([0, 1, 2, 3].map((previous) => wait(0, previous))).toEqual([1000, 2000, 4000, 8000]);
    expect(wait(undefined, 0)).toBe(1000);
    expect(wait(10_000, 2)).toBe(10_000);
  });

  test("gives up when more than an hour is asked for, and only then", () => {
    expect(wait(3_600_000, 0, 0.999)).toBe(3_600_000);
    expect(wait(3_601_000, 0)).toBe("give_up");
    expect(wait(99_999_999_000, 0)).toBe("give_up");
  });

  test("is never shorter than what is asked for, nor than the minimum, nor longer than an hour", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3_600_000 }),
        fc.nat({ max: 2000 }),
        random,
        (asked, previous, at) => {
          const ms = wait(asked, previous, at);
          expect(ms).toBeGreaterThanOrEqual(Math.max(1000, asked));
          expect(ms).toBeLessThanOrEqual(3_600_000);
        },
      ),
    );
  });
});

describe("C4: how long a fault is waited for", () => {
  /** All waits of one request that never succeeds. */
  function waits(draw: (retried: number) => number, asked = 0): number[] {
    const all: number[] = [];
    let waited = 0;
    for (;;) {
      const next = backoffWait(all.length, waited, draw(all.length), BACKOFF_POLICY, asked);
      if (next === undefined) return all;
      all.push(next);
      waited += next;
    }
  }

  test("retries five times, after 0.25, 1, 4, 16 and 64 s", () => {
    expect(waits(() => 0)).toEqual([250, 1000, 4000, 16_000, 64_000]);
  });

  test("each wait is up to 40 % longer by chance", () => {
    expect(waits(() => 0.5)).toEqual([300, 1200, 4800, 19_200, 76_800]);
  });

  test("five retries whatever the dice say, two minutes in all", () => {
    fc.assert(
      fc.property(fc.array(random, { minLength: 6, maxLength: 6 }), (dice) => {
        const all = waits((retried) => dice[retried] ?? 0);
        expect(all).toHaveLength(5);
        expect(all.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(120_000);
      }),
    );
  });

  test("a Retry-After is a floor as far as the two minutes allow", () => {
    expect(waits(() => 0, 30_000)).toEqual([30_000, 30_000, 30_000, 30_000]);
    expect(waits(() => 0, 86_400_000)).toEqual([120_000]);
  });
});
