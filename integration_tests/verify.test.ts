/** The real process of `verify`: exit codes, files, stdout, signals. */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { LAUNCHER } from "../bin/process.ts";
import { launch, UNTIL_END } from "./support/process.ts";
import { type Served, serveRealSpend, startProvider } from "./support/provider.ts";

const folder = mkdtempSync(join(tmpdir(), "billing-verify-"));
const at = (name: string): string => join(folder, name);

let provider: Served;
beforeAll(async () => {
  provider = await serveRealSpend("2025-10-04T12:00:00Z");
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(() => provider.faults());

/** Starts the command with all of its config in the environment. */
const start = (served: Served, args: readonly string[], of = "interface") =>
  launch(null, {
    args: ["verify", ...args],
    env: {
      AI_BILLING_BASE_URL: served.baseUrl,
      AI_BILLING_TOKEN: served.token,
      AI_BILLING_PROVIDER: of,
    },
  });

test.each(["anthropic", "openai", "openrouter"])("%s: a run and its file", async (name) => {
  await using served = await startProvider("--as", name, "--now", "2026-11-06T12:00:00Z");
  const out = at(`${name}.json`);
  const line = ["--invoice", "2026-10=5000", "USD", "--out", out];
  const { code, stdout, stderr } = await start(served, line, name).done;
  // The usual fake lacks headers of a rate limit, and its web searches are drawn apart from its completions.
  expect({ code, stderr }).toEqual({ code: name === "openrouter" ? 0 : 1, stderr: "" });
  expect(stdout).toMatch(/\d+ confirmed, \d+ contradicted, \d+ not seen here\./);
  const written = readFileSync(out, "utf8");
  expect(JSON.parse(written)).toMatchObject({ kind: "source-ai-billing verify", provider: name });
  expect(stdout + written).not.toContain(served.token);
});

test("a provider of the interface, with the config from stdin", async () => {
  const config = JSON.stringify(provider.config());
  const line = `printf %s '${config}' | "$0" verify --config -`;
  const { stdout } = await promisify(execFile)("sh", ["-c", line, LAUNCHER]);
  expect(stdout).toMatch(/\d+ confirmed, 0 contradicted, \d+ not seen here\./);
});

test("a broken rule is exit code 1", async () => {
  await provider.faults({ kind: "capabilities", set: { "/profile_version": "0.2" } });
  const { code, stdout } = await start(provider, []).done;
  expect(code).toBe(1);
  expect(stdout).toContain("contradicted   CAP-04");
});

test.each([
  [["--invoice", "2026-13=1"], /^The command line is wrong: --invoice needs a month/],
  [["--out", "/dev/null"], /^--out cannot be written to "\/dev\/null": it is no regular file\.\n$/],
  [["--config", "none.json"], /^The config file "none\.json" does not exist\.\n$/],
])("%j is exit code 2, said on stderr", async (line, words) => {
  const { code, stdout, stderr } = await start(provider, line).done;
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(words);
});

test("without a network it is exit code 2, and nothing is written", async () => {
  const env = {
    AI_BILLING_BASE_URL: "http://127.0.0.1:9",
    AI_BILLING_TOKEN: "sk-admin-SeCrEt-0123456789",
  };
  for (const AI_BILLING_PROVIDER of ["openai", "interface"]) {
    const running = launch(null, {
      args: ["verify", "--out", at("none.json")],
      env: { ...env, AI_BILLING_PROVIDER },
    });
    const { code, stdout, stderr } = await running.done;
    expect(code).toBe(2);
    expect(stderr).toMatch(/refused/);
    expect(stdout + stderr).not.toContain("SeCrEt");
  }
  expect(readdirSync(folder).filter((name) => name.startsWith("none"))).toEqual([]);
});

test.skipIf(process.platform !== "linux")("a full disk is exit code 2", async () => {
  const config = at("config.json");
  writeFileSync(config, JSON.stringify(provider.config()));
  const line = `"$0" verify --config ${config} > /dev/full`;
  const ended = promisify(execFile)("sh", ["-c", line, LAUNCHER]);
  await expect(ended).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^[^\n]*ENOSPC[^\n]*\n$/),
  });
});

test.skipIf(process.platform !== "linux")("a reader that goes away is no defect", async () => {
  const config = at("config.json");
  writeFileSync(config, JSON.stringify(provider.config()));
  const line = `"$0" verify --config ${config} | head -n 1; echo \${PIPESTATUS[0]}`;
  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", line, LAUNCHER]);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^The provider serves the interface.*\n2\n$/);
});

test("SIGTERM ends it while a request is under way, and leaves no file", async () => {
  await provider.faults({ kind: "stall", at: "headers", when: { operation: "usage" } });
  const running = start(provider, ["--out", at("stopped.json")]);
  await expect.poll(async () => (await provider.requests()).length).toBeGreaterThan(1);
  const began = performance.now();
  running.child.kill("SIGTERM");
  expect((await running.done).signal).toBe("SIGTERM");
  expect(performance.now() - began).toBeLessThan(UNTIL_END);
  expect(readdirSync(folder).filter((name) => name.startsWith("stopped"))).toEqual([]);
});
