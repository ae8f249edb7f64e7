import { expect, test } from "vitest";
import { checkShape } from "./shape.ts";

const check = (text: string) => () => checkShape(Buffer.from(text));

test("L1: an answer is nested 64 levels deep at most, judged before it is parsed", () => {
  expect(check("[".repeat(64) + "]".repeat(64))).not.toThrow();
  expect(check("[".repeat(65) + "]".repeat(65))).toThrow("nested deeper than 64 levels");
  expect(check('{"a":'.repeat(65))).toThrow("nested deeper than 64 levels");
  expect(check("[".repeat(20_000_000))).toThrow(
    expect.objectContaining({ code: "provider_fault" }),
  );
});

test("L1: an answer holds 100,000 values at most", () => {
  expect(check(`[${"0,".repeat(99_000)}0]`)).not.toThrow();
  expect(check(`[${"0,".repeat(100_001)}0]`)).toThrow("more than 100000 values");
  expect(check("{},".repeat(50_001))).toThrow("more than 100000 values");
});

test("brackets and commas in texts are no structure, whatever is escaped in them", () => {
  const text = JSON.stringify(`${'[{"\\'.repeat(1000)}${",".repeat(1_000_001)}`);
  expect(check(`[${text}]`)).not.toThrow();
  expect(check(`["\\\\",${"[".repeat(64)}`)).toThrow("nested deeper");
});

test("a text that does not end is left to the parser", () => {
  expect(check('{"a":"[[[')).not.toThrow();
  expect(check('"\\')).not.toThrow();
});
