import { expect, test } from "vitest";
import { quoteProblem } from "./problem.ts";

test.each([
  [{}, ""],
  [{ title: "Window too large" }, ' It says: "Window too large".'],
  [
    { title: "Not authorized", detail: "Invalid API key." },
    ' It says: "Not authorized: Invalid API key."',
  ],
])("%o is quoted with one period at its end", (problem, quoted) => {
  expect(quoteProblem(problem)).toBe(quoted);
});
