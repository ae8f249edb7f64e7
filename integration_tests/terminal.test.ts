/** The view of a person at a terminal: progress on stderr, more in the log with `--debug`, messages on stdout as ever. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LAUNCHER } from "../bin/process.ts";
import { catalogOf } from "./support/config.ts";
import { read, readAsUsers } from "./support/connector.ts";
import { parseMessage } from "./support/protocol.ts";
import { type Served, serveRealSpend } from "./support/provider.ts";

const run = promisify(execFile);

let provider: Served;
beforeAll(async () => {
  provider = await serveRealSpend("2025-10-04T12:00:00Z");
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
});

test("on a terminal each stream has a line of progress, and stdout has nothing but messages", async () => {
  const folder = mkdtempSync(join(tmpdir(), "billing-terminal-"));
  const at = (name: string): string => join(folder, name);
  writeFileSync(at("config.json"), JSON.stringify(provider.config()));
  writeFileSync(at("catalog.json"), JSON.stringify(catalogOf()));
  const line = `${LAUNCHER} read --config ${at("config.json")} --catalog ${at("catalog.json")} > ${at("out")}`;
  // `script` gives the command a terminal of its own, and repeats here everything that the command writes to it.
  const { stdout: typed } = await run("script", ["-qec", line, "/dev/null"]);
  const messages = readFileSync(at("out"), "utf8").trimEnd().split("\n").map(parseMessage);
  rmSync(folder, { recursive: true });
  for (const name of ["usage", "costs"]) {
    const records = messages.filter(({ record }) => record?.stream === name).length;
    expect(typed).toMatch(
      new RegExp(
        `${name} +complete after \\d+ s; ${records} rows, \\d+ pages, days before \\S+, (\\d+) of \\1 `,
      ),
    );
  }
  expect(typed).not.toContain("{");
});

test("--debug tells of each request: address, status, duration, size; and no secret", async () => {
  const { logs } = await readAsUsers(provider.config(), { args: ["--debug"] });
  const requests = logs.filter((line) =>
    /^DEBUG: GET http\S+\/v1\/finops\/\S+: 200, \d+ bytes, \d+ ms$/.test(line),
  );
  expect(requests.length).toBeGreaterThan(2);
  expect(logs.join("\n")).not.toContain(provider.token);
  const quiet = await read(provider.config());
  expect(quiet.logs.filter((line) => line.startsWith("DEBUG"))).toEqual([]);
});

test("--debug tells of what failed too", async () => {
  await provider.faults({ kind: "status", status: 503, when: { operation: "usage", times: 1 } });
  const { logs } = await readAsUsers(provider.config(), { args: ["--debug"] });
  await provider.faults();
  expect(logs.filter((line) => /^DEBUG: GET \S+: .*503.*, \d+ ms$/.test(line))).toHaveLength(1);
});
