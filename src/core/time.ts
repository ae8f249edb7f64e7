/**
 * Instants as milliseconds since 1970, UTC everywhere; no local time, no `Date` parsing (which rolls 30 February over
 * to March and reads a missing zone as local).
 */

export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** The width of a stream's bucket in milliseconds: an hour or a UTC day. */
export type Bucket = typeof HOUR | typeof DAY;

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|[+-]00:00)$/;

/**
 * An RFC 3339 instant in UTC (`Z`, `+00:00` or `-00:00`) as milliseconds since 1970; digits beyond the millisecond are
 * cut off, a leap second (`:60`) counts as the last millisecond of its minute. `undefined` for anything else: another
 * offset, an impossible date, no time of day.
 */
export function parseInstant(text: string): number | undefined {
  const match = INSTANT.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (hour === undefined || minute === undefined || second === undefined) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const midnight = calendarDay(year, month, day);
  if (midnight === undefined) return undefined;
  const fraction = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const within = second === 60 ? 59_999 : second * 1000 + fraction;
  return midnight + hour * HOUR + minute * 60_000 + within;
}

/** Midnight UTC of a calendar date (`2026-01-31`), or `undefined` where there is no such day. */
export function parseDate(text: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return match === null
    ? undefined
    : calendarDay(Number(match[1]), Number(match[2]), Number(match[3]));
}

function calendarDay(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const same =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return same ? date.getTime() : undefined;
}

/** `2026-01-31T00:00:00Z`; milliseconds only where there are any. */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

/** `2026-01-31`, the UTC day of an instant. */
export function formatDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
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
