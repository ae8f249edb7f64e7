/** Lanes over the whole engine in virtual time: every request takes the same time, and nothing else takes any. */
import { expect, test } from "vitest";
import { DAY, HOUR } from "./calendar.ts";
import type { Connection } from "./connection.ts";
import { CALM, type Step } from "./step.ts";
import { whole } from "./faults.ts";
import { FAIR } from "./network.ts";
import { problem } from "./provider.ts";
import { lifeOf, plainRules, scripted } from "./scripted.ts";

const SECOND = 1000;
const TODAY = Date.UTC(2026, 4, 12);
const DAYS = 90;

/** Ninety days of usage; `perDay` gives the number of records of a day. */
function accountOf(perDay: (day: number) => number): Connection {
  const rules = plainRules("usage", { retentionDays: 400, maximumWindowDays: 31, lag: DAY });
  const lives = Array.from({ length: DAYS }, (_, index) => {
    const at = TODAY + (index - DAYS) * DAY;
    const ids = Array.from({ length: perDay(index) }, (_each, number) => `r${index}_${number}`);
    return ids.map((id) => lifeOf(rules, id, at, { at: at + HOUR }));
  });
  return scripted(TODAY + 3 * HOUR, [rules], lives.flat());
}

/** Reads with pages of ten records. */
const stepOf = (concurrency: number | null, changes: Partial<Step> = {}): Step => ({
  ...CALM,
  pageSize: 10,
  concurrency,
  stateInterval: 1000,
  asked: { ...CALM.asked, startDate: TODAY - DAYS * DAY, endDate: TODAY },
  // A request takes two milliseconds: one there, one back.
  weather: { ...FAIR, latency: 1, intercept: (_, reply) => ({ delivery: whole(reply) }) },
  ...changes,
});

/** The requests for pages, and how many round trips the sync took; the request for the capabilities is not counted. */
async function read(connection: Connection, step: Step): Promise<{ pages: number; trips: number }> {
  const { requests, startedAt, endedAt, outcome } = await connection.sync(step);
  expect(outcome).toBe(true);
  expect(connection.faults).toEqual([]);
  return { pages: requests - 1, trips: (endedAt - startedAt) / 2 - 1 };
}

test.each([
  [4, 7],
  [16, 7],
  [4, 40],
  [16, 40],
  [4, 1],
])("W2: %i lanes end together, with %i records a day and pages of ten", async (lanes, perDay) => {
  const { pages, trips } = await read(
    accountOf(() => perDay),
    stepOf(lanes),
  );
  expect(trips / Math.ceil(pages / lanes)).toBeLessThanOrEqual(1.08);
});

test("W2: four lanes end together where usage grows from one record a day to sixty", async () => {
  const account = accountOf((day) => 1 + Math.floor((day * day) / 135));
  const { pages, trips } = await read(account, stepOf(4));
  expect(trips / Math.ceil(pages / 4)).toBeLessThanOrEqual(1.08);
});

test("C1: lanes that find their number need two round trips more than 16 from the beginning", async () => {
  const sixteen = await read(
    accountOf(() => 40),
    stepOf(16),
  );
  const found = await read(
    accountOf(() => 40),
    stepOf(null),
  );
  expect(found.trips).toBeLessThanOrEqual(sixteen.trips + 2);
});

test("C1: an idle daily sync waits for two round trips", async () => {
  const connection = accountOf(() => 1);
  await read(connection, stepOf(null));
  connection.scheduler.skipTo(TODAY + DAY + 3 * HOUR);
  expect((await read(connection, stepOf(null))).trips).toBeLessThanOrEqual(1);
});

/** The provider lets as many requests pass at once as in two seconds. Of 900 requests at 60 a second, lanes take a part to find the rate. */
test.each([
  [0.3, 0.85],
  [2, 0.9],
  [10, 0.9],
  [60, 0.6],
])(
  "C1 C2: a provider of %d requests a second is read at nearly that rate, and few requests are refused",
  async (rate, share) => {
    const connection = accountOf(() => 100);
    const most = Math.max(1, 2 * rate);
    let [tokens, last, refused] = [most, 0, 0];
    const intercept: Step["weather"]["intercept"] = (url, reply) => {
      if (url.pathname.endsWith("capabilities")) return { delivery: whole(reply) };
      const { now } = connection.scheduler;
      tokens = Math.min(most, tokens + ((now - last) / SECOND) * rate);
      last = now;
      if (tokens >= 1) {
        tokens -= 1;
        return { delivery: whole(reply) };
      }
      refused += 1;
      const limited = problem(429, "rate", { "retry-after": "1" });
      return { delivery: { ...whole(limited), asked: SECOND } };
    };
    const weather = { ...FAIR, latency: 100, intercept };
    const { requests, startedAt, endedAt, outcome } = await connection.sync(
      stepOf(null, { weather }),
    );
    expect(outcome).toBe(true);
    expect(connection.faults).toEqual([]);
    const pages = requests - refused;
    expect(pages / ((endedAt - startedAt) / SECOND)).toBeGreaterThan(share * rate);
    expect(refused).toBeLessThan(0.08 * pages);
  },
);

test("C1 C2: where every third request gets 429 and every fifth 500, whatever the rate, a hundred take less than a minute and a half", async () => {
  const connection = accountOf(() => 10);
  let count = 0;
  const intercept: Step["weather"]["intercept"] = (url, reply) => {
    if (url.pathname.endsWith("capabilities")) return { delivery: whole(reply) };
    count += 1;
    if (count % 3 === 0) {
      const limited = problem(429, "rate", { "retry-after": "1" });
      return { delivery: { ...whole(limited), asked: SECOND } };
    }
    return { delivery: whole(count % 5 === 0 ? problem(500, "fault") : reply) };
  };
  const weather = { ...FAIR, latency: 100, intercept };
  const { startedAt, endedAt, outcome } = await connection.sync(stepOf(null, { weather }));
  expect(outcome).toBe(true);
  expect(connection.faults).toEqual([]);
  expect(count).toBeGreaterThan(100);
  expect((endedAt - startedAt) / SECOND / count).toBeLessThan(0.9);
});
