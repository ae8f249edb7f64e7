/**
 * States of 0.2.0, whose digests hash the bytes of records as they came (R6): they are compared in that form, and then known by
 * their digests of today. The provider's members do not come in their usual order, so that both digests differ.
 */
import { expect, test } from "vitest";
import { type DayDigest, EMPTY_DIGEST, PageDigests } from "../core/digests.ts";
import { RecordFingerprint } from "../core/identity.ts";
import type { IncrementalState, StreamState } from "../core/state.ts";
import { DAY, HOUR } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import {
  changed,
  fourDays as input,
  idsOf,
  pagesOf,
  provider,
  readScript,
  recordOf,
  refused,
  type Run,
  stateOf,
} from "./scripted/testing.ts";
import type { Fields } from "../records/fields.ts";
import { DAY_ONE, pageOf } from "./testing.ts";

const reversed = (record: Fields): Fields =>
  Object.fromEntries(Object.entries(record).toReversed());
const records = [0, 1, 2, 3].map((day) => reversed(recordOf(`r${day}`, day)));
const startOf = (record: Fields): number => Date.parse(String(record["ChargePeriodStart"]));
const sync = (
  stored: StreamState | null,
  perPage = 1000,
  shown = records,
  now = input.now,
): Promise<Run> => readScript(provider(shown, perPage), { stored, input: { ...input, now } });

/** The hash of 0.2.0: the bytes of records as they came, without their closing braces. */
function formerOf(own: readonly Fields[]): string {
  const digests = new PageDigests();
  const print = new RecordFingerprint();
  for (const record of own) {
    const bytes = Buffer.from(JSON.stringify(record));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    print.setFormer(view, 0, bytes.length - 1);
    digests.add(0, print.former);
  }
  return digests.result()[0]?.digest ?? EMPTY_DIGEST;
}

/** A run's last state as 0.2.0 would have left it. `known`: the records of the days that it knew; `seen`: those of open windows. */
function stateOf020(run: Run, known = records, seen = known): IncrementalState {
  const state = stateOf(run);
  const digest = (from: readonly Fields[]) => (entry: DayDigest) => {
    const own = from.filter((record) => startOf(record) === entry.day).slice(0, entry.records);
    return { day: entry.day, records: entry.records, digest: formerOf(own) };
  };
  const days = [...state.known.days].map(([day, entry]) => {
    const isFormer = true as const;
    const shrinkage = entry.shrinkage && {
      ...entry.shrinkage,
      ...digest(seen)({ day, ...entry.shrinkage }),
      isFormer,
    };
    return [day, { ...entry, ...digest(known)(entry), isFormer, shrinkage }] as const;
  });
  const open = state.pass?.open.map((reading) => ({
    ...reading,
    isFormer: true,
    digests: reading.digests.map(digest(seen)),
    rewrites: reading.rewrites?.map(digest(seen)) ?? null,
  }));
  return {
    ...state,
    known: { ...state.known, days: new Map(days) },
    strays: state.strays.map((stray) => ({ ...stray, isFormer: true, hash: formerOf(known) })),
    pass: state.pass && { ...state.pass, open: open ?? [] },
  };
}
const digestsOf = (run: Run) =>
  [...stateOf(run).known.days.values()]
    .toSorted((a, b) => a.day - b.day)
    .map(({ digest, isFormer }) => ({ digest, isFormer }));
const down = new ConnectorError("unavailable", "It is down.");

test.each([1000, 1])(
  "R6: days of 0.2.0 are compared as it knew them, and known by today's digest; only a day that differs is written (%i a page)",
  async (perPage) => {
    const first = await sync(null, perPage);
    const old = stateOf020(first);
    expect([...old.known.days.values()].map(({ digest }) => digest)).not.toContain(
      digestsOf(first)[0]?.digest,
    );
    const same = await sync(old, perPage);
    expect(idsOf(same)).toEqual([]);
    expect(stateOf(same)).toEqual(stateOf(first));
    const differs = await sync(old, perPage, changed(records, "r2"));
    expect(idsOf(differs)).toEqual(["r2"]);
    expect(digestsOf(differs)).toEqual(
      digestsOf(await sync(null, perPage, changed(records, "r2"))),
    );
  },
);

