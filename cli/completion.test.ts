import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, test } from "vitest";
import { parseCommandLine } from "./tree.ts";

const folder = mkdtempSync(join(tmpdir(), "completion-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function scriptFor(shell: string): Promise<string> {
  const command = await parseCommandLine(["completion", shell], "1.2.3");
  if (command.kind !== "completion") throw new Error(command.kind);
  return command.text;
}

/** Whether a shell is installed, which parses the script as it would read it at its start. */
const has = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

describe.skipIf(!has("bash"))("bash", () => {
  /** The words that a person gets who presses Tab after the last of `words`. */
  async function offered(...words: readonly string[]): Promise<readonly string[]> {
    writeFileSync(join(folder, "script"), await scriptFor("bash"));
    const line =
      'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _source_ai_billing; printf "%s\\n" "${COMPREPLY[@]}"; complete -p source-ai-billing';
    const args = ["-c", line, join(folder, "script"), "source-ai-billing", ...words];
    const { stdout, stderr, status } = spawnSync("bash", args, { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.at(-1)).toContain("complete -o default -F _source_ai_billing source-ai-billing");
    return lines.slice(0, -1).filter((word) => word !== "");
  }

  it("completes commands", async () => {
    expect(await offered("")).toEqual(expect.arrayContaining(["init", "sync", "conform", "help"]));
    expect(await offered("re")).toEqual(["report", "read", "record"]);
    expect(await offered("help", "que")).toEqual(["query"]);
  });

  it("completes the options of the command, and shells", async () => {
    expect(await offered("sync", "--re")).toEqual(["--report", "--reset"]);
    expect(await offered("--debug", "read", "--cat")).toEqual(["--catalog"]);
    expect(await offered("completion", "")).toEqual(["bash", "zsh", "fish"]);
  });

  it("leaves values to the names of files", async () => {
    expect(await offered("sync", "--config", "")).toEqual([]);
    expect(await offered("conform", "--json", "")).toEqual([]);
    expect(await offered("query", "--json", "--data")).toEqual(["--database"]);
    expect(await offered("verify", "--out", "")).toEqual([]);
    expect(await offered("verify", "--in")).toEqual(["--invoice"]);
  });
});

test.each(["zsh", "fish"].filter(has))("%s reads its script", async (shell) => {
  writeFileSync(join(folder, shell), await scriptFor(shell));
  expect(spawnSync(shell, ["-n", join(folder, shell)], { encoding: "utf8" })).toMatchObject({
    status: 0,
    stderr: "",
  });
});

test.each([
  ["bash", /^ {4}read\)/m, /--catalog /],
  ["zsh", /^ {4}read\) _arguments /m, /'--catalog\[[^']*\]:file:_files'/],
  ["fish", /-a read -d 'read the streams/, /seen_subcommand_from read' -l catalog -r -F/],
])("%s knows every command and its files", async (shell, command, option) => {
  const script = await scriptFor(shell);
  expect(script).toMatch(command);
  expect(script).toMatch(option);
  for (const name of [
    "init",
    "sync",
    "costs",
    "query",
    "report",
    "check",
    "login",
    "conform",
    "verify",
  ])
    expect(script).toContain(name);
});

test("another shell is refused", async () => {
  expect(await parseCommandLine(["completion", "csh"], "1.2.3")).toMatchObject({
    kind: "wrong",
    error: {
      message: expect.stringContaining("the shell must be one of bash, zsh, fish"),
    },
  });
});
