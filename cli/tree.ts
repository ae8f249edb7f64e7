/**
 * The command tree: arguments to a {@link Command}. It does no work and no exit: a text to print and a wrong line are commands too.
 *
 *     argv ─► the part that owns the first word ─► its commands register ─► commander ─► Command
 *
 * The engine (src/commands.ts), the check of providers (conform/options.ts), that of assumptions (verify/options.ts) and the
 * warehouse (warehouse/commands.ts) register their own commands. A part is loaded at its first use, so that a command does not wait
 * for the other parts. The help lists all parts.
 */
import { Command as Parser, CommanderError } from "commander";
import type { ConformCommand } from "../conform/options.ts";
import { ENVIRONMENT, NAME, REFUSED } from "../src/command_options.ts";
import { DEFAULT_CONFIG } from "../src/config_place.ts";
import type { EngineCommand } from "../src/commands.ts";
import { ConnectorError } from "../src/errors.ts";
import type { VerifyCommand } from "../verify/options.ts";
import type { WarehouseCommand } from "../warehouse/commands.ts";

/** The task of the process. */
export type Command =
  | EngineCommand
  | ConformCommand
  | VerifyCommand
  | { readonly kind: "warehouse"; readonly command: WarehouseCommand }
  /** The command belongs to a part that this installation does not have. */
  | { readonly kind: "absent" }
  /** `text` goes to stdout and nothing else happens; it ends in a line break. */
  | { readonly kind: "help" | "version" | "completion"; readonly text: string }
  | WrongLine;

export interface WrongLine {
  readonly kind: "wrong";
  readonly error: ConnectorError;
  /** The help of the command that the line names, or of the program. */
  readonly help: string;
  /** Whether a person runs the command that the line names. A platform runs the commands of the protocol. */
  readonly isForPeople: boolean;
  /** Whether the line asks for JSON on stdout. */
  readonly isJson: boolean;
}

/** Help has the same width in every terminal, in characters, so that its text is the same everywhere. */
const HELP_WIDTH = 100;

const PURPOSE = `Reads AI usage and billed costs from your providers into your own database, and proves the sums.
`;

const EXAMPLES = `
From a key or a token to a report:
  $ ${NAME} init
  $ ${NAME} sync --report report.html
  $ ${NAME} costs --by model
  $ ${NAME} query "SELECT day, model_id, billed_cost FROM daily_costs ORDER BY day"

Examples:
  $ ${NAME} check
  $ ${NAME} discover --config config.json
  $ ${NAME} read --config config.json --catalog catalog.json --state state.json
  $ ${NAME} login --config config.json
  $ ${NAME} verify --out verify.json
  $ ${NAME} conform --help
  $ ${NAME} completion bash

A ${DEFAULT_CONFIG} to start from (init writes one):
  {
    "base_url": "https://billing.example.com",
    "credentials": { "auth_type": "scoped_bearer_token", "access_token": "…" },
    "start_date": "2026-01-01"
  }
${ENVIRONMENT}
spec, check, discover, read and record write messages of the Airbyte protocol to stdout, one JSON
object a line.

Exit codes: 0 all went well (read, sync: everything was read); 1 it failed; 2 the command line is
wrong; conform and verify have codes of their own. Each command's --help has examples and its exit
codes.
`;

type Found = (command: Command) => void;

interface Part {
  readonly commands: readonly string[];
  /** Registers the part's commands. Rejects if this installation does not have the part. */
  readonly add: (program: Parser, found: Found) => Promise<void>;
}

/** In the order of the help: first the commands for people. */
const PARTS: readonly Part[] = [
  {
    commands: ["init", "sync", "costs", "query", "report", "close"],
    add: async (program, found) => {
      const { addWarehouse } = await import("../warehouse/commands.ts");
      addWarehouse(program, (command) => found({ kind: "warehouse", command }));
    },
  },
  {
    commands: ["spec", "check", "discover", "read", "record", "login"],
    add: async (program, found) => (await import("../src/commands.ts")).addEngine(program, found),
  },
  {
    commands: ["conform"],
    add: async (program, found) =>
      (await import("../conform/options.ts")).addConform(program, found),
  },
  {
    commands: ["verify"],
    add: async (program, found) => (await import("../verify/options.ts")).addVerify(program, found),
  },
  {
    // No first word belongs to this part alone, so all parts are loaded when the script is made.
    commands: [],
    add: async (program, found) => {
      const { addCompletion } = await import("./completion.ts");
      addCompletion(program, (text) => found({ kind: "completion", text }));
    },
  },
];

/** Commands whose result is messages of the protocol. They take `--debug`, which may also stand before the command. */
const PROTOCOL: ReadonlySet<string> = new Set(["spec", "check", "discover", "read", "record"]);

/**
 * @param argv the arguments after the program's name
 * @param version the text that `--version` prints
 */
