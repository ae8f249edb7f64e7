/** The state leaves out what later syncs can do without, step by step (S8). */
import { expect, test } from "vitest";
import { learn, suspect } from "../core/known_days.ts";
import { LIMITS } from "../core/limits.ts";
import { emptyPass } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import type { JsonObject } from "../protocol.ts";
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
  const due = [{ start: DAY_ONE + 5 * DAY, end: DAY_ONE + 6 * DAY }];
  const whole = { ...state, due, known: suspected };
  const said: string[] = [];
  const bounded = (stateBytes: number) =>
    boundedState(whole, owner, {
      limits: { ...LIMITS, stateBytes },
      warn: (message) => void said.push(message),
    });
  const { encoded, text } = bounded(LIMITS.stateBytes);
  expect(bounded(text.length).encoded).toEqual(encoded);
  expect(said).toEqual([]);
  expect(encoded["due"]).toHaveLength(1);
  const smaller = decodeState(bounded(text.length - 1).encoded, owner, "incremental");
  expect(said.at(-1)).toContain("since when days show less than half");
  expect(smaller).toMatchObject({ due: [{ start: DAY_ONE, end: DAY_ONE + DAY }, ...due] });
});

test("S8 R10: the days of finished windows that are left out, before the position, are due", async () => {
  const reads = [0, 2, 4].map((from) => {
    const [start, end] = [DAY_ONE + from * DAY, DAY_ONE + (from + 1.5) * DAY];
    return { start, end, availableThrough: end };
  });
  const position = DAY_ONE + 4 * DAY;
  const other = { start: DAY_ONE - 3 * DAY, end: DAY_ONE - 2 * DAY };
  const read = stateOf(await readScript(provider([])));
  const state = { ...read, position, due: [other], pass: { ...emptyPass(DAY_ONE), reads } };
  const said: string[] = [];
  const bounded = (stateBytes: number) =>
    boundedState(state, owner, {
      limits: { ...LIMITS, stateBytes },
      warn: (message) => void said.push(message),
    });
  const { text } = bounded(LIMITS.stateBytes);
  const smaller = decodeState(bounded(text.length - 1).encoded, owner, "incremental");
  expect(said.at(-1)).toContain("windows that are finished");
  // A window of hours may have ended within a day.
  const due = [other, { start: DAY_ONE, end: position }];
  expect(smaller).toMatchObject({ due, pass: { reads: [] } });
});

test("S8 R10 R11: a state has the number of reports and the note of the source, whether it is whole or leaves everything out", async () => {
  const state = stateOf(await readScript(provider([])));
  const plain = boundedState(state, owner, { limits: LIMITS, warn: () => undefined });
  const seen: unknown[] = [];
  const noted = {
    note: () => "a note",
    reported: (next: JsonObject) => (seen.push(next), ["r1", 7]),
  };
  for (const stateBytes of [LIMITS.stateBytes, 0]) {
    const limits = { ...LIMITS, stateBytes };
    const { encoded, text } = boundedState(state, owner, {
      limits,
      warn: () => undefined,
      ...noted,
    });
    expect(encoded).toMatchObject({ reported: ["r1", 7], source_note: "a note" });
    expect(JSON.parse(text)).toEqual(encoded);
  }
  // The number depends on all other members.
  expect(seen[0]).toEqual(plain.encoded);
  expect(Object.keys(plain.encoded)).not.toContain("reported");
  expect(Object.keys(plain.encoded)).not.toContain("source_note");
});

test("S8 R10: with the content of days goes the knowledge of days without rows, and with the numbers of records that of strays which no report tells of", async () => {
  const window = { start: DAY_ONE, end: DAY_ONE + DAY };
  const later = { start: DAY_ONE + DAY, end: DAY_ONE + 2 * DAY };
  const strays = [window, later].map((own, index) => ({
    hash: `${index}`.repeat(24),
    id: "f".repeat(24),
    day: DAY_ONE - DAY,
    readingId: "000000001chain",
    window: own,
  }));
  const read = stateOf(await readScript(provider([])));
  const state = { ...read, strays, unreported: [window] };
  expect(read.known.ranges).toHaveLength(1);
  const said: string[] = [];
  const bounded = (stateBytes: number) => {
    const warn = (message: string): void => void said.push(message);
    const { text, encoded } = boundedState(state, owner, {
      limits: { ...LIMITS, stateBytes },
      warn,
    });
    return { text, decoded: decodeState(encoded, owner, "incremental") };
  };
  const { text } = bounded(LIMITS.stateBytes);
  const fewer = bounded(text.length - 1);
  expect(said.at(-1)).toContain("the content of days");
  expect(fewer.decoded).toMatchObject({ known: { ranges: [] }, strays });
  const [one, other] = strays;
  const least = bounded(fewer.text.length - 1);
  expect(said.at(-1)).toContain("the numbers of records of days");
  expect(least.decoded).toMatchObject({ strays: [{ ...one, hash: one?.id }, other] });
});
