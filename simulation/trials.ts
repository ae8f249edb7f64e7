/** The trials of a life: further hardships. A seed draws each kind of its own, and most lives have one or two. */
import { type Limits, LIMITS } from "../src/core/limits.ts";
import { DAY, HOUR, MINUTE, SECOND } from "./calendar.ts";
import type { Members } from "./members.ts";
import type { Strike } from "./outages.ts";
import type { Rules, Still } from "./provider.ts";
import { Random } from "./random.ts";
import type { Life, StreamName } from "./records.ts";
import { drawViews, type Views } from "./views.ts";

/** The kinds of trials, each with the share of lives that have it. */
const SHARES = {
  strikes: 0.3,
  limits: 0.2,
  clock: 0.2,
  order: 0.1,
  volatile: 0.1,
  changes: 0.1,
  long: 0.1,
  posted: 0.15,
  proven: 1,
  still: 0.3,
  reports: 0.15,
  stirs: 0.15,
  views: 0.15,
  switches: 0.2,
  small: 0.1,
  resets: 0.1,
  slow: 0.1,
  apart: 0.15,
  bursts: 0.5,
} as const;

export type Trial = keyof typeof SHARES;
export const isTrial = (name: string): name is Trial => Object.hasOwn(SHARES, name);

export interface Trials {
  /** A generator of its own, so that a world has the same records with and without a trial. */
  readonly random: Random;
  /** Outages of minutes that begin between any two requests (R8), over days of many records. */
  readonly strikes: boolean;
  readonly limits: Limits;
  /** The `Date` of the provider steps between syncs, by seconds and hours, or stands still over a restart. */
  readonly clock: boolean;
  readonly members: Members;
  /** Datasets disappear and return; retention and the way to select change. */
  readonly changes: boolean;
  /** Most costs are longer than their day, and windows are short. */
  readonly long: boolean;
  /** Most costs show only in the window of their posting, some days after they began. Many days have no other cost (R10). */
  readonly posted: boolean;
  /** `as_of` stands still while no record changes: pages that two processes read seem to be of one moment, until a record changes (R4). */
  readonly still: Still | null;
  /** Draws processes that die just after a report of a day (R4); null if deaths come at any instant. */
  readonly reports: Random | null;
  /** Draws changes of records between two answers of a sync; null if records change at any instant. */
  readonly stirs: Random | null;
  /** The provider shows a view of its data that it makes now and then. */
  readonly views: Views | null;
  /** Draws syncs without `export_windows`, or without a dataset, and syncs before which `export_windows` is cleared (R10). */
  readonly switches: Random | null;
  /** Draws streams that are read from the beginning again. */
  readonly resets: Random | null;
  /** Draws syncs that last for hours, because answers take minutes, or a destination does. */
  readonly slow: Random | null;
  /** Draws platforms that keep the STATEs of each stream apart: of a sync that died, they keep only some of the reports (R10). */
  readonly apart: Random | null;
  /** Draws many strays of one day that one window shows, and outages that hide them (R8); null if strays come one by one. */
  readonly bursts: Random | null;
  /** At its end every day must be proven, if the bounds let a pass read all days that are due (R10). */
  readonly proven: boolean;
}

/** The trials that a life may have. */
export interface Choice {
  /** If it names any, the life has exactly these. */
  readonly only: readonly Trial[];
  /** The life has none of these, whatever the seed draws. */
  readonly without: readonly Trial[];
}

/** Draws the trials of a seed. */
export function drawTrials(seed: number, { only, without }: Choice): Trials {
  const random = new Random(seed + 2 ** 40);
  const still = new Random(seed + 2 ** 43);
  const reports = new Random(seed + 2 ** 44);
  const stirs = new Random(seed + 2 ** 45);
  const views = new Random(seed + 2 ** 46);
  const switches = new Random(seed + 2 ** 47);
  const small = new Random(seed + 2 ** 48);
  const resets = new Random(seed + 2 ** 49);
  const slow = new Random(seed + 2 ** 50);
  const apart = new Random(seed + 2 ** 51);
  const bursts = new Random(seed + 2 ** 52);
  const has = (trial: Trial, from = random): boolean => {
    const isDrawn = from.chance(SHARES[trial]);
    return only.length === 0 ? isDrawn && !without.includes(trial) : only.includes(trial);
  };
  const strikes = has("strikes");
  const limits = has("limits") ? drawLimits(random) : LIMITS;
  return {
    random,
    strikes,
    limits: has("small", small) ? { ...limits, stateBytes: drawStateBytes(small) } : limits,
    clock: has("clock"),
    members: has("order") ? "order" : has("volatile") ? "volatile" : "same",
    changes: has("changes"),
    long: has("long"),
    posted: has("posted"),
    proven: has("proven"),
    // The last nine, and `small`, have generators of their own, so that they do not change the draws of the other trials.
    still: has("still", still) ? still.pick(["day", "change"]) : null,
    reports: has("reports", reports) ? reports : null,
    stirs: has("stirs", stirs) ? stirs : null,
    views: has("views", views) ? drawViews(views) : null,
    switches: has("switches", switches) ? switches : null,
    resets: has("resets", resets) ? resets : null,
    slow: has("slow", slow) ? slow : null,
    apart: has("apart", apart) ? apart : null,
    bursts: has("bursts", bursts) ? bursts : null,
  };
}

