/** Instants of the wire as milliseconds since 1970, UTC. A parser of this folder's own: it must not share `src/`'s mistakes. */

export const HOUR = 3_600_000;
export const DAY = 86_400_000;

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|[+-]00:00)$/;

/** An RFC 3339 instant in UTC; undefined for another offset, an impossible date or any other text. `:60` is a leap second. */
export function parseInstant(value: unknown): number | undefined {
  const parts = typeof value === "string" ? RFC3339.exec(value) : null;
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day);
  const isDate = date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
  if (!isDate || (hour ?? 24) > 23 || (minute ?? 60) > 59 || (second ?? 61) > 60) return undefined;
  const fraction = Number((parts[7] ?? "").slice(0, 3).padEnd(3, "0"));
  return date.setUTCHours(hour ?? 0, minute, Math.min(second ?? 0, 59), fraction);
}

/** `2026-01-31T00:00:00Z`; milliseconds only if there are any. */
export function formatInstant(instant: number): string {
  return new Date(instant).toISOString().replace(".000Z", "Z");
}

/** The start of the bucket (`HOUR` or `DAY`) that holds the instant. */
export function floorTo(bucket: number, instant: number): number {
  return Math.floor(instant / bucket) * bucket;
}

/** Midnight of the first day of the month that lies `back` calendar months before the instant's. */
export function monthStart(instant: number, back = 0): number {
  const date = new Date(instant);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1);
}
