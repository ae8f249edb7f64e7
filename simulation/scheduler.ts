/** Virtual time: events in the order of their instants. Between two events all pending promises run. */

interface Event {
  readonly at: number;
  readonly order: number;
  readonly action: () => void;
}

/** The highest number of events in one wait: far more than any sync needs, so that an endless loop is found. */
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

  /** Calls `action` after `delay` milliseconds. Events of one instant keep their order. */
  after(delay: number, action: () => void): void {
    const event = { at: this.#now + Math.max(0, delay), order: this.#order++, action };
    let index = this.#events.length;
    while (index > 0 && isLater(this.#events[index - 1], event)) index -= 1;
    this.#events.splice(index, 0, event);
  }

  /** Moves time on while nothing runs, and forgets the events of ended processes. */
  skipTo(at: number): void {
    this.#events.length = 0;
    this.#now = Math.max(this.#now, at);
  }

  /**
   * Lets time pass until `done`.
   *
   * @throws Error if no event is left, because the wait would never end
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

/** Resolves when no promise and no tick can run before time moves on. Uses no timer. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
