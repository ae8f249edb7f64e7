/** The plan of a sync from a stored state, as a platform hands it over. */
import { expect, test } from "vitest";
import type { SyncMode } from "../protocol.ts";
import { LIMITS } from "../core/limits.ts";
import { planFullRefresh } from "../core/plan.ts";
import type { StreamState } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import { fourDays, provider, readScript, stateOf } from "./scripted/testing.ts";
import { encodeState } from "./state_codec.ts";
import { planOf, storedOf } from "./stored_plan.ts";
import { DAY_ONE } from "./testing.ts";

const owner = { base_url: "https://a.example", dataset: "usage", granularity: "1d", account: null };
const streamIn = (syncMode: SyncMode) => ({ name: "usage", syncMode }) as const;
const statesWith = (state: StreamState | null) => {
  const stored = state === null ? [] : [["usage", encodeState(state, owner)] as const];
  return { states: new Map<string, unknown>(stored), owner, limits: LIMITS, isNew: false };
};

test("R10 S6: the state that a sync has found is compared as a STATE of this version", async () => {
  const state = stateOf(await readScript(provider([])));
  const stream = streamIn("incremental");
  expect(storedOf(stream, statesWith(state))).toEqual(encodeState(state, owner));
  expect(storedOf(stream, statesWith(null))).toBe(null);
});

test("S7: a full refresh goes on with its own state", () => {
  const { state } = planFullRefresh(null, fourDays);
  const done = { ...state, done: true };
  const plan = planOf(streamIn("full_refresh"), fourDays, statesWith(done));
  expect(plan).toMatchObject({ windows: [], state: { mode: "full_refresh", done: true } });
});

test("R10: if no report tells of a state, it tells of none of the days that the state knows, and of no window of a stray", async () => {
  const window = { start: DAY_ONE + 6 * DAY, end: DAY_ONE + 7 * DAY };
  const [hash, id] = ["a".repeat(24), "b".repeat(24)];
  const read = stateOf(await readScript(provider([]), { input: fourDays }));
  const day = DAY_ONE + 5 * DAY;
  const strays = [{ hash, id, day, readingId: "000000001chain", window }];
  const unreportedIn = (isNew: boolean) => {
    const stored = { ...statesWith({ ...read, strays }), isNew };
    return planOf(streamIn("incremental"), fourDays, stored).state;
  };
  const days = { start: DAY_ONE, end: DAY_ONE + 4 * DAY };
  expect(unreportedIn(true)).toMatchObject({ unreported: [days, window] });
  expect(unreportedIn(false)).toMatchObject({ unreported: [] });
});

test.each([
  ["incremental", false, true, true],
  ["incremental", false, false, false],
  ["incremental", true, true, true],
  ["full_refresh", false, false, true],
  ["full_refresh", true, false, false],
] as const)(
  "P5: a pass (%s; reports new: %s; state found: %s) may know that the pass before it has ended: %s",
  async (syncMode, isNew, isFound, ended) => {
    const state = isFound ? stateOf(await readScript(provider([]), { input: fourDays })) : null;
    const plan = planOf(streamIn(syncMode), fourDays, { ...statesWith(state), isNew });
    expect(plan.state.pass?.earlierEnded).toBe(ended);
    const under = { ...fourDays, earlierEnded: false };
    const other = planOf(streamIn(syncMode), under, { ...statesWith(state), isNew });
    expect(other.state.pass?.earlierEnded).toBe(false);
  },
);
