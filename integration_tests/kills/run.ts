/**
 * One life: processes that are killed at drawn points, sync after sync, and what they leave. The subject says what a process is: `read`,
 * `read` over an adapter, or `sync`. Each gives its rows to the models of sql/duckdb.sql, which judge them.
 */

/** One process. */
export interface Attempt {
  /** Whether it must succeed. */
  readonly decisive: boolean;
}

/** The end of a process. */
export interface Ended {
  readonly isDone: boolean;
  /** Whether the signal was sent before the process had ended by itself. */
  readonly struck: boolean;
  /** The rules that it broke by itself, or together with the processes before it. */
  readonly faults: readonly string[];
  /** The errors that it told. */
  readonly errors: string;
  /** The course of the attempt in one line, for finding the cause of a failure. */
  readonly line: string;
  readonly figures: Readonly<Record<string, number>>;
}

export interface Subject<Drawn extends Attempt = Attempt> extends AsyncDisposable {
  /** The syncs. Each is a list of attempts, and at least the last one must succeed. */
  readonly syncs: readonly (readonly Drawn[])[];
  /** Prepares a sync. */
  begin?(attempts: readonly Drawn[]): void;
  attempt(attempt: Drawn): Promise<Ended>;
  /** The broken promises after a sync. */
  judge(isLast: boolean): Promise<readonly string[]>;
}

/** The result of a life. */
export interface Report {
  /** The broken rules; empty if all rules hold. */
  readonly faults: readonly string[];
  /** One line for each attempt. */
  readonly log: readonly string[];
  /** Counts by name. A name that begins with `most ` keeps the greatest value; all others add up. */
  readonly figures: Readonly<Record<string, number>>;
}

export async function runLife<Drawn extends Attempt>(subject: Subject<Drawn>): Promise<Report> {
  await using own = subject;
  const faults: string[] = [];
  const log: string[] = [];
  const figures = new Figures();
  for (const [index, attempts] of own.syncs.entries()) {
    own.begin?.(attempts);
    let isDone = false;
    for (const attempt of attempts) {
      const ended = await own.attempt(attempt);
      const number = log.length + 1;
      log.push(`${number}. ${JSON.stringify(attempt)}: ${ended.line} ${ended.errors}`);
      faults.push(...ended.faults.map((fault) => `attempt ${number}: ${fault}`));
      if (attempt.decisive && !ended.isDone)
        faults.push(`attempt ${number} fails: ${ended.errors}`);
      figures.add({ processes: 1, killed: ended.struck ? 1 : 0, ...ended.figures });
      isDone ||= ended.isDone;
    }
    if (!isDone) break; // the later syncs would report the same failure
    const broken = await own.judge(index === own.syncs.length - 1);
    faults.push(...broken.map((fault) => `sync ${index + 1}: ${fault}`));
  }
  return { faults, log, figures: figures.all };
}

/** Figures of several processes or lives. */
export class Figures {
  readonly #sums = new Map<string, number>();

  add(found: Readonly<Record<string, number>>): void {
    for (const [name, value] of Object.entries(found)) {
      const before = this.#sums.get(name) ?? 0;
      this.#sums.set(name, name.startsWith("most ") ? Math.max(before, value) : before + value);
    }
  }

  get all(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#sums);
  }
}
