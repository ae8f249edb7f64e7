/**
 * The scripts of the README, run as printed: with a full disk, with kills and with lines that were cut. Whatever happens,
 * the next syncs deliver every row, because the state covers only records that were delivered.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseMessage } from "./support/protocol.ts";
import { expectEqualSums, type Served, startProvider } from "./support/provider.ts";
import { Warehouse } from "./support/warehouse.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const bin = fileURLToPath(new URL("../bin", import.meta.url));
const searchPath = [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter);

/** The scripts of the section, in their order. */
const scripts = [
  ...(readme.split("## Use it from a shell")[1]?.split("\n## ")[0] ?? "").matchAll(
    /^```sh\n(.*?)^```$/gms,
  ),
].map(([, script = ""]) => script);
const [prepare = "", install = "", sync = "", cron = ""] = scripts;

let provider: Served;
let folder: string;

beforeAll(async () => {
  provider = await startProvider("--now", "2025-10-04T12:00:00Z");
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
});

const at = (name: string): string => join(folder, name);

/** Runs a script in the folder, with the connector and Node on PATH. */
async function sh(
  script: string,
  path = searchPath,
): Promise<{ code: number | null; stderr: string }> {
  const child = spawn("sh", ["-c", script], {
    cwd: folder,
    env: { PATH: path },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 50_000,
  });
  const closed = once(child, "close");
  const stderr = await text(child.stderr);
  await closed;
  return { code: child.exitCode, stderr };
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "printed-"));
  const own = prepare
    .replace(/^PATH=.*\n/, "")
    .replace("https://billing.example.com", provider.baseUrl)
    .replace("…", provider.token)
    .replace("2025-01-01", "2022-10-06");
  expect((await sh(own)).code).toBe(0);
  expect((await sh(install)).code).toBe(0);
  writeFileSync(at("sync.sh"), cron);
  chmodSync(at("sync.sh"), 0o755);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Every line of the delivered files; a cut line fails the test. */
function delivered(): Warehouse {
  const names = existsSync(at("records")) ? readdirSync(at("records")).toSorted() : [];
  const lines = names
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(at("records"), name), "utf8").split("\n"));
  return new Warehouse().load({ messages: lines.filter((line) => line !== "").map(parseMessage) });
}

const state = (): string => readFileSync(at("state.json"), "utf8");

/** Fails unless one more sync, on a disk with room, completes the delivery. */
async function expectNextSyncCompletes(): Promise<void> {
  expect((await sh("./sync.sh")).code).toBe(0);
  await expectEqualSums(provider, delivered());
  const left = [folder, at("records")].flatMap((path) => readdirSync(path));
  expect(left.filter((name) => name.endsWith(".new"))).toEqual([]);
}

test("the section prints the four scripts that are tested here", () => {
  expect(scripts).toHaveLength(4);
  expect(prepare).toContain("source-ai-billing check");
  expect(install).toContain("deliver.mjs");
  expect(sync.trim().split("\n")).toHaveLength(2);
  expect(cron.startsWith("#!/bin/sh\n")).toBe(true);
});

test("the two lines of a sync deliver every row, and the next sync reads less", async () => {
  expect(await sh(sync)).toEqual({ code: 0, stderr: "" });
  await expectEqualSums(provider, delivered());
  const first = delivered().usage.rows.length;
  expect(await sh(sync)).toEqual({ code: 0, stderr: "" });
  expect(delivered().usage.rows.length).toBeLessThan(2 * first);
});

describe("a full disk", () => {
  // `ulimit -f` counts blocks of 512 bytes. A write beyond it fails halfway, as it does on a full disk.
  test.each([1, 400])("cuts the output after %i blocks", async (blocks) => {
    const failed = await sh(`ulimit -f ${blocks}; ./sync.sh`);
    expect(failed.code).not.toBe(0);
    await expectNextSyncCompletes();
  });

  test.each([0, 40])("cuts the delivery after %i blocks", async (blocks) => {
    const shim = at("shim");
    mkdirSync(shim);
    const limited = `#!/bin/sh\nulimit -f ${blocks}\nexec ${process.execPath} "$@"\n`;
    writeFileSync(join(shim, "node"), limited, { mode: 0o755 });
    const failed = await sh("./sync.sh", [shim, searchPath].join(delimiter));
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toContain("EFBIG");
    expect(state()).toBe("[]\n");
    await expectNextSyncCompletes();
  });

  test("leaves no room for the state", async () => {
    mkdirSync(at("state.json.new"));
    expect((await sh("./sync.sh")).code).not.toBe(0);
    expect(state()).toBe("[]\n");
    rmSync(at("state.json.new"), { recursive: true });
    await expectNextSyncCompletes();
  });
});

