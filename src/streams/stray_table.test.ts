import { expect, test } from "vitest";
import { StrayTable } from "./stray_table.ts";
import { DAY_ONE } from "./testing.ts";

const window = { start: DAY_ONE, end: DAY_ONE + 1 };
const strayOf = (hash: string, id?: string) => ({
  hash,
  ...(id !== undefined && { id }),
  day: DAY_ONE,
  readingId: "r1",
  window,
});

test("P5: a stray is found by the id that it has now, until it is forgotten", () => {
  const table = new StrayTable([strayOf("a1", "a"), strayOf("a2", "a"), strayOf("x")]);
  const contents = (id: string): string[] => table.ofId(id).map(({ hash }) => hash);
  expect(contents("a")).toEqual(["a1", "a2"]);
  expect(contents("x")).toEqual([]);
  table.set(strayOf("x", "a"));
  table.set(strayOf("a1", "b"));
  expect([contents("a"), contents("b")]).toEqual([["a2", "x"], ["a1"]]);
  for (const content of ["a1", "a2", "unknown"]) table.delete(content);
  expect([contents("a"), contents("b")]).toEqual([["x"], []]);
  expect([...table.values()].map(({ hash }) => hash)).toEqual(["x"]);
  expect(table.size).toBe(1);
});
