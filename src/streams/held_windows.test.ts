/** Windows of one page that differ, as a stream's reader writes them (R6): the state of one sync is the start of the next. */
import { expect, test } from "vitest";
import { DAY, formatDay } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import { at, idsOf, lastState, readScript, recordOf, type Run } from "./scripted/testing.ts";
import type { Fields } from "../records/fields.ts";
import type { FetchedPage } from "./stream.ts";
import { DAY_ONE, pageOf } from "./testing.ts";

const DAYS = 40;
/** Each day is a window. */
const input = {
  ...at,
  now: DAY_ONE + (DAYS + 0.5) * DAY,
  retentionDays: 90,
  endDate: DAY_ONE + DAYS * DAY,
  lookback: DAYS * DAY,
};
const records = Array.from({ length: DAYS }, (_, day) => recordOf(`r${day}`, day));
const changed = records.map((record): Fields => ({ ...record, ConsumedQuantity: "99" }));

/** A provider of these records; the window of the day `failing` fails. */
const provider =
  (own: readonly Fields[], failing = -1) =>
  ({ start }: { start: number }): (FetchedPage | ConnectorError)[] => {
    const day = (start - DAY_ONE) / DAY;
    if (day === failing) return [new ConnectorError("provider_fault", "It fails.")];
    return [pageOf(own.filter((record) => record["x_RecordId"] === `r${day}`))];
  };

/** No time passes, so that no STATE is due before the end. */
const options = { input, stateInterval: 1000 };
const first = await readScript(provider(records), options);
const stored = lastState(first);

/** The latest STATE before each output of records must not have the content of the day of the output's first record. */
function expectForgottenFirst({ outputs }: Run): void {
  for (const [index, output] of outputs.entries()) {
    if (output.type !== "RECORD_LINES") continue;
    const state = outputs.slice(0, index).findLast(({ type }) => type === "STATE");
    const text =
      state?.type === "STATE" ? JSON.stringify(state.state.stream.stream_state["days"]) : "";
    const id: string = JSON.parse(Buffer.from(output.bytes).toString().split("\n")[0] ?? "").record
      .data.x_RecordId;
    const day = formatDay(DAY_ONE + Number(id.slice(1)) * DAY);
    expect(text).toMatch(/^\[/);
    expect(text).not.toContain(`"${day}",1,`);
  }
}

test.each([1, 4])(
  "R6: windows of one page that differ are written behind one STATE (%i lanes)",
  async (lanes) => {
    const run = await readScript(provider(changed), { ...options, stored, lanes });
    expect(run.succeeded).toBe(true);
    expect(run.states).toHaveLength(2);
    expectForgottenFirst(run);
    const ids = records.map((_, day) => `r${day}`);
    expect(idsOf(run).toSorted()).toEqual(ids.toSorted());
    if (lanes === 1) expect(idsOf(run)).toEqual(ids);
    expect(run.states.reduce((sum, { state }) => sum + state.sourceStats.recordCount, 0)).toBe(
      DAYS,
    );
    const again = await readScript(provider(changed), { ...options, stored: lastState(run) });
    expect(idsOf(again)).toEqual([]);
  },
);

test("R6: held rows are written before 1 MiB of them waits, and a long page does not wait", async () => {
  const long = (size: number): Fields[] =>
    changed.map((record) => ({ ...record, SkuId: "x".repeat(size) }));
  const run = await readScript(provider(long(100_000)), { ...options, stored });
  expectForgottenFirst(run);
  expect(idsOf(run)).toHaveLength(DAYS);
  expect(run.states).toHaveLength(1 + Math.ceil(DAYS / 11)); // 11 such rows are longer than 1 MiB
  const longer = await readScript(provider(long(300_000)), { ...options, stored });
  expectForgottenFirst(longer);
  expect(longer.states).toHaveLength(1 + DAYS);
});

test("R6: held rows do not wait longer than a STATE", async () => {
  let time = 0;
  const now = (): number => (time += 100);
  const run = await readScript(provider(changed), { ...options, stored, now });
  expectForgottenFirst(run);
  expect(run.states.length).toBeGreaterThan(4);
  expect(run.states.length).toBeLessThan(DAYS / 2);
});

test("R6 C1: held rows are written before those of a later window that need not wait", async () => {
  const known = stored?.mode === "incremental" ? stored.known : undefined;
  if (stored?.mode !== "incremental" || known === undefined) throw new Error("no state");
  const unread = DAY_ONE + 20 * DAY;
  const ranges = [
    { start: DAY_ONE, end: unread },
    { start: unread + DAY, end: input.endDate },
  ];
  const days = new Map([...known.days].filter(([day]) => day !== unread));
  const run = await readScript(provider(changed), {
    ...options,
    stored: { ...stored, known: { ranges, days, forgotten: new Map(), inPart: new Map() } },
  });
  expect(idsOf(run)).toEqual(changed.map((record) => record["x_RecordId"]));
  expectForgottenFirst(run);
});

test("R6 P4: a stream that fails drops the rows that it holds, and their windows are not read", async () => {
  const failed = await readScript(provider(changed, 30), { ...options, stored });
  expect(failed.succeeded).toBe(false);
  expect(idsOf(failed)).toEqual([]);
  const state = lastState(failed);
  expect(state?.mode === "incremental" && state.known).toEqual(
    stored?.mode === "incremental" && stored.known,
  );
  const next = await readScript(provider(changed), { ...options, stored: state });
  expect(idsOf(next)).toHaveLength(DAYS);
});
