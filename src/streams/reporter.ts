/** The reports of complete readings (R5). */
import type { Reading, StandingStrays } from "../core/reading.ts";
import type { CompletionOptions } from "./completion_options.ts";
import type { ReadingReport } from "./ended_reading.ts";
import type { GroupReports, Reported } from "./group_reports.ts";

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

  /** See {@link GroupReports.listed}. A sync without reports says nothing of any group. */
  listed(reading: Reported): readonly StandingStrays[] {
    return this.#options.report === null ? [] : this.#groups.listed(reading);
  }

  /** A report with an id of its own takes back what the report of a reading has said. */
  async doubt(said: Omit<ReadingReport, "passBeganAt"> | null): Promise<void> {
    if (said === null) return;
    await this.report({ ...said, reading: this.#anew(said.reading) });
  }

  #anew<Some extends Reading>(reading: Some): Some {
    return { ...reading, id: this.#options.ledger.newId() };
  }

  /** A report, and one more with a newer id for groups of strays that another reading's report lists with rows that are gone (P5). */
  async reportAll(said: Omit<ReadingReport, "passBeganAt">): Promise<void> {
    const reported = this.report(said);
    if (this.#options.report === null || !this.#groups.isBehind) return await reported;
    const reading = { ...this.#anew(said.reading), resumed: false };
    const strays = this.#groups.listed({ ...reading, standing: [] });
    const also = this.report({ ...said, reading, isWhole: false, days: [], strays });
    await reported;
    await also;
  }
}
