/** The simulation's own functions of time, independent of the connector's. Milliseconds since 1970, UTC. */

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const dayOf = (at: number): number => at - (((at % DAY) + DAY) % DAY);
export const hourOf = (at: number): number => at - (((at % HOUR) + HOUR) % HOUR);
export const nextDay = (at: number): number => (dayOf(at) === at ? at : dayOf(at) + DAY);

/** The texts of days that were asked for, because the same days come again and again. Most instants within them come only once. */
const DAYS = new Map<number, string>();

/** `2026-01-31`. */
export function date(at: number): string {
  const day = dayOf(at);
  const known = DAYS.get(day);
  if (known !== undefined) return known;
  if (DAYS.size > 10_000) DAYS.clear();
  const text = new Date(day).toISOString().slice(0, 10);
  DAYS.set(day, text);
  return text;
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));
const two = (number: number): string => TWO_DIGITS[Math.floor(number)] ?? "";

/** `2026-01-31T00:00:00Z`; milliseconds only if there are any. A `Date` would take several times as long. */
export function iso(at: number): string {
  const inDay = at - dayOf(at);
  const milliseconds = Math.floor(inDay % SECOND);
  const rest = milliseconds === 0 ? "" : `.${String(milliseconds).padStart(3, "0")}`;
  const minutes = `${two(inDay / HOUR)}:${two((inDay % HOUR) / MINUTE)}`;
  return `${date(at)}T${minutes}:${two((inDay % MINUTE) / SECOND)}${rest}Z`;
}

/** The first of the month, `back` months before the instant's own. */
export function monthOf(at: number, back: number): number {
  const then = new Date(at);
  return Date.UTC(then.getUTCFullYear(), then.getUTCMonth() - back, 1);
}

/** The floor that a plan must have (W3): the first whole day at least an hour inside retention. */
export function floorOf(now: number, retentionDays: number): number {
  return nextDay(now - retentionDays * DAY + HOUR);
}
