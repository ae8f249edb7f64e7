/** The plan of a sync from a stored state, as a platform hands it over. */
import { expect, test } from "vitest";
import type { SyncMode } from "../protocol.ts";
import { LIMITS } from "../core/limits.ts";
import { planFullRefresh } from "../core/plan.ts";
import type { StreamState } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import {
  fourDays,
  lastState,
  provider,
  readScript,
  recordOf,
  stateOf,
} from "./scripted/testing.ts";
import { encodeState } from "./state_codec.ts";
import { planOf, storedOf } from "./stored_plan.ts";
import { DAY_ONE, pageOf } from "./testing.ts";

const owner = { base_url: "https://a.example", dataset: "usage", granularity: "1d", account: null };
const streamIn = (syncMode: SyncMode) => ({ name: "usage", syncMode }) as const;
const statesWith = (state: StreamState | null) => {
  const stored = state === null ? [] : [["usage", encodeState(state, owner)] as const];
  return {
    states: new Map<string, unknown>(stored),
    owner,
    limits: LIMITS,
    missing: "none" as const,
  };
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
  const unreportedIn = (missing: "none" | "some" | "all") => {
    const stored = { ...statesWith({ ...read, strays }), missing };
    return planOf(streamIn("incremental"), fourDays, stored).state;
  };
  const days = { start: DAY_ONE, end: DAY_ONE + 4 * DAY };
  for (const missing of ["some", "all"] as const)
    expect(unreportedIn(missing)).toMatchObject({ unreported: [days, window] });
  expect(unreportedIn("none")).toMatchObject({ unreported: [] });
});

test.each([
  ["incremental", "none", true, true],
  ["incremental", "none", false, false],
  ["incremental", "all", true, true],
  ["full_refresh", "none", false, true],
  ["full_refresh", "all", false, false],
] as const)(
  "P5: a pass (%s; reports missing: %s; state found: %s) may know that the pass before it has ended: %s",
  async (syncMode, missing, isFound, ended) => {
    const state = isFound ? stateOf(await readScript(provider([]), { input: fourDays })) : null;
    const plan = planOf(streamIn(syncMode), fourDays, { ...statesWith(state), missing });
    expect(plan.state.pass?.earlierEnded).toBe(ended);
    const under = { ...fourDays, earlierEnded: false };
    const other = planOf(streamIn(syncMode), under, { ...statesWith(state), missing });
    expect(other.state.pass?.earlierEnded).toBe(false);
  },
);

test("R10 R8: a pass of which reports are missing does not go on, and the numbers of records that its half-read windows have shown stay", async () => {
  const down = new ConnectorError("unavailable", "It is down.");
  const script = [[pageOf([recordOf("a", 0)], "c"), down]];
  const stored = stateOf(await readScript(script, { input: fourDays }));
  const open = stored.pass?.open.map(({ id }) => id) ?? [];
  expect(open).toHaveLength(1);
  const begun = (missing: "none" | "some" | "all") =>
    planOf(streamIn("incremental"), fourDays, { ...statesWith(stored), missing });
  for (const missing of ["none", "all"] as const)
    expect(begun(missing).resumed.map(({ id }) => id)).toEqual(open);
  const { resumed, state } = begun("some");
  expect(resumed).toEqual([]);
  expect(state).toMatchObject({ known: { inPart: new Map([[DAY_ONE, 1]]) } });
});

test("R10: a full refresh goes on with its pass although reports are missing", async () => {
  const down = new ConnectorError("unavailable", "It is down.");
  const script = [[pageOf([recordOf("a", 0)], "c"), down]];
  const run = await readScript(script, { input: fourDays, mode: "full_refresh" });
  const stored = lastState(run, "full_refresh");
  const plan = planOf(streamIn("full_refresh"), fourDays, {
    ...statesWith(stored),
    missing: "some",
  });
  expect(stored?.pass?.open).toHaveLength(1);
  expect(plan.resumed.map(({ id }) => id)).toEqual(stored?.pass?.open.map(({ id }) => id));
});
