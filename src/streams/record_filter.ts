/** Tells which records of a page count, which are written, and what they add up to. */
import { addAmounts } from "../core/decimal.ts";
import { type DayDigest, PageDigests } from "../core/digests.ts";
import { foreignText } from "../core/foreign_text.ts";
import type { DigestForm } from "../core/former.ts";
import { RecordFingerprint } from "../core/identity.ts";
import type { ProvisionalDay } from "../core/provisional.ts";
import type { StandingStrays } from "../core/reading.ts";
import type { Place, Verdict, WindowMemory } from "../core/sightings.ts";
import { DAY, floorTo, HOUR, parseInstant } from "../core/time.ts";
import { type DayTotal, PageTotals } from "../core/totals.ts";
import { contains, dayRange, nearestDay, type Range } from "../core/window.ts";
import { type Fields, textOf } from "../records/fields.ts";
import type { PageRecord } from "../records/page_record.ts";
import type { RecordRules } from "./invalid.ts";
import { type CameStrays, isWritten, type StrayRow } from "./stray_groups.ts";
import type { Strays } from "./strays.ts";

/** The purpose of a reading. */
export type Purpose =
  /**
   * A whole window: its days are counted and compared, and its unknown days are written. `withStrays` is false if the window is
   * read only because strays of other windows start in it. Strays of such a window are ignored: otherwise they could lead to
   * further days without end (P5).
   */
  | { readonly kind: "window"; readonly withStrays: boolean }
  /** The second reading of a window, which writes the days that differed (R6). */
  | { readonly kind: "rewrite" }
  /**
   * A window in which strays of other windows start, on these days. Nothing is written: the reading drops the strays that the window
   * owns.
   */
  | { readonly kind: "look"; readonly days: readonly number[] }
  /**
   * A window once more, because its listing moved (P6), a loss overtook it, or the day of a written stray was read after it (R10):
   * these days are compared, the written strays are listed, and nothing is written.
   */
  | { readonly kind: "confirm"; readonly days: readonly number[] }
  /** A window with strays that an earlier process saw: this process reads the window again to learn them (P5). */
  | { readonly kind: "collect" }
  /** Writes the strays of a window that no window returned as its own (P5): every record with one of these ids. */
  | { readonly kind: "strays"; readonly ids: ReadonlySet<string> };

/** Whether a reading compares or writes the days of its window, so that its end is judged. */
export const isJudged = ({ kind }: Purpose): boolean => kind === "window" || kind === "rewrite";

/** How the pages of one window are made into lines. */
export interface WindowContext {
  readonly rules: RecordRules;
  readonly window: Range;
  readonly readingId: string;
  /** The earliest instant that the plan covers, and the end of all its windows. */
  readonly planFrom: number;
  readonly planEnd: number;
  /** Whether to make control totals (R5). */
  readonly withTotals: boolean;
  readonly memory: WindowMemory;
  readonly purpose: Purpose;
  /** Whether the records of a day are written as they are read (R6). */
  readonly writes: (day: number) => boolean;
  readonly strays: Strays;
  readonly form: DigestForm;
}

interface Result {
  readonly records: number;
  readonly provisional: readonly ProvisionalDay[];
  readonly totals: readonly DayTotal[];
  readonly digests: readonly DayDigest[];
  /** Days with a record whose row may be replaced by an older one (R4). */
  readonly incomplete: readonly number[];
  readonly hasStrays: boolean;
  readonly standing: readonly StandingStrays[];
  /** The strays that came, if the reading is to write strays. */
  readonly strays: CameStrays;
}

/**
 * S8: how far beyond the plan a written stray has its provisional cost followed under its own day. A provider may show strays of any
 * number of later days. Their costs count on the nearest day of the window that shows them, as in each reading that is judged.
 */
const FOLLOWED_AHEAD = 366 * DAY;

/** Purposes of readings that ignore strays. */
const BLIND: ReadonlySet<Purpose["kind"]> = new Set(["rewrite", "look"]);

/** One object serves all pages: they are made one at a time, each in a turn of its own. */
const FINGERPRINT = new RecordFingerprint();

/** The hash of a record's id. */
const idIn = (record: Fields): string => FINGERPRINT.idText(textOf(record["x_RecordId"]));

