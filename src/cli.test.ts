import fc from "fast-check";
import { expect, test } from "vitest";
import { parseCommandLine } from "./cli.ts";
import { parseCatalog } from "./catalog/catalog.ts";
import { STREAM_NAMES } from "./catalog/stream_names.ts";
import { parseConfig } from "./config/config.ts";
import { ConnectorError } from "./errors.ts";

const parse = (...argv: string[]) => parseCommandLine(argv, "1.2.3");

function faultOf(...argv: string[]): ConnectorError {
  try {
    parse(...argv);
  } catch (error) {
    if (error instanceof ConnectorError) return error;
    throw error;
  }
  throw new Error("the command line was accepted");
}

function textOf(...argv: string[]): string {
  const command = parse(...argv);
  if (command.kind !== "help" && command.kind !== "version") throw new Error(command.kind);
  return command.text;
}

test("each command is understood", () => {
  expect(parse("spec")).toEqual({ kind: "spec", debug: false });
  const plain = { config: "c", writeConfig: false, debug: false };
  expect(parse("check", "--config", "c")).toEqual({ kind: "check", ...plain });
  expect(parse("discover", "--config=c")).toEqual({ kind: "discover", ...plain });
  expect(parse("read", "--config", "c", "--catalog", "d", "--state", "s")).toEqual({
    kind: "read",
    ...plain,
    catalog: "d",
    state: "s",
  });
  expect(parse("record", "--config", "c", "--out", "d")).toEqual({
    kind: "record",
    config: "c",
    out: "d",
    debug: false,
  });
  const login = { kind: "login", config: "c", browser: true, port: 0 };
  expect(parse("login", "--config", "c")).toEqual(login);
  expect(parse("login", "--config", "c", "--no-browser", "--port", "8123")).toEqual({
    ...login,
    browser: false,
    port: 8123,
  });
});

test("options stand in any order", () => {
  expect(parse("read", "--state", "s", "--catalog", "d", "--config", "c")).toMatchObject({
    config: "c",
    catalog: "d",
    state: "s",
  });
});

test.each([[["--state", ""]], [["--state="]], [[]]])("no state where %j is given", (state) => {
  expect(parse("read", "--config", "c", "--catalog", "d", ...state)).toMatchObject({
    state: undefined,
  });
});

test.each(["check", "discover", "read"])("%s saves renewed tokens if the line says so", (kind) => {
  const catalog = kind === "read" ? ["--catalog", "d"] : [];
  const line = [kind, "--config", "c", ...catalog, "--write-config"];
  expect(parse(...line)).toMatchObject({ kind, writeConfig: true });
});

test.each(["65536", "-1", "http", ""])("%j is no port to come back to", (port) => {
  expect(faultOf("login", "--config", "c", `--port=${port}`).message).toContain("--port needs");
});

test("--debug stands before the command or after it", () => {
  expect(parse("--debug", "spec")).toMatchObject({ debug: true });
  expect(parse("spec", "--debug")).toMatchObject({ debug: true });
  expect(parse("--debug", "check", "--config", "c", "--debug")).toMatchObject({ debug: true });
});

test("the version is printed", () => {
  expect(parse("--version")).toEqual({ kind: "version", text: "1.2.3\n" });
});

test.each([[["--help"]], [["-h"]], [["help"]]])("%j shows every command and examples", (argv) => {
  const text = textOf(...argv);
  for (const words of ["spec", "check", "discover", "read", "--debug", "Examples:", "exit code"]) {
    expect(text).toContain(words);
  }
  expect(text.split("\n").every((line) => line.length <= 100)).toBe(true);
  expect(text).not.toContain("\u001B");
});

test("each command has help of its own", () => {
  expect(textOf("read", "--help")).toContain("--catalog <file>");
  expect(textOf("help", "check")).toContain("--config <file>");
});

test("the examples of the help work", () => {
  const text = textOf("--help");
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
    expect(() => parse(...line.trim().split(/\s+/).slice(2))).not.toThrow();
  }
});

test.each([
  [[], "no command is given"],
  [["--debug"], "no command is given"],
  [["red"], "unknown command 'red' (Did you mean read?)"],
  [["check"], "required option '--config <file>' not specified"],
  [["check", "--config"], "option '--config <file>' argument missing"],
  [["check", "--config", ""], "--config needs the name of a file"],
  [["read", "--config", "c"], "required option '--catalog <file>' not specified"],
  [["read", "--config", "c", "--catalog", ""], "--catalog needs the name of a file"],
  [["spec", "--bogus"], "unknown option '--bogus'"],
  [["check", "--config", "c", "--stat", "s"], "unknown option '--stat'"],
  [["check", "--config", "c", "stray"], "there is an argument that belongs to no option"],
])("%j is refused and says why", (argv, words) => {
  const error = faultOf(...argv);
  expect(error.code).toBe("invalid_arguments");
  expect(error.failureType).toBe("config_error");
  expect(error.message).toBe(
    `The command line is wrong: ${words}. See \`source-ai-billing --help\`.`,
  );
});

test.each([
  [['{"access_token": "SeCrEt"}']],
  [["check", "--config", "c", "--access-token=SeCrEt"]],
  [["check", "--config", "c", "--x='SeCrEt'"]],
  [["check", "--config", "c", "SeCrEt"]],
  [["--token=SeCrEt", "check"]],
])("a secret on a wrong line is not repeated: %j", (argv) => {
  expect(JSON.stringify(faultOf(...argv).toTrace())).not.toContain("SeCrEt");
});

test("any arguments give a command or a ConnectorError", () => {
  const word = fc.oneof(
    fc.constantFrom("spec", "check", "read", "help", "--config", "--state", "--help", "-", "--"),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      try {
        parse(...argv);
      } catch (error) {
        expect(error).toMatchObject({ name: "ConnectorError", code: "invalid_arguments" });
      }
    }),
  );
});
