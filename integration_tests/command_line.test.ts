import { spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { LAUNCHER } from "../bin/process.ts";
import { command } from "./support/connector.ts";
import { launch } from "./support/process.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const committed: unknown = JSON.parse(read("../spec.json"));

test("spec prints exactly one SPEC line, equal to spec.json", async () => {
  const { code, stdout, messages } = await launch("spec").done;
  expect(code).toBe(0);
  expect(stdout.split("\n")).toHaveLength(2);
  expect(messages).toEqual([{ type: "SPEC", spec: committed }]);
});

test("--help names all commands and options and exits with 0", async () => {
  const { code, stdout, stderr } = await launch(null, { args: ["--help"] }).done;
  expect(code).toBe(0);
  expect(stderr).toBe("");
  for (const name of ["spec", "check", "discover", "read", "--config", "--catalog", "--state"]) {
    expect(stdout).toContain(name);
  }
});

test("--version prints the version of package.json and nothing else", async () => {
  const { code, stdout, stderr } = await launch(null, { args: ["--version"] }).done;
  const { version } = JSON.parse(read("../package.json")) as { version: string };
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

describe("a command that fails says why to a person", () => {
  const config = {
    base_url: "http://127.0.0.1:1",
    credentials: { auth_type: "scoped_bearer_token", access_token: "s3cr3t" },
  };
  const failures = [
    ["a wrong command line", "raed", {}, "unknown command 'raed'"],
    ["check with a config that lacks everything", "check", { config: {} }, "base_url is required"],
    ["read with a catalog that is no catalog", "read", { config, catalog: [] }, "catalog"],
  ] as const;

  test.each(failures)("%s, stdout in a file", async (_, name, files, words) => {
    const folder = mkdtempSync(join(tmpdir(), "output-"));
    const file = openSync(join(folder, "messages.jsonl"), "w");
    const { stderr } = await launch(name, { ...files, stdout: file }).done;
    closeSync(file);
    const messages = readFileSync(join(folder, "messages.jsonl"), "utf8");
    rmSync(folder, { recursive: true });
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/[{}]|^\s+at /m);
    expect(messages).toContain(words);
    expect(messages).not.toContain("stack_trace");
  });

  test.each(failures)("%s, stdout in a pipe: stderr stays empty", async (_, name, files) => {
    expect((await launch(name, files).done).stderr).toBe("");
  });
});

describe("the launcher", () => {
  const NODE_20 = "#!/bin/sh\necho v20.20.2\n";

  /** Runs a copy of the launcher in a folder with these files; returns its exit code and stderr. */
  function launchIn(files: Readonly<Record<string, string>>): readonly [number | null, string] {
    const root = mkdtempSync(join(tmpdir(), "launcher-"));
    const all = { "bin/source-ai-billing": read("../bin/source-ai-billing"), ...files };
    for (const [name, content] of Object.entries(all)) {
      mkdirSync(join(root, dirname(name)), { recursive: true });
      writeFileSync(join(root, name), content, { mode: 0o755 });
    }
    // Only these programs are on PATH, so that the machine's own Node is not found.
    mkdirSync(join(root, "path"), { recursive: true });
    const readlink = spawnSync("sh", ["-c", "command -v readlink"], { encoding: "utf8" });
    symlinkSync(readlink.stdout.trim(), join(root, "path/readlink"));
    const line = ["-c", 'ulimit -c unlimited; exec /bin/sh "$0" spec'];
    const { status, stderr } = spawnSync(
      "/bin/sh",
      [...line, join(root, "bin/source-ai-billing")],
      {
        env: { PATH: join(root, "path") },
        encoding: "utf8",
      },
    );
    rmSync(root, { recursive: true });
    return [status, stderr];
  }

  test.each([
    ["the bundle", {}, "The connector has not been built: run npm ci"],
    [
      "every Node",
      { "dist/source-ai-billing.js": "" },
      "There is no Node.js. Install version 24 or newer, or run npm ci",
    ],
    [
      "a Node that is new enough",
      { "dist/source-ai-billing.js": "", "path/node": NODE_20 },
      "Node.js 24 or newer is needed, and this is v20.20.2. Install it, or run npm ci",
    ],
  ])("names what npm ci has left out: %s", (_, files, words) => {
    const [status, stderr] = launchIn(files);
    expect(status).toBe(1);
    expect(stderr).toContain(words);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("a process that crashes leaves no core file", () => {
    const node = "#!/bin/sh\nulimit -c >&2\n";
    const files = { "dist/source-ai-billing.js": "", "node_modules/.bin/node": node };
    expect(launchIn(files)).toEqual([0, "0\n"]);
    const page = readFileSync(new URL("../SECURITY.md", import.meta.url), "utf8");
    expect(page).toContain("A process that crashes leaves no core file");
  });

  test.each([
    ["the npm scripts", "../scripts/needs_node.mjs", "run `npm ci` again"],
    ["the package", "../bin/needs_node.mjs", "install a newer Node.js, then run npm install again"],
  ])("a Node that is too old for %s", (_, path, remedy) => {
    const script = fileURLToPath(new URL(path, import.meta.url));
    const older = `Object.defineProperty(process.versions, "node", { value: "20.20.2" }); await import(${JSON.stringify(script)})`;
    const line = ["--input-type=module", "--eval", older];
    const { status, stderr } = spawnSync(process.execPath, line, { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toContain("this is 20.20.2");
    expect(stderr).toContain(remedy);
    expect(spawnSync(process.execPath, [script]).status).toBe(0);
  });
});

test.skipIf(process.platform !== "linux").each(["--help", "--version", "spec", "completion bash"])(
  "%s into a full disk is no success, and says so in one sentence",
  (words) => {
    const line = ["-c", '"$0" "$@" > /dev/full', LAUNCHER, ...words.split(" ")];
    const { status, stderr } = spawnSync("sh", line, { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Stdout cannot be written \(ENOSPC[^\n]*\n$/);
  },
);

test("a stdout that is closed is no success", () => {
  const { status, stderr } = spawnSync("sh", ["-c", '"$0" spec >&-', LAUNCHER], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: "Stdout is closed: there is nowhere to write messages to.\n",
  });
});

test("an unknown command is a config error that points to the help", async () => {
  const { code, errors } = await command("reed", {});
  expect(code).toBe(2);
  expect(errors).toHaveLength(1);
  expect(errors[0]?.failure_type).toBe("config_error");
  expect(errors[0]?.message).toMatch(/unknown command 'reed'.*--help/s);
});

test("read without a catalog says which option is missing", async () => {
  const { code, errors } = await command("read", { config: {} });
  expect(code).toBe(2);
  expect(errors.map(({ failure_type: type }) => type)).toEqual(["config_error"]);
  expect(errors[0]?.message).toContain("--catalog");
});

test("a wrong line of a command for people exits with 2, and only stderr says why", async () => {
  const { code, stdout, stderr } = await launch(null, { args: ["sync", "--databse", "d"] }).done;
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("unknown option '--databse' (Did you mean --database?)");
  expect(stderr).toContain("Usage: source-ai-billing sync [options]");
});
