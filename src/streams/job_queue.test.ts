import { expect, test } from "vitest";
import { DAY } from "../core/time.ts";
import { jobOf } from "./job.ts";
import { JobQueue, type JobQueueOptions } from "./job_queue.ts";

const START = Date.UTC(2026, 0, 1);
const window = (from: number, to: number) => ({ start: START + from * DAY, end: START + to * DAY });
const unknown = (from: number, to: number) => ({ ...jobOf(window(from, to)), isDivisible: true });

function queueOf(
  jobs: readonly ReturnType<typeof jobOf>[],
  options: Partial<JobQueueOptions> = {},
) {
  const planned: number[] = [];
  const queue = new JobQueue(jobs, {
    lanes: 4,
    pageSize: 10,
    maximumDays: 31,
    onPlanned: (windows) => void planned.push(windows),
    ...options,
  });
  /** Takes all windows of a queue. Each day of a window shows the given number of records. */
  const takeAll = (perDay: number): string[] => {
    const taken: string[] = [];
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const [from, to] = [job.window.start, job.window.end].map((at) => (at - START) / DAY);
      taken.push(`${from}-${to}`);
      queue.saw(job, ((to ?? 0) - (from ?? 0)) * perDay);
    }
    return taken;
  };
  return { queue, planned, takeAll };
}

/** 30 days of January, planned in windows of five days. */
const month = [0, 5, 10, 15, 20, 25].map((day) => unknown(day, day + 5));

test("W2: before the first page the windows are those of the plan", () => {
  const { queue, planned } = queueOf(month);
  expect([queue.shift(), queue.shift()].map((job) => job?.window)).toEqual([
    window(0, 5),
    window(5, 10),
  ]);
  expect(planned).toEqual([]);
});

test("W2: after it the windows get shorter towards the end, and tile the same days", () => {
  const { planned, takeAll } = queueOf(month);
  const taken = takeAll(10);
  expect(taken.slice(0, 3)).toEqual(["0-5", "5-9", "9-12"]);
  expect(taken.slice(-4)).toEqual(["26-27", "27-28", "28-29", "29-30"]);
  const edges = taken.map((each) => each.split("-").map(Number));
  expect(edges.slice(1).map(([from]) => from)).toEqual(edges.slice(0, -1).map(([, to]) => to));
  expect(planned.at(-1)).toBe(taken.length);
});

test("W1 W2: joined windows cross no month and are never longer than the provider allows", () => {
  const small = Array.from({ length: 60 }, (_, day) => unknown(day, day + 1));
  expect(queueOf(small).takeAll(0).slice(0, 10)).toEqual([
    "0-1",
    "1-9",
    "9-16",
    "16-22",
    "22-27",
    "27-31", // the end of January
    "31-35",
    "35-39",
    "39-43",
    "43-47",
  ]);
  const lengths = queueOf(small, { maximumDays: 2 })
    .takeAll(0)
    .map((each) => each.split("-").map(Number))
    .map(([from = 0, to = 0]) => to - from);
  expect(Math.max(...lengths)).toBe(2);
});

test("W2: one lane reads the windows of the plan", () => {
  for (const perDay of [0, 1, 10]) {
    const windows = queueOf(month, { lanes: 1 }).takeAll(perDay);
    expect(windows).toEqual(["0-5", "5-10", "10-15", "15-20", "20-25", "25-30"]);
  }
});

test("S3 S4: jobs that were put back, begun or known are never cut", () => {
  const { queue, takeAll } = queueOf([unknown(0, 5), jobOf(window(10, 20))]);
  const first = queue.shift();
  if (first === undefined) throw new Error("no job");
  queue.saw(first, 1000);
  queue.unshift(first);
  expect(takeAll(10)).toEqual(["0-5", "10-20"]);
});
