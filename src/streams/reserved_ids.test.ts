import { expect, test } from "vitest";
import * as z from "zod";
import { readingId } from "../core/identity.ts";
import { DAY, HOUR } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import type { Output, StateMessage } from "../protocol.ts";
import {
  at,
  isReport,
  lastState,
  provider,
  readScript,
  recordOf,
  refused,
  type Run,
  stateOf,
} from "./scripted/testing.ts";
import { DAY_ONE, pageOf } from "./testing.ts";

type Row = { readonly x_RecordId: string; readonly x_ReadingId: string };

const rowsOf = (outputs: readonly Output[]): Row[] =>
  outputs
    .filter((output) => output.type === "RECORD_LINES")
    .flatMap(({ bytes }) => Buffer.from(bytes).toString().trim().split("\n"))
    .map((line) => JSON.parse(line).record.data);
const statesOf = (outputs: readonly Output[]): StateMessage[] =>
  outputs.filter((output) => output.type === "STATE");

/** The newest reading id of a STATE; without one an empty text, which sorts before every id. */
const newestOf = (state: StateMessage | undefined): string =>
  z.string().parse(state?.state.stream.stream_state["newest_reading_id"] ?? "");

/** For each row, the state that the platform has if the process is killed just behind it. */
function statesBefore(run: Run): { readonly row: Row; readonly state: StateMessage | undefined }[] {
  return run.outputs.flatMap((output, index) =>
    rowsOf([output]).map((row) => ({ row, state: statesOf(run.outputs.slice(0, index)).at(-1) })),
  );
}

const days = 250;
const long = {
  ...at,
  now: DAY_ONE + (days + 0.5) * DAY,
  endDate: DAY_ONE + days * DAY,
  retentionDays: 400,
};
const everyDay = Array.from({ length: days }, (_, day) => [pageOf([recordOf(`r${day}`, day)])]);

test.each(["incremental", "full_refresh"] as const)(
  "R4: the chain and the ids of rows are in a STATE before the rows go out (%s)",
  async (mode) => {
    const run = await readScript(everyDay, { input: long, mode, stateInterval: DAY });
    const rows = statesBefore(run);
    expect(rows).toHaveLength(days);
    for (const { row, state } of rows) {
      expect(row.x_ReadingId <= newestOf(state)).toBe(true);
      expect(state?.state.stream.stream_state["chain"]).toBe("chain");
    }
    // The first reservation, the STATE after the first page, further reservations, and the last STATE.
    expect(run.states.length).toBeLessThan(7);
  },
);

test("R4: a reservation does not delay the STATE that follows the first page", async () => {
  const script = [[pageOf([recordOf("a", 0)], "c"), pageOf([])], [pageOf([])]];
  const run = await readScript(script, { stateInterval: DAY });
  const order = run.outputs
    .filter(({ type }) => type === "STATE" || type === "RECORD_LINES")
    .map(({ type }) => type);
  expect(order).toEqual(["STATE", "RECORD_LINES", "STATE", "STATE"]);
  expect(run.states.map(({ state }) => state.sourceStats.recordCount)).toEqual([0, 1, 0]);
});

test("R4: whenever a process is killed, rows of the next one sort behind those it left, also if the provider's clock was put back", async () => {
  const script = [
    [pageOf([recordOf("a", 0)], "c"), pageOf([recordOf("b", 0)])],
    [pageOf([recordOf("c", 1)])],
  ];
  const killed = await readScript(script);
  const left = statesBefore(killed);
  expect(left).toHaveLength(3);
  for (const { row, state } of left) {
    const stored = lastState({ ...killed, states: state === undefined ? [] : [state] });
    const input = { ...at, now: at.now - HOUR, newChain: "other" };
    const again = await readScript(
      ({ start }, cursor) =>
        script[start === DAY_ONE ? 0 : 1]?.slice(cursor === null ? 0 : 1) ?? [],
      { stored, input },
    );
    const newer = rowsOf(again.outputs).find(({ x_RecordId: id }) => id === row.x_RecordId);
    // Only a window that goes on at its page keeps the id of its reading.
    const isOpen = stored?.pass?.open.some(({ id }) => id === row.x_ReadingId) ?? false;
    expect(newer?.x_ReadingId.slice(9)).toBe("chain");
    expect(
      isOpen
        ? newer?.x_ReadingId === row.x_ReadingId
        : (newer?.x_ReadingId ?? "") > row.x_ReadingId,
    ).toBe(true);
  }
});

test("R4: a report names no chain before a STATE does", async () => {
  const run = await readScript([[pageOf([])], [pageOf([])]], {
    stateInterval: DAY,
    marksReports: true,
  });
  const order = run.outputs.flatMap((output) => {
    if (isReport(output)) return ["report"];
    return output.type === "STATE" ? ["STATE"] : [];
  });
  expect(order).toEqual(["STATE", "report", "STATE", "report", "STATE"]);
});

