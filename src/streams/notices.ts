import { log, type LogLevel, type LogMessage } from "../protocol.ts";

/** The number of warnings of one kind that are logged; further ones are counted. */
const SAID = 5;

/** Logs warnings about records: a million of one kind make a few lines and a count. */
export class Notices {
  readonly #counts = new Map<string, number>();
  readonly #stream: string;
  readonly #say: (message: LogMessage) => void;

  constructor(stream: string, say: (message: LogMessage) => void) {
    this.#stream = stream;
    this.#say = say;
  }

  readonly warn = (kind: string, message: string): void => {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count <= SAID) this.#say(log("WARN", `${this.#stream}: ${message}`));
  };

  /** Logs a warning the first time it is given. */
  readonly once = (message: string): void => this.#sayOnce("WARN", message);

  /** Logs a fact the first time it is given: not a warning, because nobody can change it. */
  readonly inform = (message: string): void => this.#sayOnce("INFO", message);

  #sayOnce(level: LogLevel, message: string): void {
    if (this.#counts.has(message)) return;
    this.#counts.set(message, 0);
    this.#say(log(level, `${this.#stream}: ${message}`));
  }

  /** Logs the number of warnings of each kind that has more than were logged. */
  summarize(): void {
    for (const [kind, count] of this.#counts) {
      if (count <= SAID) continue;
      this.#say(log("WARN", `${this.#stream}: ${kind}: ${count} in all, the first ${SAID} above.`));
    }
  }
}
