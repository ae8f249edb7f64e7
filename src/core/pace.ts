/**
 * The pace of requests after a 429: the least time between two of them. Pure; instants and durations are milliseconds, rates are
 * requests a millisecond.
 *
 * Between two 429s a provider accepts as many requests as its limit allows for that time. So the second 429 of a run shows the
 * rate: it is measured, as in BBR (draft-ietf-ccwg-bbr, section 4.1, delivery rate), instead of being searched by halving alone.
 * The measurement is too low where the provider forgets the allowance of a pause. So the pace grows again towards the rate
 * that was refused, and close to that rate it grows slowly, as the window of CUBIC does (RFC 9438, section 4.2).
 */

/** The rate that a run has learned from its 429s. */
export interface Pace {
  /** The requests a millisecond that may leave now; above 0. */
  readonly rate: number;
  /** The rate at the time of the latest 429. */
  readonly refused: number;
  /** The instant of the latest 429, and the number of pages since then. */
  readonly refusedAt: number;
  readonly accepted: number;
  /** The instant from which {@link rate} holds, and the number of pages since then. */
  readonly since: number;
  readonly proven: number;
}

/** A little less than the measured rate, so that measuring errors do not lead to the next 429. */
const MARGIN = 0.97;

/** After this time and this number of pages without a 429 a rate is proven, and the next one is tried. */
const PROVEN_MS = 2000;
const PROVEN_PAGES = 4;

/** The growth of a proven rate far below the refused one. */
const GROWTH = 1.25;

/** Within this factor of the refused rate the pace grows slowly: every 20 s by a hundredth for each minute since the 429. */
const NEAR = 1.05;
const CREEP = 0.01;
const CREEP_MS = 20_000;
const MINUTE = 60_000;

/** One request a minute: slower is no limit of a rate, and the gate's own waits go on growing. */
const SLOWEST = 1 / 60_000;

/**
 * The pace after a 429. All 429s of one pause count once.
 *
 * @param before null at the first 429 of the run
 * @param unpaced the rate at which requests left, for the first 429; above 0
 */
export function slower(before: Pace | null, at: number, unpaced: number): Pace {
  const refused = before?.rate ?? unpaced;
  const measured = before === null ? 0 : before.accepted / Math.max(1, at - before.refusedAt);
  // Nothing is measured at the first 429, nor where no page came since the one before.
  const rate = measured === 0 ? refused / 2 : Math.min(refused, measured) * MARGIN;
  return {
    rate: Math.max(SLOWEST, rate),
    refused,
    refusedAt: at,
    accepted: 0,
    since: at,
    proven: 0,
  };
}

/** The pace after one more page without a 429. */
export function kept(before: Pace, at: number): Pace {
  const pace = { ...before, accepted: before.accepted + 1, proven: before.proven + 1 };
  const isNear = pace.rate * NEAR >= pace.refused;
  const isProven =
    pace.proven >= PROVEN_PAGES && at - pace.since >= (isNear ? CREEP_MS : PROVEN_MS);
  if (!isProven) return pace;
  const rate = isNear
    ? pace.rate * (1 + CREEP * Math.max(1, (at - pace.refusedAt) / MINUTE))
    : Math.min(pace.rate * GROWTH, Math.sqrt(pace.rate * pace.refused));
  return { ...pace, rate, since: at, proven: 0 };
}

/** The least time between two requests, in milliseconds. */
export function spacing(pace: Pace | null): number {
  return pace === null ? 0 : 1 / pace.rate;
}
