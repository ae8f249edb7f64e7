import { expect, test } from "vitest";
import { clearedState, lineageOf } from "./cleared_state.ts";
import { decodeState } from "./state_codec.ts";

const OWNER = { base_url: "https://a.example", dataset: "costs", granularity: "1d", account: null };
const STATE = {
  version: 2,
  belongs_to: OWNER,
  mode: "incremental",
  chain: "abcde",
  newest_reading_id: "000000005abcde",
  position: "2030-01-01T00:00:00Z",
  days: [["000000007abcde", [["2026-01-31", 12, "x"]]]],
};

test("R4 R9: a cleared state is none, but its chain and its newest reading id go on", () => {
  const cleared = clearedState(STATE);
  expect(decodeState(cleared, OWNER, "incremental")).toBeNull();
  expect(lineageOf(cleared)).toEqual({ chain: "abcde", newestId: "000000007abcde" });
  expect(clearedState(cleared)).toEqual(cleared);
});

test.each([null, undefined, {}, [], "text", { version: 1, belongs_to: OWNER }])(
  "%j has nothing that could go on",
  (state) => {
    expect(clearedState(state)).toBeNull();
    expect(lineageOf(state)).toBeNull();
  },
);
