import { readFileSync } from "node:fs";
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

test.each([
  [["--invoice", "2026-10=1234.56 USD"]],
  [["--invoice", "2026-10=1234.56", "USD"]],
  [["--invoice=2026-10=1234.56 USD"]],
])("verify takes an invoice with quotes and without: %j", async (words) => {
  const verify = { kind: "verify", config: "c", out: "v.json" };
  for (const line of [
    ["verify", "--config", "c", ...words, "--out", "v.json"],
    ["verify", "--out", "v.json", "--config", "c", ...words],
  ])
    expect(await parse(...line)).toMatchObject({
      ...verify,
      invoices: [{ month: "2026-10", total: "1234.56", currency: "USD" }],
    });
  expect(await parse("verify", "--config", "c")).toEqual({
    kind: "verify",
    config: "c",
    invoices: [],
    out: undefined,
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

test("the help of spec has no --debug, because spec logs nothing", async () => {
  expect(await textOf("spec", "--help")).not.toContain("--debug");
  expect(await textOf("check", "--help")).toContain("--debug");
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
  expect(await textOf("conform", "--help")).toContain("AI_BILLING_TOKEN");
  expect(await textOf("help", "sync")).toContain("--every <time>");
});

const COMMANDS = [
  "init",
  "sync",
  "costs",
  "query",
  "report",
  "close",
  "spec",
  "check",
  "discover",
  "read",
  "record",
  "login",
  "conform",
  "verify",
  "completion",
];

test("the first line of the help says what the program is for", async () => {
  expect((await textOf("--help")).split("\n")[0]).toBe(
    "Reads AI usage and billed costs from your providers into your own database, and proves the sums.",
  );
});

test.each([["program"], ...COMMANDS.map((name) => [name])])(
  "the help of the %s has examples that work, and exit codes",
  async (name) => {
    const text = await (name === "program" ? textOf("--help") : textOf(name, "--help"));
    expect(text).toMatch(/^Exit codes: 0 .*1 .*2 /ms);
    expect(text.split("\n").filter((line) => line.length > 100)).toEqual([]);
    const lines = text.split("\nExamples:\n")[1]?.match(/^ {2}\$ source-ai-billing .*$/gm) ?? [];
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const [words = ""] = line
        .replaceAll(/"[^"]*"/g, "sql")
        .trim()
        .split(/ [<>] /);
      expect(await parse(...words.split(/\s+/).slice(2))).not.toMatchObject({ kind: "wrong" });
      if (name !== "program") expect(words.split(" ")[2]).toBe(name);
    }
  },
);

test("the config and the catalog of the help work", async () => {
  const blocks = async (...argv: string[]): Promise<string> =>
    (await textOf(...argv)).match(/^ {2}\{\n[^]*?^ {2}\}$/gm)?.[0] ?? "";
  const config: unknown = JSON.parse((await blocks("--help")).replace("…", "token"));
  expect(() => parseConfig(config)).not.toThrow();
  expect(parseCatalog(JSON.parse(await blocks("read", "--help")))).toMatchObject({
    // Providers of the interface have no names.
    streams: STREAM_NAMES.filter((name) => name !== "labels").map((name) => ({ name })),
    faults: [],
  });
});

test("help has a help, which is that of the program", async () => {
  expect(await textOf("help", "help")).toBe(await textOf("help"));
});

test("every command that asks a provider reads config.json, and names the variables of the environment", async () => {
  for (const name of ["check", "discover", "read", "record", "sync", "conform", "verify"]) {
    const text = await textOf(name, "--help");
    for (const words of ['(default: "config.json")', "AI_BILLING_BASE_URL", "AI_BILLING_TOKEN"])
      expect(text.replaceAll(/\s+/g, " "), name).toContain(words);
  }
  expect(await parse("check")).toMatchObject({ config: "config.json" });
  expect(await parse("discover")).toMatchObject({ config: "config.json" });
  expect(await parse("read", "--catalog", "d")).toMatchObject({ config: "config.json" });
  expect(await parse("record", "--out", "d")).toMatchObject({ config: "config.json" });
  expect(await parse("login")).toMatchObject({ config: "config.json" });
  expect(await parse("verify")).toMatchObject({ config: "config.json" });
});

test.each(["login", "init"])("%s writes a file, so it takes no config from stdin", async (name) => {
  expect((await wrong(name, "--config", "-")).error.message).toMatch(/--config needs .* file/);
});

test.each([
  [[], "no command is given"],
  [["--debug"], "no command is given"],
  [["red"], "unknown command 'red' (Did you mean read?)"],
  [["help", "red"], "unknown command 'red'"],
  [["check", "--config"], "--config <file> is missing"],
  [["check", "--config", ""], "--config <file> is missing"],
  [["read", "--config", "c"], "--catalog <file> is missing"],
  [["read"], "--catalog <file> is missing"],
  [["read", "--config", ""], "--config <file> and --catalog <file> are missing"],
  [["read", "--catalog", "c", "--confg", "d"], "unknown option '--confg' (Did you mean --config?)"],
  [["spec", "--bogus"], "unknown option '--bogus'"],
  [["check", "--config", "c", "--stat", "s"], "unknown option '--stat'"],
  [["check", "--config", "c", "stray"], "there is an argument that belongs to no option"],
  [["sync", "--config", ""], "--config <file> is missing"],
  [["conform", "--base", "c"], "unknown option '--base'"],
  [["verify", "--config", ""], "--config <file> is missing"],
  [["verify", "--out", ""], "--out names no file"],
  [
    ["verify", "--config", "", "--out", "", "--invoice", "2026-10"],
    '--config <file> is missing; --invoice needs a month such as 2026-10 before the "=": write --invoice "2026-10=1234.56 USD"; --out names no file',
  ],
  [
    ["login", "--config", "-", "--port", "x"],
    "--config needs a file here, because the tokens go into it; --port needs a number from 0 to 65535",
  ],
  [["verify", "--invoce", "2026-10=5"], "unknown option '--invoce' (Did you mean --invoice?)"],
  [
    ["verify", "--invoice", "2026-13=5", "--out", ""],
    '--invoice needs a month such as 2026-10 before the "=": write --invoice "2026-10=1234.56 USD"; --out names no file',
  ],
  [["--debug", "sync", "--config", "c"], "this command has no option '--debug'"],
  [
    ["--debug", "sync", "--bogus", "--every", "5x", "--evry=1h", "--config", "", "--memory"],
    "--memory <size> is missing; unknown option '--bogus'; unknown option '--evry'; " +
      "--config <file> is missing; --every needs a time such as 30m, 1h or 1d; this command has no option '--debug'",
  ],
  [
    ["query", "--bogus", "--csv", "SELECT 1", "--json"],
    "unknown option '--bogus'; --csv does not go with --json",
  ],
  [
    ["costs", "stray", "--top", "0"],
    "there is an argument that belongs to no option; --top needs a number above 0",
  ],
  [["sync", "--bogus", "1", "--every", "1h"], "unknown option '--bogus'"],
  [["--bogus", "x", "sync"], "unknown option '--bogus'"],
  [["read", "--catalog"], "--catalog <file> is missing"],
  [["check", "--x=1", "--x=2"], "unknown option '--x'"],
  [
    ["close", "--by", "week", "--reopen"],
    "close needs a month such as 2026-10; --by needs one of billing-period, month; " +
      "--reopen and --why belong together: a month is closed again for a reason",
  ],
  [
    ["query", "--csv", "--json"],
    "query needs a statement in quotes, or - for stdin; --csv does not go with --json",
  ],
])("%j is refused and says why", async (argv, words) => {
  const { error } = await wrong(...argv);
  expect(error).toMatchObject({ code: "invalid_arguments", failureType: "config_error" });
  expect(error.message).toBe(
    `The command line is wrong: ${words}. See \`source-ai-billing --help\`.`,
  );
});

test.each([
  [["sync", "--every"], "Usage: source-ai-billing sync "],
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
  [["help", "sk-SeCrEt-123"]],
  [["init", "--sk-SeCrEt-123"]],
  [["query", "a", "SeCrEt"]],
  [["query", "--token", "SeCrEt", "--sk-SeCrEt-123", "--x='SeCrEt'"]],
  [["conform", "--token", "SeCrEt"]],
  [["verify", "--invoice", "2026-10=SeCrEt"]],
  [["verify", "--invoice", "SeCrEt=5"]],
  [["verify", "SeCrEt"]],
  [["sync", "--database", "postgresql://me:SeCrEt@host/name"]],
  [["query", "SELECT 1", "--database", "postgresql://me:Se/CrEt@host/name"]],
  [["report", "--database", "host=a password=SeCrEt"]],
])("a secret on a wrong line is not repeated: %j", async (argv) => {
  const { error, help } = await wrong(...argv);
  expect(JSON.stringify([error.toTrace(), help])).not.toContain("SeCrEt");
});

test.each([
  [["sync", "--every"], true],
  [["login", "--port"], true],
  [["read"], false],
  [["red"], false],
  [["help", "red"], true],
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

test.each(["sync", "query", "report"])(
  "%s refuses a password on the command line, and says where it belongs",
  async (name) => {
    const statement = name === "query" ? ["SELECT 1"] : [];
    const address = "postgresql://me:SeCrEt@host/name";
    const { message } = (await wrong(name, ...statement, "--database", address)).error;
    expect(message).toContain("has a password, which every user of this machine could see");
    expect(message).toContain("PGPASSWORD");
  },
);

test("the help lists the commands of all parts", async () => {
  const text = await textOf("--help");
  const listed = [...text.matchAll(/^ {2}(\w+) (?:\[|<|check a)/gm)].map(([, name]) => name);
  expect(listed).toEqual([...COMMANDS, "help"]);
  const design = readFileSync(new URL("../docs/design.md", import.meta.url), "utf8");
  expect(design).toContain("`source-ai-billing --help` names the commands for people");
});
