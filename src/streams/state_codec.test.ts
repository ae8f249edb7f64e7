import fc from "fast-check";
import { expect, test } from "vitest";
import { forget, learn, NOTHING_KNOWN, suspect, withParts } from "../core/known_days.ts";
import type { Reading } from "../core/reading.ts";
import { emptyPass, type FullRefreshState, type IncrementalState } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import { decodeState, encodeState } from "./state_codec.ts";
import { parseStateFile } from "./state_file.ts";
import { DAY_ONE } from "./testing.ts";

const ours = { base_url: "https://a.example", dataset: "costs", granularity: "1d", account: null };

const reading: Reading = {
  start: DAY_ONE,
  end: DAY_ONE + 3 * DAY,
  id: "0mgdngqqwrjg84",
  limit: 1000,
  cursor: "a+b/=&%",
  availableThrough: DAY_ONE + 2 * DAY,
  beganAt: DAY_ONE + 5 * DAY + 123,
  firstAsOf: "2026-01-10T00:00:00.5+00:00",
  lastAsOf: "2026-01-10T00:00:00Z",
  moved: true,
  resumed: true,
  records: 12,
  provisional: [{ day: DAY_ONE, records: 2, billed: { USD: "1.5" } }],
  totals: [
    {
      day: DAY_ONE,
      inside: true,
      records: 2,
      groups: [{ labels: { currency: "USD" }, amounts: { billed: "1.5" }, records: 2 }],
    },
  ],
  rewrites: [{ day: DAY_ONE, records: 3, digest: "0123456789abcdef01234567" }],
  digests: [{ day: DAY_ONE, records: 2, digest: "fedcba987654321001234567" }],
  incomplete: [DAY_ONE + DAY],
  isFormer: false,
  isReported: true,
  hasStrays: true,
  standing: [{ day: DAY_ONE - DAY, rowsReadingId: "0mgdngqqwrabcd", records: 1 }],
};
const seen = (day: number, records: number) => ({
  day: DAY_ONE + day * DAY,
  records,
  digest: String(records).padStart(24, "a"),
});
const wrote = (readingId: string, confirmed: boolean) => ({ readingId, confirmed });
/**
 * Day 2 is empty, day 4 is not confirmed, day 5 has shrunk; days 6 and 7 are forgotten, day 6 was not confirmed and has shrunk. A reading
 * of day 8 was given up.
 */
const known = [seen(5, 3), seen(6, 2)].reduce(
  (days, digest) => suspect(days, digest, DAY_ONE + 9 * DAY + 123),
  withParts(
    forget(
      [
        [seen(1, 12), wrote("0mgdngqqwrabcd", true)] as const,
        [seen(2, 0), wrote("0mgdngqqwrabcd", true)] as const,
        [seen(4, 7), wrote("0mgdngqqwrjg84", false)] as const,
        [seen(5, 30), wrote("0mgdngqqwrabcd", true)] as const,
        [seen(6, 40), wrote("0mgdngqqwrabcd", false)] as const,
      ].reduce((days, [digest, by]) => learn(days, digest, by), NOTHING_KNOWN),
      [
        { ...seen(6, 41), writtenBy: null },
        { ...seen(7, 5), writtenBy: null },
      ],
    ),
    [seen(8, 25)],
  ),
);
const incremental: IncrementalState = {
  mode: "incremental",
  chain: "abcd1",
  newestId: "0mgdngqqwrabcd",
  start: DAY_ONE,
  position: DAY_ONE + DAY,
  reconciledOn: "2026-01-10",
  provisional: [{ day: DAY_ONE, records: 2, billed: { USD: "1.5", EUR: "-3" } }],
  known,
  due: [{ start: DAY_ONE + 2 * DAY, end: DAY_ONE + 4 * DAY }],
  unreported: [{ start: DAY_ONE, end: DAY_ONE + DAY }],
  longestRetention: 90,
  left: [{ day: DAY_ONE - 40 * DAY, records: 1, billed: { USD: "2" } }],
  fewer: [{ day: DAY_ONE - 2 * DAY, readingId: "000000001chain" }],
  awaited: [
    {
      days: { start: DAY_ONE - 2 * DAY, end: DAY_ONE - DAY },
      window: { start: DAY_ONE, end: DAY_ONE + DAY },
    },
  ],
  strays: [
    {
      hash: "0123456789abcdef01234567",
      day: DAY_ONE - DAY,
      readingId: "0mgdngqqwrabcd",
      window: { start: DAY_ONE, end: DAY_ONE + DAY },
    },
  ],
  scrub: { began: DAY_ONE + 9 * DAY, through: DAY_ONE + 3 * DAY },
  pass: {
    day: "2026-01-11",
    beganAt: DAY_ONE + 10 * DAY + 5,
    earlierEnded: true,
    lostUntil: DAY_ONE + 10 * DAY + 7,
    reads: [
      { start: DAY_ONE + 5 * DAY, end: DAY_ONE + 6 * DAY, availableThrough: DAY_ONE + 6 * DAY + 1 },
    ],
    open: [reading],
    frontier: -Infinity,
  },
};
const full: FullRefreshState = {
  mode: "full_refresh",
  chain: "abcd1",
  newestId: null,
  start: DAY_ONE,
  end: DAY_ONE + 9 * DAY,
  done: false,
  pass: incremental.pass,
};
const throughJson = (state: IncrementalState | FullRefreshState): unknown =>
  JSON.parse(JSON.stringify(encodeState(state, ours)));

