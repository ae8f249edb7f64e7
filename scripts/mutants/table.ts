/**
 * The mutants: for each rule of `src/core/SPEC.md` at least one small defect that breaks it, and the test that must
 * then fail. To add one, choose a snippet that stands exactly once in its file and is likely to stay.
 */
import { LIMITS } from "./limits.ts";
import { RESTATEMENT } from "./restatement.ts";

/** One defect and the test that finds it. */
export interface Mutant {
  /** The rule of SPEC.md that the defect breaks, such as `W1`. */
  readonly rule: string;
  /** The source file, from the root of the repository. */
  readonly file: string;
  /** The text that the defect replaces; it stands exactly once in the file. */
  readonly from: string;
  /** The text of the defect. */
  readonly to: string;
  /** The test that must fail, as SPEC.md names it: `path: title`. */
  readonly test: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    rule: "W1",
    file: "src/core/window.ts",
    from: "Math.min(range.end, nextMonthStart(start))",
    to: "range.end",
    test: "src/core/window.test.ts: W1 W2: windows tile any range, on whole days, inside a month, none too long",
  },
  {
    rule: "W2",
    file: "src/core/window.ts",
    from: "Math.min(maximumDays, Math.floor(days / atLeast))",
    to: "Math.floor(days / atLeast)",
    test: "src/core/window.test.ts: W1 W2: windows tile any range, on whole days, inside a month, none too long",
  },
  {
    rule: "W2",
    file: "src/core/plan_windows.ts",
    from: "start: monthStart(range.start),",
    to: "start: range.start,",
    test: "src/core/plan.test.ts: W2: costs are read by whole calendar months within the bounds, where a window of 31 days is allowed",
  },
  {
    rule: "W3",
    file: "src/core/plan.ts",
    from: "retentionEdge(now, retentionDays) + HOUR",
    to: "retentionEdge(now, retentionDays)",
    test: "src/core/plan.test.ts: W3: the floor is the first whole day at least an hour inside retention",
  },
  {
    rule: "W4",
    file: "src/core/plan.ts",
    from: "const today = ceilTo(at.bucket, at.now);",
    to: "const today = at.now;",
    test: "src/core/plan.test.ts: W4: the end is now rounded up to a whole bucket, or the end date rounded up to a whole day",
  },
  {
    rule: "W4",
    file: "src/core/plan.ts",
    from: "if (window.end <= at.now) return null;",
    to: "",
    test: "src/core/plan.test.ts: W4: only a window that reaches past now is shortened",
  },
  {
    rule: "W5",
    file: "src/interface/endpoint.ts",
    from: "PLAIN_PATH.test(endpoint)",
    to: "true",
    test: "src/interface/capabilities.test.ts: W5: an endpoint is a plain path under the base URL",
  },
  {
    rule: "S1",
    file: "src/core/state.ts",
    from: "floorTo(bucket, Math.min(reached, earliest))",
    to: "floorTo(bucket, reached)",
    test: "src/core/plan.test.ts: S1: what an earlier attempt read holds the position back to where its data went",
  },
  {
    rule: "S2",
    file: "src/streams/checkpoint.ts",
    from: "if (text === this.#last) return;",
    to: "",
    test: "src/streams/checkpoint.test.ts: S2: a state that has not changed is not sent again, and its records count for the next STATE",
  },
  {
    rule: "S3",
    file: "src/core/plan.ts",
    from: "{ start: from, end: state.start }",
    to: "{ start: state.start, end: state.start }",
    test: "src/core/plan.test.ts: S3: a start date moved to earlier plans the gap; to later, what was read counts from there",
  },
  {
    rule: "S4",
    file: "src/streams/reader.ts",
    from: "job.restarts < MAXIMUM_RESTARTS",
    to: "job.restarts <= MAXIMUM_RESTARTS",
    test: "src/streams/reader.test.ts: S4: a cursor that is always refused ends the stream after two restarts",
  },
  {
    rule: "S5",
    file: "src/streams/state_codec.ts",
    from: "if (changes.length === 0) return;",
    to: "if (changes.length >= 0) return;",
    test: "src/streams/state_codec.test.ts: S5: what has changed is named with what to do: %j",
  },
  {
    rule: "S6",
    file: "src/core/state.ts",
    from: "reconciledOn ?? state.reconciledOn",
    to: "reconciledOn",
    test: "src/core/plan.test.ts: R1 S6: idle syncs leave the state as it is: lookback is subtracted in the plan only",
  },
  {
    rule: "S7",
    file: "src/streams/state_codec.ts",
    from: "return data.mode === mode ? data : null;",
    to: "return data;",
    test: "src/streams/state_codec.test.ts: S7: the state of one sync mode is no state for the other",
  },
  {
    rule: "S7",
    file: "src/core/plan.ts",
    from: "const missing = state.done ? [] :",
    to: "const missing =",
    test: "src/streams/reader.test.ts: S7: a full refresh goes on between attempts and, once done, emits nothing",
  },
  ...RESTATEMENT,
  {
    rule: "P1",
    file: "src/interface/pages.ts",
    from: "if (next === sent) throw",
    to: "if (next.length < 0) throw",
    test: "src/interface/pages.test.ts: P1: only null ends a window",
  },
  {
    rule: "P2",
    file: "src/interface/pages.ts",
    from: "this.#emptyInARow > MAXIMUM_EMPTY_PAGES",
    to: "this.#emptyInARow > 1",
    test: "src/interface/pages.test.ts: P2: short, empty and overlong pages go on",
  },
  {
    rule: "P3",
    file: "src/http/judge.ts",
    from: 'if (type !== "application/json") {',
    to: 'if (type === "text/html") {',
    test: "src/http/client.test.ts: P3 C4: what time may mend is retried",
  },
  {
    rule: "P4",
    file: "src/streams/reader.ts",
    from: "this.#state = keepOpen(this.#state, toResume(window), input.now);",
    to: "this.#state = finishReading(this.#state, reading, input.now);",
    test: "src/streams/reader.test.ts: S3 P4: a window that was half read goes on at its page, and is not counted as read",
  },
  {
    rule: "P5",
    file: "src/core/sightings.ts",
    from: "if (found.own !== -1) return this.#newer.countAgain(found.own, window.passage);",
    to: "",
    test: "src/streams/records.test.ts: P5: what a provider repeats is emitted once, in a page and across pages",
  },
  {
    rule: "P5",
    file: "src/streams/completion.ts",
    from: "missesStrays || this.strays.pendingOf(window).size > 0",
    to: "missesStrays",
    test: "src/streams/reader_days.test.ts: P5: a window with strays is not finished before they are written",
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "this.#written.set(hash, { hash, day: pending.day, readingId, window });",
    to: "",
    test: "src/streams/reader_days.test.ts: P5: next time a written stray is reported as standing, and an idle second read writes nothing",
  },
  {
    rule: "P6",
    file: "src/core/reading.ts",
    from: "reading.lastAsOf !== null && reading.lastAsOf !== page.asOf",
    to: "false",
    test: "src/streams/reader.test.ts: P6: a listing that moved while it was read says so in its report",
  },
  {
    rule: "P6",
    file: "src/core/settle.ts",
    from: "isWhole && (!moved || agrees === true)",
    to: "isWhole",
    test: "src/core/settle.test.ts: P6: a listing that moved proves nothing, unless the reading before agrees",
  },
  {
    rule: "V1",
    file: "src/streams/invalid.ts",
    from: 'if (isIdentified && invalidRecords === "warn") {',
    to: 'if (invalidRecords === "warn") {',
    test: "src/streams/records.test.ts: V1: a record with %s always fails",
  },
  {
    rule: "V2",
    file: "src/interface/strictness.ts",
    from: "if (!tolerate || ",
    to: "if (",
    test: "src/interface/pages.test.ts: P3 V2: the envelope is closed",
  },
  {
    rule: "V3",
    file: "src/streams/rewriting.ts",
    from: "JSON.rawJSON(source)",
    to: "value",
    test: "src/streams/records.test.ts: V3: numbers in unknown properties keep every digit",
  },
  {
    rule: "V4",
    file: "src/core/lines.ts",
    from: "[\\u0085\\u2028\\u2029]",
    to: "[\\u2028\\u2029]",
    test: "src/streams/records.test.ts: V4: a line is a line to every reader",
  },
  {
    rule: "C1",
    file: "src/streams/job_queue.ts",
    from: "const job = this.#jobs.shift();",
    to: "const job = this.#jobs.pop();",
    test: "src/streams/reader.test.ts: C1: with one lane the order of output is the order of time",
  },
  {
    rule: "W2",
    file: "src/core/shares.ts",
    from: "Math.ceil(left / (SHARES * lanes))",
    to: "left",
    test: "src/core/shares.test.ts: W2: a lane takes a part of the days that are left, and at the end single days",
  },
  {
    rule: "C1",
    file: "src/core/concurrency.ts",
    from: "lanes: Math.max(1, Math.floor(before.lanes / 2)),",
    to: "",
    test: "src/core/concurrency.test.ts: C1: a 429 halves the lanes, and the pace stays for the run",
  },
  {
    rule: "C1",
    file: "src/core/concurrency.ts",
    from: "if (latency > FALLEN * trial.latency) {",
    to: "if (latency > 0) {",
    test: "src/core/concurrency.test.ts: C1: a provider that works on one request after the other is asked by one",
  },
  {
    rule: "C2",
    file: "src/core/pace.ts",
    from: "Math.min(refused, measured) * MARGIN",
    to: "refused",
    test: "src/core/concurrency.test.ts: C1 C2: at a provider with a rate limit, within a tenth of its rate and without storms of 429",
  },
  {
    rule: "C2",
    file: "src/core/retry.ts",
    from: "Math.max(asked, policy.minimumMs, grown)",
    to: "Math.max(policy.minimumMs, grown)",
    test: "src/core/retry.test.ts: C2: how long a 429 is waited for",
  },
  {
    rule: "C2",
    file: "src/http/gate.ts",
    from: "const wait = this.#until - clock.now();",
    to: "const wait = 0;",
    test: "src/http/gate.test.ts: C2: one gate for all lanes",
  },
  {
    rule: "C3",
    file: "src/streams/flow.ts",
    from: "if (this.#writing.length === 2) await this.#writing.shift();",
    to: "",
    test: "src/streams/flow.test.ts: C3: while a page is written the next one is made, and no others, however many lanes wait",
  },
  {
    rule: "C4",
    file: "src/core/retry.ts",
    from: "retried >= policy.retries",
    to: "retried > policy.retries",
    test: "src/core/retry.test.ts: C4: how long a fault is waited for",
  },
  {
    rule: "C4",
    file: "src/http/judge.ts",
    from: "status >= 500 || status === 408",
    to: "status >= 400",
    test: "src/http/client.test.ts: C4: what time does not mend is an error at once",
  },
  {
    rule: "C5",
    file: "src/http/transport.ts",
    from: 'noProxy: read("NO_PROXY")',
    to: 'noProxy: ""',
    test: "src/http/transport.test.ts: C5: proxies",
  },
  {
    rule: "S8",
    file: "src/streams/checkpoint.ts",
    from: "Buffer.byteLength(text) <= limits.stateBytes",
    to: "text.length > 0",
    test: "src/streams/checkpoint.test.ts: S8: a state that would grow too large drops proofs, sums and finished windows, with warnings, and no cursor",
  },
  {
    rule: "S8",
    file: "src/streams/strays.ts",
    from: ".slice(-this.#limits.writtenStrays)",
    to: "",
    test: "src/streams/strays.test.ts: S8: the state remembers the newest 2,000 strays",
  },
  ...LIMITS,
];
