/** The rules of a full refresh over the attempts of one job (S7). */
import { date, floorOf, iso } from "./calendar.ts";
import { lastState } from "./judge.ts";
import { isPostedLater } from "./provider.ts";
import { type Version, visible } from "./records.ts";
import { isComplete, isUnfinished, type Passage, type Watched } from "./promises.ts";
import { behindOf } from "./views.ts";

/** One stream over the attempts of a job. */
export class RefreshPromises {
  readonly #watched: Watched;
  readonly #versions: ReadonlyMap<string, Version>;
  #began: number | null = null;
  /** The records before the last STATE of each attempt. They must never come again. */
  readonly #committed = new Set<string>();

  constructor(watched: Watched, versions: ReadonlyMap<string, Version>) {
    this.#watched = watched;
    this.#versions = versions;
  }

  /** Records an attempt and checks its result. */
  after(passage: Passage): string[] {
    const { result, believed, latestDate, stored, startDate, endDate, mayShorten } = passage;
    const { rules, lives, warehouse } = this.#watched;
    // If `Date` is behind, the range ends earlier; if `Date` is ahead, retention begins later.
    this.#began ??= Math.min(result.startedAt, believed.startedAt);
    const faults = this.#repeats(passage, stored?.done === true);
    if (!isComplete(result, rules.stream)) return faults;
    // An outage hid strays from the reading that should write them. A warning says so (P5), and the state does not become `done`.
    if (isUnfinished(result, rules.stream)) return faults;
    if (lastState(result.items, rules.stream)?.value.done !== true)
      faults.push("S7: complete and not done");
    if (rules.cursors === "offset" || mayShorten || rules.refusesFuture) return faults;
    if (rules.outages.length > 0) return faults; // an outage may have hidden a record while its window was read
    const until = Math.min(this.#began, endDate ?? Infinity);
    const from = Math.max(
      startDate ?? -Infinity,
      floorOf(Math.max(result.endedAt, latestDate), rules.retentionDays),
    );
    for (const life of lives) {
      if (life.stream !== rules.stream || life.start < from || life.start >= until) continue;
      if (life.withdrawnAt <= result.endedAt) continue;
      if (isPostedLater(rules, life)) continue; // only the window in which it was posted shows it
      const then = visible(life, this.#began - behindOf(rules));
      const row = warehouse.rows[rules.stream].get(life.id);
      if (then !== undefined && (row === undefined || row.index < then.index)) {
        faults.push(`lost: ${life.id} of ${date(life.start)}, version of ${iso(then.at)}`);
      }
    }
    return faults;
  }

  #repeats({ result, exchanges }: Passage, done: boolean): string[] {
    const { rules } = this.#watched;
    const faults: string[] = [];
    // A refused cursor restarts its window, and the memory for records that several windows show ends with the process.
    const strict =
      rules.cursorLifetime === Infinity &&
      rules.selects === "start" &&
      rules.cursors === "snapshot";
    // A provider may repeat the last record of a page on the next page. A process that begins at the next page cannot know that.
    const repeated = new Set(
      exchanges.filter(({ cursor }) => cursor !== null).map(({ versions }) => versions[0]?.text),
    );
    const last = result.items.findLastIndex(
      (item) => item.kind === "state" && item.stream === rules.stream,
    );
    for (const [index, item] of result.items.entries()) {
      if (item.kind !== "record" || item.stream !== rules.stream || !this.#versions.has(item.text))
        continue;
      if (done) faults.push("S7: a record after done");
      if (strict && this.#committed.has(item.text) && !repeated.has(item.text))
        faults.push(`S7: again after its STATE: ${item.text}`);
      if (index < last) this.#committed.add(item.text);
    }
    return faults;
  }
}
