import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { LAUNCHER } from "../bin/process.ts";
import { launch } from "./support/process.ts";
import { type Served, serveRealSpend } from "./support/provider.ts";

let provider: Served;

beforeAll(async () => {
  provider = await serveRealSpend("2025-10-04T12:00:00Z");
});
afterAll(() => provider[Symbol.asyncDispose]());
beforeEach(() => provider.faults());

/** Starts the command with the token in the environment. */
function start(...args: readonly string[]) {
  const env = { BILLING_EXPORT_TOKEN: provider.token };
  const line = ["conform", "--base-url", provider.baseUrl, ...args];
  return launch(null, { args: line, env });
}

test("real spend passes, and a person can read it on stdout", async () => {
  const { code, stdout, stderr } = await start().done;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("No rule of the interface is seen to be broken");
  expect(stdout).not.toMatch(/FAILED|WARNING/);
});

test("a broken rule is exit code 1", async () => {
  await provider.faults({ kind: "capabilities", set: { "/profile_version": "0.2" } });
  const { code, stdout } = await start("--only", "CAP-04").done;
  expect(code).toBe(1);
  expect(stdout).toContain("FAILED CAP-04");
});

test.skipIf(process.platform !== "linux")("a report into a full disk is exit code 2", async () => {
  const line = `"$0" conform --base-url ${provider.baseUrl} --only CAP-04 > /dev/full`;
  const env = { ...process.env, BILLING_EXPORT_TOKEN: provider.token };
  const ended = promisify(execFile)("sh", ["-c", line, LAUNCHER], { env });
  await expect(ended).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^The report cannot be written to stdout \(ENOSPC: [^\n]+\n$/),
  });
});

test("a wrong line is exit code 2, said on stderr", async () => {
  const { code, stdout, stderr } = await start("--only", "NOTHING").done;
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: "",
    stderr: "The check could not run: --only names no check: NOTHING.\n",
  });
});

test("SIGTERM ends it while a request is under way", async () => {
  await provider.faults({ kind: "stall", at: "headers", when: { operation: "usage" } });
  const running = start();
  await expect.poll(async () => (await provider.requests()).length).toBeGreaterThan(1);
  running.child.kill("SIGTERM");
  expect((await running.done).signal).toBe("SIGTERM");
});