test("S3: a state survives its JSON, open readings and all", () => {
  expect(decodeState(throughJson(incremental), ours, "incremental")).toEqual(incremental);
  expect(decodeState(throughJson(full), ours, "full_refresh")).toEqual(full);
});

test("S3: the JSON of a state is for people to read", () => {
  expect(throughJson({ ...incremental, pass: null })).toEqual({
    version: 2,
    belongs_to: ours,
    mode: "incremental",
    chain: "abcd1",
    newest_reading_id: "0mgdngqqwrabcd",
    start: "2026-01-01T00:00:00Z",
    position: "2026-01-02T00:00:00Z",
    reconciled_on: "2026-01-10",
    provisional: [["2026-01-01", 2, { USD: "1.5", EUR: "-3" }]],
    known: [
      ["2026-01-02", "2026-01-04"],
      ["2026-01-05", "2026-01-07"],
    ],
    days: [
      [
        "0mgdngqqwrabcd",
        [
          ["2026-01-02", 12, "qqqqqqqqqqqqqqoS"],
          ["2026-01-06", 30, "qqqqqqqqqqqqqqow"],
        ],
      ],
      ["0mgdngqqwrjg84", [["2026-01-05", 7, "qqqqqqqqqqqqqqqn"]]],
    ],
    unconfirmed: ["2026-01-05", "2026-01-07"],
    shrunk: [
      ["2026-01-06", 3, "qqqqqqqqqqqqqqqj", "2026-01-10T00:00:00.123Z"],
      ["2026-01-07", 2, "qqqqqqqqqqqqqqqi", "2026-01-10T00:00:00.123Z"],
    ],
    former: [],
    forgotten: [
      ["2026-01-07", 41, 40, "0mgdngqqwrabcd"],
      ["2026-01-08", 5, 0, null],
    ],
    in_part: [["2026-01-09", 25]],
    due: [["2026-01-03", "2026-01-05"]],
    unreported: [["2026-01-01", "2026-01-02"]],
    longest_retention: 90,
    left: [["2025-11-22", 1, { USD: "2" }]],
    fewer: [["2025-12-30", "000000001chain"]],
    awaited: [["2025-12-30", "2025-12-31", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]],
    strays: [
      [
        "ASNFZ4mrze8BI0Vn",
        "2025-12-31",
        "0mgdngqqwrabcd",
        "2026-01-01T00:00:00Z",
        "2026-01-02T00:00:00Z",
      ],
    ],
    scrub: { began: "2026-01-10", through: "2026-01-04T00:00:00Z" },
    pass: null,
  });
});