export async function parseCommandLine(argv: readonly string[], version: string): Promise<Command> {
  const printed: string[] = [];
  const parsed: Command[] = [];
  const program = programOf(version, printed);
  const found: Found = (command) => parsed.push(command);
  const owner = PARTS.find(({ commands }) => commands.includes(argv[0] ?? ""));
  for (const { add } of owner === undefined ? PARTS : [owner]) {
    try {
      await add(program, found);
    } catch (reason) {
      if (!isAbsent(reason)) throw reason;
      if (owner !== undefined) return { kind: "absent" };
    }
  }
  const named = commandOf(program, argv);
  const wrong = (faults: readonly string[]): Command => ({
    kind: "wrong",
    error: new ConnectorError(
      "invalid_arguments",
      `The command line is wrong: ${faults.join("; ")}. See \`${NAME} --help\`.`,
    ),
    help: (named ?? program).helpInformation(),
    isJson: argv.includes("--json") && hasJson(named),
    isForPeople: argv[0] === "help" || !PROTOCOL.has(named?.name() ?? "read"),
  });
  // The help lists `help`, but commander knows no help for it.
  const isHelpOfHelp = argv[0] === "help" && argv[1] === "help";
  const { asksFor, faults } = parseAll(program, named, isHelpOfHelp ? ["help"] : argv);
  if (asksFor !== undefined) return { kind: asksFor, text: printed.join("") };
  const ignoresDebug = named !== undefined && !PROTOCOL.has(named.name());
  if (program.getOptionValue("debug") === true && ignoresDebug)
    faults.push("this command has no option '--debug'");
  if (faults.length > 0) return wrong(faults);
  return parsed[0] ?? wrong(["no command is given"]);
}

/**
 * Parses a line. The parser ends at the first fault, so the line is parsed again without this fault until all are known. They come in
 * the order in which the parser finds them.
 *
 * @param named the command that the line names
 */
function parseAll(
  program: Parser,
  named: Parser | undefined,
  argv: readonly string[],
): { readonly asksFor?: "help" | "version"; readonly faults: string[] } {
  const faults = new Set<string>();
  for (let line: readonly string[] | undefined = argv; line !== undefined;) {
    try {
      program.parse([...line], { from: "user" });
      break;
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.exitCode === 0 && faults.size > 0) break;
      if (error.exitCode === 0) {
        return { asksFor: error.code === "commander.version" ? "version" : "help", faults: [] };
      }
      const isUnknown = error.code === "commander.help" && argv[0] === "help";
      faults.add(isUnknown ? quoting(`unknown command '${argv[1] ?? ""}'`) : faultOf(error));
      line = named === undefined ? undefined : withoutFault(line, error, named);
    }
  }
  return { faults: [...faults] };
}

/** The line without the fault that the parser found; undefined if the parser has found all others, too. */
function withoutFault(
  line: readonly string[],
  { code, message }: CommanderError,
  named: Parser,
): readonly string[] | undefined {
  switch (code) {
    case "commander.unknownOption": {
      // The word behind it may be its value, and is no other fault.
      named.allowExcessArguments();
      const at = line.findIndex((word) => message.startsWith(`error: unknown option '${word}'`));
      return at === -1 ? undefined : line.toSpliced(at, 1);
    }
    case "commander.optionMissingArgument":
      return line.slice(0, -1);
    case "commander.excessArguments":
      named.allowExcessArguments();
      return line;
    default:
      return undefined;
  }
}

/** Whether the command's result may be JSON on stdout. The `--json` of `conform` names a file. */
const hasJson = (command: Parser | undefined): boolean =>
  command?.options.some((option) => option.long === "--json" && !option.required) ?? false;

/** Whether a part could not be loaded because its files are not installed: the image has no warehouse/. */
const isAbsent = (reason: unknown): boolean =>
  reason instanceof Error && "code" in reason && reason.code === "ERR_MODULE_NOT_FOUND";

/** The command that a line names. */
function commandOf(program: Parser, argv: readonly string[]): Parser | undefined {
  const name = argv.find((word) => !word.startsWith("-"));
  return program.commands.find((command) => command.name() === name);
}

function programOf(version: string, printed: string[]): Parser {
  return new Parser(NAME)
    .description(
      "sync reads into a DuckDB file and writes a report; read writes messages of the Airbyte protocol.",
    )
    .addHelpText("before", PURPOSE)
    .version(version)
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .option("--debug", "log more, to find the cause of a failure")
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
}

/** The fault that commander found, in one sentence. The sentence quotes only plain words, for others may be secrets. */
function faultOf(error: CommanderError): string {
  const fault = error.message.replace(/^error: /, "");
  switch (error.code) {
    case REFUSED:
      return fault;
    case "commander.help":
      return "no command is given";
    case "commander.excessArguments":
      return "there is an argument that belongs to no option";
    case "commander.optionMissingArgument":
      return `${/'(.*)'/.exec(fault)?.[1] ?? "an option"} is missing`;
    case "commander.unknownCommand":
    case "commander.unknownOption":
      return quoting(fault);
    default:
      return fault;
  }
}

/** A fault in one sentence. It quotes a word of the line only if the word is plain, because other words may be secrets. */
const quoting = (fault: string): string =>
  fault
    .replace(/'(.*)'/s, (_, name: string) => {
      const word = /^-{0,2}[a-z][a-z-]{0,20}(?==|$)/i.exec(name)?.[0];
      return word === undefined ? "" : `'${word}'`;
    })
    .replaceAll(/\s+/g, " ")
    .trim();
