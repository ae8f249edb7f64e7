/** The reports of complete readings (R5). */
import type { Reading, StandingStrays } from "../core/reading.ts";
import type { CompletionOptions } from "./completion_options.ts";
import type { ReadingReport } from "./ended_reading.ts";
import type { GroupReports } from "./group_reports.ts";

/** The groups of strays that reports list behind a reading. */
export interface Lists {
  readonly strays: readonly StandingStrays[];
  /** A report with a newer id, for groups that another reading's report lists with rows that are gone (P5). */
  readonly own: Pick<ReadingReport, "reading" | "strays"> | null;
  /** Whether the models see a loss by these lists. */
  readonly hasLost: boolean;
}

export class Reporter {
  readonly #groups: GroupReports;
  readonly #options: Pick<CompletionOptions, "ledger" | "input" | "report">;

  constructor(
    groups: GroupReports,
    options: Pick<CompletionOptions, "ledger" | "input" | "report">,
  ) {
    this.#groups = groups;
    this.#options = options;
  }

  /**
   * Queues a report at once. The caller changes the state before it waits. So a STATE that is made later stands behind the report, and
   * covers it (S2).
   */
  async report(said: Omit<ReadingReport, "passBeganAt">): Promise<void> {
    const { ledger, input, report } = this.#options;
    if (report === null) return;
    // R4: the first report names a chain that no STATE has named yet. The STATE is queued before the report.
    if (ledger.state.newestId === null && ledger.reserve(said.reading.id)) void ledger.sendAhead();
    await report({ ...said, passBeganAt: ledger.state.pass?.beganAt ?? input.now });
  }

  /** The groups of strays that the report of a reading lists. A sync without reports says nothing of any group. */
  lists(reading: Reading): Lists {
    if (this.#options.report === null) return { strays: [], own: null, hasLost: false };
    const strays = this.#groups.listed(reading);
    const own = this.#groups.isBehind ? this.#ownOf(reading) : null;
    return { strays, own, hasLost: this.#groups.takeLoss() };
  }

  #ownOf(of: Reading): Lists["own"] {
    const reading = { ...this.#anew(of), resumed: false, standing: [] };
    return { reading, strays: this.#groups.listed(reading) };
  }

  /** A report with an id of its own takes back what the report of a reading has said. */
  async doubt(said: Omit<ReadingReport, "passBeganAt"> | null): Promise<void> {
    if (said === null) return;
    await this.report({ ...said, reading: this.#anew(said.reading) });
  }

  #anew<Some extends Reading>(reading: Some): Some {
    return { ...reading, id: this.#options.ledger.newId() };
  }

  /** A report. The groups that need a report of their own come first: see {@link Lists}. */
  async reportAll(said: Omit<ReadingReport, "passBeganAt">, { own }: Lists): Promise<void> {
    const first = own === null ? null : this.report({ ...said, ...own, isWhole: false, days: [] });
    const second = this.report(said);
    await first;
    await second;
  }
}
