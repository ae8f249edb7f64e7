import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
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
  expect(code).toBe(1);
  expect(errors).toHaveLength(1);
  expect(errors[0]?.failure_type).toBe("config_error");
  expect(errors[0]?.message).toMatch(/unknown command 'reed'.*--help/s);
});

test("read without a catalog says which option is missing", async () => {
  const { code, errors } = await command("read", { config: {} });
  expect(code).toBe(1);
  expect(errors.map(({ failure_type: type }) => type)).toEqual(["config_error"]);
  expect(errors[0]?.message).toContain("--catalog");
});