export const NO_TRIALS: Trials = {
  random: new Random(0),
  strikes: false,
  limits: LIMITS,
  clock: false,
  members: "same",
  changes: false,
  long: false,
  posted: false,
  proven: false,
  still: null,
  reports: null,
  stirs: null,
  views: null,
  switches: null,
  resets: null,
  slow: null,
  apart: null,
  bursts: null,
};

/** Bounds so low that a small account reaches them. */
function drawLimits(random: Random): Limits {
  return {
    firstSightings: random.pick([4, 8, 32, LIMITS.firstSightings]),
    sightings: random.pick([8, 32, LIMITS.sightings]),
    pendingStrays: random.pick([1, 3, 10, LIMITS.pendingStrays]),
    notedWindows: random.pick([1, 5, LIMITS.notedWindows]),
    knownStrays: random.pick([1, 4, LIMITS.knownStrays]),
    looks: random.pick([1, 3, LIMITS.looks]),
    dueWindows: random.pick([1, 3, LIMITS.dueWindows]),
    confirmedPages: random.pick([0, 1, LIMITS.confirmedPages]),
    confirmations: random.pick([0, 1, 5, LIMITS.confirmations]),
    overtakenWindows: random.pick([0, 1, 5, LIMITS.overtakenWindows]),
    heldPageBytes: random.pick([500, 3000, LIMITS.heldPageBytes]),
    heldBytes: random.pick([500, 3000, LIMITS.heldBytes]),
    stateRecords: random.pick([1, 5, LIMITS.stateRecords]),
    stateBytes: LIMITS.stateBytes,
    stateGroups: random.pick([1, 10, LIMITS.stateGroups]),
  };
}

/** So few bytes of a state that it has to leave out some of its parts (S8), or nearly all of them. */
const drawStateBytes = (random: Random): number => random.pick([800, 1500, 2500, 4000, 6000]);

/** The streams that the catalog of a sync has, beside the datasets that it always has. */
export interface Selection {
  readonly reports: boolean;
  /** The dataset that the catalog does not have. */
  readonly unselected: StreamName | null;
  /** Whether `export_windows` is cleared before the sync. */
  readonly clears: boolean;
}

export const ALL_SELECTED: Selection = { reports: true, unselected: null, clears: false };

export function drawSelection(random: Random, streams: readonly StreamName[]): Selection {
  const [one = null, other = null] = streams;
  return {
    reports: random.chance(0.6),
    unselected: random.chance(0.15) && other !== null ? random.pick([one, other]) : null,
    clears: random.chance(0.08),
  };
}

/**
 * A stream that the next sync reads from the beginning. `data`: a platform clears it, so that its rows and its state are gone. `state`: only
 * the state is cleared, as by `sync --reset`; its chain goes on, and the rows stay (R9).
 */
export interface Reset {
  readonly stream: StreamName;
  readonly kind: "data" | "state";
}

export function drawReset(random: Random, streams: readonly StreamName[]): Reset | null {
  const [first = "usage"] = streams;
  const stream = random.pick([first, ...streams.slice(1)]);
  return random.chance(0.12) ? { stream, kind: random.pick(["data", "state"]) } : null;
}

/** The outages that a sync meets. Four of ten syncs draw none, and others draw no stream that meets one. */
export function drawStrikes(random: Random, streams: readonly StreamName[]): Strike[] {
  if (random.chance(0.4)) return [];
  return streams
    .filter(() => random.chance(0.7))
    .map((stream) => ({
      stream,
      counts: random.pick(["pages", "windows", "windows"]),
      after: random.int(1, random.pick([2, 6, 20])),
      lasts: random.int(1, 50) * MINUTE,
      showsOneOf: random.pick([Infinity, 3, 10]),
    }));
}

/** The provider's clock during a sync: it is ahead by some milliseconds, or it stands still at an instant. */
export type DateRule = { readonly ahead: number } | { readonly at: number };

/** The provider's `Date` at an instant. */
export function dateBy(rule: DateRule): (now: number) => number {
  return "at" in rule ? () => rule.at : (now) => now + rule.ahead;
}

/** The clock of the next sync, which begins at `now`. `last`: the instant that the last `Date` named. */
export function drawDate(random: Random, now: number, last: number): DateRule {
  if (random.chance(0.3) && Math.abs(now - last) < HOUR) return { at: last };
  const size = random.pick([0, 1, 5, HOUR / SECOND, (3 * HOUR) / SECOND]) * SECOND;
  return { ahead: random.chance(0.5) ? size : -size };
}

/** Changes the rules of a dataset between two syncs. */
export function changeRules(random: Random, rules: Rules, lives: readonly Life[]): void {
  if (random.chance(0.3)) rules.retentionDays = random.pick([5, 30, 90]);
  if (rules.selects === "posting" || !random.chance(0.2)) return;
  const hasLong = lives.some(
    ({ stream, start, end }) => stream === rules.stream && end - start > DAY,
  );
  // With `overlap` a long charge may change until its last day (world.ts), and no other selection surely finds such a change. By
  // containment only a window that contains the whole charge shows it.
  if (hasLong && rules.selects === "overlap") return;
  rules.selects = random.pick([
    "start",
    "overlap",
    "inclusive",
    ...(hasLong ? [] : (["containment"] as const)),
  ]);
}
