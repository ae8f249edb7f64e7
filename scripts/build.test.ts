import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";

test("a build leaves no moment without the bundle: a connector may run meanwhile", async () => {
  const root = new URL("..", import.meta.url);
  const dist = new URL("dist/", root);
  const needed = ["source-ai-billing.js", "report.js", "report-style.css"];
  const build = spawn(process.execPath, ["scripts/build.ts"], { cwd: root, stdio: "inherit" });
  let looks = 0;
  while (build.exitCode === null && build.signalCode === null) {
    for (const name of needed) expect(readFileSync(new URL(name, dist)).length).toBeGreaterThan(0);
    looks += 1;
    await setImmediate();
  }
  expect(build.exitCode).toBe(0);
  expect(looks).toBeGreaterThan(10);
});
