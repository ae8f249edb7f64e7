/** The arguments of `sync`, `init`, `query` and `report`. */
import { Command as Parser, CommanderError } from "commander";
import { ConnectorError } from "../src/errors.ts";
import { type InitOptions, isProviderName, PROVIDER_NAMES } from "./init.ts";
import { INPUTS, type InputFiles } from "./inputs.ts";
import type { ReportOptions } from "./report_command.ts";
import type { SyncOptions } from "./sync.ts";

export type WarehouseCommand =
  | { readonly kind: "sync"; readonly options: SyncOptions }
  | { readonly kind: "init"; readonly options: InitOptions }
  | {
      readonly kind: "query";
      readonly database: string;
      readonly sql: string;
      readonly json: boolean;
    }
  | { readonly kind: "report"; readonly options: ReportOptions }
  | { readonly kind: "help"; readonly text: string };

const NAME = "source-ai-billing";
const HELP_WIDTH = 100;
const DATABASE = ["--database <file>", "DuckDB file", "billing.duckdb"] as const;

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30m`, `1h`, `1d` in milliseconds. */
function interval(text: string): number {
  const [, count = "", unit = ""] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  throw wrongLine("--every needs a time such as 30m, 1h or 1d");
}

const wrongLine = (fault: string): ConnectorError =>
  new ConnectorError(
    "invalid_arguments",
    `The command line is wrong: ${fault}. Add --help to see the options.`,
  );

/** @throws ConnectorError `invalid_arguments` */
export function parseWarehouseLine(argv: readonly string[]): WarehouseCommand {
  const printed: string[] = [];
  const parsed: WarehouseCommand[] = [];
  const parser = makeParser(printed, (command) => parsed.push(command));
  try {
    parser.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Messages that quote an argument may quote a secret.
    if (error.exitCode !== 0) throw wrongLine(faultOf(error));
    return { kind: "help", text: printed.join("") };
  }
  const [command] = parsed;
  if (command === undefined) throw wrongLine("no command is given");
  return command;
}

function faultOf({ code, message }: CommanderError): string {
  if (code === "commander.excessArguments") return "there is an argument that belongs to no option";
  if (code === "commander.unknownOption") {
    const option = /'(--?[a-z][a-z-]{0,20})'/.exec(message)?.[1];
    return `unknown option${option === undefined ? "" : ` '${option}'`}`;
  }
  return message.replace(/^error: /, "");
}

function makeParser(printed: string[], found: (command: WarehouseCommand) => void): Parser {
  const parser = new Parser(NAME).exitOverride().configureOutput({
    writeOut: (text) => printed.push(text),
    writeErr: () => undefined,
    getOutHelpWidth: () => HELP_WIDTH,
    getOutHasColors: () => false,
  });
  const command = (name: string, description: string): Parser =>
    parser.command(name).description(description).helpOption("-h, --help", "show help");
  withInputs(command("sync", "read everything into a DuckDB file, and write a report"))
    .requiredOption("--config <file>", "configuration (JSON); `init` makes one")
    .option(...DATABASE)
    .option("--report <file>", "report to write (HTML)")
    .option("--every <time>", "go on, with one sync each 30m, 1h, 1d, …", interval)
    .option("--json", "print the summary as one JSON object a line")
    .action((given: Given) =>
      found({
        kind: "sync",
        options: {
          config: textOf(given, "config"),
          database: textOf(given, "database"),
          report: optionalText(given, "report"),
          every: typeof given["every"] === "number" ? given["every"] : undefined,
          json: given["json"] === true,
          inputs: inputsOf(given),
        },
      }),
    );
  addInit(command, found);
  command("query", "run a statement on a database of `sync`")
    .argument("<sql>", "the statement; it may only read")
    .option(...DATABASE)
    .option("--json", "print a list of objects, with decimals as text")
    .action((sql: string, given: Given) =>
      found({
        kind: "query",
        database: textOf(given, "database"),
        sql,
        json: given["json"] === true,
      }),
    );
  addReport(command, found);
  return parser;
}

/** Adds the options of the input files. */
const withInputs = (command: Parser): Parser =>
  INPUTS.reduce(
    (known, { option, columns }) =>
      known.option(`--${option} <file>`, `CSV with the columns ${columns.join(", ")}`),
    command,
  );

function addReport(
  command: (name: string, description: string) => Parser,
  found: (command: WarehouseCommand) => void,
): void {
  withInputs(command("report", "write the report of any database that holds the raw tables"))
    .option("--database <place>", "DuckDB file, or postgresql://user@host/name", "billing.duckdb")
    .option(
      "--schema <name>",
      "schema of the raw tables; main or the search path's first otherwise",
    )
    .option("--out <file>", "report to write (HTML)", "report.html")
    .action((given: Given) =>
      found({
        kind: "report",
        options: {
          database: textOf(given, "database"),
          schema: optionalText(given, "schema"),
          out: textOf(given, "out"),
          inputs: inputsOf(given),
        },
      }),
    );
}

function addInit(
  command: (name: string, description: string) => Parser,
  found: (command: WarehouseCommand) => void,
): void {
  command("init", "ask for an address and a credential, check them, and write the configuration")
    .option("--config <file>", "file to write; it must not exist yet", "config.json")
    .option("--provider <name>", `one of ${PROVIDER_NAMES.join(", ")}`)
    .option("--base-url <address>", "address of a provider that serves the interface")
    .option("--secret-stdin", "read the token or key from stdin instead of asking for it")
    .option("--account <label>", "your own name for the billing account")
    .option("--start-date <date>", "first day to read; without it, all that the provider keeps")
    .action((given: Given) => {
      const provider = optionalText(given, "provider");
      if (provider !== undefined && !isProviderName(provider)) {
        throw wrongLine(`--provider needs one of ${PROVIDER_NAMES.join(", ")}`);
      }
      found({
        kind: "init",
        options: {
          config: textOf(given, "config"),
          provider: provider ?? (given["baseUrl"] === undefined ? undefined : "interface"),
          baseUrl: optionalText(given, "baseUrl"),
          secretFromInput: given["secretStdin"] === true,
          account: optionalText(given, "account"),
          startDate: optionalText(given, "startDate"),
        },
      });
    });
}

/** The options of a command as commander gives them. */
type Given = Readonly<Record<string, unknown>>;

/** The files of the inputs by their options. commander names `--exchange-rates` `exchangeRates`. */
function inputsOf(given: Given): InputFiles {
  return {
    teams: optionalText(given, "teams"),
    budgets: optionalText(given, "budgets"),
    "exchange-rates": optionalText(given, "exchangeRates"),
    invoices: optionalText(given, "invoices"),
  };
}

function optionalText(given: Given, name: string): string | undefined {
  const value = given[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function textOf(given: Given, name: string): string {
  const value = optionalText(given, name);
  if (value === undefined) throw wrongLine(`--${name} must not be empty`);
  return value;
}