describe("a kill", () => {
  /** Starts the script as a process group of its own, which a SIGKILL then ends as a whole. */
  async function killWhen(script: string, due: () => boolean): Promise<void> {
    const child = spawn("sh", ["-c", script], {
      cwd: folder,
      env: { PATH: searchPath },
      stdio: "ignore",
      detached: true,
    });
    const closed = once(child, "close");
    while (!due()) await setTimeout(5);
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await closed;
  }

  test("of the whole script while it reads", async () => {
    await provider.faults({ kind: "latency", milliseconds: 30 });
    const output = (): string =>
      existsSync(at("output.jsonl")) ? readFileSync(at("output.jsonl"), "utf8") : "";
    await killWhen("./sync.sh", () => output().includes('"RECORD"'));
    await provider.faults();
    expect(state()).toBe("[]\n");
    expect((await sh("node deliver.mjs")).code).toBe(0);
    await expectNextSyncCompletes();
  });

  test("of the delivery, after some records and a state", async () => {
    expect((await sh(sync.split("\n")[0] ?? "")).code).toBe(0);
    const output = readFileSync(at("output.jsonl"), "utf8");
    const half = output.slice(0, output.indexOf('{"type":"STATE"') + 2000);
    rmSync(at("output.jsonl"));
    writeFileSync(at("half"), half);
    // The pipe stays open after its first half, so that the delivery waits in the middle.
    const script =
      "mkfifo output.jsonl; (cat half; touch waiting; sleep 50) > output.jsonl & node deliver.mjs";
    await killWhen(script, () => existsSync(at("waiting")));
    expect(state()).toBe("[]\n");
    rmSync(at("output.jsonl"));
    await expectNextSyncCompletes();
  });
});

describe("a cut line", () => {
  test.each(["RECORD", "STATE"])("in a %s ends the delivery before it", async (type) => {
    expect((await sh(sync.split("\n")[0] ?? "")).code).toBe(0);
    const output = readFileSync(at("output.jsonl"), "utf8");
    const last = output.lastIndexOf(`{"type":"${type}"`);
    const end = output.indexOf("\n", last);
    for (const cut of [last + 60, end - 1]) {
      writeFileSync(at("state.json"), "[]\n");
      rmSync(at("records"), { recursive: true, force: true });
      writeFileSync(at("output.jsonl"), output.slice(0, cut));
      expect(await sh("node deliver.mjs")).toEqual({ code: 0, stderr: "" });
      await expectNextSyncCompletes();
    }
  });

  test("hides no record from a state that follows it", async () => {
    expect((await sh(sync.split("\n")[0] ?? "")).code).toBe(0);
    const lines = readFileSync(at("output.jsonl"), "utf8").split("\n");
    const first = lines.findIndex((line) => line.startsWith('{"type":"RECORD"'));
    lines.splice(first, 1, lines[first]?.slice(0, 40) ?? "");
    writeFileSync(at("output.jsonl"), lines.join("\n"));
    expect((await sh("node deliver.mjs")).code).toBe(0);
    expect(state()).toBe("[]");
    await expectNextSyncCompletes();
  });
});

test("two syncs at once: the second one leaves the work to the first", async () => {
  const { code } = await sh("exec 8> lock; flock 8; ./sync.sh");
  expect(code).toBe(0);
  expect(existsSync(at("output.jsonl"))).toBe(false);
});

test("a person sees why a sync failed", async () => {
  const config = readFileSync(at("config.json"), "utf8").replace(provider.token, "unknown");
  writeFileSync(at("config.json"), config);
  const { code, stderr } = await sh("./sync.sh");
  expect(code).not.toBe(0);
  expect(stderr).toContain("does not accept the credential");
});
