/**
 * argv -> {@link Command}. No work, no I/O, no exit: what is to be printed is a command too, and a wrong line is an
 * error like any other. The commands and their options are those of the protocol (airbyte-protocol 0.18).
 */
import { Command as Parser, CommanderError } from "commander";
import { ConnectorError } from "./errors.ts";

/** What the process is to do. File names are as the user wrote them, never empty. */
export type Command =
  | { readonly kind: "spec"; readonly debug: boolean }
  | {
      readonly kind: "check" | "discover";
      readonly config: string;
      /** Renewed tokens are saved to the config file too. */
      readonly writeConfig: boolean;
      readonly debug: boolean;
    }
  | {
      readonly kind: "read";
      readonly config: string;
      readonly writeConfig: boolean;
      readonly catalog: string;
      /** Absent where there is no state, also where the name given is empty. */
      readonly state: string | undefined;
      readonly debug: boolean;
    }
  | {
      readonly kind: "login";
      readonly config: string;
      /** Whether a browser is started; otherwise the address is only shown. */
      readonly browser: boolean;
      /** Where the browser comes back to on this machine; 0 for any free port. */
      readonly port: number;
    }
  /** `text` goes to stdout and nothing else happens; it ends in a line break. */
  | { readonly kind: "help" | "version"; readonly text: string };

const NAME = "source-ai-billing";

/** Help is wrapped for a usual terminal, whatever the width of the one at hand: the text is the same everywhere. */
const HELP_WIDTH = 100;

const EXAMPLES = `
Examples:
  $ ${NAME} spec
  $ ${NAME} check --config config.json
  $ ${NAME} discover --config config.json
  $ ${NAME} read --config config.json --catalog catalog.json --state state.json
  $ ${NAME} login --config config.json

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
      { "stream": { "name": "costs" }, "sync_mode": "incremental" }
    ]
  }

Messages of the Airbyte protocol go to stdout, one JSON object a line. The exit code is 0 only
where everything was read.
`;

const FILES = {
  config: ["--config <file>", "configuration (JSON); `spec` says what may stand in it"],
  catalog: ["--catalog <file>", "configured catalog (JSON): the streams to read"],
  writeConfig: ["--write-config", "save renewed OAuth tokens to the configuration file"],
  state: ["--state <file>", "state of an earlier read (JSON list); everything is read without it"],
  debug: ["--debug", "log more, to find out what goes wrong"],
} as const;

/**
 * @param argv The arguments after the program's name.
 * @param version What `--version` prints.
 * @throws ConnectorError `invalid_arguments` that says what is wrong and how to see the help.
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

/** What commander found wrong, in one sentence. It quotes only what looks like a word: all else may be a secret. */
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

  command("spec", "print the specification: what may stand in the configuration").action(
    (_, at: Parser) => found({ kind: "spec", debug: isDebug(at) }),
  );
  for (const [kind, description] of [
    ["check", "say whether the configuration works, in one sentence"],
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
  addLogin(parser, found);
  return parser;
}

function addLogin(parser: Parser, found: (command: Command) => void): void {
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

/** `--debug` may stand before the command or after it. */
function isDebug(command: Parser): boolean {
  return command.optsWithGlobals()["debug"] === true;
}

/** An option's value, absent where it is empty: acceptance suites pass `--state ""` for no state. */
function value(command: Parser, name: string): string | undefined {
  const given: unknown = command.getOptionValue(name);
  return typeof given === "string" && given !== "" ? given : undefined;
}

function file(command: Parser, name: string): string {
  const given = value(command, name);
  if (given === undefined) throw wrongLine(`--${name} needs the name of a file`);
  return given;
}
