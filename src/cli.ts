/**
 * argv -> {@link Command}. This file does no work, no I/O and no exit: a text to print is a command too, and a wrong line
 * is an error like any other. Commands and options are those of the protocol (airbyte-protocol 0.18), plus `login`, and
 * commands that read their own options: `conform` and those of the warehouse.
 */
import { Command as Parser, CommanderError } from "commander";
import { ConnectorError } from "./errors.ts";

/** The task of the process. File names are as the user wrote them, never empty. */
export type Command =
  | { readonly kind: "spec"; readonly debug: boolean }
  | {
      readonly kind: "check" | "discover";
      readonly config: string;
      /** Whether renewed tokens are saved to the config file too. */
      readonly writeConfig: boolean;
      readonly debug: boolean;
    }
  | {
      readonly kind: "read";
      readonly config: string;
      readonly writeConfig: boolean;
      readonly catalog: string;
      /** Absent if there is no state; an empty name counts as none. */
      readonly state: string | undefined;
      readonly debug: boolean;
    }
  | {
      readonly kind: "record";
      readonly config: string;
      /** The folder to write to. */
      readonly out: string;
      readonly debug: boolean;
    }
  | {
      readonly kind: "login";
      readonly config: string;
      /** Whether to start a browser; if not, the address is only shown. */
      readonly browser: boolean;
      /** Port of the sign-in's redirect address on 127.0.0.1, 0 to 65535; 0 for any free port. */
      readonly port: number;
    }
  /** Checks a provider against the interface; `argv` follows the word. */
  | { readonly kind: "conform"; readonly argv: readonly string[] }
  /** `sync`, `init`, `query` or `report`; `argv` begins with the word. */
  | { readonly kind: "warehouse"; readonly argv: readonly string[] }
  /** `text` goes to stdout and nothing else happens; it ends in a line break. */
  | { readonly kind: "help" | "version"; readonly text: string };

const NAME = "source-ai-billing";

/** Help has the same width in every terminal, in characters, so that its text is the same everywhere. */
const HELP_WIDTH = 100;

const EXAMPLES = `
Examples:
  $ ${NAME} spec
  $ ${NAME} check --config config.json
  $ ${NAME} discover --config config.json
  $ ${NAME} read --config config.json --catalog catalog.json --state state.json
  $ ${NAME} login --config config.json
  $ ${NAME} init
  $ ${NAME} sync --config config.json --report report.html
  $ ${NAME} query "SELECT * FROM daily_costs"
  $ ${NAME} conform --help

A config to start from:
  {
    "base_url": "https://billing.example.com",
    "credentials": { "auth_type": "scoped_bearer_token", "access_token": "…" },
    "start_date": "2026-01-01"
  }

A catalog to start from:
  {
    "streams": [
      { "stream": { "name": "usage" }, "sync_mode": "incremental" },
      { "stream": { "name": "costs" }, "sync_mode": "incremental" },
      { "stream": { "name": "export_windows" }, "sync_mode": "incremental" }
    ]
  }

Messages of the Airbyte protocol go to stdout, one JSON object a line. The exit code of read is 0
only if it read everything.
`;

const FILES = {
  config: ["--config <file>", "configuration (JSON); `spec` lists its settings"],
  catalog: ["--catalog <file>", "configured catalog (JSON): the streams to read"],
  writeConfig: ["--write-config", "save renewed OAuth tokens to the configuration file"],
  state: ["--state <file>", "state of an earlier read (JSON list); without it, everything is read"],
  debug: ["--debug", "log more, to find the cause of a failure"],
} as const;

/**
 * @param argv The arguments after the program's name.
 * @param version The text that `--version` prints.
 * @throws ConnectorError `invalid_arguments`, which names the fault and the way to the help.
 */
export function parseCommandLine(argv: readonly string[], version: string): Command {
  const printed: string[] = [];
  const parsed: Command[] = [];
  const parser = makeParser(version, printed, (command) => parsed.push(command));
  try {
    parser.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw wrongLine(faultOf(error));
    const kind = error.code === "commander.version" ? "version" : "help";
    return { kind, text: printed.join("") };
  }
  const [command] = parsed;
  if (command === undefined) throw wrongLine("no command is given");
  return command;
}

function wrongLine(fault: string): ConnectorError {
  return new ConnectorError(
    "invalid_arguments",
    `The command line is wrong: ${fault}. See \`${NAME} --help\`.`,
  );
}

