/** Tells which records of a page count, which are written, and what they add up to. */
import { addAmounts } from "../core/decimal.ts";
import { type DayDigest, PageDigests } from "../core/digests.ts";
import { foreignText } from "../core/foreign_text.ts";
import { RecordFingerprint } from "../core/identity.ts";
import type { ProvisionalDay } from "../core/provisional.ts";
import type { StandingStrays } from "../core/reading.ts";
import type { Place, WindowMemory } from "../core/sightings.ts";
import { DAY, floorTo, parseInstant } from "../core/time.ts";
import { type DayTotal, PageTotals } from "../core/totals.ts";
import type { Range } from "../core/window.ts";
import { type RecordRules, textOf } from "./invalid.ts";
import type { Fields } from "./stream.ts";
import type { Strays } from "./strays.ts";

/** What a reading is for. */
export type Purpose =
  /**
   * All of a window: its days are counted and compared, and unknown ones written. `withStrays`: not where the window is a day
   * that strays of other windows start on, or strays would lead to days without end (P5).
   */
  | { readonly kind: "window"; readonly withStrays: boolean }
  /** The days of a window that differed (R6). */
  | { readonly kind: "rewrite" }
  /** Such a window where nothing may be written: which strays does it return as its own? */
  | { readonly kind: "look" }
  /** A window whose strays an earlier process saw and this one does not know (P5). */
  | { readonly kind: "collect" }
  /** The strays of a window that nobody returned as its own (P5). */
  | { readonly kind: "strays"; readonly hashes: ReadonlySet<string> };

/** How the pages of one window are made into lines. */
export interface WindowContext {
  readonly rules: RecordRules;
  readonly window: Range;
  readonly readingId: string;
  /** The earliest instant that the plan asks for. */
  readonly planFrom: number;
  /** Whether to make control totals (R5). */
  readonly withTotals: boolean;
  readonly memory: WindowMemory;
  readonly purpose: Purpose;
  /** Whether the records of a day are written as they are read (R6). */
  readonly writes: (day: number) => boolean;
  readonly strays: Strays;
}

interface Result {
  readonly records: number;
  readonly provisional: readonly ProvisionalDay[];
  readonly totals: readonly DayTotal[];
  readonly digests: readonly DayDigest[];
  readonly hasStrays: boolean;
  readonly standing: readonly StandingStrays[];
  readonly strays: ReadonlySet<string>;
}

/** What a reading is for that takes no notice of strays. */
const BLIND: ReadonlySet<Purpose["kind"]> = new Set(["rewrite", "look"]);

/** One object serves all pages: they are made one at a time, each in a turn of its own. */
const FINGERPRINT = new RecordFingerprint();

export class RecordFilter {
  readonly #context: WindowContext;
  readonly #provisional = new Map<number, ProvisionalDay>();
  readonly #totals = new PageTotals();
  readonly #digests = new PageDigests();
  readonly #standing = new Map<string, StandingStrays>();
  readonly #written = new Set<string>();
  #records = 0;
  #hasStrays = false;
  // Most records of a page start with the one before.
  #startText = "";
  #start = Number.NaN;
  #place: Place = "stray";

  constructor(context: WindowContext) {
    this.#context = context;
  }

