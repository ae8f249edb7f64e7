/** The state leaves out what later syncs can do without, step by step (S8). */
import { expect, test } from "vitest";
import { learn, suspect } from "../core/known_days.ts";
import { LIMITS } from "../core/limits.ts";
import { emptyPass } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import { boundedState } from "./bounded_state.ts";
import { provider, readScript, stateOf } from "./scripted/testing.ts";
import { decodeState } from "./state_codec.ts";
import { DAY_ONE } from "./testing.ts";

const owner = { base_url: "https://a.example", dataset: "usage", granularity: "1d", account: null };

test("S8 R10: a day whose suspicion is left out stays due", async () => {
  const state = stateOf(await readScript(provider([])));
  const full = { day: DAY_ONE, records: 12, digest: "a".repeat(24) };
  const known = learn(state.known, full, { readingId: "000000001chain", confirmed: true });
  const suspected = suspect(known, { ...full, records: 1, digest: "b".repeat(24) }, DAY_ONE);
  const whole = { ...state, known: suspected };
  const said: string[] = [];
  const bounded = (stateBytes: number) =>
    boundedState(whole, owner, {
      limits: { ...LIMITS, stateBytes },
      warn: (message) => void said.push(message),
    });
  const { encoded, text } = bounded(LIMITS.stateBytes);
  expect(said).toEqual([]);
  expect(encoded["due"]).toEqual([]);
  const smaller = decodeState(bounded(text.length - 1).encoded, owner, "incremental");
  expect(said.at(-1)).toContain("since when days show less than half");
  expect(smaller).toMatchObject({ due: [{ start: DAY_ONE, end: DAY_ONE + DAY }] });
});

test("S8 R10: the days of finished windows that are left out, before the position, are due", async () => {
  const reads = [0, 2].map((from) => {
    const [start, end] = [DAY_ONE + from * DAY, DAY_ONE + (from + 2) * DAY];
    return { start, end, availableThrough: end };
  });
  const position = DAY_ONE + DAY;
  const read = stateOf(await readScript(provider([])));
  const state = { ...read, position, pass: { ...emptyPass(DAY_ONE), reads } };
  const said: string[] = [];
  const bounded = (stateBytes: number) =>
    boundedState(state, owner, {
      limits: { ...LIMITS, stateBytes },
      warn: (message) => void said.push(message),
    });
  const { text } = bounded(LIMITS.stateBytes);
  const smaller = decodeState(bounded(text.length - 1).encoded, owner, "incremental");
  expect(said.at(-1)).toContain("windows that are finished");
  const due = [{ start: DAY_ONE, end: position }];
  expect(smaller).toMatchObject({ due, pass: { reads: [] } });
});
