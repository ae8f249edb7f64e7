/** Milliseconds since 1970-01-01T00:00:00Z. The provider keeps time to the millisecond. */
export type Instant = number;

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Width of a bucket in milliseconds, by granularity (interface section 2.1). */
export const BUCKET = { "1h": HOUR, "1d": DAY } as const;

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|[+-]00:00)$/;

/**
 * Reads an RFC 3339 instant in UTC (`Z`, `+00:00` or `-00:00`), or returns undefined.
 *
 * Refuses impossible dates (`2026-02-30`), hour 24, leap seconds and other offsets, because `Date` would roll them over
 * without a word. Rounds a fraction finer than a millisecond up, which keeps both bounds of a half-open window exact
 * for records that lie on whole milliseconds.
 */
export function parseInstant(text: string): Instant | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (hour === undefined || minute === undefined || second === undefined) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const fraction = match[7] ?? "";
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, "0"));
  const beyond = /[1-9]/.test(fraction.slice(3)) ? 1 : 0;
  return date.getTime() + hour * HOUR + minute * MINUTE + second * 1000 + milliseconds + beyond;
}

/** Like `parseInstant`, for values that were checked before. Throws a RangeError that names the value. */
export function requireInstant(text: string): Instant {
  const instant = parseInstant(text);
  if (instant === undefined) {
    throw new RangeError(`"${text}" is no RFC 3339 instant in UTC such as 2025-10-06T12:00:00Z`);
  }
  return instant;
}

// A record holds about four instants. Formatting them with Date took half of the time of a page.
const days = new Map<number, string>();

/** Writes the UTC day of an instant as `YYYY-MM-DD`. */
export function formatDay(instant: Instant): string {
  const number = Math.floor(instant / DAY);
  const known = days.get(number);
  if (known !== undefined) return known;
  const day = new Date(instant).toISOString().slice(0, -14);
  days.set(number, day);
  return day;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** Writes an instant as `YYYY-MM-DDTHH:mm:ssZ`, with three decimals only where it has milliseconds. */
export function formatInstant(instant: Instant): string {
  const time = instant - floorTo(instant, DAY);
  const hours = twoDigits(Math.floor(time / HOUR));
  const minutes = twoDigits(Math.floor((time % HOUR) / MINUTE));
  const seconds = twoDigits(Math.floor((time % MINUTE) / 1000));
  const fraction = time % 1000 === 0 ? "" : `.${String(Math.floor(time % 1000)).padStart(3, "0")}`;
  return `${formatDay(instant)}T${hours}:${minutes}:${seconds}${fraction}Z`;
}

/** The last multiple of `width` milliseconds at or before the instant. */
export function floorTo(instant: Instant, width: number): Instant {
  return Math.floor(instant / width) * width;
}

/** The first multiple of `width` milliseconds at or after the instant. */
export function ceilTo(instant: Instant, width: number): Instant {
  return Math.ceil(instant / width) * width;
}

/** Start of the UTC calendar month that is `months` after the instant's own month (0: its own). */
export function monthStart(instant: Instant, months = 0): Instant {
  const date = new Date(instant);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
}
