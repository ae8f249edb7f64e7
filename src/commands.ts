/** The engine's part of the command tree: the commands of the protocol (airbyte-protocol 0.18), `record` and `login`. */
import type { Command as Parser } from "commander";
import { isSet, neededTexts, optionalText, refuse } from "./command_options.ts";
import type { AskingCommand } from "./asking.ts";
import type { LoginCommand } from "./login/login.ts";

/** A command of the engine. File names are as the user wrote them, never empty. */
export type EngineCommand =
  | { readonly kind: "spec"; readonly debug: boolean }
  | AskingCommand
  | LoginCommand;

const FILES = {
  config: ["--config <file>", "configuration (JSON); `spec` lists its settings"],
  catalog: ["--catalog <file>", "configured catalog (JSON): the streams to read"],
  writeConfig: ["--write-config", "save renewed OAuth tokens to the configuration file"],
  state: [
    "--state <file>",
    "the last states of earlier reads (JSON list), not older than the rows that you kept; without it, everything is read",
  ],
  debug: ["--debug", "log more, to find the cause of a failure"],
} as const;

/** Adds the commands to the tree. `found` gets the command that a line asks for. */
export function addEngine(program: Parser, found: (command: EngineCommand) => void): void {
  const command = (name: string, description: string): Parser =>
    program
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
      .option(...FILES.config)
      .option(...FILES.writeConfig)
      .action((_, at: Parser) => {
        const [config = ""] = neededTexts(at, "config");
        found({ kind, config, ...switchesOf(at) });
      });
  }
  command("read", "read the streams of a catalog: records and states")
    .option(...FILES.config)
    .option(...FILES.catalog)
    .option(...FILES.state)
    .option(...FILES.writeConfig)
    .action((_, at: Parser) => {
      const [config = "", catalog = ""] = neededTexts(at, "config", "catalog");
      found({ kind: "read", config, catalog, state: optionalText(at, "state"), ...switchesOf(at) });
    });
  command("record", "save a few answers of Anthropic, OpenAI or OpenRouter, with ids hashed")
    .option(...FILES.config)
    .option("--out <folder>", "folder to save to; new or empty")
    .action((_, at: Parser) => {
      const [config = "", out = ""] = neededTexts(at, "config", "out");
      found({ kind: "record", config, out, debug: isDebug(at) });
    });
  addLogin(program, found);
}

/** Finds `--debug` before the command and after it. */
const isDebug = (at: Parser): boolean => at.optsWithGlobals()["debug"] === true;

const switchesOf = (at: Parser): { readonly writeConfig: boolean; readonly debug: boolean } => ({
  writeConfig: isSet(at, "writeConfig"),
  debug: isDebug(at),
});

function addLogin(program: Parser, found: (command: LoginCommand) => void): void {
  program
    .command("login")
    .description("sign in at the provider with a browser (OAuth 2.0), save the tokens to the file")
    .option(...FILES.config)
    .option("--no-browser", "show the address to open instead of starting a browser")
    .option("--port <number>", "port on 127.0.0.1 that the browser comes back to, 0 for any", "0")
    .action((_, at: Parser) => {
      const [config = ""] = neededTexts(at, "config");
      found({ kind: "login", config, browser: isSet(at, "browser"), port: portOf(at) });
    });
}

function portOf(at: Parser): number {
  const given = optionalText(at, "port") ?? "";
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  return port <= 65_535 ? port : refuse(at, "--port needs a number from 0 to 65535");
}
