/** The part of the command tree for people without a platform: `sync`, `init`, `query` and `report`. */
import type { Command as Parser } from "commander";
import { isSet, neededTexts, optionalText, refuse } from "../src/command_options.ts";
import { type InitOptions, isProviderName, PROVIDER_NAMES } from "./init.ts";
import { INPUTS, type InputFiles } from "./inputs.ts";
import type { ReportOptions } from "./report_command.ts";
import { RESETTABLE, type ResettableStream } from "./store.ts";
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
  | { readonly kind: "report"; readonly options: ReportOptions };

const DATABASE = ["--database <file>", "DuckDB file", "billing.duckdb"] as const;

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Adds the commands to the tree. `found` gets the command that a line asks for. */
export function addWarehouse(program: Parser, found: (command: WarehouseCommand) => void): void {
  addInit(program, found);
  withInputs(
    program.command("sync").description("read everything into a DuckDB file, and write a report"),
  )
    .option("--config <file>", "configuration (JSON); `init` makes one")
    .option(...DATABASE)
    .option("--report <file>", "report to write (HTML)")
    .option("--every <time>", "go on, with one sync each 30m, 1h, 1d, …")
    .option("--json", "print the summary as one JSON object a line")
    .option(
      "--reset [stream]",
      "read usage, costs or both from the beginning; every row in the file stays until its newer version comes",
    )
    .action((_, at: Parser) => {
      const [config = "", database = ""] = neededTexts(at, "config", "database");
      found({
        kind: "sync",
        options: {
          config,
          database,
          report: optionalText(at, "report"),
          every: intervalOf(at),
          json: isSet(at, "json"),
          reset: resetOf(at),
          inputs: inputsOf(at),
        },
      });
    });
  program
    .command("query")
    .description("run a statement on a database of `sync`")
    .argument("<sql>", "the statement; it may only read")
    .option(...DATABASE)
    .option("--json", "print a list of objects, with decimals as text")
    .action((sql: string, _, at: Parser) => {
      const [database = ""] = neededTexts(at, "database");
      found({ kind: "query", database, sql, json: isSet(at, "json") });
    });
  addReport(program, found);
}

/** `--reset`: the streams that are read from the beginning. */
function resetOf(at: Parser): readonly ResettableStream[] {
  if (isSet(at, "reset")) return RESETTABLE;
  const given = optionalText(at, "reset");
  const found = RESETTABLE.filter((name) => name === given);
  return given === undefined || found.length > 0
    ? found
    : refuse(at, `--reset needs one of ${RESETTABLE.join(", ")}, or nothing for both`);
}

/** `--every`: `30m`, `1h` or `1d`, in milliseconds. */
function intervalOf(at: Parser): number | undefined {
  const text = optionalText(at, "every");
  if (text === undefined) return undefined;
  const [, count = "", unit = ""] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  return milliseconds > 0 ? milliseconds : refuse(at, "--every needs a time such as 30m, 1h or 1d");
}

/** Adds the options of the input files. */
const withInputs = (command: Parser): Parser =>
  INPUTS.reduce(
    (known, { option, columns }) =>
      known.option(`--${option} <file>`, `CSV with the columns ${columns.join(", ")}`),
    command,
  );

function addReport(program: Parser, found: (command: WarehouseCommand) => void): void {
  withInputs(
    program
      .command("report")
      .description("write the report of any database that holds the raw tables"),
  )
    .option("--database <place>", "DuckDB file, or postgresql://user@host/name", "billing.duckdb")
    .option(
      "--schema <name>",
      "schema of the raw tables; main or the search path's first otherwise",
    )
    .option("--out <file>", "report to write (HTML)", "report.html")
    .action((_, at: Parser) => {
      const [database = "", out = ""] = neededTexts(at, "database", "out");
      const schema = optionalText(at, "schema");
      found({ kind: "report", options: { database, schema, out, inputs: inputsOf(at) } });
    });
}

function addInit(program: Parser, found: (command: WarehouseCommand) => void): void {
  program
    .command("init")
    .description("ask for an address and a credential, check them, and write the configuration")
    .option("--config <file>", "file to write; it must not exist yet", "config.json")
    .option("--provider <name>", `one of ${PROVIDER_NAMES.join(", ")}`)
    .option("--base-url <address>", "address of a provider that serves the interface")
    .option("--secret-stdin", "read the token or key from stdin instead of asking for it")
    .option("--account <label>", "your own name for the billing account")
    .option("--start-date <date>", "first day to read; without it, all that the provider keeps")
    .action((_, at: Parser) => {
      const [config = ""] = neededTexts(at, "config");
      const provider = optionalText(at, "provider");
      const baseUrl = optionalText(at, "baseUrl");
      if (provider !== undefined && !isProviderName(provider)) {
        refuse(at, `--provider needs one of ${PROVIDER_NAMES.join(", ")}`);
      }
      found({
        kind: "init",
        options: {
          config,
          provider: provider ?? (baseUrl === undefined ? undefined : "interface"),
          baseUrl,
          secretFromInput: isSet(at, "secretStdin"),
          account: optionalText(at, "account"),
          startDate: optionalText(at, "startDate"),
        },
      });
    });
}

/** The files of the inputs by their options. commander names `--exchange-rates` `exchangeRates`. */
const inputsOf = (at: Parser): InputFiles => ({
  teams: optionalText(at, "teams"),
  budgets: optionalText(at, "budgets"),
  "exchange-rates": optionalText(at, "exchangeRates"),
  invoices: optionalText(at, "invoices"),
});
