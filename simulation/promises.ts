/**
 * The rules of the warehouse and the state (src/core/SPEC.md), checked whenever a stream is complete. This module
 * records the requests and their instants itself and does not depend on the engine's code.
 */
import { date, DAY, dayOf, floorOf, HOUR, iso, monthOf } from "./calendar.ts";
import { lastState } from "./judge.ts";
import type { StateValue, Warehouse } from "./platform.ts";
import { type Exchange, isPostedLater, lookbackOf, type Rules } from "./provider.ts";
import { type Life, settlesFrom, type Version, visible } from "./records.ts";
import { Readings } from "./readings.ts";
import {
  deepRereadFrom,
  firstMissed,
  isAgain,
  isDue,
  isFirstKnown,
  isListing,
  isLook,
  isOfCut,
} from "./reread.ts";
import type { SyncResult } from "./sync.ts";
import { behindOf } from "./views.ts";

/** The part of a config that the rules depend on; instants in milliseconds since 1970. */
export interface Asked {
  readonly startDate: number | null;
  readonly lookbackDays: number | null;
  readonly reconcileDays: number | null;
  readonly scrubDays: number | null;
  readonly endDate: number | null;
}

export interface Watched {
  readonly rules: Rules;
  readonly lives: readonly Life[];
  readonly warehouse: Warehouse;
}

/** The facts of a sync that the rules depend on. */
export interface Passage extends Asked {
  readonly result: SyncResult;
  /** The start of the sync, as the provider's header `Date` named it, and its end by the connector's clock, which goes on from there. */
  readonly believed: { readonly startedAt: number; readonly endedAt: number };
  /** The latest `believed.endedAt` of this sync or an earlier one. */
  readonly latestDate: number;
  readonly exchanges: readonly Exchange[];
  /** The state that the sync started from. */
  readonly stored: StateValue | undefined;
  /** Whether an unexpected 400 may have shortened the window that reaches past now (W4). */
  readonly mayShorten: boolean;
  /** R4: whether the platform gave back a STATE that is too old for rows it kept. These may win over newer versions of other readings. */
  readonly tooOld: boolean;
  /** Whether the connector has warned that too many strays waited (L1). */
  readonly mayLoseStrays: boolean;
  /** S8: whether a state of the life has left out some of its parts, so that later syncs read more again. */
  readonly mayLeaveOut: boolean;
}

