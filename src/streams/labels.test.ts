import { expect, test } from "vitest";
import type { NamedValue } from "../core/names.ts";
import { DAY } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import type { Output } from "../protocol.ts";
import { Outlet } from "./flow.ts";
import { type LabelsOptions, readLabels } from "./labels.ts";
import type { NamesPage } from "./stream.ts";
import { DAY_ONE } from "./testing.ts";

const key = (value: string, name: string | null, isArchived = false): NamedValue => ({
  label: "api_key",
  value,
  name,
  isArchived,
});
const pageOf = (...names: readonly NamedValue[]): NamesPage => ({ names, missing: null });

interface Run {
  readonly outputs: Output[];
  readonly asked: number;
  readonly succeeded: boolean;
}

/** One run over pages that come, or the error in their place. */
async function run(
  pages: readonly (NamesPage | Error)[],
  change: Partial<LabelsOptions> & { readonly now?: number } = {},
): Promise<Run> {
  const outlet = new Outlet<Output>();
  const clock = { now: () => 0, sleep: async () => undefined };
  let asked = 0;
  const done = readLabels({
    names: async function* names() {
      asked += 1;
      for (const page of pages) {
        await Promise.resolve();
        if (page instanceof Error) throw page;
        yield page;
      }
    },
    owner: { base_url: "https://a.example", account: null },
    stored: undefined,
    outlet,
    clock,
    providerNow: () => change.now ?? DAY_ONE,
    stop: new AbortController().signal,
    stateInterval: 0,
    ...change,
  }).finally(() => outlet.close());
  const outputs: Output[] = [];
  for await (const output of outlet) outputs.push(structuredClone(output));
  return { outputs, asked, succeeded: await done };
}

const rowsOf = ({ outputs }: Run): Record<string, unknown>[] =>
  outputs
    .filter((output) => output.type === "RECORD_LINES")
    .flatMap(({ bytes }) => Buffer.from(bytes).toString().trim().split("\n"))
    .map((line) => JSON.parse(line).record.data);
const statesOf = ({ outputs }: Run): unknown[] =>
  outputs.flatMap((output) => (output.type === "STATE" ? [output.state.stream.stream_state] : []));
const lastOf = (of: Run): unknown => statesOf(of).at(-1);
const logsOf = ({ outputs }: Run): string[] =>
  outputs.flatMap((output) => (output.type === "LOG" ? [output.log.message] : []));
const endOf = ({ outputs }: Run): string | undefined =>
  outputs
    .flatMap((output) =>
      output.type === "TRACE" && output.trace.type === "STREAM_STATUS"
        ? [output.trace.stream_status.status]
        : [],
    )
    .at(-1);

test("N1: two values of one name are two rows, and only changed names are written the next day", async () => {
  const first = await run([pageOf(key("k1", "ci"), key("k2", "ci"))]);
  expect(rowsOf(first)).toEqual([
    {
      id: "api_key:k1",
      label: "api_key",
      value: "k1",
      name: "ci",
      is_archived: false,
      read_at: "2026-01-01T00:00:00Z",
    },
    expect.objectContaining({ id: "api_key:k2", name: "ci" }),
  ]);
  expect(first.succeeded).toBe(true);
  expect(endOf(first)).toBe("COMPLETE");
  const next = await run([pageOf(key("k1", "deploy"), key("k2", "ci"))], {
    stored: lastOf(first),
    now: DAY_ONE + DAY,
  });
  expect(rowsOf(next).map(({ value, name }) => [value, name])).toEqual([["k1", "deploy"]]);
});

test("N1 S6: names are asked for once a day; a second sync of the day changes nothing", async () => {
  const first = await run([pageOf(key("k1", "ci"))]);
  const second = await run([pageOf(key("k1", "other"))], {
    stored: lastOf(first),
    now: DAY_ONE + DAY - 1,
  });
  expect(second.asked).toBe(0);
  expect(statesOf(second)).toEqual([lastOf(first)]);
});

test("N1: rows are later than earlier ones, also if the provider's clock was put back", async () => {
  const first = await run([pageOf(key("k1", "ci"))]);
  const second = await run([pageOf(key("k1", "new"))], {
    stored: lastOf(first),
    now: DAY_ONE - DAY,
  });
  expect(rowsOf(second)[0]).toMatchObject({ name: "new", read_at: "2026-01-01T00:00:00.001Z" });
});