  /**
   * Takes note of a record.
   *
   * @returns the UTC day that it is written with, where it may be written; NaN where it may not
   */
  add(record: Fields, view: DataView, start: number, end: number): number {
    const { memory, purpose } = this.#context;
    FINGERPRINT.setVersion(textOf(record["x_RecordId"]), textOf(record["x_RecordUpdatedAt"]));
    FINGERPRINT.setContent(view, start, end);
    this.#setPlace(textOf(record["ChargePeriodStart"]));
    const verdict = memory.judge(FINGERPRINT, this.#place);
    if (verdict.conflicts && purpose.kind === "window") this.#warnOfConflict(record);
    if (this.#place === "stray") {
      return this.#stray(record, verdict.counts && !verdict.hasOwner, verdict.repeats);
    }
    this.#own();
    if (!verdict.counts || !this.#isAbout(this.#day)) return Number.NaN;
    this.#count(record, true);
    this.#digests.add(this.#day, FINGERPRINT.content);
    // After a restart a record of a day that is written as it is read is in the table already. Of a known day nothing is.
    const isWritten = verdict.repeats && this.#context.writes(this.#day);
    return isWritten ? Number.NaN : this.#day;
  }

  result(): Result {
    return {
      records: this.#records,
      provisional: [...this.#provisional.values()],
      totals: this.#totals.result(),
      digests: this.#digests.result(),
      hasStrays: this.#hasStrays,
      standing: [...this.#standing.values()],
      strays: this.#written,
    };
  }

  get #day(): number {
    return floorTo(DAY, this.#start);
  }

  /** A record whose start cannot be read counts with the window's first day: no other window can claim it. */
  #setPlace(text: string): void {
    if (text === this.#startText) return;
    const { window } = this.#context;
    this.#startText = text;
    this.#start = parseInstant(text) ?? window.start;
    this.#place = this.#start >= window.start && this.#start < window.end ? "inside" : "stray";
  }

  #isAbout(day: number): boolean {
    const { purpose, writes } = this.#context;
    return purpose.kind === "window" || (purpose.kind === "rewrite" && writes(day));
  }

  /** A window returned the record as its own. */
  #own(): void {
    const { strays } = this.#context;
    if (!strays.isEmpty) strays.own(FINGERPRINT.contentText);
  }

  /** @param isNew whether this reading sees the stray for the first time, and no window returned it as its own */
  #stray(record: Fields, isNew: boolean, isRepeat: boolean): number {
    const { purpose, strays, window } = this.#context;
    const isBlind = purpose.kind === "window" ? !purpose.withStrays : BLIND.has(purpose.kind);
    if (!isNew || isBlind) return Number.NaN;
    const hash = FINGERPRINT.contentText;
    if (purpose.kind === "strays") {
      if (!purpose.hashes.has(hash)) return Number.NaN;
      this.#count(record, false);
      this.#written.add(hash);
      return isRepeat ? Number.NaN : this.#day;
    }
    const written = strays.see(hash, this.#start, window);
    if (written === null) this.#hasStrays = true;
    else this.#stand(written.day, written.readingId);
    if (purpose.kind === "window") this.#provisionalOf(record);
    return Number.NaN;
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
    const { rules, window, planFrom } = this.#context;
    const found = rules.stream.provisionalOf(record);
    const day = found === null ? null : provisionalDay(record, window, planFrom);
    if (found === null || day === null) return;
    const before = this.#provisional.get(day) ?? { day, records: 0, billed: {} };
    const billed = addAmounts(before.billed, found.billed);
    this.#provisional.set(day, { day, records: before.records + found.records, billed });
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
 * The UTC day that a record's provisional cost is kept under: that of its start, so that it is the same whichever windows
 * return it and whichever lane is first. Null in a window that only shares a later part of its charge period. One that
 * starts before all that is read counts where reading begins; one whose charge period lies outside its window (a provider
 * that selects by something else) counts on the nearest day inside.
 */
function provisionalDay(record: Fields, window: Range, from: number): number | null {
  const start = parseInstant(textOf(record["ChargePeriodStart"])) ?? window.start;
  const end = parseInstant(textOf(record["ChargePeriodEnd"])) ?? start;
  // A provider to which the end counts as inside: the window that begins there returns it as well.
  if (start === window.end) return null;
  const isStrange = start > window.end || Math.max(start + 1, end) <= window.start;
  if (isStrange) return floorTo(DAY, Math.min(Math.max(start, window.start), window.end - 1));
  const at = Math.max(start, from);
  return at >= window.start && at < window.end ? floorTo(DAY, at) : null;
}
