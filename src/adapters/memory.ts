/**
 * The facts of earlier syncs that an adapter needs: the reports that had rows, and until which day. The state of each stream keeps
 * these facts as a note (`SourceNotes` in streams/stream.ts). If a provider refuses such a report later, its rows have not vanished.
 */
import { DAY, floorTo, formatDay, parseDate } from "../core/time.ts";
import type { Dataset } from "./report.ts";

/** The most characters of a note. So many characters name dozens of reports. */
const MOST_CHARACTERS = 2000;

export class ReportMemory {
  /** The last day that each report had rows of, by dataset and report. */
  readonly #lastDays: Readonly<Record<Dataset, Map<string, number>>> = {
    usage: new Map(),
    costs: new Map(),
  };
  /** The reports that were refused in this run. */
  readonly #refused: Readonly<Record<Dataset, Set<string>>> = {
    usage: new Set(),
    costs: new Set(),
  };

  /** Takes back the note of a stored state. Ignores parts that name no day. */
  recall(dataset: Dataset, note: string): void {
    for (const part of note.slice(0, MOST_CHARACTERS).split(" ")) {
      const [report = "", text = ""] = part.split(":");
      const day = parseDate(text);
      if (day !== undefined) this.saw(dataset, report, day);
    }
  }

  /** The note for the next state, e.g. `decisions:2026-11-20 images:2026-11-22`; null if no report had rows. */
  note(dataset: Dataset): string | null {
    const parts = [...this.#lastDays[dataset]].map(([name, day]) => `${name}:${formatDay(day)}`);
    return parts.length === 0 ? null : parts.toSorted().join(" ");
  }

  /** A report has shown a row at an instant. */
  saw(dataset: Dataset, report: string, at: number): void {
    const days = this.#lastDays[dataset];
    days.set(report, Math.max(days.get(report) ?? 0, floorTo(DAY, at)));
  }

  /** The last day of which a report had rows; undefined if it never had any. */
  lastDay(dataset: Dataset, report: string): number | undefined {
    return this.#lastDays[dataset].get(report);
  }

  /** Notes a refusal. Tells whether it is the first of this run. */
  refuse(dataset: Dataset, report: string): boolean {
    const isFirst = !this.#refused[dataset].has(report);
    this.#refused[dataset].add(report);
    return isFirst;
  }

  /** The end of the last day of which a now refused report had rows; null if no refused report ever had rows. */
  unprovenBefore(dataset: Dataset): number | null {
    const days = [...this.#refused[dataset]].flatMap((name) => this.lastDay(dataset, name) ?? []);
    return days.length === 0 ? null : Math.max(...days) + DAY;
  }
}
