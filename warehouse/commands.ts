/** The part of the command tree for people without a platform: `sync`, `init`, `costs`, `query`, `report` and `close`. */
import type { Command as Parser } from "commander";
import {
  addUse,
  CONFIG,
  ENVIRONMENT,
  isSet,
  optionalText,
  refuse,
  refuseAll,
  repeated,
  textsOf,
} from "../src/command_options.ts";
import { DEFAULT_CONFIG, NOTICE_MEMBER, NOTICE_URL, STDIN } from "../src/config_place.ts";
import type { CostsOptions } from "./costs.ts";
import { addCosts } from "./costs_options.ts";
import { type InitOptions, isProviderName, PROVIDER_NAMES } from "./init.ts";
import { columnsOf, INPUTS, type InputFiles } from "./inputs.ts";
import { type CloseOptions, VIEWS } from "./close.ts";
import { LEAST_MEMORY } from "./memory.ts";
import { NO_CURRENCY } from "./reporting.ts";
import { addQuery, type QueryOptions } from "./query_options.ts";
import type { ReportOptions } from "./report_command.ts";
import { DATABASE, databaseOf, emptyFault } from "./shared_options.ts";
import { RESETTABLE, type ResettableStream } from "./store.ts";
import type { SyncOptions } from "./sync.ts";

export type WarehouseCommand =
  | { readonly kind: "sync"; readonly options: SyncOptions }
  | { readonly kind: "init"; readonly options: InitOptions }
  | { readonly kind: "query"; readonly options: QueryOptions }
  | { readonly kind: "costs"; readonly options: CostsOptions }
  | { readonly kind: "report"; readonly options: ReportOptions }
  | { readonly kind: "close"; readonly options: CloseOptions };

const MEMORY = [
  "--memory <size>",
  "memory that DuckDB may take, such as 512MB; by default a quarter of what the process may have, at most 384MB",
] as const;

/** Bytes of a size that `--memory` takes. */
const SIZES: Readonly<Record<string, number>> = { MB: 1_048_576, GB: 1_073_741_824 };

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Adds the commands to the tree. `found` gets the command that a line asks for. */
export function addWarehouse(program: Parser, found: (command: WarehouseCommand) => void): void {
  addInit(program, found);
  const syncing = program
    .command("sync")
    .description("read everything into a DuckDB file, and write a report");
  addUse(syncing, {
    examples: [
      "sync --report report.html",
      "sync --config config.json --database billing.duckdb --teams teams.csv",
      "sync --every 1h --json",
      "sync --config anthropic.json --config openai.json",
      "sync --currency EUR --exchange-rates rates.csv",
      "sync --only openai --reset costs",
    ],
    codes:
      "0 everything was read; 1 something was not, and the next sync goes on from\n" +
      "there; 2 the line is wrong. A sync that is stopped or killed loses nothing.",
    more: `${ENVIRONMENT}
Notices: the address in ${NOTICE_MEMBER} of the config, or in ${NOTICE_URL},
gets the summary as JSON by POST, with a text for Slack, if a budget is at risk, a day is
unusual, a closed month changed or the sync failed: each event once.
`,
  })
    .addOption(repeated(CONFIG[0], `${CONFIG[1]}; repeat it for several accounts`, CONFIG[2]))
    .addOption(repeated("--only <name>", "account of the config to read; repeat it for several"))
    .option(...DATABASE)
    .option("--report <file>", "report to write (HTML)")
    .option("--every <time>", "go on, with one sync each 30m, 1h, 1d, …")
    .option("--json", "print the summary as one JSON object a line")
    .option(...MEMORY)
    .option(
      "--reset [stream]",
      "read usage, costs or both from the beginning; every row in the file stays until its newer version comes",
    );
  withInputs(syncing).action((_, at: Parser) => {
    const faults = [...emptyFault(at)];
    const options = {
      configs: textsOf(at, "config"),
      only: textsOf(at, "only"),
      report: optionalText(at, "report"),
      every: intervalOf(at, faults),
      json: isSet(at, "json"),
      reset: resetOf(at, faults),
      ...sharedOf(at, faults),
    };
    refuseAll(at, faults);
    found({ kind: "sync", options });
  });
  addCosts(program, (options) => found({ kind: "costs", options }));
  addQuery(program, (options) => found({ kind: "query", options }));
  addReport(program, found);
  addClose(program, found);
}

/** `--reset`: the streams that are read from the beginning. */
function resetOf(at: Parser, faults: string[]): readonly ResettableStream[] {
  if (isSet(at, "reset")) return RESETTABLE;
  const given = optionalText(at, "reset");
  const found = RESETTABLE.filter((name) => name === given);
  if (given !== undefined && found.length === 0)
    faults.push(`--reset needs one of ${RESETTABLE.join(", ")}, or nothing for both`);
  return found;
}

