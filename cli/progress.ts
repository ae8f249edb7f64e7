/**
 * The progress of a read, for a person: at a terminal one line for each stream, kept up to date; elsewhere a plain line now and
 * then. Pure, except for the clock and the writer that they are given.
 */
import type { ProgressEvent } from "../src/streams/progress_event.ts";
import { type Output, Tally } from "./tally.ts";

/** Shows the progress of a read. */
export interface Progress {
  /** Call this for each output, after the output has been written. */
  saw(output: Output): void;
  /** Call this for each event. */
  told(event: ProgressEvent): void;
  /** Shows a message at once, beside the progress. */
  note(text: string): void;
  /** Call this now and then: time passes while a provider does not answer. */
  tick(): void;
  end(): void;
}

/** The least time between two drawings, in milliseconds: more often only flickers. */
const INTERVAL = 200;

/** The place of the lines on stderr, and the clock. */
export interface Place {
  readonly write: (text: string) => void;
  readonly now: () => number;
  /** How many characters a line may have; a line that wraps could not be drawn over. */
  readonly width: () => number;
}

export class TerminalProgress implements Progress {
  readonly #tally: Tally;
  readonly #place: Place;
  #drawnAt = -Infinity;
  /** The number of lines of the last drawing; the next drawing overwrites them. */
  #lines = 0;

  constructor(place: Place) {
    this.#place = place;
    this.#tally = new Tally(place.now());
  }

  saw(output: Output): void {
    // At a terminal nobody sees the log of a read, which goes to stdout.
    if (output.type === "LOG" && output.log.level === "WARN") this.note(output.log.message);
    this.#tally.saw(output, this.#place.now());
    if (this.#tally.hasBegun) this.#draw(false);
  }

  told(event: ProgressEvent): void {
    this.#tally.told(event);
    this.#draw(false);
  }

  note(text: string): void {
    this.#place.write(`${this.#back()}\u001B[J${text}\n`);
    this.#lines = 0;
    if (this.#tally.hasBegun) this.#draw(true);
  }

  tick(): void {
    this.#draw(false);
  }

  /** Ends the display. The last picture of the streams stays on the screen. */
  end(): void {
    if (this.#tally.hasBegun) this.#draw(true);
    else if (this.#lines > 0) this.#place.write(`${this.#back()}\u001B[J`);
    this.#lines = 0;
  }

  #back(): string {
    return this.#lines === 0 ? "" : `\u001B[${this.#lines}A\r`;
  }

  #draw(isLast: boolean): void {
    const { now: clock, width, write } = this.#place;
    const now = clock();
    if (!isLast && now - this.#drawnAt < INTERVAL) return;
    this.#drawnAt = now;
    const lines = this.#tally.lines(now);
    const back = this.#back();
    this.#lines = lines.length;
    write(back + lines.map((line) => `\u001B[K${line.slice(0, width())}\n`).join(""));
  }
}

/** Plain lines for a log, without characters that steer a terminal. */
export class PlainProgress implements Progress {
  readonly #tally: Tally;
  readonly #place: Pick<Place, "write" | "now">;

  constructor(place: Pick<Place, "write" | "now">) {
    this.#place = place;
    this.#tally = new Tally(place.now());
  }

  saw(output: Output): void {
    this.#tally.saw(output, this.#place.now());
  }

  told(event: ProgressEvent): void {
    this.#tally.told(event);
  }

  note(text: string): void {
    this.#place.write(`${text}\n`);
  }

  tick(): void {
    this.#place.write(`${this.#tally.line(this.#place.now())}\n`);
  }

  end(): void {
    // The summary of the command follows.
  }
}