test("R6: a window that 0.2.0 had half read ends in its form, and is known by today's digests after the next reading", async () => {
  const first = await sync(null, 1);
  const killed = await readScript([[...pagesOf(records, 1).slice(0, 2), down]], {
    input,
    stored: stateOf020(first),
  });
  const resumed = await sync(stateOf020(killed), 1);
  expect(resumed.queries.map(({ cursor }) => cursor)).toEqual(["p2"]);
  expect(idsOf(resumed)).toEqual([]);
  expect(digestsOf(resumed).every(({ isFormer }) => isFormer === true)).toBe(true);
  const next = await sync(stateOf(resumed), 1);
  expect(idsOf(next)).toEqual([]);
  expect(digestsOf(next)).toEqual(digestsOf(first));
});

test("R6: a window that 0.2.0 had half read and that begins again is known by today's digests", async () => {
  const killed = await readScript([[...pagesOf(records, 1).slice(0, 2), down]], { input });
  const stored = stateOf020(killed);
  expect(stored.pass?.open).toMatchObject([{ isFormer: true }]);
  const again = await readScript(
    (query, cursor) =>
      cursor === null ? provider(records, 1)(query, null) : [refused("cursor_refused")],
    { input, stored },
  );
  expect(digestsOf(again)).toEqual(digestsOf(await sync(null, 1)));
});

test("R6: days that a reading of 0.2.0 learns after the upgrade are of its form, and not written again", async () => {
  const many = Array.from({ length: 3 }, (_, index) => reversed(recordOf(`m${index}`, 0)));
  const killed = await readScript([[...pagesOf(many, 1).slice(0, 2), down]], { input });
  const resumed = await sync(stateOf020(killed, many), 1, many);
  expect(idsOf(resumed)).toEqual(["m2"]);
  expect(digestsOf(resumed)).toMatchObject([{ isFormer: true }]);
  const next = await sync(stateOf(resumed), 1, many);
  expect(idsOf(next)).toEqual([]);
  expect(digestsOf(next)).toEqual(digestsOf(await sync(null, 1, many)));
});

test("R6: a comparison with days of 0.2.0 that is killed goes on with both digests", async () => {
  const first = await sync(null, 1);
  const killed = await readScript([[...pagesOf(records, 1).slice(0, 2), down]], {
    input,
    stored: stateOf020(first),
  });
  const resumed = await sync(stateOf(killed), 1);
  expect(resumed.queries.map(({ cursor }) => cursor)).toEqual(["p2"]);
  expect(idsOf(resumed)).toEqual([]);
  expect(digestsOf(resumed)).toEqual(digestsOf(first));
});

test("R6: a second reading that 0.2.0 began goes on, and its days are written once", async () => {
  const first = await sync(null, 1);
  const shown = changed(changed(records, "r0"), "r3");
  const pages = pagesOf(shown, 1);
  const killed = await readScript([pages, [...pages.slice(0, 2), down]], {
    input,
    stored: stateOf020(first),
  });
  expect(idsOf(killed)).toEqual(["r0"]);
  const resumed = await sync(stateOf020(killed, records, shown), 1, shown);
  expect(idsOf(resumed)).toEqual(["r3"]);
  const next = await sync(stateOf(resumed), 1, shown);
  expect(idsOf(next)).toEqual([]);
  expect(digestsOf(next)).toEqual(digestsOf(await sync(null, 1, shown)));
});

test("R6 R8: a loss that 0.2.0 suspected is confirmed by its digest", async () => {
  const many = Array.from({ length: 12 }, (_, index) => reversed(recordOf(`m${index}`, 1)));
  const few = many.slice(0, 3);
  const first = await sync(null, 1000, many);
  const shrunk = await sync(stateOf(first), 1000, few);
  const old = stateOf020(shrunk, many, few);
  const soon = await sync(old, 1000, few, input.now + HOUR / 2);
  expect(idsOf(soon)).toEqual([]);
  expect(idsOf(await sync(stateOf(soon), 1000, few, input.now + HOUR))).toHaveLength(3);
  expect(idsOf(await sync(old, 1000, few, input.now + HOUR))).toHaveLength(3);
});

test("R6 P5: a stray that 0.2.0 wrote stands as long as it is the same", async () => {
  const twoDays = { ...input, endDate: DAY_ONE + 2 * DAY, maximumWindowDays: 1 };
  const stray = records.slice(0, 1);
  const read = (stored: StreamState | null, shown: readonly Fields[]): Promise<Run> =>
    readScript(({ start }) => [pageOf(start === DAY_ONE ? [] : shown)], { stored, input: twoDays });
  const first = await read(null, stray);
  const old = stateOf020(first, stray);
  const same = await read(old, stray);
  expect(idsOf(same)).toEqual([]);
  expect(stateOf(same)).toEqual(stateOf(first));
  expect(idsOf(await read(old, changed(records, "r0").slice(0, 1)))).toEqual(["r0"]);
});
