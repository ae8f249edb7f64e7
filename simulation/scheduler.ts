/** Virtual time: events in the order of their instants; between two of them everything that can run, runs. */

interface Event {
  readonly at: number;
  readonly order: number;
  readonly action: () => void;
}

/** How many events one wait may take: far more than any sync needs, so that a circle is found. */
const MOST_EVENTS = 2_000_000;

export class Scheduler {
  #now: number;
  #order = 0;
  readonly #events: Event[] = [];

  constructor(now: number) {
    this.#now = now;
  }

  get now(): number {
    return this.#now;
  }

  /** Calls `action` once `delay` milliseconds have passed; events of one instant keep their order. */
  after(delay: number, action: () => void): void {
    const event = { at: this.#now + Math.max(0, delay), order: this.#order++, action };
    let index = this.#events.length;
    while (index > 0 && isLater(this.#events[index - 1], event)) index -= 1;
    this.#events.splice(index, 0, event);
  }

  /** Moves time on while nothing runs; forgets the events of processes that are gone. */
  skipTo(at: number): void {
    this.#events.length = 0;
    this.#now = Math.max(this.#now, at);
  }

  /**
   * Lets time pass until `done`.
   *
   * @throws Error where nothing is left that could ever happen: whoever waits would wait for ever
   */
  async until(done: () => boolean): Promise<void> {
    for (let count = 0; count < MOST_EVENTS; count++) {
      await settled();
      if (done()) return;
      const event = this.#events.shift();
      if (event === undefined)
        throw new Error("hang: the run waits for something that never comes");
      this.#now = event.at;
      event.action();
    }
    throw new Error("hang: the run goes in circles");
  }
}

function isLater(event: Event | undefined, than: Event): boolean {
  return (
    event !== undefined &&
    (event.at > than.at || (event.at === than.at && event.order > than.order))
  );
}

/** Resolves once no promise and no tick is left that could run without time passing. No timer is involved. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