/** The fault that commander found, in one sentence. The sentence quotes only plain words, for others may be secrets. */
function faultOf(error: CommanderError): string {
  const fault = error.message.replace(/^error: /, "");
  switch (error.code) {
    case "commander.help":
      return "no command is given";
    case "commander.excessArguments":
      return "there is an argument that belongs to no option";
    case "commander.unknownCommand":
    case "commander.unknownOption":
      return fault
        .replace(/'(.*)'/s, (_, name: string) => {
          const word = /^-{0,2}[a-z][a-z-]{0,20}(?==|$)/i.exec(name)?.[0];
          return word === undefined ? "" : `'${word}'`;
        })
        .replaceAll(/\s+/g, " ")
        .trim();
    default:
      return fault;
  }
}

function makeParser(version: string, printed: string[], found: (command: Command) => void): Parser {
  const parser = new Parser(NAME)
    .description("Reads AI usage and billed costs and writes Airbyte protocol messages to stdout.")
    .version(version)
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .option(...FILES.debug)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => printed.push(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", EXAMPLES);

  const command = (name: string, description: string): Parser =>
    parser
      .command(name)
      .description(description)
      .option(...FILES.debug);

  command("spec", "print the specification: the settings of the configuration").action(
    (_, at: Parser) => found({ kind: "spec", debug: isDebug(at) }),
  );
  for (const [kind, description] of [
    ["check", "try the configuration and say in one sentence if it works"],
    ["discover", "print the catalog: the streams on offer and their columns"],
  ] as const) {
    command(kind, description)
      .requiredOption(...FILES.config)
      .option(...FILES.writeConfig)
      .action((_, at: Parser) =>
        found({
          kind,
          config: file(at, "config"),
          writeConfig: isSet(at, "writeConfig"),
          debug: isDebug(at),
        }),
      );
  }
  command("read", "read the streams of a catalog: records and states")
    .requiredOption(...FILES.config)
    .requiredOption(...FILES.catalog)
    .option(...FILES.state)
    .option(...FILES.writeConfig)
    .action((_, at: Parser) =>
      found({
        kind: "read",
        config: file(at, "config"),
        catalog: file(at, "catalog"),
        state: value(at, "state"),
        writeConfig: isSet(at, "writeConfig"),
        debug: isDebug(at),
      }),
    );
  addRecord(command, found);
  addLogin(parser, found);
  return parser;
}

function addRecord(
  command: (name: string, description: string) => Parser,
  found: (command: Command) => void,
): void {
  command("record", "save a few answers of Anthropic, OpenAI or OpenRouter, with ids hashed")
    .requiredOption(...FILES.config)
    .requiredOption("--out <folder>", "folder to save to; new or empty")
    .action((_, at: Parser) =>
      found({
        kind: "record",
        config: file(at, "config"),
        out: file(at, "out"),
        debug: isDebug(at),
      }),
    );
}

function addLogin(parser: Parser, found: (command: Command) => void): void {
  parser
    .command("conform")
    .description("check a provider against the interface, clause by clause; has its own --help")
    .allowUnknownOption()
    .argument("[options...]")
    .action((argv: string[]) => found({ kind: "conform", argv }));
  for (const [name, description] of [
    ["init", "ask for an address and a credential, check them, and write a configuration"],
    ["sync", "read everything into a DuckDB file, with a summary and a report"],
    ["query", "run a statement on a database of sync"],
    ["report", "write the report of a database of sync"],
  ] as const) {
    parser
      .command(name)
      .description(`${description}; has its own --help`)
      .allowUnknownOption()
      .argument("[options...]")
      .action((argv: string[]) => found({ kind: "warehouse", argv: [name, ...argv] }));
  }
  parser
    .command("login")
    .description("sign in at the provider with a browser (OAuth 2.0), save the tokens to the file")
    .requiredOption(...FILES.config)
    .option("--no-browser", "show the address to open instead of starting a browser")
    .option("--port <number>", "port on 127.0.0.1 that the browser comes back to, 0 for any", "0")
    .action((_, at: Parser) =>
      found({
        kind: "login",
        config: file(at, "config"),
        browser: isSet(at, "browser"),
        port: port(at),
      }),
    );
}

function isSet(command: Parser, name: string): boolean {
  return command.getOptionValue(name) === true;
}

function port(command: Parser): number {
  const given = value(command, "port") ?? "";
  const number = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  if (number <= 65_535) return number;
  throw wrongLine("--port needs a number from 0 to 65535");
}

/** Finds `--debug` before the command and after it. */
function isDebug(command: Parser): boolean {
  return command.optsWithGlobals()["debug"] === true;
}

/** An option's value, absent if it is empty: acceptance suites pass `--state ""` for no state. */
function value(command: Parser, name: string): string | undefined {
  const given: unknown = command.getOptionValue(name);
  return typeof given === "string" && given !== "" ? given : undefined;
}

function file(command: Parser, name: string): string {
  const given = value(command, name);
  if (given === undefined) throw wrongLine(`--${name} needs the name of a file`);
  return given;
}
