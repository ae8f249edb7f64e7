/**
 * The start of the deep re-read (R2). A sync after a pause reads what the missed syncs would have read again: those of the days after the
 * last deep re-read. So it counts back from the first of these days, but never from a day after today.
 *
 *     reconciledOn − 7      reconciledOn                now − 7              now
 *         ├──[──────────────────┼──┊───────────────────────┼──────────────────┤
 *            the deep re-read      the day after it, from which it counts
 */
import * as z from "zod";
import { reconcileFromDays } from "../core/plan.ts";
import { DAY, parseDate } from "../core/time.ts";
import type { StreamDefinition } from "./stream.ts";

/** The days that a stored state names. The state is not yet judged: a member that is no text counts as none. */
const schema = z.object({
  reconciled_on: z.string().nullish().catch(null),
  pass: z.object({ day: z.string() }).nullish().catch(null),
});

export interface DeepRereadOptions {
  readonly stream: Pick<StreamDefinition, "reconcileFrom">;
  /** The config's `reconcile_days`; 0 turns the deep re-read off. */
  readonly days: number | undefined;
  readonly now: number;
  /** The stored state, not yet judged. */
  readonly stored: unknown;
  /** The instant from which on the source says that the dataset may still change; null if only the lags of capabilities tell. */
  readonly changesFrom: (now: number) => number | null;
}

/** The two starts are null if the deep re-read is turned off. */
export interface DeepReread {
  /** The start of the deep re-read. */
  readonly reconcileFrom: number | null;
  /** A pass of an earlier day reads its days from here on again (S3): syncs of the days after it would have read them again. */
  readonly staleFrom: number | null;
}

export function deepRereadOf({
  stream,
  days,
  now,
  stored,
  changesFrom,
}: DeepRereadOptions): DeepReread {
  const { data } = schema.safeParse(stored);
  const isOff = days === 0;
  const since = isOff ? now : Math.min(now, dayAfter(data?.reconciled_on));
  const passed = Math.min(now, dayAfter(data?.pass?.day));
  // The source is asked once, because it forgets what is long over at the instant that it is asked about.
  const changes = changesFrom(since) ?? Infinity;
  if (isOff) return { reconcileFrom: null, staleFrom: null };
  const startOf = (instant: number): number =>
    days === undefined
      ? Math.min(stream.reconcileFrom(instant), changes)
      : reconcileFromDays(instant, days);
  return { reconcileFrom: startOf(since), staleFrom: startOf(passed) };
}

/** The start of the day after a day; Infinity if the text names none. */
const dayAfter = (text: string | null | undefined): number =>
  (parseDate(text ?? "") ?? Infinity) + DAY;
