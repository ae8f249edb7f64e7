import fc from "fast-check";
import { expect, test } from "vitest";
import type { FullRefreshState, IncrementalState, Reading } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import { decodeState, encodeState, parseStateFile } from "./state_codec.ts";
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
};
const incremental: IncrementalState = {
  mode: "incremental",
  start: DAY_ONE,
  position: DAY_ONE + DAY,
  reconciledOn: "2026-01-10",
  provisional: [{ day: DAY_ONE, records: 2, billed: { USD: "1.5", EUR: "-3" } }],
  pass: {
    day: "2026-01-11",
    reads: [
      { start: DAY_ONE + 5 * DAY, end: DAY_ONE + 6 * DAY, availableThrough: DAY_ONE + 6 * DAY + 1 },
    ],
    open: [reading],
    frontier: -Infinity,
  },
};
const full: FullRefreshState = {
  mode: "full_refresh",
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
    version: 1,
    belongs_to: ours,
    mode: "incremental",
    start: "2026-01-01T00:00:00Z",
    position: "2026-01-02T00:00:00Z",
    reconciled_on: "2026-01-10",
    provisional: [["2026-01-01", 2, { USD: "1.5", EUR: "-3" }]],
  });
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
  const future = { ...encodeState(incremental, ours), version: 2 };
  expect(() => decodeState(future, ours, "incremental")).toThrow(/version must be 1.*Clear/s);
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