export class RecordFilter {
  readonly #context: WindowContext;
  readonly #provisional = new Map<number, ProvisionalDay>();
  readonly #totals = new PageTotals();
  readonly #digests: PageDigests;
  readonly #doubtful: Range;
  readonly #incomplete = new Set<number>();
  readonly #standing = new Map<string, StandingStrays>();
  readonly #came = {
    ids: new Set<string>(),
    rows: new Map<string, StrayRow>(),
  };
  #records = 0;
  #hasStrays = false;
  // The latest start, its day and its place are kept, because most records of a page start at the same instant as the record before.
  #start = Number.NaN;
  #day = Number.NaN;
  #place: Place = "stray";

  /** @param doubtful the instants of changes that make a day unknown (R4) */
  constructor(context: WindowContext, doubtful: Range) {
    this.#context = context;
    this.#doubtful = doubtful;
    this.#digests = new PageDigests(context.form === "both");
  }

  /**
   * Takes note of a record: its hash, its day, and whether it counts.
   *
   * @param fields its members, checked
   * @returns the UTC day of the record if the record may be written, else NaN
   */
  add(record: PageRecord, fields: Fields): number {
    const { memory, purpose, form } = this.#context;
    record.hashInto(FINGERPRINT, form !== "present");
    this.#setStart(record.chargeStart);
    // P6, R10: a record on another day was not written by this reading, so it is no owner of a stray that waits.
    const isInside = this.#place === "inside";
    if (purpose.kind === "confirm" && isInside && !this.#isAbout(this.#day)) {
      memory.pass(FINGERPRINT);
      return Number.NaN;
    }
    const verdict = memory.judge(FINGERPRINT, this.#place);
    if (verdict.conflicts && purpose.kind === "window") this.#warnOfConflict(fields);
    if (this.#place === "stray") {
      if (verdict.counts) this.#provisionalOfStray(fields);
      return verdict.counts ? this.#stray(fields, verdict) : Number.NaN;
    }
    this.#own(fields);
    if (!verdict.counts || !this.#isAbout(this.#day)) return Number.NaN;
    this.#count(fields, true);
    this.#noteChange(record.updatedAt);
    const { content, former } = FINGERPRINT;
    this.#digests.add(this.#day, form === "former" ? former : content, former);
    // A restart returns records again. An unknown day has their rows already, because it is written while it is read; a known day
    // has no rows yet.
    const hasRow = verdict.repeats && this.#context.writes(this.#day);
    return hasRow ? Number.NaN : this.#day;
  }

  result(): Result {
    return {
      records: this.#records,
      provisional: [...this.#provisional.values()],
      totals: this.#totals.result(),
      digests: this.#digests.result(),
      incomplete: [...this.#incomplete],
      hasStrays: this.#hasStrays,
      standing: [...this.#standing.values()],
      strays: this.#came,
    };
  }

  /** A record without a valid start (NaN) counts on the window's first day, because no other window can own the record. */
  #setStart(instant: number): void {
    const { window } = this.#context;
    const start = Number.isNaN(instant) ? window.start : instant;
    if (start === this.#start) return;
    this.#start = start;
    this.#day = floorTo(DAY, start);
    this.#place = start >= window.start && start < window.end ? "inside" : "stray";
  }

  #isAbout(day: number): boolean {
    const { purpose, writes } = this.#context;
    if (purpose.kind === "confirm") return purpose.days.includes(day);
    if (purpose.kind === "look") return true;
    return purpose.kind === "window" || (purpose.kind === "rewrite" && writes(day));
  }

  /**
   * R4: a record that has changed while its reading goes on may have stood on another day before. Another lane may show that day as it was
   * before, in a reading that has begun later. The row of that day would then replace this one by key. An instant on a whole hour is
   * the end of a bucket, or that of a batch, and tells of no change.
   */
  #noteChange(at: number): void {
    const { start, end } = this.#doubtful;
    if (at >= start && at < end && at % HOUR !== 0) this.#incomplete.add(this.#day);
  }

  /** A window returned the record as its own. */
  #own(record: Fields): void {
    const { strays, purpose, writes } = this.#context;
    if (strays.isEmpty) return;
    const remembers = purpose.kind === "window" && !purpose.withStrays;
    strays.own(FINGERPRINT, remembers, writes(this.#day) ? idIn(record) : null);
  }

  /** A stray that this passage sees for the first time. */
  #stray(record: Fields, { hasOwner, repeats }: Verdict): number {
    const { purpose, strays, window } = this.#context;
    const isBlind = purpose.kind === "window" ? !purpose.withStrays : BLIND.has(purpose.kind);
    if (isBlind) return Number.NaN;
    const id = idIn(record);
    if (purpose.kind === "strays") {
      if (!purpose.ids.has(id)) return Number.NaN;
      this.#came.ids.add(id);
      if (hasOwner || strays.find(FINGERPRINT) !== undefined) return Number.NaN;
      this.#count(record, false);
      this.#came.rows.set(FINGERPRINT.contentText, { id, day: this.#day });
      return repeats ? Number.NaN : this.#day;
    }
    if (hasOwner) {
      const former = strays.taken.find(FINGERPRINT);
      if (former !== undefined) this.#stand(former.day, former.readingId);
      return Number.NaN;
    }
    const isSecond = purpose.kind === "confirm";
    const known = isSecond
      ? strays.seeAgain(FINGERPRINT, window)
      : strays.see(FINGERPRINT, id, this.#start, window);
    if (known === null && isSecond) strays.leave(FINGERPRINT, this.#start, window);
    else if (known === null) this.#hasStrays = true;
    else if (known.readingId !== null) this.#stand(known.day, known.readingId);
    return Number.NaN;
  }

  /**
   * Every reading that is judged replaces the provisional costs of its days. So the costs of strays count in each of them, also
   * where the strays themselves are ignored: otherwise the sums would depend on the purpose of the latest reading (S6).
   */
  #provisionalOfStray(record: Fields): void {
    if (isJudged(this.#context.purpose)) this.#provisionalOf(record);
  }

  #stand(day: number, rowsReadingId: string): void {
    const name = `${day} ${rowsReadingId}`;
    const records = (this.#standing.get(name)?.records ?? 0) + 1;
    this.#standing.set(name, { day, rowsReadingId, records });
  }

  #count(record: Fields, inside: boolean): void {
    const { rules, withTotals } = this.#context;
    this.#records += 1;
    this.#provisionalOf(record);
    if (withTotals) this.#totals.add(this.#day, inside, rules.stream.amountsOf(record));
  }

  #provisionalOf(record: Fields): void {
    const found = this.#context.rules.stream.provisionalOf(record);
    if (found === null) return;
    for (const day of this.#costDays(record)) {
      const before = this.#provisional.get(day) ?? { day, records: 0, billed: {} };
      const billed = addAmounts(before.billed, found.billed);
      this.#provisional.set(day, { day, records: before.records + found.records, billed });
    }
  }

  /** The UTC days under which a record's provisional cost is kept. */
  #costDays(record: Fields): readonly number[] {
    const { window, planFrom, planEnd, purpose } = this.#context;
    const shown = provisionalDay(record, window, planFrom);
    const own = shown === null ? [] : [shown];
    if (purpose.kind === "strays") {
      // A stray that is written has no window of its own in this pass.
      const isFollowed = this.#day >= planFrom && this.#day < planEnd + FOLLOWED_AHEAD;
      const goesOn = shown === null && this.#start !== window.end;
      const days = isFollowed ? [this.#day] : own;
      return goesOn ? [...days, nearestDay(window, this.#start)] : days;
    }
    const written = this.#writtenOn();
    if (written === null) return own;
    return contains(window, dayRange(written)) ? [written] : [];
  }

  /**
   * The day of a written stray in the window that wrote it: the reading of the stray's own day does not show the stray. Null if the record is
   * none, if the plan does not have that day, and for a record that starts at the window's end: other windows of the plan show it.
   */
  #writtenOn(): number | null {
    if (this.#place !== "stray") return null;
    const { strays, planFrom } = this.#context;
    const known = strays.find(FINGERPRINT);
    if (known === undefined || !isWritten(known) || this.#start === known.window.end) return null;
    const day = nearestDay(known.window, this.#start);
    return day < planFrom ? null : day;
  }

  #warnOfConflict(record: Fields): void {
    const id = textOf(record["x_RecordId"]);
    this.#context.rules.warn(
      "conflicting versions",
      `record "${foreignText(id)}" came twice with the same x_RecordUpdatedAt and different contents; both are passed on.`,
    );
  }
}

/**
 * The UTC day under which a record's provisional cost is kept: the day of the record's start. So the day does not depend on
 * the window that returns the record. Null if the window only overlaps a later part of the charge period. A record that
 * starts before the plan counts on the plan's first day. A record with a charge period outside its window (the provider
 * selects by something else) counts on the nearest day inside the window.
 */
function provisionalDay(record: Fields, window: Range, from: number): number | null {
  const start = parseInstant(textOf(record["ChargePeriodStart"])) ?? window.start;
  const end = parseInstant(textOf(record["ChargePeriodEnd"])) ?? start;
  // Some providers include a window's end. The window that begins at this instant returns the record too.
  if (start === window.end) return null;
  const isStrange = start > window.end || Math.max(start + 1, end) <= window.start;
  if (isStrange) return nearestDay(window, start);
  const at = Math.max(start, from);
  return at >= window.start && at < window.end ? floorTo(DAY, at) : null;
}
