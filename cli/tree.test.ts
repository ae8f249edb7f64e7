import fc from "fast-check";
import { expect, test } from "vitest";
import { parseCatalog } from "../src/catalog/catalog.ts";
import { STREAM_NAMES } from "../src/catalog/stream_names.ts";
import { parseConfig } from "../src/config/config.ts";
import { type Command, parseCommandLine } from "./tree.ts";

const parse = (...argv: string[]): Promise<Command> => parseCommandLine(argv, "1.2.3");

async function wrong(...argv: string[]): Promise<Extract<Command, { kind: "wrong" }>> {
  const command = await parse(...argv);
  if (command.kind !== "wrong") throw new Error("the command line was accepted");
  return command;
}

async function textOf(...argv: string[]): Promise<string> {
  const command = await parse(...argv);
  if (command.kind !== "help" && command.kind !== "version") throw new Error(command.kind);
  return command.text;
}

test("each command is understood", async () => {
  expect(await parse("spec")).toEqual({ kind: "spec", debug: false });
  const plain = { config: "c", writeConfig: false, debug: false };
  expect(await parse("check", "--config", "c")).toEqual({ kind: "check", ...plain });
  expect(await parse("discover", "--config=c")).toEqual({ kind: "discover", ...plain });
  expect(await parse("read", "--config", "c", "--catalog", "d", "--state", "s")).toEqual({
    kind: "read",
    ...plain,
    catalog: "d",
    state: "s",
  });
  expect(await parse("record", "--config", "c", "--out", "d")).toEqual({
    kind: "record",
    config: "c",
    out: "d",
    debug: false,
  });
  const login = { kind: "login", config: "c", browser: true, port: 0 };
  expect(await parse("login", "--config", "c")).toEqual(login);
  expect(await parse("login", "--config", "c", "--no-browser", "--port", "8123")).toEqual({
    ...login,
    browser: false,
    port: 8123,
  });
});

test("options stand in any order", async () => {
  expect(await parse("read", "--state", "s", "--catalog", "d", "--config", "c")).toMatchObject({
    config: "c",
    catalog: "d",
    state: "s",
  });
});

test.each([[["--state", ""]], [["--state="]], [[]]])(
  "no state where %j is given",
  async (state) => {
    expect(await parse("read", "--config", "c", "--catalog", "d", ...state)).toMatchObject({
      state: undefined,
    });
  },
);

test.each(["check", "discover", "read"])(
  "%s saves renewed tokens if the line says so",
  async (kind) => {
    const catalog = kind === "read" ? ["--catalog", "d"] : [];
    const line = [kind, "--config", "c", ...catalog, "--write-config"];
    expect(await parse(...line)).toMatchObject({ kind, writeConfig: true });
  },
);

test.each(["65536", "-1", "http", ""])("%j is no port to come back to", async (port) => {
  const { error } = await wrong("login", "--config", "c", `--port=${port}`);
  expect(error.message).toContain("--port needs");
});

test("--debug stands before the command or after it", async () => {
  expect(await parse("--debug", "spec")).toMatchObject({ debug: true });
  expect(await parse("spec", "--debug")).toMatchObject({ debug: true });
  expect(await parse("--debug", "check", "--config", "c", "--debug")).toMatchObject({
    debug: true,
  });
});

test("the version is printed", async () => {
  expect(await parse("--version")).toEqual({ kind: "version", text: "1.2.3\n" });
});

test.each([[["--help"]], [["-h"]], [["help"]]])(
  "%j shows every command and examples",
  async (argv) => {
    const text = await textOf(...argv);
    for (const words of [
      "spec",
      "check",
      "discover",
      "read",
      "--debug",
      "Examples:",
      "Exit codes",
    ]) {
      expect(text).toContain(words);
    }
    expect(text.split("\n").every((line) => line.length <= 100)).toBe(true);
    expect(text).not.toContain("\u001B");
  },
);

test("each command has help of its own", async () => {
  expect(await textOf("read", "--help")).toContain("--catalog <file>");
  expect(await textOf("help", "check")).toContain("--config <file>");
  expect(await textOf("conform", "--help")).toContain("BILLING_EXPORT_TOKEN");
  expect(await textOf("help", "sync")).toContain("--every <time>");
});

