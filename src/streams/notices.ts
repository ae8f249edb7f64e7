import { log, type LogMessage } from "../protocol.ts";

/** How often a kind of warning is said before it is only counted. */
const SAID = 5;

/** Warnings about records, so that a million of one kind make a few log lines and a count. */
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

  /** Says a thing that is so from now on, and says it once. */
  readonly once = (message: string): void => {
    if (this.#counts.has(message)) return;
    this.#counts.set(message, 0);
    this.#say(log("WARN", `${this.#stream}: ${message}`));
  };

  /** Says how many warnings were only counted. */
  summarize(): void {
    for (const [kind, count] of this.#counts) {
      if (count <= SAID) continue;
      this.#say(log("WARN", `${this.#stream}: ${kind}: ${count} in all, the first ${SAID} above.`));
    }
  }
}
