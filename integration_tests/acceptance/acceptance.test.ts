/**
 * The assertions that the connector acceptance tests make about reads, under their names, at high strictness as
 * acceptance-test-config.yml declares it. Their assertions about spec, check and discover are in src/spec.test.ts,
 * discover.test.ts and check.test.ts.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { catalogOf } from "../support/config.ts";
import { check, read, readAsUsers, type Run } from "../support/connector.ts";
import type { Json, StreamState } from "../support/protocol.ts";
import { type Served, serveRealSpend } from "../support/provider.ts";

const folder = new URL("./", import.meta.url);
const NAMES = ["usage", "costs", "export_windows"];
const everything = catalogOf("incremental", NAMES);

/** A record without the one field that another reading changes. */
const withoutReading = (data: Json): Json =>
  Object.fromEntries(Object.entries(data).filter(([name]) => name !== "x_ReadingId"));

let provider: Served;
let first: Run;

beforeAll(async () => {
  provider = await serveRealSpend("2025-10-04T12:00:00Z");
  first = await readAsUsers(provider.config(), { catalog: everything });
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
});

test("connection: the config that is to fail is FAILED, with exactly one status", async () => {
  const run = await check(readFileSync(new URL("invalid_config.json", folder), "utf8"));
  const statuses = run.messages.flatMap(({ connectionStatus }) => connectionStatus?.status ?? []);
  expect(statuses).toEqual(["FAILED"]);
});

describe("basic_read", () => {
  test("no stream is empty", () => {
    for (const name of NAMES) expect(first.records(name).length, name).toBeGreaterThan(0);
  });

  test("expect_records: the expected records are among those read", () => {
    const lines = readFileSync(new URL("expected_records.jsonl", folder), "utf8")
      .trim()
      .split("\n");
    const expected = lines.map((line) => JSON.parse(line) as { stream: string; data: Json });
    for (const { stream, data } of expected) {
      expect(first.records(stream).map(withoutReading)).toContainEqual(withoutReading(data));
    }
  });

  test("validate_primary_keys: no part of a key is null, an object or a list; no key comes twice", () => {
    for (const { name, source_defined_primary_key: key = [] } of inject("catalog").streams) {
      const keys = first.records(name).map((data) => key.map(([part = ""]) => data[part]));
      for (const parts of keys) {
        expect(parts.every((part) => ["string", "boolean", "number"].includes(typeof part))).toBe(
          true,
        );
      }
      expect(new Set(keys.map((parts) => JSON.stringify(parts))).size).toBe(keys.length);
    }
  });

  test("validate_stream_statuses: STARTED first, RUNNING between, COMPLETE last", () => {
    for (const name of NAMES) {
      const statuses = first.statuses(name);
      expect(statuses.length).toBeGreaterThanOrEqual(3);
      expect([statuses[0], statuses.at(-1)]).toEqual(["STARTED", "COMPLETE"]);
      expect(new Set(statuses.slice(1, -1))).toEqual(new Set(["RUNNING"]));
    }
  });

  test("validate_state_messages: at least one a stream, none of the old kind, each with its count", () => {
    expect(new Set(first.state.map(streamOf))).toEqual(new Set(NAMES));
    for (const state of first.states) {
      expect(state.type).toBe("STREAM");
      expect(state.sourceStats.recordCount).toBeTypeOf("number");
    }
  });

  test("expect_trace_message_on_failure: a stream that is not there gives an error trace", async () => {
    const stream = { name: "__AIRBYTE__stream_that_does_not_exist", json_schema: {} };
    const modes = { sync_mode: "INVALID", destination_sync_mode: "INVALID" };
    const run = await read(provider.config(), { catalog: { streams: [{ stream, ...modes }] } });
    expect(run.errors.length).toBeGreaterThan(0);
    expect(run.code).not.toBe(0);
  });
});