test("N1: a state of another source, or one that nobody wrote, knows no name", async () => {
  const first = await run([pageOf(key("k1", "ci"))]);
  const state = Object(lastOf(first));
  for (const stored of [
    { ...state, base_url: "https://b.example" },
    { ...state, account: "prod" },
    { ...state, names: "garbage!" },
    { ...state, version: 2 },
    null,
    "text",
  ]) {
    const next = await run([pageOf(key("k1", "ci"))], { stored, now: DAY_ONE + DAY });
    expect(rowsOf(next)).toHaveLength(1);
  }
});

test("S2: each page's STATE covers its rows, and none equals an earlier one", async () => {
  const of = await run([pageOf(key("k1", "a")), pageOf(key("k1", "a")), pageOf(key("k2", "b"))]);
  expect(of.outputs.map(({ type }) => type)).toEqual([
    "TRACE",
    "TRACE",
    "RECORD_LINES",
    "STATE",
    "RECORD_LINES",
    "STATE",
    "STATE",
    "TRACE",
  ]);
  const states = statesOf(of).map((state) => JSON.stringify(state));
  expect(new Set(states).size).toBe(3);
  const counts = of.outputs.flatMap((output) =>
    output.type === "STATE" ? [output.state.sourceStats.recordCount] : [],
  );
  expect(counts).toEqual([1, 1, 0]);
});

test("N1: a run that was killed after a page goes on without its rows", async () => {
  const whole = [pageOf(key("k1", "a")), pageOf(key("k2", "b"))];
  const [killed] = statesOf(await run(whole));
  const next = await run(whole, { stored: killed });
  expect(rowsOf(next).map(({ value }) => value)).toEqual(["k2"]);
});

test("N2: a refused list is one line of the log, and the answer of the day", async () => {
  const first = await run([
    { names: [], missing: "projects (HTTP 403)" },
    { names: [], missing: "API keys (HTTP 404)" },
  ]);
  expect(logsOf(first)).toEqual([
    expect.stringContaining("no names of projects (HTTP 403), of API keys (HTTP 404)"),
  ]);
  expect(first.succeeded).toBe(true);
  expect(endOf(first)).toBe("COMPLETE");
  const second = await run([], { stored: lastOf(first) });
  expect(second.asked).toBe(0);
});

test("N2: names that were written before a refusal are not written again after it", async () => {
  const first = await run([pageOf(key("k1", "ci"))]);
  const refused = await run([{ names: [], missing: "API keys (HTTP 403)" }], {
    stored: lastOf(first),
    now: DAY_ONE + DAY,
  });
  const later = await run([pageOf(key("k1", "ci"))], {
    stored: lastOf(refused),
    now: DAY_ONE + 2 * DAY,
  });
  expect(rowsOf(later)).toEqual([]);
});

test("N2: a fault ends no run, and the next sync asks again", async () => {
  const fault = new ConnectorError("unavailable", "The provider answers with errors.");
  const first = await run([pageOf(key("k1", "ci")), fault]);
  expect(rowsOf(first)).toHaveLength(1);
  expect(logsOf(first)).toEqual([expect.stringContaining("The provider answers with errors.")]);
  expect(JSON.stringify(first.outputs)).not.toContain('"ERROR"');
  expect([first.succeeded, endOf(first)]).toEqual([true, "COMPLETE"]);
  const second = await run([pageOf(key("k1", "ci"))], { stored: lastOf(first) });
  expect([second.asked, rowsOf(second)]).toEqual([1, []]);
});

test("N2: a stopped run is no success, and is asked for again", async () => {
  const stop = new AbortController();
  stop.abort(new ConnectorError("aborted", "stopped"));
  const of = await run([pageOf(key("k1", "ci"))], { stop: stop.signal });
  expect([of.succeeded, endOf(of), rowsOf(of), logsOf(of)]).toEqual([false, "INCOMPLETE", [], []]);
  expect(lastOf(of)).toMatchObject({ asked_on: null });
});

test("V4 N2: a row is one line to every reader, and says what was left out", async () => {
  const many = Array.from({ length: 5001 }, (_, index) => key(`k${index}`, `a\u2028b ${index}`));
  const of = await run([pageOf(...many)]);
  const lines = of.outputs.find((output) => output.type === "RECORD_LINES");
  const text = Buffer.from(lines?.bytes ?? []).toString();
  expect(text.split(/[\n\u2028]/)).toHaveLength(5001);
  expect(logsOf(of)).toEqual([expect.stringContaining("of 1 values beyond the first 5000")]);
  expect(JSON.stringify(lastOf(of)).length).toBeLessThan(100_000);
});
