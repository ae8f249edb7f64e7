/** How many readings of each stream have been reported (R10). */
import { expect, test } from "vitest";
import { ReportCounts, reportedBy } from "./reported.ts";

const stored = (...reported: unknown[]): unknown => ({ version: 1, reported });

test("R10: the state of export_windows has the first report of each stream and their number", () => {
  const counts = new ReportCounts(null);
  expect(counts.toJSON()).toEqual([]);
  expect(counts.of("usage")).toBe(null);
  for (const id of ["r1", "r2"]) counts.add("usage", id);
  counts.add("costs", "r3");
  expect(counts.of("usage")).toEqual(["r1", 2]);
  const json = [
    ["costs", "r3", 1],
    ["usage", "r1", 2],
  ];
  expect(counts.toJSON()).toEqual(json);
  expect(new ReportCounts(stored(...json)).toJSON()).toEqual(json);
  for (const other of [
    undefined,
    "garbage",
    { reported: [["usage", "r1"]] },
    stored(["usage", "r1", -1]),
  ])
    expect(new ReportCounts(other).toJSON()).toEqual([]);
});

test.each([
  ["as many reports", ["usage", "r1", 7], false],
  ["more reports", ["usage", "r1", 8], false],
  ["fewer reports", ["usage", "r1", 6], true],
  ["another first report", ["usage", "r2", 9], true],
  ["reports of another stream only", ["costs", "r1", 9], true],
])("R10: reports are missing or not if the state of export_windows has %s", (_, count, lacks) => {
  const counts = new ReportCounts(stored(count));
  expect(counts.lack("usage", { reported: ["r1", 7] })).toBe(lacks);
  counts.add("usage", "r9");
  const [, , number] = count;
  expect(counts.of("usage")).toEqual(lacks ? ["r9", 1] : ["r1", Number(number) + 1]);
});

test("R10: a state of a stream that names no report relies on none", () => {
  for (const state of [
    null,
    "garbage",
    {},
    { reported: null },
    { reported: [7] },
    { reported: ["r1", -1] },
  ])
    expect(new ReportCounts(null).lack("usage", state)).toBe(false);
});

test("R10 S6: a STATE keeps the number of reports if it is otherwise as the sync has found it, or the sync reports nothing", () => {
  const found = { position: "p", pass: null };
  const state = { ...found, reported: ["r1", 7] };
  const says = reportedBy(state, found, () => ["r1", 9]);
  expect(says(found)).toEqual(["r1", 7]);
  expect(says({ position: "q", pass: null })).toEqual(["r1", 9]);
  expect(says({ position: "p", pass: {} })).toEqual(["r1", 9]);
  const open = { position: "p", pass: {} };
  expect(reportedBy({ ...open, reported: ["r1", 7] }, open, () => ["r1", 9])(open)).toEqual([
    "r1",
    9,
  ]);
  expect(reportedBy(state, found, null)({ position: "q", pass: null })).toEqual(["r1", 7]);
  expect(reportedBy(undefined, null, () => null)(found)).toBe(null);
  expect(reportedBy(found, found, () => ["r1", 9])(found)).toEqual(["r1", 9]);
});

test("R10: a STATE has the new number if the count has begun anew, so that later syncs miss nothing any more", () => {
  const found = { position: "p", pass: null };
  const state = { ...found, reported: ["r1", 7] };
  expect(reportedBy(state, found, () => ["r2", 1])(found)).toEqual(["r2", 1]);
  expect(reportedBy(state, found, () => null)(found)).toBe(null);
});