/** `--every`: `30m`, `1h` or `1d`, in milliseconds. */
function intervalOf(at: Parser, faults: string[]): number | undefined {
  const text = optionalText(at, "every");
  if (text === undefined) return undefined;
  const [, count = "", unit = ""] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  faults.push("--every needs a time such as 30m, 1h or 1d");
  return undefined;
}

/** `--memory`: `512MB` or `2GB`, in bytes; absent for the default. */
function memoryIn(at: Parser, faults: string[]): number | undefined {
  const text = optionalText(at, "memory");
  if (text === undefined) return undefined;
  const [, count = "", unit = ""] = /^([1-9]\d{0,5})(MB|GB)$/.exec(text) ?? [];
  const bytes = Number(count) * (SIZES[unit] ?? Number.NaN);
  if (bytes >= LEAST_MEMORY) return bytes;
  faults.push("--memory needs a size of at least 128MB, such as 512MB or 2GB");
  return undefined;
}

/** Adds the options of the input files, of the reporting currency and of the fiscal year. */
const withInputs = (command: Parser): Parser =>
  INPUTS.reduce((known, input) => {
    const { needed, optional } = columnsOf(input);
    const more = optional.length === 0 ? "" : `; it may have ${optional.join(", ")}`;
    return known.option(
      `--${input.option} <file>`,
      `CSV with the columns ${needed.join(", ")}${more}`,
    );
  }, command)
    .option(
      "--currency <code>",
      `currency in which all costs are also shown, such as EUR; needs --exchange-rates; ${NO_CURRENCY} for none`,
    )
    .option(
      "--fiscal-year-start <month>",
      "first month of the fiscal year, 1 to 12; FY2026 ends in 2026",
    );

/** The options that `sync` and `report` share. Their faults go to `faults`. */
const sharedOf = (at: Parser, faults: string[]) => ({
  inputs: inputsOf(at),
  currency: currencyOf(at, faults),
  fiscalYearStart: fiscalYearStartOf(at, faults),
  memory: memoryIn(at, faults),
  database: databaseOf(at, faults),
});

/** `--currency`: a code of ISO 4217, or none. */
function currencyOf(at: Parser, faults: string[]): string | undefined {
  const text = optionalText(at, "currency");
  if (text !== undefined && text !== NO_CURRENCY && !/^[A-Z]{3}$/.test(text))
    faults.push(`--currency needs a code such as EUR, or ${NO_CURRENCY}`);
  return text;
}

function addReport(program: Parser, found: (command: WarehouseCommand) => void): void {
  const reporting = program
    .command("report")
    .description("write the report of any database that holds the raw tables");
  addUse(reporting, {
    examples: [
      "report",
      "report --database warehouse.duckdb --schema raw --teams teams.csv",
      "report --database postgresql://me@host/warehouse --out costs.html",
    ],
    codes: "0 the report is written; 1 it is not; 2 the line is wrong.",
    more: `
The database is only read. PostgreSQL: the password comes from PGPASSWORD, or the whole address from
DATABASE_URL with --database postgresql://
`,
  })
    .option("--database <place>", "DuckDB file, or postgresql://user@host/name", "billing.duckdb")
    .option(
      "--schema <name>",
      "schema of the raw tables; main or the search path's first otherwise",
    )
    .option("--out <file>", "report to write (HTML)", "report.html")
    .option(...MEMORY);
  withInputs(reporting).action((_, at: Parser) => {
    const faults = [...emptyFault(at)];
    const options = {
      schema: optionalText(at, "schema"),
      out: optionalText(at, "out") ?? "",
      ...sharedOf(at, faults),
    };
    refuseAll(at, faults);
    found({ kind: "report", options });
  });
}

