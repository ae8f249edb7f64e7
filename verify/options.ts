/** The command line of `verify`. */
import type { Command as Parser } from "commander";
import {
  addUse,
  CONFIG,
  ENVIRONMENT,
  neededFault,
  optionalText,
  refuseAll,
} from "../src/command_options.ts";
import { type Invoice, parseInvoices } from "./invoice.ts";

/** File names are as the user wrote them, never empty. */
export interface VerifyCommand {
  readonly kind: "verify";
  readonly config: string;
  readonly invoices: readonly Invoice[];
  /** The file to write; undefined if nothing is to be written. */
  readonly out: string | undefined;
}

const MORE = `
For Anthropic, OpenAI and OpenRouter it sends some twenty small requests, and prints for each
assumption of docs/adapters.md that a request can decide: confirmed, contradicted or not seen here.
For a provider of the interface it runs the checks of conform that cost little. All requests only
read.

--out writes a file without ids, names, keys or amounts, for you to read and to send. For Anthropic,
OpenAI and OpenRouter, a memory beside it (FILE.memory.json) stays on this machine: run the same
line again after 24, 48 and 72 hours, and the lag of usage and costs is compared, too.

The invoice is of a closed month. Without a currency, that of the reports is taken if they have
only one. A difference is no error: the command says what may explain it.
${ENVIRONMENT}`;

/** Adds `verify` to the command tree. `found` gets the command that a line asks for. */
export function addVerify(program: Parser, found: (command: VerifyCommand) => void): void {
  addUse(
    program
      .command("verify")
      .description("try what is assumed about your provider's reports, in about a minute"),
    {
      examples: [
        "verify",
        "verify --config config.json --out verify.json",
        "verify --invoice 2026-10=1234.56 USD --out verify.json",
      ],
      codes: "0 nothing is contradicted; 1 something is; 2 the line is wrong, or it could not run.",
      more: MORE,
    },
  )
    .option(...CONFIG)
    .option("--invoice <month=total...>", "total of a month's invoice: 2026-10=1234.56 USD")
    .option("--out <file>", "file to write (JSON), which you may send")
    .action((_, at: Parser) => {
      const config = optionalText(at, "config") ?? "";
      const given: unknown = at.getOptionValue("invoice");
      const words = Array.isArray(given) ? given.map(String) : undefined;
      const { invoices, faults } =
        words === undefined ? { invoices: [], faults: [] } : parseInvoices(words);
      const out = optionalText(at, "out");
      // A script may pass a variable that is not set: `--out ""`. Without an error, its results would be lost.
      const noFile =
        at.getOptionValue("out") !== undefined && out === undefined ? ["--out names no file"] : [];
      refuseAll(at, [...neededFault(at, "config"), ...faults, ...noFile]);
      found({ kind: "verify", config, invoices, out });
    });
}
