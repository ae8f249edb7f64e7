/** The engine's part of the command tree: the commands of the protocol (airbyte-protocol 0.18), `record` and `login`. */
import type { Command as Parser } from "commander";
import {
  addUse,
  CONFIG,
  ENVIRONMENT,
  isSet,
  neededFault,
  neededTexts,
  optionalText,
  refuseAll,
} from "./command_options.ts";
import type { AskingCommand } from "./asking.ts";
import { DEFAULT_CONFIG, STDIN } from "./config_place.ts";
import type { LoginCommand } from "./login/login.ts";

/** A command of the engine. File names are as the user wrote them, never empty. */
export type EngineCommand =
  | { readonly kind: "spec"; readonly debug: boolean }
  | AskingCommand
  | LoginCommand;

const FILES = {
  catalog: ["--catalog <file>", "configured catalog (JSON): the streams to read"],
  writeConfig: ["--write-config", "save renewed OAuth tokens to the configuration file"],
  state: [
    "--state <file>",
    "the last states of earlier reads (JSON list), not older than the rows that you kept; without it, everything is read",
  ],
  debug: ["--debug", "log more, to find the cause of a failure"],
} as const;

const CATALOG = `
A catalog to start from:
  {
    "streams": [
      { "stream": { "name": "usage" }, "sync_mode": "incremental" },
      { "stream": { "name": "costs" }, "sync_mode": "incremental" },
      { "stream": { "name": "export_windows" }, "sync_mode": "incremental" }
    ]
  }
`;

const LOGIN_CONFIG = `
The file needs an address and a client:
  {
    "base_url": "https://billing.example.com",
    "credentials": { "auth_type": "oauth2_authorization_code", "client_id": "my-client" }
  }
`;

/** Adds the commands to the tree. `found` gets the command that a line asks for. */
export function addEngine(program: Parser, found: (command: EngineCommand) => void): void {
  const command = (name: string, description: string): Parser =>
    program
      .command(name)
      .description(description)
      .option(...FILES.debug);
  const spec = program
    .command("spec")
    .description("print the specification: the settings of the configuration");
  // Platforms may pass it to each command. `spec` has nothing to log.
  spec.addOption(spec.createOption(...FILES.debug).hideHelp());
  addUse(spec, {
    examples: ["spec"],
    codes: "0 it is printed; 1 it could not be printed; 2 the line is wrong.",
  }).action((_, at: Parser) => found({ kind: "spec", debug: isDebug(at) }));
  for (const [kind, description, codes] of [
    [
      "check",
      "try the configuration and say in one sentence if it works",
      "0 the message says SUCCEEDED or FAILED; 1 only time or the provider\n" +
        "can mend the fault; 2 the line is wrong.",
    ],
    [
      "discover",
      "print the catalog: the streams on offer and their columns",
      "0 the catalog is printed; 1 it failed; 2 the line is wrong.",
    ],
  ] as const) {
    const examples = [kind, `${kind} --config config.json`];
    addUse(command(kind, description), { examples, codes, more: ENVIRONMENT })
      .option(...CONFIG)
      .option(...FILES.writeConfig)
      .action((_, at: Parser) => {
        const [config = ""] = neededTexts(at, "config");
        found({ kind, config, ...switchesOf(at) });
      });
  }
  addRead(command("read", "read the streams of a catalog: records and states"), found);
  addUse(
    command("record", "save a few answers of Anthropic, OpenAI or OpenRouter, with ids hashed"),
    {
      examples: ["record --out answers"],
      codes: "0 the answers are saved; 1 it failed; 2 the line is wrong.",
      more: ENVIRONMENT,
    },
  )
    .option(...CONFIG)
    .option("--out <folder>", "folder to save to; new or empty")
    .action((_, at: Parser) => {
      const [config = "", out = ""] = neededTexts(at, "config", "out");
      found({ kind: "record", config, out, debug: isDebug(at) });
    });
  addLogin(program, found);
}

function addRead(command: Parser, found: (command: EngineCommand) => void): void {
  addUse(command, {
    examples: [
      "read --config config.json --catalog catalog.json --state state.json",
      "read --catalog catalog.json --write-config",
    ],
    codes:
      "0 everything was read; 1 something was not, and the next read goes on from\n" +
      "the last state; 2 the line is wrong.",
    more: `${CATALOG}${ENVIRONMENT}`,
  })
    .option(...CONFIG)
    .option(...FILES.catalog)
    .option(...FILES.state)
    .option(...FILES.writeConfig)
    .action((_, at: Parser) => {
      const [config = "", catalog = ""] = neededTexts(at, "config", "catalog");
      found({ kind: "read", config, catalog, state: optionalText(at, "state"), ...switchesOf(at) });
    });
}

/** Finds `--debug` before the command and after it. */
const isDebug = (at: Parser): boolean => at.optsWithGlobals()["debug"] === true;

const switchesOf = (at: Parser): { readonly writeConfig: boolean; readonly debug: boolean } => ({
  writeConfig: isSet(at, "writeConfig"),
  debug: isDebug(at),
});

function addLogin(program: Parser, found: (command: LoginCommand) => void): void {
  const command = program
    .command("login")
    .description("sign in at the provider with a browser (OAuth 2.0), save the tokens to the file");
  addUse(command, {
    examples: ["login", "login --config config.json --no-browser"],
    codes: "0 the tokens are saved; 1 nobody signed in; 2 the line is wrong.",
    more: LOGIN_CONFIG,
  })
    .option("--config <file>", "configuration (JSON) that gets the tokens", DEFAULT_CONFIG)
    .option("--no-browser", "show the address to open instead of starting a browser")
    .option("--port <number>", "port on 127.0.0.1 that the browser comes back to, 0 for any", "0")
    .action((_, at: Parser) => {
      const config = optionalText(at, "config") ?? "";
      const port = portOf(at);
      refuseAll(at, [
        ...neededFault(at, "config"),
        ...(config === STDIN ? ["--config needs a file here, because the tokens go into it"] : []),
        ...(port <= 65_535 ? [] : ["--port needs a number from 0 to 65535"]),
      ]);
      found({ kind: "login", config, browser: isSet(at, "browser"), port });
    });
}

/** `--port`; not a number if it is none. */
function portOf(at: Parser): number {
  const given = optionalText(at, "port") ?? "";
  return /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
}