/** One incremental stream over many syncs. */
export class Promises {
  readonly #watched: Watched;
  /** The longest time by which a page shows an earlier moment, in milliseconds. */
  readonly #behind: number;
  /** The instant at which the present series of syncs began. A series ends with a complete sync. */
  #chain: number | null = null;
  #readings = new Readings();
  #position = -Infinity;
  /** The position that the first sync of the series started from. */
  #before = -Infinity;
  /** The shortest lookback of the series' configs. */
  #lookback = Infinity;
  /** The series' reconcile_days; undefined after a change, because earlier reads then count for the deep re-read. */
  #reconcile: number | null | undefined = null;
  #reconciledOn: string | null = null;
  /** Whether a config had a lookback shorter than the lag: then only the deep re-read finds late changes. */
  #short = false;
  /** The latest retention floor of the series. */
  #floor = -Infinity;
  /** W3: records before this instant had left the retention of some sync. If they come back, the scrub finds their changes. */
  #leftBefore = -Infinity;
  /** The longest time by which `Date` was ahead of the provider's data, in milliseconds. */
  #ahead = 0;

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#behind = behindOf(watched.rules);
  }

  /** Records a sync and checks its result. */
  after(passage: Passage): string[] {
    const { rules } = this.#watched;
    const { result, stored, lookbackDays } = passage;
    this.#position = stored?.position === undefined ? -Infinity : Date.parse(stored.position);
    if (this.#chain === null) {
      this.#before = this.#position;
      this.#lookback = Infinity;
      this.#reconcile = passage.reconcileDays;
      this.#floor = -Infinity;
    }
    this.#floor = Math.max(
      this.#floor,
      floorOf(passage.believed.endedAt, this.#watched.rules.retentionDays),
    );
    if (this.#reconcile !== passage.reconcileDays) this.#reconcile = undefined;
    this.#lookback = Math.min(this.#lookback, this.#lookbackOf(passage));
    this.#chain ??= result.startedAt;
    const own = passage.exchanges.filter(
      ({ stream, status }) => stream === rules.stream && status === 200,
    );
    for (const exchange of own) this.#readings.add(exchange);
    if (lookbackDays !== null && lookbackDays * DAY < lookbackOf(rules)) this.#short = true;
    this.#reconciledOn = stored?.reconciled_on ?? null;
    this.#ahead = Math.max(this.#ahead, passage.believed.startedAt - result.startedAt);
    const faults = [...this.#positions(passage), ...this.#rereads(own, passage)];
    if (!isComplete(result, rules.stream) || isUnfinished(result, rules.stream)) return faults;
    faults.push(...this.#complete(passage, this.#chain));
    this.#chain = null;
    this.#readings = new Readings();
    return faults;
  }

  /**
   * S1: the position never goes back, unless nothing was finished and the start was moved to an earlier day. The position never
   * passes `available_through` or now, unless the start was moved beyond them.
   */
  #positions({ result, believed, latestDate, stored, startDate }: Passage): string[] {
    const { rules } = this.#watched;
    const faults: string[] = [];
    const base = Math.min(
      Math.max(startDate ?? -Infinity, floorOf(believed.endedAt, rules.retentionDays)),
      dayOf(believed.endedAt),
    );
    const begin = Math.min(
      Math.max(startDate ?? -Infinity, floorOf(believed.startedAt, rules.retentionDays)),
      dayOf(believed.startedAt),
    );
    const isUnread = stored?.start !== undefined && stored.start === stored.position;
    let before = isUnread ? Math.min(this.#position, begin) : this.#position;
    for (const item of result.items) {
      if (item.kind !== "state" || item.stream !== rules.stream) continue;
      const { value } = item;
      if (value.position === undefined) continue;
      if (value.pass !== undefined && (value.reconciled_on ?? null) !== this.#reconciledOn) {
        faults.push("R2: the deep re-read is recorded before it is over");
      }
      const position = Date.parse(value.position);
      if (!(position >= before))
        faults.push(`S1: position back from ${shown(before)} to ${shown(position)}`);
      // The latest `Date` of all syncs is the limit, because a window may have been finished before `Date` went back.
      const said = Math.min(this.#readings.furthest, latestDate);
      // If `Date` went back, the position may lie in the future: it stays, and nothing is read.
      const reached = Math.max(base, before, this.#position);
      if (position > Math.max(said, reached)) {
        faults.push(`S1: position ${shown(position)} past what was available, ${shown(said)}`);
      }
      const passed = this.#readings.least(Math.max(before, base), position);
      if (position > Math.max(passed, reached)) {
        faults.push(
          `S1: position ${shown(position)} past ${shown(passed)}, which a window on its way said`,
        );
      }
      before = position;
    }
    return faults;
  }

  /** R1, R2, R10: no more than these ranges is read again. */
  #rereads(own: readonly Exchange[], passage: Passage): string[] {
    const { rules } = this.#watched;
    const { believed, stored } = passage;
    if (passage.mayLeaveOut || stored === undefined || stored.pass !== undefined) return [];
    const today = date(believed.startedAt);
    if (date(believed.endedAt) !== today || stored.reconciled_on !== today) return [];
    const floor = floorOf(believed.startedAt - 1000, rules.retentionDays);
    const from = Math.max(passage.startDate ?? -Infinity, floor);
    if (Date.parse(stored.start) > from) return [];
    const reread = dayOf(this.#position - this.#lookbackOf(passage));
    // W2: costs are requested by whole calendar months if windows may be that long.
    const byMonth = rules.stream === "costs" && rules.maximumWindowDays >= 31;
    const anchor = Math.max(from, byMonth ? monthOf(reread, 0) : reread);
    const { longest_retention: longest = 0 } = stored;
    // W3: if retention is longer than ever before, days come back that had left every earlier retention.
    const returns = longest > 0 && longest < rules.retentionDays;
    const left = returns ? floorOf(believed.startedAt, longest) : -Infinity;
    const early = own.find(
      (window) =>
        window.start < anchor &&
        window.start >= left &&
        !(returns && isFirstKnown(window, stored)) &&
        !isLook(window, own) &&
        !isDue(window, stored) &&
        !isAgain(window, own) &&
        !isListing(window, own, stored) &&
        !isOfCut(window, stored, rules.maximumWindowDays),
    );
    if (early === undefined) return [];
    return [
      `R2: read from ${date(early.start)}, the deep re-read was over, ${date(anchor)} would do`,
    ];
  }

  #lookbackOf({ lookbackDays }: Asked): number {
    return lookbackDays === null ? lookbackOf(this.#watched.rules) : lookbackDays * DAY;
  }

  #complete(passage: Passage, chain: number): string[] {
    const { rules } = this.#watched;
    const { result, believed } = passage;
    const state = lastState(result.items, rules.stream)?.value;
    if (state === undefined) return ["S2: a complete stream without a STATE"];
    const faults = state.pass === undefined ? [] : ["S3: a complete stream with a pass under way"];
    const today = date(believed.startedAt);
    const missed = firstMissed(this.#reconciledOn, believed.startedAt);
    const deepFrom = deepRereadFrom(rules.stream, passage, missed);
    const sure = date(believed.endedAt) === today;
    const expected = deepFrom === null ? this.#reconciledOn : today;
    if (sure && (state.reconciled_on ?? null) !== expected) {
      faults.push(`R2: reconciled_on is ${String(state.reconciled_on)}, not ${String(expected)}`);
    }
    const floor = floorOf(believed.endedAt, rules.retentionDays);
    this.#leftBefore = Math.max(this.#leftBefore, floor, this.#floor);
    const from = Math.max(passage.startDate ?? -Infinity, floor);
    const shortened = passage.mayShorten || rules.refusesFuture;
    const now = shortened
      ? believed.startedAt - (rules.granularity === "1h" ? HOUR : DAY)
      : believed.startedAt;
    const until = Math.min(now, passage.endDate ?? Infinity);
    const deep =
      sure && deepFrom !== null && this.#reconcile !== undefined && this.#reconciledOn !== today
        ? deepFrom
        : Infinity;
    // W3: an earlier sync may have had a shorter retention. Then the position moved on, and the days before that retention were not read.
    const asked = {
      from: Math.max(from, this.#floor, dayOf(this.#before - this.#lookback)),
      until: dayOf(until),
    };
    const missing = this.#readings.missing(asked, chain);
    if (missing !== null) faults.push(`R1: complete without ${date(missing)}`);
    const again = this.#readings.missingBy(
      { from: Math.max(from, deep), until: dayOf(until) },
      (at, day) => date(at) >= today || day < this.#nextDeepFrom(at, passage),
    );
    if (again !== null) faults.push(`R2: a deep re-read without ${date(again)}`);
    // P6: a listing that moved may skip rows; the check at the end of the life covers them. If the end date lies before all due
    // days, nothing is requested, so a long charge that began earlier may have changed unseen.
    const asksNothing = Math.min(asked.from, deep) >= asked.until;
    // If `Date` is behind the provider's own clock, the plan begins with days that the provider no longer has.
    const kept = Math.max(from, floorOf(result.endedAt, rules.retentionDays));
    if (rules.cursors !== "offset" && !asksNothing)
      faults.push(...this.#rows(passage, state, { from: kept, until, deep, chain }));
    return faults;
  }

  /** R2, S3: a request of an earlier day counts for the days before this one, which no later deep re-read would have read again. */
  #nextDeepFrom(at: number, passage: Passage): number {
    const next = firstMissed(date(at), passage.believed.startedAt);
    return deepRereadFrom(this.#watched.rules.stream, passage, next) ?? -Infinity;
  }

  #rows(
    { result, latestDate, mayLoseStrays, tooOld }: Passage,
    state: StateValue,
    { from, until, deep, chain }: { from: number; until: number; deep: number; chain: number },
  ): string[] {
    const { rules, lives, warehouse } = this.#watched;
    const faults: string[] = [];
    // R2: provisional costs that have left retention are not followed, even if `Date` goes back later.
    const followedFrom = floorOf(latestDate, rules.retentionDays);
    for (const life of lives) {
      if (life.stream !== rules.stream || life.start < from || life.start >= until) continue;
      if (life.withdrawnAt <= result.endedAt || life.start < this.#leftBefore) continue;
      // The window that shows a record which was posted later is not the window of its start.
      if (isPostedLater(rules, life)) continue;
      // L1: the strays above the bound are forgotten, and the change of a long charge may show in no other window.
      if (mayLoseStrays && life.end - life.start > DAY) continue;
      const isFollowed = life.start >= followedFrom;
      const needed = this.#needed(life, { chain, deep, isFollowed });
      // An outage since the last version that R1 guarantees may have hidden the record, or the final version of its provisional
      // cost. No rule promises these.
      const seen = life.versions.findLast(({ index, due }) => index <= needed && due);
      const since = seen?.at ?? life.start;
      if (rules.outages.some(({ start, end }) => end > since && start <= result.endedAt)) continue;
      const row = warehouse.rowOf(life);
      const isOld = row !== undefined && row.index < needed && !tooOld;
      if (needed >= 0 && (row === undefined || isOld)) {
        faults.push(
          `lost: ${life.id} of ${date(life.start)} version ${needed} of ${iso(life.versions[needed]?.at ?? 0)}, have ${row?.index ?? "none"}`,
        );
      }
      // A reading during an outage may have taken the record for withdrawn. The state then stops following its provisional cost.
      const wasBlind = rules.outages.some(
        ({ start, end }) => end > life.start && start <= result.endedAt,
      );
      if (isFollowed && !wasBlind) faults.push(...this.#tracked(life, state, chain));
    }
    return faults;
  }

  /** The oldest version of a record that is allowed; -1 if the record may be missing. */
  #needed(
    life: Life,
    {
      chain,
      deep,
      isFollowed,
    }: { readonly chain: number; readonly deep: number; readonly isFollowed: boolean },
  ): number {
    const now = visible(life, chain - this.#behind)?.index ?? -1;
    if (life.start >= deep) return now;
    let needed = -1;
    for (const version of life.versions.slice(0, now + 1)) {
      const before = life.versions[version.index - 1];
      const isPast = before?.status === "provisional" && needed === before.index;
      const followed = isFollowed && isPast && deep < Infinity;
      if ((this.#isDue(version) && !this.#short) || followed) needed = version.index;
    }
    return needed;
  }

  /**
   * R1: whether the position waits for a version. If the frontier says that all data up to `Date` are there, the position does not wait
   * for the last versions if `Date` is ahead, or if a window shows an earlier moment. If windows show different moments, an earlier one
   * limits nothing: its value is that of the window's end (S1).
   */
  #isDue({ due, at, record }: Version): boolean {
    const { rules } = this.#watched;
    const isSaid = rules.frontier.kind === "honest" && rules.views?.isOfWindow !== true;
    if (!due || isSaid) return due;
    const settled = settlesFrom(record, rules.selects === "overlap");
    return at <= settled + lookbackOf(rules) - this.#ahead - this.#behind;
  }

  /** R2: the state holds the days that were last seen as provisional. W3: a day that has left retention is due when it comes back. */
  #tracked(life: Life, state: StateValue, chain: number): string[] {
    const { warehouse } = this.#watched;
    const row = warehouse.rowOf(life);
    if (
      row?.status !== "provisional" ||
      row.at > chain - this.#behind ||
      life.end - life.start > DAY
    )
      return [];
    if (visible(life, chain) !== row || life.start >= Date.parse(state.position ?? "")) return [];
    const day = { start: dayOf(life.start), end: dayOf(life.start) + DAY };
    const known =
      isDue(day, state) || state.provisional?.some(([name]) => name === date(life.start));
    return known ? [] : [`R2: ${life.id} of ${date(life.start)} is provisional and forgotten`];
  }
}

/** An instant as text, for messages; a stream without pages has no instant. */
const shown = (at: number): string => (Number.isFinite(at) ? iso(at) : "none");

/** Whether a warning says that some strays wait for the next sync (P5). */
export function isUnfinished(result: SyncResult, stream: string): boolean {
  return result.items.some(
    (item) =>
      item.kind === "log" &&
      item.message.startsWith(`${stream}: `) &&
      /The window is not finished|are left to the next sync/.test(item.message),
  );
}

export function isComplete(result: SyncResult, stream: string): boolean {
  return result.items.some(
    (item) => item.kind === "status" && item.stream === stream && item.status === "COMPLETE",
  );
}
