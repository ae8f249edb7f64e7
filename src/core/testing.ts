/** For the tests of concurrency: providers with limits, and lanes that read from them, in virtual time. Durations are milliseconds. */
import {
  afterLimit,
  afterPage,
  type Concurrency,
  FIRST_CONCURRENCY,
  spacingOf,
} from "./concurrency.ts";

/** A provider in virtual time. */
export interface Provider {
  /** The time from a request's arrival to its answer. `underWay`: the requests under way, this one included. */
  readonly latency: (underWay: number, at: number) => number;
  /** The wait that a 429 asks for; null if the request is accepted. */
  readonly refuses: (at: number, underWay: number) => number | null;
}

export interface Result {
  readonly lanes: readonly { readonly at: number; readonly lanes: number }[];
  readonly accepted: readonly number[];
  readonly refused: readonly number[];
  readonly last: Concurrency;
}

/** Lanes that always have a window to read, with the gate's rules: pauses, and the least time between two requests. */
export function simulate(provider: Provider, until: number): Result {
  let state = FIRST_CONCURRENCY;
  const lanes: { at: number; lanes: number }[] = [{ at: 0, lanes: state.lanes }];
  const [accepted, refused]: [number[], number[]] = [[], []];
  const answers: { at: number; sentAt: number; wait: number | null; isPaced: boolean }[] = [];
  let [now, held, slot, pausedAt] = [0, 0, 0, -1];
  for (;;) {
    const next = Math.max(now, held, slot);
    const [first] = answers;
    const isFree = answers.length < state.lanes;
    if (isFree && (first === undefined || next <= first.at)) {
      if (next > until) return { lanes, accepted, refused, last: state };
      const isPaced = slot > now;
      now = next;
      slot = now + spacingOf(state);
      const underWay = answers.length + 1;
      const wait = provider.refuses(now, underWay);
      const latency = wait === null ? provider.latency(underWay, now) : 20;
      answers.push({ at: now + latency, sentAt: now, wait, isPaced });
      answers.sort((a, b) => a.at - b.at);
      continue;
    }
    if (first === undefined || first.at > until) return { lanes, accepted, refused, last: state };
    answers.shift();
    now = first.at;
    if (first.wait === null) {
      accepted.push(now);
      const latency = now - first.sentAt;
      state = afterPage(state, { at: now, latency, waitedFor: first.isPaced ? "pace" : "page" });
    } else {
      refused.push(now);
      const wait = Math.max(1000, first.wait);
      held = Math.max(held, now + wait);
      if (first.sentAt > pausedAt) {
        state = afterLimit(state, now, wait);
        pausedAt = now;
      }
    }
    lanes.push({ at: now, lanes: state.lanes });
  }
}

/** Accepts `rate` requests a millisecond, and `burst` at once. */
export function bucket(rate: number, burst: number, names: boolean): Provider["refuses"] {
  let [tokens, last] = [burst, 0];
  return (at) => {
    tokens = Math.min(burst, tokens + (at - last) * rate);
    last = at;
    if (tokens < 1) return names ? Math.ceil((1 - tokens) / rate / 1000) * 1000 : 0;
    tokens -= 1;
    return null;
  };
}

/** Accepts `most` requests in each period of `length` milliseconds, and names the wait until the next. */
export function quota(most: number, length: number): Provider["refuses"] {
  let [period, count] = [-1, 0];
  return (at) => {
    const now = Math.floor(at / length);
    if (now !== period) [period, count] = [now, 0];
    count += 1;
    return count > most ? Math.ceil(((now + 1) * length - at) / 1000) * 1000 : null;
  };
}
