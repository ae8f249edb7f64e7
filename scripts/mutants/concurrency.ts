/** The mutants of the rules C1 to C5. */
import type { Mutant } from "./mutant.ts";

export const CONCURRENCY: readonly Mutant[] = [
  {
    rule: "C1",
    file: "src/streams/job_queue.ts",
    from: "const job = this.#jobs.shift();",
    to: "const job = this.#jobs.pop();",
    test: "src/streams/reader.test.ts: C1: with one lane the order of output is the order of time",
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
    rule: "C4",
    file: "src/oauth/refreshing_auth.ts",
    from: "if (this.#current.isUntried) return false;",
    to: "",
    test: "src/oauth/refreshing_auth.test.ts: C4: a new token that is refused at its first use is not renewed, for no later request either",
  },
  {
    rule: "C4",
    file: "src/http/client.ts",
    from: "auth.tolerated(authorization);",
    to: "",
    test: "src/oauth/refreshing_auth.test.ts: C4: a 429 that outlasts the new token ends in an answer, with %i lanes refused at once",
  },
  {
    rule: "C5",
    file: "src/http/transport.ts",
    from: 'noProxy: read("NO_PROXY")',
    to: 'noProxy: ""',
    test: "src/http/transport.test.ts: C5: proxies",
  },
];
