/** The simulation's own functions of time, independent of the connector's. Milliseconds since 1970, UTC. */

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const dayOf = (at: number): number => at - (((at % DAY) + DAY) % DAY);
export const hourOf = (at: number): number => at - (((at % HOUR) + HOUR) % HOUR);
export const nextDay = (at: number): number => (dayOf(at) === at ? at : dayOf(at) + DAY);

/** The texts of instants that were asked for, because the same days come again and again. */
const TEXTS = new Map<number, string>();

/** `2026-01-31T00:00:00Z`. */
export function iso(at: number): string {
  const known = TEXTS.get(at);
  if (known !== undefined) return known;
  if (TEXTS.size > 10_000) TEXTS.clear();
  const text = new Date(at).toISOString().replace(".000Z", "Z");
  TEXTS.set(at, text);
  return text;
}

/** `2026-01-31`. */
export const date = (at: number): string => iso(dayOf(at)).slice(0, 10);

/** The first of the month, `back` months before the instant's own. */
export function monthOf(at: number, back: number): number {
  const then = new Date(at);
  return Date.UTC(then.getUTCFullYear(), then.getUTCMonth() - back, 1);
}

/** The floor that a plan must have (W3): the first whole day at least an hour inside retention. */
export function floorOf(now: number, retentionDays: number): number {
  return nextDay(now - retentionDays * DAY + HOUR);
}
