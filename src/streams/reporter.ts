/** The reports of complete readings (R5). */
import { isKnown } from "../core/known_days.ts";
import type { Reading, StandingStrays } from "../core/reading.ts";
import { emptyPass, knownOf } from "../core/state.ts";
import { dayRange, type Range } from "../core/window.ts";
import type { AwaitedDays } from "./awaited_days.ts";
import type { CompletionOptions } from "./completion_options.ts";
import { type Said, unprovenDay } from "./ended_reading.ts";
import type { GroupReports } from "./group_reports.ts";
import type { Ledger } from "./ledger.ts";
import type { Shows } from "./strays.ts";

/** The groups of strays that reports list behind a reading. */
export interface Lists {
  readonly strays: readonly StandingStrays[];
  /** A report with a newer id, for groups that another reading's report lists with rows that are gone (P5). */
  readonly own: Pick<Said, "reading" | "strays"> | null;
  /** Whether the models see a loss by these lists. */
  readonly hasLost: boolean;
  /** Known days that await strays of the window, new ones or newer versions of old ones: nothing proves them meanwhile (P5). */
  readonly awaiting: readonly { readonly day: number }[];
}

interface Options extends Pick<CompletionOptions, "report"> {
  readonly ledger: Pick<Ledger, "state" | "newId" | "reserve" | "sendAhead">;
  readonly input: Pick<CompletionOptions["input"], "now">;
}

export class Reporter {
  readonly #groups: Pick<GroupReports, "listed" | "isBehind" | "takeLoss">;
  readonly #awaited: Pick<AwaitedDays, "shownBy" | "takeDoubted">;
  readonly #options: Options;

  constructor(
    groups: Pick<GroupReports, "listed" | "isBehind" | "takeLoss">,
    awaited: Pick<AwaitedDays, "shownBy" | "takeDoubted">,
    options: Options,
  ) {
    this.#groups = groups;
    this.#awaited = awaited;
    this.#options = options;
  }

  /**
   * Queues a report at once. The caller changes the state before it waits. So a STATE that is made later stands behind the report, and
   * covers it (S2). A reading that says nothing has no report.
   */
  async report(said: Said): Promise<void> {
    const { ledger, input, report } = this.#options;
    if (report === null || said.days.length + said.strays.length === 0) return;
    // R4: the first report names a chain that no STATE has named yet. The STATE is queued before the report.
    if (ledger.state.newestId === null && ledger.reserve(said.reading.id)) void ledger.sendAhead();
    await report({ ...said, pass: ledger.state.pass ?? emptyPass(input.now) });
  }

  /**
   * The groups of strays that the report of a reading lists. A sync without reports says nothing of any group.
   *
   * @param shows the strays that the reading has surely shown. If these are all of its window, the models take a stray for gone that the
   * report does not list.
   */
  lists(reading: Reading, shows: Shows = "part"): Lists {
    if (this.#options.report === null)
      return { strays: [], own: null, hasLost: false, awaiting: [] };
    const strays = this.#groups.listed(reading);
    const own = this.#groups.isBehind ? this.#ownOf(reading) : null;
    const isPart = shows === "part" && !reading.resumed;
    const fresh = isPart ? [] : this.#awaited.shownBy(reading, true);
    const all = shows === "all" ? this.#awaited.shownBy(reading) : [];
    // The models miss a row of a group that is listed with fewer rows than it has. They cannot miss a stray that was never written.
    const missed = all.filter((day) => strays.every((group) => group.day !== day));
    const awaiting = this.#provable([...fresh, ...missed, ...this.#awaited.takeDoubted()]);
    return { strays, own, hasLost: this.#groups.takeLoss(), awaiting };
  }

  /**
   * P5: the days that await strays only since the last report.
   *
   * @param window a window that has shown all of its strays; null for a reading that takes no note of new strays
   */
  doubted(window: Range | null = null): Lists["awaiting"] {
    if (this.#options.report === null) return [];
    const shown = window === null ? [] : this.#awaited.shownBy(window, true);
    return this.#provable([...shown, ...this.#awaited.takeDoubted()]);
  }

  /** The days that an earlier report may have proven. A full refresh knows no days. An incremental sync writes a day again that it does not know. */
  #provable(days: readonly number[]): Lists["awaiting"] {
    const { state } = this.#options.ledger;
    const known = knownOf(state);
    const mayBeProven = (day: number): boolean =>
      state.mode === "full_refresh" || isKnown(known, day);
    return [...new Set(days)].filter(mayBeProven).map((day) => ({ day }));
  }

  #ownOf(of: Reading): Lists["own"] {
    const reading = { ...this.#anew(of), resumed: false, standing: [] };
    return { reading, strays: this.#groups.listed(reading) };
  }

  /** A report with an id of its own takes back what the report of a reading has said. */
  async doubt(said: Said | null): Promise<void> {
    if (said === null) return;
    await this.report({ ...said, reading: this.#anew(said.reading) });
  }

  #anew<Some extends Reading>(reading: Some): Some {
    return { ...reading, id: this.#options.ledger.newId() };
  }

  /** A report. The groups that need a report of their own come first, and so do the days that await strays: see {@link Lists}. */
  async reportAll(said: Said, { own, awaiting }: Pick<Lists, "own" | "awaiting">): Promise<void> {
    const reports = awaiting.map(({ day }) => this.report(this.#unproven(said, day)));
    if (own !== null) reports.push(this.report({ ...said, ...own, isWhole: false, days: [] }));
    await Promise.all([...reports, this.report(said)]);
  }

  /** An unconfirmed report of a day that the reading is not about. Its id is newer than that of each report that has proven the day. */
  #unproven(said: Said, day: number): Said {
    const reading = { ...this.#anew(said.reading), ...dayRange(day), standing: [], resumed: false };
    const days = [unprovenDay(knownOf(this.#options.ledger.state), day, reading.id)];
    return { ...said, reading, isWhole: false, days, strays: [] };
  }
}