test("R4 S6: a sync that writes no row reserves nothing", async () => {
  const script = [[pageOf([recordOf("a", 0)])], [pageOf([recordOf("b", 1)])]];
  const first = lastState(await readScript(script));
  const second = await readScript(script.slice(-1), {
    stored: first,
    input: { ...at, now: at.now + HOUR },
  });
  expect(second.reports).toHaveLength(1);
  expect(lastState(second)).toEqual(first);
});

test("S2 R4: a window that begins again brings no STATE back behind its records", async () => {
  const passage = [pageOf([recordOf("a", 0)], "c"), refused("cursor_refused")];
  const run = await readScript([passage, passage, [pageOf([recordOf("a", 0)])], [pageOf([])]]);
  expect(run.succeeded).toBe(true);
  const texts = run.states.map(({ state }) => JSON.stringify(state.stream.stream_state));
  expect(new Set(texts).size).toBe(texts.length);
});

test("S2 R4: the last STATE counts the rows of a window that waits for its strays, although it says what the first one said", async () => {
  const script = [
    [pageOf([recordOf("a", 0), recordOf("stray", 1)])],
    [new ConnectorError("unavailable", "It is down.")],
  ];
  const run = await readScript(script, { mode: "full_refresh", stateInterval: DAY });
  expect(run.succeeded).toBe(false);
  const [first, last] = [run.states.at(-2), run.states.at(-1)];
  expect(last?.state.sourceStats.recordCount).toBe(1);
  expect(newestOf(last) > newestOf(first)).toBe(true);
  expect(run.outputs.findLastIndex(({ type }) => type === "STATE")).toBeGreaterThan(
    run.outputs.findLastIndex(({ type }) => type === "RECORD_LINES"),
  );
});

test("S2 R4: a window that waits for its strays brings no STATE back", async () => {
  const script = [
    [pageOf([recordOf("a", 0)], "c"), pageOf([recordOf("stray", 1)])],
    [new ConnectorError("unavailable", "It is down.")],
  ];
  const run = await readScript(script, { mode: "full_refresh" });
  expect(run.states).toHaveLength(3);
  const texts = run.states.map(({ state }) => JSON.stringify(state.stream.stream_state));
  expect(new Set(texts).size).toBe(3);
});

test("R4: ids sort behind those of a state of 0.2.0, which reserves none, also if the provider's clock was put back", async () => {
  const input = { ...at, lookback: 2 * DAY };
  const pages = (quantity: string) => [
    [pageOf([recordOf("a", 0, { ConsumedQuantity: quantity })])],
    [pageOf([recordOf("b", 1)])],
  ];
  const newest = (run: Run): string =>
    rowsOf(run.outputs)
      .map((row) => row.x_ReadingId)
      .toSorted()
      .at(-1) ?? "";
  const back = { ...input, now: input.now - 6 * HOUR };
  const first = await readScript(pages("1"), { input });
  const stored = lastState(first);
  if (stored === null) throw new Error("no state");
  const second = await readScript(pages("2"), {
    input: back,
    stored: { ...stored, newestId: null },
  });
  expect(rowsOf(second.outputs)).toHaveLength(1);
  expect(newest(second) > newest(first)).toBe(true);
  // Nothing is known of a day yet: only the reading that is resumed has an id.
  const down = new ConnectorError("unavailable", "It is down.");
  const killed = await readScript([[pageOf([recordOf("a", 0)], "c"), down]], { input });
  const open = lastState(killed);
  if (open === null) throw new Error("no state");
  const resumed = await readScript([[pageOf([])], [pageOf([recordOf("b", 1)])]], {
    input: back,
    stored: { ...open, newestId: null },
  });
  expect(newest(resumed) > newest(killed)).toBe(true);
});

test("R4: ids sort behind those of the strays and the forgotten days of a state that reserves none, also if the provider's clock was put back", async () => {
  const newer = readingId(at.now + HOUR, "chain");
  const first = await readScript([[pageOf([recordOf("a", 0)])], [pageOf([])]]);
  const stored = stateOf(first);
  const window = { start: DAY_ONE, end: DAY_ONE + DAY };
  const stray = { hash: "1".repeat(24), day: DAY_ONE, readingId: newer, window };
  const gone = { day: DAY_ONE + DAY, most: 1, records: 1, readingId: newer, confirmed: true };
  const known = {
    ...stored.known,
    ranges: [window],
    forgotten: new Map([[gone.day, { ...gone, shrinkage: null }]]),
  };
  for (const left of [{ strays: [stray] }, { known }]) {
    const old = { ...stored, newestId: null, ...left };
    const run = await readScript(provider([recordOf("b", 1)]), { stored: old });
    const ids = rowsOf(run.outputs).map((row) => row.x_ReadingId);
    expect(ids).toHaveLength(1);
    expect((ids[0] ?? "") > newer).toBe(true);
  }
});
