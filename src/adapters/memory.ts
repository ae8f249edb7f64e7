/**
 * The facts of earlier syncs that an adapter needs (R11): the reports that had rows, and until which day; and the days that were read
 * without a report, because the provider refused it. The state of each stream keeps these facts as a note (`SourceNotes` in
 * streams/stream.ts). If a provider refuses a report that had rows, these have not vanished. If it answers again, the days that were
 * read without it are read once more.
 */
import { DAY, floorTo, formatDay, parseDate } from "../core/time.ts";
import { type Range, subtract, union, wholeDays } from "../core/window.ts";
import type { Dataset } from "./report.ts";

/** The most characters of a note. So many characters name dozens of reports. */
const MOST_CHARACTERS = 2000;

/** For so long after a report has answered again, days that were read without it are read with it. Days behind retention never are. */
const PATIENCE = 4 * DAY;

/** Whole days that were read without a report. */
interface Debt {
  readonly ranges: readonly Range[];
  /** The day on which the report has answered again; null as long as it is refused. */
  readonly answeredOn: number | null;
}

export class ReportMemory {
  /** The last day that each report had rows of, by dataset and report. */
  readonly #lastDays: Readonly<Record<Dataset, Map<string, number>>> = {
    usage: new Map(),
    costs: new Map(),
  };
  /** By dataset and report. */
  readonly #debts: Readonly<Record<Dataset, Map<string, Debt>>> = {
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
      if (part.includes("!")) {
        this.#recallDebt(dataset, part);
        continue;
      }
      const [report = "", text = ""] = part.split(":");
      const day = parseDate(text);
      if (day !== undefined) this.saw(dataset, report, day);
    }
  }

  #recallDebt(dataset: Dataset, part: string): void {
    const [report = "", text = ""] = part.split("!");
    const [start, end, answeredOn = null] = text.split("/").map((day) => parseDate(day));
    if (start === undefined || end === undefined) return;
    this.#debts[dataset].set(report, { ranges: union([{ start, end }]), answeredOn });
  }

  /**
   * The note for the next state, e.g. `decisions:2026-11-20 images!2026-09-01/2026-11-22`: decisions had rows until a day, images were
   * refused on some days. A third day says when they have answered again. Null if there is nothing to note.
   */
  note(dataset: Dataset): string | null {
    const shown = [...this.#lastDays[dataset]].map(([name, day]) => `${name}:${formatDay(day)}`);
    const refused = [...this.#debts[dataset]].map(([name, { ranges, answeredOn }]) => {
      // One range for all of them, so that the note stays short: it may contain days that need no other reading.
      const days = [ranges[0]?.start, ranges.at(-1)?.end, answeredOn ?? undefined];
      return `${name}!${days.flatMap((day) => (day === undefined ? [] : formatDay(day))).join("/")}`;
    });
    const parts = [...shown, ...refused];
    return parts.length === 0 ? null : parts.toSorted().join(" ");
  }

  /** A report is refused for a window, which is read without it. */
  lacks(dataset: Dataset, report: string, window: Range): void {
    const before = this.#debts[dataset].get(report)?.ranges ?? [];
    this.#debts[dataset].set(report, {
      ranges: union([...before, wholeDays(window)]),
      answeredOn: null,
    });
  }

  /** A report answers for a window, which is read with it; `now` on the provider's clock. */
  answers(dataset: Dataset, report: string, window: Range, now: number): void {
    const debt = this.#debts[dataset].get(report);
    if (debt === undefined) return;
    const ranges = subtract(debt.ranges, [wholeDays(window)]);
    const answeredOn = debt.answeredOn ?? floorTo(DAY, now);
    if (ranges.length === 0) this.#debts[dataset].delete(report);
    else this.#debts[dataset].set(report, { ranges, answeredOn });
  }

  /** The days that were read without a report. */
  lacking(dataset: Dataset): readonly Range[] {
    return union([...this.#debts[dataset].values()].flatMap(({ ranges }) => ranges));
  }

  /** The first day that is to be read once more because a report has answered again; null if there is none. */
  owedFrom(dataset: Dataset, now: number): number | null {
    const days = [...this.#debts[dataset]].flatMap(([name, { ranges, answeredOn }]) => {
      if (answeredOn === null) return [];
      if (now - answeredOn < PATIENCE) return ranges.map(({ start }) => start);
      this.#debts[dataset].delete(name);
      return [];
    });
    return days.length === 0 ? null : Math.min(...days);
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