test.each([
  ["an id", { id: "0123456789abcdef01234568" }],
  ["no id", {}],
  ["a hash of 0.2.0", { isFormer: true } as const],
])("R8: a stray with %s keeps the end of the first reading that lacked it", (_, more) => {
  const strays = incremental.strays.map((stray) => ({ ...stray, ...more, missedAt: DAY_ONE + 5 }));
  const decoded = decodeState(throughJson({ ...incremental, strays }), ours, "incremental");
  expect(decoded).toMatchObject({ strays });
});

test("S5: all hashes of a state of 0.2.0 are of its form, and say so in the next state", () => {
  const text = JSON.stringify(throughJson(incremental));
  const old: unknown = JSON.parse(text, (name, value) =>
    name === "former" || name === "isFormer" ? undefined : value,
  );
  const decoded = decodeState(old, ours, "incremental");
  if (decoded?.mode !== "incremental") throw new Error("no state");
  const isFormer = true;
  const days = [...decoded.known.days.values()];
  expect(days).toMatchObject(days.map(() => ({ isFormer })));
  expect(days.flatMap(({ shrinkage }) => shrinkage ?? [])).toMatchObject([{ isFormer }]);
  expect(decoded.strays).toMatchObject([{ isFormer }]);
  expect(decoded.pass?.open).toMatchObject([{ isFormer }]);
  expect(decodeState(throughJson(decoded), ours, "incremental")).toEqual(decoded);
});

test("S5: a state of 0.1.0 goes on; nothing is known of its days, and its pass begins again", () => {
  const first = {
    version: 1,
    belongs_to: ours,
    mode: "incremental",
    start: "2026-01-01T00:00:00Z",
    position: "2026-01-02T00:00:00Z",
    reconciled_on: "2026-01-10",
    provisional: [],
    pass: { day: "2026-01-10", reads: [], open: [] },
  };
  expect(decodeState(first, ours, "incremental")).toMatchObject({
    chain: "",
    newestId: null,
    position: DAY_ONE + DAY,
    known: NOTHING_KNOWN,
    pass: null,
  });
});

test("S5 R4: a state of 0.2.0 has no reserved ids", () => {
  for (const [state, mode] of [
    [incremental, "incremental"],
    [full, "full_refresh"],
  ] as const) {
    const { newest_reading_id: _newest, ...older } = encodeState(state, ours);
    expect(decodeState(older, ours, mode)).toEqual({ ...state, newestId: null });
  }
});

test("S5 P5: a pass of a state that does not say so may follow one that has not ended", () => {
  const text = JSON.stringify(throughJson(incremental));
  const older = JSON.parse(text, (name, value) => (name === "earlier_ended" ? undefined : value));
  expect(decodeState(older, ours, "incremental")?.pass).toMatchObject({ earlierEnded: false });
});

test("S5 R4: a half-read window of a state that does not say whether it is reported counts as reported", () => {
  const pass = { ...emptyPass(DAY_ONE), open: [{ ...reading, isReported: false }] };
  const text = JSON.stringify(throughJson({ ...incremental, pass }));
  const older = JSON.parse(text, (name, value) => (name === "isReported" ? undefined : value));
  const decoded = decodeState(older, ours, "incremental");
  expect(decoded?.pass?.open).toMatchObject([{ isReported: true }]);
});

test("S8: ten years of days with records, each written by a reading of its own, stay below 300 kB", () => {
  const days = Array.from({ length: 3650 }, (_, index) => index).reduce(
    (all, index) => {
      const entry = {
        ...seen(index, 1000 + index),
        readingId: `0mgd${String(index).padStart(5, "0")}abcde`,
      };
      all.days.set(entry.day, { ...entry, confirmed: true, shrinkage: null });
      return all;
    },
    {
      ranges: [{ start: DAY_ONE, end: DAY_ONE + 3650 * DAY }],
      days: new Map(),
      forgotten: new Map(),
      inPart: new Map(),
    },
  );
  const state = { ...incremental, known: days, pass: null };
  expect(JSON.stringify(encodeState(state, ours)).length).toBeLessThan(300_000);
  expect(decodeState(throughJson(state), ours, "incremental")).toEqual(state);
});