test("full_refresh: of two reads in turn the first ends before the second begins, with the same records", async () => {
  const emittedAt = (run: Run): number[] =>
    run.messages.flatMap(({ record }) => record?.emitted_at ?? []);
  const catalog = catalogOf("full_refresh");
  const one = await read(provider.config(), { catalog });
  const two = await read(provider.config(), { catalog });
  expect(emittedAt(one).length).toBeGreaterThan(0);
  expect(Math.max(...emittedAt(one))).toBeLessThan(Math.min(...emittedAt(two)));
  const keys = (run: Run): unknown[] =>
    ["usage", "costs"].flatMap((name) => run.records(name).map((data) => data["x_RecordId"]));
  expect(new Set(keys(two))).toEqual(new Set(keys(one)));
});

describe("incremental", () => {
  test("two_sequential_reads: the second differs from the first, though both have the same days before them", async () => {
    const second = await read(provider.config(), { catalog: everything, state: first.state });
    expect(second.records("usage").length).toBeLessThan(first.records("usage").length);
    expect(second.records("costs").length).toBeLessThan(first.records("costs").length);
    expect(second.states.length).toBeGreaterThan(0);
  });

  test("read_sequential_slices: from any state on, at least the records that it lacks", async () => {
    // A state comes every second at most, so the read has to take a while.
    const config = provider.config({ concurrency: 1 });
    await provider.faults({ kind: "latency", milliseconds: 70 });
    const run = await read(config, { catalog: catalogOf() });
    await provider.faults();
    for (const name of ["usage", "costs"]) {
      const states = run.states.filter((state) => streamOf(state) === name);
      const begun = states.filter(({ sourceStats }) => sourceStats.recordCount > 0);
      expect(begun.length).toBeGreaterThan(1);
      for (const state of begun) {
        const catalog = catalogOf("incremental", [name]);
        const rest = await read(provider.config(), { catalog, state: [state] });
        expect(rest.records(name).length).toBeGreaterThanOrEqual(lacking(state, states));
      }
    }
  });

  // The suite itself expects success here. L3 calls it a failure, because one of the two clocks must be wrong.
  test("state_with_abnormally_large_values: no record, and the state stays as it is", async () => {
    const late = await serveRealSpend("2099-01-01T00:00:00Z");
    const future = await read(late.config({ base_url: late.baseUrl }), { catalog: catalogOf() });
    await late[Symbol.asyncDispose]();
    const state = future.state.map((each) => withBaseUrl(each, provider.baseUrl));
    const run = await read(provider.config(), { catalog: catalogOf(), state });
    expect(run.errors.map(({ failure_type }) => failure_type)).toContain("transient_error");
    for (const name of ["usage", "costs"]) expect(run.records(name)).toEqual([]);
    expect(run.state.map(({ stream }) => stream)).toEqual(state.map(({ stream }) => stream));
  });

  test("a state as the suites and platforms hand it over: none, an empty list, an empty name", async () => {
    const all = first.records("costs").length;
    for (const state of [undefined, [], "[]"]) {
      const run = await read(provider.config(), { catalog: catalogOf(), state });
      expect(run.records("costs")).toHaveLength(all);
    }
    const unnamed = await readAsUsers(provider.config(), { args: ["--state", ""] });
    expect(unnamed.records("costs")).toHaveLength(all);
  });
});

const streamOf = ({ stream }: StreamState): string => stream.stream_descriptor.name;

/** The number of records that came after a state: the sum of the counts of all later states. */
function lacking(state: StreamState, states: readonly StreamState[]): number {
  const later = states.slice(states.indexOf(state) + 1);
  return later.reduce((sum, { sourceStats }) => sum + sourceStats.recordCount, 0);
}

/** A copy of the state in which `baseUrl` replaces the address of the provider. */
function withBaseUrl(state: StreamState, baseUrl: string): StreamState {
  const text = JSON.stringify(state).replaceAll(/"http:\/\/127\.0\.0\.1:\d+\/?"/g, (address) =>
    JSON.stringify(address.endsWith('/"') ? `${baseUrl}/` : baseUrl),
  );
  return JSON.parse(text) as StreamState;
}