test("the examples of the help work", async () => {
  const text = await textOf("--help");
  const blocks = text.match(/^ {2}\{\n[^]*?^ {2}\}$/gm) ?? [];
  expect(blocks).toHaveLength(2);
  const [config = "", catalog = ""] = blocks;
  expect(() => parseConfig(JSON.parse(config.replace("…", "token")))).not.toThrow();
  expect(parseCatalog(JSON.parse(catalog))).toMatchObject({
    streams: STREAM_NAMES.map((name) => ({ name })),
    faults: [],
  });
  const lines = text.match(/^ {2}\$ source-ai-billing .*$/gm) ?? [];
  expect(lines).toHaveLength(9);
  for (const line of lines) {
    const words = line
      .replaceAll(/"[^"]*"/g, "sql")
      .trim()
      .split(/\s+/);
    expect((await parse(...words.slice(2))).kind).not.toBe("wrong");
  }
});

test.each([
  [[], "no command is given"],
  [["--debug"], "no command is given"],
  [["red"], "unknown command 'red' (Did you mean read?)"],
  [["check"], "--config <file> is missing"],
  [["check", "--config"], "option '--config <file>' argument missing"],
  [["check", "--config", ""], "--config <file> is missing"],
  [["read", "--config", "c"], "--catalog <file> is missing"],
  [["read"], "--config <file> and --catalog <file> are missing"],
  [["read", "--catalog", "c", "--confg", "d"], "unknown option '--confg' (Did you mean --config?)"],
  [["spec", "--bogus"], "unknown option '--bogus'"],
  [["check", "--config", "c", "--stat", "s"], "unknown option '--stat'"],
  [["check", "--config", "c", "stray"], "there is an argument that belongs to no option"],
  [["sync"], "--config <file> is missing"],
  [["conform", "--base", "c"], "unknown option '--base'"],
  [["--debug", "sync", "--config", "c"], "this command has no option '--debug'"],
])("%j is refused and says why", async (argv, words) => {
  const { error } = await wrong(...argv);
  expect(error).toMatchObject({ code: "invalid_arguments", failureType: "config_error" });
  expect(error.message).toBe(
    `The command line is wrong: ${words}. See \`source-ai-billing --help\`.`,
  );
});

test.each([
  [["sync"], "Usage: source-ai-billing sync "],
  [["read", "--bogus"], "Usage: source-ai-billing read "],
  [["red"], "Usage: source-ai-billing [options] [command]"],
])("%j is answered with the help of the command that it names", async (argv, words) => {
  expect((await wrong(...argv)).help).toContain(words);
});

test.each([
  [['{"access_token": "SeCrEt"}']],
  [["check", "--config", "c", "--access-token=SeCrEt"]],
  [["check", "--config", "c", "--x='SeCrEt'"]],
  [["check", "--config", "c", "SeCrEt"]],
  [["--token=SeCrEt", "check"]],
  [["init", "SeCrEt"]],
  [["init", "--sk-SeCrEt-123"]],
  [["query", "a", "SeCrEt"]],
  [["conform", "--tokn", "SeCrEt"]],
])("a secret on a wrong line is not repeated: %j", async (argv) => {
  const { error, help } = await wrong(...argv);
  expect(JSON.stringify([error.toTrace(), help])).not.toContain("SeCrEt");
});

test.each([
  [["sync"], true],
  [["login"], true],
  [["read"], false],
  [["red"], false],
  [[], false],
])("%j is for people: %j", async (argv, isForPeople) => {
  expect(await wrong(...argv)).toMatchObject({ isForPeople });
});

test("any arguments give a command", async () => {
  const word = fc.oneof(
    fc.constantFrom("spec", "check", "read", "sync", "help", "--config", "--help", "-", "--"),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (argv) => {
      expect((await parse(...argv)).kind).toMatch(/^[a-z]+$/);
    }),
  );
});

test("the help lists the commands of all parts", async () => {
  const text = await textOf("--help");
  const listed = [...text.matchAll(/^ {2}(\w+) (?:\[|<|check a)/gm)].map(([, name]) => name);
  expect(listed).toEqual([
    "init",
    "sync",
    "query",
    "report",
    "spec",
    "check",
    "discover",
    "read",
    "record",
    "login",
    "conform",
    "help",
  ]);
});
