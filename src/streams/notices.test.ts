import { expect, test } from "vitest";
import { readScript, recordOf, saidOf } from "./scripted/testing.ts";
import { pageOf } from "./testing.ts";

test("L4: a kind of warning is given five times, then counted", async () => {
  const warningsOf = async (count: number): Promise<string[]> => {
    const records = Array.from({ length: count }, (_, index) =>
      recordOf(`r${index}`, 0, { ServiceName: "half a character: \ud800" }),
    );
    return saidOf(await readScript([[pageOf(records)]]), "WARN").split("\n");
  };
  expect(await warningsOf(5)).toHaveLength(5);
  const warnings = await warningsOf(7);
  expect(warnings).toHaveLength(6);
  expect(warnings[4]).toContain("a record holds half a character");
  expect(warnings[5]).toBe("usage: lone surrogates: 7 in all, the first 5 above.");
});
