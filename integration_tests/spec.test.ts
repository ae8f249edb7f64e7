import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { launch } from "./support/process.ts";

const committed: unknown = JSON.parse(
  readFileSync(new URL("../spec.json", import.meta.url), "utf8"),
);

test("spec prints exactly one SPEC line, equal to spec.json", async () => {
  const { code, stdout, messages } = await launch("spec").done;
  expect(code).toBe(0);
  expect(stdout.split("\n")).toHaveLength(2);
  expect(messages).toEqual([{ type: "SPEC", spec: committed }]);
});
