/**
 * Instants as milliseconds since 1970, UTC everywhere; no local time, no `Date` parsing (which rolls 30 February over
 * to March and reads a missing zone as local).
 */

export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** The width of a stream's bucket in milliseconds: an hour or a UTC day. */
export type Bucket = typeof HOUR | typeof DAY;

const FRACTION_OR_ZONE = /^(?:\.(\d+))?(?:[Zz]|[+-]00:00)$/;

/**
 * An RFC 3339 instant in UTC (`Z`, `+00:00` or `-00:00`) as milliseconds since 1970; digits beyond the millisecond are
 * cut off, a leap second (`:60`) counts as the last millisecond of its minute. `undefined` for anything else: another
 * offset, an impossible date, no time of day.
 *
 * Reads the digits by hand: every record has three instants, and a regular expression takes ten times as long.
 */
export function parseInstant(text: string): number | undefined {
  if (!hasMarks(text)) return undefined;
  const midnight = calendarDay(digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10));
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  if (midnight === undefined || !(hour <= 23 && minute <= 59 && second <= 60)) return undefined;
  let fraction = 0;
  if (text.length !== 20 || text.charCodeAt(19) !== 0x5a) {
    const rest = FRACTION_OR_ZONE.exec(text.slice(19));
    if (rest === null) return undefined;
    fraction = Number((rest[1] ?? "").slice(0, 3).padEnd(3, "0"));
  }
  const within = second === 60 ? 59_999 : second * 1000 + fraction;
  return midnight + hour * HOUR + minute * 60_000 + within;
}

/**
 * The instant that 20 bytes from `at` on write in the usual form, `2026-01-31T00:00:00Z`, as milliseconds since 1970. NaN if they
 * write none, and for a leap second: {@link parseInstant} knows all forms.
 */
export function instantAt(bytes: Uint8Array, at: number): number {
  const isMarked =
    bytes[at + 4] === 0x2d &&
    bytes[at + 7] === 0x2d &&
    bytes[at + 10] === 0x54 &&
    bytes[at + 13] === 0x3a &&
    bytes[at + 16] === 0x3a &&
    bytes[at + 19] === 0x5a;
  if (!isMarked) return Number.NaN;
  const year = 100 * twoDigits(bytes, at) + twoDigits(bytes, at + 2);
  const midnight = calendarDay(year, twoDigits(bytes, at + 5), twoDigits(bytes, at + 8));
  const hour = twoDigits(bytes, at + 11);
  const minute = twoDigits(bytes, at + 14);
  const second = twoDigits(bytes, at + 17);
  if (midnight === undefined || !(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN;
  return midnight + hour * HOUR + minute * 60_000 + second * 1000;
}

/** The number that two bytes write in decimal digits; NaN if one is no digit. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] ?? 0) - 0x30;
  const ones = (bytes[at + 1] ?? 0) - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : Number.NaN;
}

/** Whether `-`, `T` and `:` stand where they must. */
function hasMarks(text: string): boolean {
  const separator = text.charCodeAt(10);
  return (
    text.charCodeAt(4) === 0x2d &&
    text.charCodeAt(7) === 0x2d &&
    (separator === 0x54 || separator === 0x74) &&
    text.charCodeAt(13) === 0x3a &&
    text.charCodeAt(16) === 0x3a
  );
}

/** The number that the characters from `start` to `end` write in decimal digits; NaN if one is no digit. */
function digits(text: string, start: number, end: number): number {
  let value = 0;
  for (let index = start; index < end; index++) {
    const digit = text.charCodeAt(index) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Midnight UTC of a calendar date (`2026-01-31`), or `undefined` if there is no such day. */
export function parseDate(text: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return match === null
    ? undefined
    : calendarDay(Number(match[1]), Number(match[2]), Number(match[3]));
}

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function calendarDay(year: number, month: number, day: number): number | undefined {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const length = month === 2 && isLeap ? 29 : (MONTH_LENGTHS[month - 1] ?? 0);
  if (!(year >= 0 && day >= 1 && day <= length)) return undefined;
  // Days since 1970-01-01 in the proleptic Gregorian calendar, counted in years that begin in March.
  const years = month > 2 ? year : year - 1;
  const inYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const leaps = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return (years * 365 + leaps + inYear - 719_468) * DAY;
}

/** `2026-01-31T00:00:00Z`; milliseconds only if there are any. */
export function formatInstant(ms: number): string {
  // Most instants are whole days. A `Date` takes several times as long, and a state has hundreds of them.
  if (ms % DAY === 0 && isUsual(ms)) return `${formatDay(ms)}T00:00:00Z`;
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

/** Midnight of the day after 9999-12-31, the last one whose year has four digits. */
const AFTER_YEARS = 253_402_300_800_000;

const isUsual = (ms: number): boolean => ms >= 0 && ms < AFTER_YEARS;

/** `2026-01-31`, the UTC day of an instant. */
export function formatDay(ms: number): string {
  if (!isUsual(ms)) return new Date(ms).toISOString().slice(0, 10);
  // The inverse of calendarDay(): eras of 400 years, and years that begin in March.
  const days = Math.floor(ms / DAY) + 719_468;
  const era = Math.floor(days / 146_097);
  const inEra = days - era * 146_097;
  const leaps = Math.floor(inEra / 1460) - Math.floor(inEra / 36_524) + Math.floor(inEra / 146_096);
  const years = Math.floor((inEra - leaps) / 365);
  const inYear = inEra - (365 * years + Math.floor(years / 4) - Math.floor(years / 100));
  const march = Math.floor((5 * inYear + 2) / 153);
  const day = inYear - Math.floor((153 * march + 2) / 5) + 1;
  const month = march < 10 ? march + 3 : march - 9;
  const year = 400 * era + years + (month > 2 ? 0 : 1);
  return `${year}-${month < 10 ? "0" : ""}${month}-${day < 10 ? "0" : ""}${day}`;
}

/** The start of the bucket that holds the instant. */
export function floorTo(bucket: Bucket, ms: number): number {
  return Math.floor(ms / bucket) * bucket;
}

/** The first bucket start at or after the instant. */
export function ceilTo(bucket: Bucket, ms: number): number {
  return Math.ceil(ms / bucket) * bucket;
}

/** Midnight on the first of the month that lies `back` calendar months before the instant's own. */
export function monthStart(ms: number, back = 0): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1);
}

/** Midnight on the first of the month after the instant's. */
export function nextMonthStart(ms: number): number {
  return monthStart(ms, -1);
}
