/** The clock of this directory's tests. Never part of the connector. */
import { instantClock, type InstantClock } from "../http/testing.ts";

/** The longest sleep that ends at once: longer than every wait between attempts, shorter than the time of an answer. */
const LONGEST_WAIT = 200_000;

/** A clock that never waits between attempts; a time limit of an answer, which is a long sleep, is never reached. */
export function retryClock(): InstantClock {
  const clock = instantClock();
  const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    ms <= LONGEST_WAIT ? clock.sleep(ms, signal) : untilAborted(signal);
  return { ...clock, sleep };
}

/** Rejects when the signal aborts, and never resolves. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