function addClose(program: Parser, found: (command: WarehouseCommand) => void): void {
  const closing = program
    .command("close")
    .description("close a month: freeze its costs in a book that no later sync changes");
  addUse(closing, {
    examples: [
      "close 2026-10 --by month",
      "close 2026-10 --by billing-period --accrue",
      'close 2026-10 --by month --reopen --why "a team was wrong"',
    ],
    codes: "0 the book is written; 1 it is not, and nothing was changed; 2 the line is wrong.",
    more: `
Views: billing-period is the month that invoices name, month is that of use. Both may be closed.
It refuses while days are not proven or provisional, and names them. --accrue books accruals for
them, and the next close reverses these. Later changes are adjustments of the next month that is
closed: the table adjustments has them, close_lines the books. See docs/closing.md.
`,
  })
    // Not needed by the parser, which would name no other fault of the line then.
    .argument("[month]", "the month, such as 2026-10")
    .usage("[options] <month>")
    .option("--by <view>", VIEWS.join(" or "))
    .option("--accrue", "book accruals for what is provisional, not proven or not read")
    .option("--reopen", "close a closed month again; its old book is kept")
    .option("--why <text>", "why the month is closed again; stands in the new book")
    .option(...DATABASE)
    .option("--json", "print the book as one JSON object")
    .action((month: string | undefined, _, at: Parser) => {
      const isMonth = month !== undefined && /^[1-9]\d{3}-(0[1-9]|1[0-2])$/.test(month);
      const by: unknown = at.getOptionValue("by");
      const view = VIEWS.find((each) => each === by);
      const why = optionalText(at, "why");
      const faults = [
        ...emptyFault(at),
        ...(isMonth ? [] : ["close needs a month such as 2026-10"]),
        ...(view === undefined && by !== "" ? [`--by needs one of ${VIEWS.join(", ")}`] : []),
        ...(isSet(at, "reopen") === (at.getOptionValue("why") !== undefined)
          ? []
          : ["--reopen and --why belong together: a month is closed again for a reason"]),
      ];
      const database = databaseOf(at, faults);
      if (view === undefined || !isMonth || faults.length > 0) refuse(at, faults.join("; "));
      else {
        const options = { month, view, why, accrue: isSet(at, "accrue"), json: isSet(at, "json") };
        found({ kind: "close", options: { ...options, database } });
      }
    });
}

function addInit(program: Parser, found: (command: WarehouseCommand) => void): void {
  const asking = program
    .command("init")
    .description("ask for an address and a credential, check them, and write the configuration");
  addUse(asking, {
    examples: [
      "init",
      "init --provider openai --secret-stdin < key.txt",
      "init --base-url https://billing.example.com --start-date 2026-01-01",
      "init --add openai --provider openai",
    ],
    codes: "0 the file is written; 1 it is not; 2 the line is wrong.",
    more: `
Providers: ${PROVIDER_NAMES.filter((name) => name !== "interface").join(", ")} need a key only; interface is any other provider, one that
serves the AI Provider Billing Export Interface: it needs --base-url and an access token.
init asks for what the line does not say, and never replaces a file.
`,
  })
    .option(
      "--config <file>",
      "file to write; it must not exist yet, except with --add",
      DEFAULT_CONFIG,
    )
    .option("--add <name>", "add an account of this name to the config that is there")
    .option("--provider <name>", `one of ${PROVIDER_NAMES.join(", ")}`)
    .option("--base-url <address>", "address of the provider's billing export")
    .option("--secret-stdin", "read the token or key from stdin instead of asking for it")
    .option("--account <label>", "your own name for the billing account")
    .option("--start-date <date>", "first day to read; without it, all that the provider keeps")
    .action((_, at: Parser) => {
      const config = optionalText(at, "config") ?? "";
      const given = optionalText(at, "provider");
      const provider = given === undefined || !isProviderName(given) ? undefined : given;
      const baseUrl = optionalText(at, "baseUrl");
      refuseAll(at, [
        ...emptyFault(at),
        ...(config === STDIN ? ["--config needs the name of the file to write"] : []),
        ...(given === provider ? [] : [`--provider needs one of ${PROVIDER_NAMES.join(", ")}`]),
      ]);
      found({
        kind: "init",
        options: {
          config,
          add: optionalText(at, "add"),
          provider: provider ?? (baseUrl === undefined ? undefined : "interface"),
          baseUrl,
          secretFromInput: isSet(at, "secretStdin"),
          account: optionalText(at, "account"),
          startDate: optionalText(at, "startDate"),
        },
      });
    });
}

/** `--fiscal-year-start`: a month as its number. */
function fiscalYearStartOf(at: Parser, faults: string[]): string | undefined {
  const month = optionalText(at, "fiscalYearStart");
  if (month !== undefined && !/^([1-9]|1[0-2])$/.test(month))
    faults.push("--fiscal-year-start needs a month from 1 to 12");
  return month;
}

/** The files of the inputs by their options. commander names `--exchange-rates` `exchangeRates`. */
const inputsOf = (at: Parser): InputFiles => ({
  teams: optionalText(at, "teams"),
  budgets: optionalText(at, "budgets"),
  "exchange-rates": optionalText(at, "exchangeRates"),
  invoices: optionalText(at, "invoices"),
  shared: optionalText(at, "shared"),
});
