/**
 * How long to wait before a request is sent again: HTTP dates, `Retry-After`, the pause after a rate limit (C2) and the
 * back-off after a fault that time may mend (C4). Pure: instants and durations are milliseconds, randomness is an
 * argument in [0, 1).
 */

const SECOND = 1000;

/** A `Retry-After` in seconds. More than 15 digits would not be exact as a number. */
const DELTA_SECONDS = /^\d{1,15}$/;

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const DAYS = "Sun|Mon|Tue|Wed|Thu|Fri|Sat";
const LONG_DAYS = "Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday";
const MONTH = `(?<month>${MONTHS.join("|")})`;
const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`;

/** The three forms of an HTTP date, RFC 9110 section 5.6.7; a recipient must accept all of them. */
const HTTP_DATE_FORMS = [
  // IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(String.raw`^(?:${DAYS}), (?<day>\d{2}) ${MONTH} (?<year>\d{4}) ${TIME} GMT$`),
  // RFC 850: Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(String.raw`^(?:${LONG_DAYS}), (?<day>\d{2})-${MONTH}-(?<year>\d{2}) ${TIME} GMT$`),
  // asctime: Sun Nov  6 08:49:37 1994
  new RegExp(String.raw`^(?:${DAYS}) ${MONTH} (?<day>[\d ]\d) ${TIME} (?<year>\d{4})$`),
];

/**
 * An HTTP date in any of the three forms of RFC 9110 section 5.6.7 as milliseconds since 1970, or `undefined` if
 * the text is none. `nowMs` resolves the two-digit year of the RFC 850 form: one that seems more than 50 years ahead is
 * the most recent past year with those digits. The day's name is not compared with the date. A leap second counts as
 * the next second.
 */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const form of HTTP_DATE_FORMS) {
    const parts = form.exec(text.trim())?.groups;
    if (parts !== undefined) return instantOf(parts, nowMs);
  }
  return undefined;
}

function instantOf(
  parts: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): number | undefined {
  const month = MONTHS.indexOf(parts["month"] ?? "");
  const [day, hour, minute, second] = ["day", "hour", "minute", "second"].map((name) =>
    Number(parts[name]),
  );
  if (day === undefined || hour === undefined || minute === undefined) return undefined;
  if (second === undefined || hour > 23 || minute > 59 || second > 60) return undefined;
  const digits = parts["year"] ?? "";
  const at = (year: number): number => {
    const date = new Date(0); // Date.UTC would read the years 0 to 99 as 1900 to 1999
    date.setUTCFullYear(year, month, day);
    return date.getUTCDate() === day ? date.setUTCHours(hour, minute, second) : Number.NaN; // 31 June, 29 February of a common year
  };
  const instant = digits.length === 4 ? at(Number(digits)) : nearest(Number(digits), nowMs, at);
  return Number.isNaN(instant) ? undefined : instant;
}

/** The latest year with these last two digits whose instant is at most 50 years ahead. Gives the instant in this year. */
function nearest(twoDigits: number, nowMs: number, at: (year: number) => number): number {
  const now = new Date(nowMs);
  const horizon = new Date(nowMs).setUTCFullYear(now.getUTCFullYear() + 50);
  const century = Math.floor(now.getUTCFullYear() / 100) * 100;
  const years = [century + 100, century, century - 100].map((base) => base + twoDigits);
  const fitting = years.find((year) => at(year) <= horizon);
  return fitting === undefined ? Number.NaN : at(fitting);
}

/**
 * The wait that a `Retry-After` header requests (RFC 9110 section 10.2.3), in milliseconds from now, 0 or more; `undefined`
 * if it is no whole number of seconds and no HTTP date. A date is measured against the response's own `Date`
 * (`responseDateMs`), so that a skewed clock on this side changes nothing; without one, against `nowMs`. A date in the
 * past asks for no wait. The result is not capped: see {@link rateLimitWait}.
 */
export function parseRetryAfter(
  text: string,
  responseDateMs: number | undefined,
  nowMs: number,
): number | undefined {
  const trimmed = text.trim();
  if (DELTA_SECONDS.test(trimmed)) return Number(trimmed) * SECOND;
  const reference = responseDateMs ?? nowMs;
  const date = parseHttpDate(trimmed, reference);
  return date === undefined ? undefined : Math.max(0, date - reference);
}

/** The longest `Age` that is believed, in seconds: a day. No cache keeps the answer to one account's request for so long. */
const LONGEST_AGE = 86_400;

/**
 * The time that an answer has spent in caches by its `Age` header (RFC 9111 section 5.1), in milliseconds; 0 if the text is no whole
 * number of seconds, or is more than a day.
 */
export function parseAge(text: string): number {
  const seconds = DELTA_SECONDS.test(text.trim()) ? Number(text.trim()) : 0;
  return seconds > LONGEST_AGE ? 0 : seconds * SECOND;
}

/** Limits of the waits after a 429 (C2); all in milliseconds. */
export interface RateLimitPolicy {
  /** The shortest wait, whatever the provider asks for; doubles with each 429 that follows a 429. */
  readonly minimumMs: number;
  /** The longest wait that the doubling reaches. `Retry-After` may ask for a longer one. */
  readonly growthCapMs: number;
  /** The longest wait that is worth it, and the longest time without a page; beyond, the sync gives up. */
  readonly giveUpMs: number;
  /** Share of the wait, 0 or more, that is added at random, so that clients do not come back as one. */
  readonly jitter: number;
}

/** At least a second, doubling to five minutes; more than an hour is given up (C2). */
export const RATE_LIMIT_POLICY: RateLimitPolicy = {
  minimumMs: SECOND,
  growthCapMs: 300 * SECOND,
  giveUpMs: 3600 * SECOND,
  jitter: 0.1,
};

/**
 * The wait after a 429, or `"give_up"` if the provider asks for more than the policy allows (C2).
 *
 * The provider's `Retry-After` is a floor: jitter only adds to it.
 *
 * @param askedMs what `Retry-After` asks for; `undefined` if it is absent or no valid value
 * @param previous how many 429 in a row came before this one, 0 or more
 */
export function rateLimitWait(
  askedMs: number | undefined,
  previous: number,
  random: number,
  policy: RateLimitPolicy,
): number | "give_up" {
  const asked = askedMs ?? 0;
  if (asked > policy.giveUpMs) return "give_up";
  const grown = Math.min(policy.minimumMs * 2 ** previous, policy.growthCapMs);
  const wait = Math.max(asked, policy.minimumMs, grown);
  return Math.min(Math.ceil(wait * (1 + policy.jitter * random)), policy.giveUpMs);
}

/** Limits of the waits after a fault that time may mend (C4). */
export interface BackoffPolicy {
  /** How often a request is sent again, 0 or more. */
  readonly retries: number;
  /** The wait before the first retry, in milliseconds, without jitter. */
  readonly baseMs: number;
  /** The factor from one wait to the next, 1 or more. */
  readonly factor: number;
  /** Share of the wait, 0 or more, that is added at random. */
  readonly jitter: number;
  /** The longest that one request waits in all, in milliseconds. */
  readonly totalMs: number;
}

/**
 * Five retries after 0.25, 1, 4, 16 and 64 s, each up to 40 % longer: two minutes in all (C4). The factor is 4 so that
 * a provider that restarts is outlived, while a reset connection costs a quarter of a second.
 */
export const BACKOFF_POLICY: BackoffPolicy = {
  retries: 5,
  baseMs: 250,
  factor: 4,
  jitter: 0.4,
  totalMs: 120 * SECOND,
};

/**
 * The wait before the next retry, in milliseconds, or `undefined` if the retries or the time are used up (C4).
 *
 * @param retried how often the request was sent again already, 0 or more
 * @param waitedMs how long it has waited already
 * @param askedMs what the response's `Retry-After` asks for: a floor as far as the total allows
 */
export function backoffWait(
  retried: number,
  waitedMs: number,
  random: number,
  policy: BackoffPolicy,
  askedMs = 0,
): number | undefined {
  const left = policy.totalMs - waitedMs;
  if (retried >= policy.retries || left <= 0) return undefined;
  const own = policy.baseMs * policy.factor ** retried * (1 + policy.jitter * random);
  return Math.ceil(Math.min(Math.max(own, askedMs), left));
}