test("S5: null and {} are no state", () => {
  for (const nothing of [null, undefined, {}]) {
    expect(decodeState(nothing, ours, "incremental")).toBeNull();
  }
});

test("S7: the state of one sync mode is no state for the other", () => {
  expect(decodeState(throughJson(full), ours, "incremental")).toBeNull();
  expect(decodeState(throughJson(incremental), ours, "full_refresh")).toBeNull();
});

test.each([
  [
    { base_url: "https://b.example" },
    'the base URL was "https://a.example" and is "https://b.example"',
  ],
  [{ granularity: "1h" }, 'the granularity was "1d" and is "1h"'],
  [{ account: "prod" }, 'the account label was none and is "prod"'],
])("S5: what has changed is named with what to do: %j", (change, words) => {
  const now = { ...ours, ...change };
  expect(() => decodeState(throughJson(incremental), now, "incremental")).toThrow(
    expect.objectContaining({
      code: "invalid_state",
      failureType: "config_error",
      stream: "costs",
      message: expect.stringMatching(/Change it back, or clear the stream's data/),
    }),
  );
  expect(() => decodeState(throughJson(incremental), now, "incremental")).toThrow(words);
});

test("S5: an unknown version is an error that says what to do", () => {
  const future = { ...encodeState(incremental, ours), version: 3 };
  expect(() => decodeState(future, ours, "incremental")).toThrow(/version must be 1 or 2.*Clear/s);
});

test("S5: every damage of a state is a clear error or another valid state, never a crash", () => {
  const paths = fc.constantFrom(
    "start",
    "position",
    "provisional",
    "pass",
    "reconciled_on",
    "mode",
  );
  fc.assert(
    fc.property(paths, fc.jsonValue(), (path, value) => {
      const damaged = { ...encodeState(incremental, ours), [path]: value };
      try {
        decodeState(damaged, ours, "incremental");
      } catch (error) {
        expect(error).toBeInstanceOf(ConnectorError);
        expect(ConnectorError.from(error).code).toBe("invalid_state");
      }
    }),
  );
});

test.each([null, undefined, [], {}])("a state file of %j holds no state", (value) => {
  expect(parseStateFile(value).size).toBe(0);
});

test("a stream without a state in the file has none", () => {
  const states = parseStateFile([
    { type: "STREAM", stream: { stream_descriptor: { name: "usage" } } },
  ]);
  expect(decodeState(states.get("usage"), ours, "incremental")).toBeNull();
});

test("a state file is a list of states by stream, with whatever else platforms add", () => {
  const entry = (name: string): object => ({
    type: "STREAM",
    stream: { stream_descriptor: { name, namespace: null }, stream_state: { of: name } },
    sourceStats: { recordCount: 1 },
    data: null,
  });
  const states = parseStateFile([entry("usage"), entry("costs")]);
  expect([...states]).toEqual([
    ["usage", { of: "usage" }],
    ["costs", { of: "costs" }],
  ]);
});

test.each([
  [{ data: { usage: {} } }],
  [[{ type: "GLOBAL", global: { stream_states: [] } }]],
  [[{ type: "LEGACY", data: {} }]],
  ["state"],
])("a state file in another form is refused: %j", (value) => {
  expect(() => parseStateFile(value)).toThrow(/list of per-stream states/);
});

test("of two states of one stream the last one counts, with a warning", () => {
  const entry = (mark: number): object => ({
    stream: { stream_descriptor: { name: "usage" }, stream_state: { mark } },
  });
  const warnings: string[] = [];
  const states = parseStateFile([entry(1), entry(2)], (message) => void warnings.push(message));
  expect([...states]).toEqual([["usage", { mark: 2 }]]);
  expect(warnings).toEqual([expect.stringContaining('more than one state of the stream "usage"')]);
});
