/**
 * The pace of requests after a 429: the least time between two of them. Pure; instants and durations are milliseconds, rates are
 * requests a millisecond.
 *
 * Two kinds of provider answer 429, and one 429 does not tell them apart:
 *
 * - A provider with **a limit of this customer's own rate** accepts, between two 429s, as many requests as the limit allows for that
 *   time, pauses included. So the rate is measured, as in BBR (draft-ietf-ccwg-bbr, section 4.1, delivery rate), instead of being
 *   searched by halving. The measurement is too low where the provider forgets the allowance of a pause. So the pace
 *   grows again towards the rate that was refused, and close to that rate it grows slowly, as the window of CUBIC does (RFC 9438,
 *   section 4.2).
 * - A provider with **a limit that other customers share** refuses some requests whatever the rate. A measurement that includes the
 *   pauses would be lower after each 429, without end.
 *
 * So a run begins in the **plain** term: a 429 slows it down a little, and never to less than one request in the time that the
 * 429 asks to wait. After some 429s and pages close to each other the **measured** term tries the measured rate. It stays as
 * long as it brings at most half the share of 429s, and each halving of its rate has to halve the share again. Otherwise the
 * plain term comes back, and the next trial takes twice as many 429s.
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
  readonly term: Term;
  /** The number of 429s of a plain term after which the measured rate is tried. */
  readonly patience: number;
}

/** A time with one way to slow down. Its counts begin again after {@link CALM_PAGES} pages without a 429. */
interface Term {
  /** The instant from which 429s and pages are counted, and the rate at that instant. */
  readonly from: number;
  readonly rate: number;
  readonly refusals: number;
  readonly pages: number;
  /** The faster rate that a measured term is compared with, and the share of 429s at that rate; null in a plain term. */
  readonly faster: { readonly rate: number; readonly share: number } | null;
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

/** One request a minute. No limit of a rate is slower, and the gate's own waits go on growing. */
const SLOWEST = 1 / 60_000;

/** If so many pages came since the last 429, the next 429 does not show that the pace is too fast: at most one request of twenty is refused. */
const CALM_PAGES = 20;

/** The least number of pages in a plain term that measures a rate. */
const MEASURED_PAGES = 4;

/** The 429s of a plain term before the first trial of a measured rate, and the most before any. */
const FIRST_PATIENCE = 2;
const LONGEST_PATIENCE = 64;

/** A measured rate is judged after this number of 429s, and stays if their share is at most this part of the share before. */
const JUDGED_REFUSALS = 6;
const LOWERED = 0.5;

/**
 * The pace after a 429. All 429s of one pause count once.
 *
 * @param before null at the first 429 of the run
 * @param unpaced the rate at which requests left, for the first 429; above 0
 * @param waitMs the time that the 429 asks to wait; above 0
 */
export function slower(before: Pace | null, at: number, unpaced: number, waitMs: number): Pace {
  const refused = before?.rate ?? unpaced;
  const next =
    before === null
      ? { rate: unpaced / 2, term: termOf(at, unpaced / 2, null), patience: FIRST_PATIENCE }
      : judged(before, at, waitMs);
  const rate = Math.max(SLOWEST, next.rate);
  return { ...next, rate, refused, refusedAt: at, accepted: 0, since: at, proven: 0 };
}

const termOf = (from: number, rate: number, faster: Term["faster"]): Term => ({
  from,
  rate,
  refusals: 0,
  pages: 0,
  faster,
});

function judged(
  before: Pace,
  at: number,
  waitMs: number,
): Pick<Pace, "rate" | "term" | "patience"> {
  const { accepted, refusedAt, patience } = before;
  const [elapsed, floor] = [Math.max(1, at - refusedAt), Math.max(SLOWEST, 1 / waitMs)];
  const isCalm = accepted >= CALM_PAGES;
  const term = { ...before.term, refusals: before.term.refusals + 1 };
  const share = term.refusals / (term.refusals + term.pages);
  if (term.faster === null) {
    const rate = Math.max(before.rate * MARGIN, Math.min(before.rate, floor));
    if (isCalm && elapsed >= CALM_PAGES * waitMs) {
      return { rate, term: termOf(at, rate, null), patience };
    }
    // A rate that fewer pages have measured would be chance, and its trial may wait a minute for each 429.
    const isMeasured = term.pages >= MEASURED_PAGES;
    if (!isMeasured || term.refusals < patience) return { rate, term, patience };
    const measured = term.pages / Math.max(1, at - term.from);
    const tried = Math.min(before.rate, measured) * MARGIN;
    return { rate: tried, term: termOf(at, tried, { rate: before.rate, share }), patience };
  }
  const measured = accepted / elapsed;
  const rate = measured === 0 ? before.rate / 2 : Math.min(before.rate, measured) * MARGIN;
  const isHalved = term.refusals > 1 && rate < term.rate / 2;
  if (isCalm || (!isHalved && term.refusals < JUDGED_REFUSALS)) {
    const shorter = Math.max(FIRST_PATIENCE, patience / 2);
    return isCalm
      ? { rate, term: { ...term, refusals: 0, pages: 0 }, patience: shorter }
      : { rate, term, patience };
  }
  if (share > LOWERED * term.faster.share) {
    const plain = Math.max(term.faster.rate, floor);
    const longer = Math.min(LONGEST_PATIENCE, 2 * patience);
    return { rate: plain, term: termOf(at, plain, null), patience: longer };
  }
  const faster = isHalved ? { rate: term.rate, share } : term.faster;
  return { rate, term: termOf(at, isHalved ? rate : term.rate, faster), patience };
}

/** The pace after one more page without a 429. */
export function kept(before: Pace, at: number): Pace {
  const pace = {
    ...before,
    accepted: before.accepted + 1,
    proven: before.proven + 1,
    term: { ...before.term, pages: before.term.pages + 1 },
  };
  const isNear = pace.rate * NEAR >= pace.refused;
  const isTried = pace.term.faster !== null && pace.term.from === pace.refusedAt;
  const isProven =
    pace.proven >= (isTried ? CALM_PAGES : PROVEN_PAGES) &&
    at - pace.since >= (isNear ? CREEP_MS : PROVEN_MS);
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
