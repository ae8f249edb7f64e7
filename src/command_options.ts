/** Reads the options of a command of the tree (cli/tree.ts). A wrong option ends the parsing with one sentence. */
import { Option, type Command as Parser } from "commander";
import { DEFAULT_CONFIG, VARIABLES } from "./config_place.ts";

/** The program's name. */
export const NAME = "source-ai-billing";

/** `--config` of the commands that read a config. */
export const CONFIG = [
  "--config <file>",
  "configuration (JSON), or - for stdin; `init` makes one",
  DEFAULT_CONFIG,
] as const;

/** The end of the help of the commands that read a config. */
export const ENVIRONMENT = `
Environment, for containers (no secret is taken from the command line):
  ${VARIABLES.baseUrl}  address of the provider, in place of base_url
  ${VARIABLES.token}     access token or key, in place of credentials
  ${VARIABLES.provider}  provider of a key: anthropic, openai or openrouter
With them no ${DEFAULT_CONFIG} is needed. A refresh token needs a file that can be written.
`;

/** Adds examples and exit codes to the help of a command. `examples` are lines without the program's name. */
export function addUse(
  command: Parser,
  { examples, codes, more = "" }: { examples: readonly string[]; codes: string; more?: string },
): Parser {
  const lines = examples.map((line) => `  $ ${NAME} ${line}\n`).join("");
  return command.addHelpText("after", `${more}\nExamples:\n${lines}\nExit codes: ${codes}\n`);
}

/** Marks the errors of {@link refuse}: their messages quote no text of the user, because the text may be a secret. */
export const REFUSED = "refused";

/** Ends the parsing. `fault` continues the sentence "The command line is wrong: …". */
export function refuse(command: Parser, fault: string): never {
  command.error(fault, { code: REFUSED });
}

/** Ends the parsing if a line has faults, and names them all. */
export function refuseAll(command: Parser, faults: readonly string[]): void {
  if (faults.length > 0) refuse(command, faults.join("; "));
}

export function isSet(command: Parser, name: string): boolean {
  return command.getOptionValue(name) === true;
}

/** An option's value; absent if it is empty, because acceptance suites pass `--state ""` for no state. */
export function optionalText(command: Parser, name: string): string | undefined {
  const given: unknown = command.getOptionValue(name);
  return typeof given === "string" && given !== "" ? given : undefined;
}

/**
 * An option that may be repeated, for {@link textsOf}.
 *
 * @param otherwise its value if the line does not have it
 */
export function repeated(flags: string, description: string, otherwise?: string): Option {
  const usual = otherwise === undefined ? undefined : [otherwise];
  const option = new Option(flags, description).argParser(
    (value: string, before: readonly string[] | undefined): readonly string[] =>
      before === undefined || before === usual ? [value] : [...before, value],
  );
  return usual === undefined ? option : option.default(usual, JSON.stringify(otherwise));
}

/** The values of an option that may be repeated. */
export function textsOf(command: Parser, name: string): readonly string[] {
  const given: unknown = command.getOptionValue(name);
  return Array.isArray(given) ? given.map(String) : [];
}

/** The values of options that a command needs, in order. Names all that are missing at once. */
export function neededTexts(command: Parser, ...names: readonly string[]): readonly string[] {
  refuseAll(command, neededFault(command, ...names));
  return names.map((name) => optionalText(command, name) ?? "");
}

/** The fault of a line that lacks some of the options that a command needs. */
export function neededFault(command: Parser, ...names: readonly string[]): readonly string[] {
  return missingFault(
    command,
    names.filter((name) => optionalText(command, name) === undefined),
  );
}

/** The fault of a line without these options: one sentence, or none if there are no names. */
export function missingFault(command: Parser, names: readonly string[]): readonly string[] {
  const flags = names.map((name) => flagsOf(command, name)).join(" and ");
  return names.length === 0 ? [] : [`${flags} ${names.length === 1 ? "is" : "are"} missing`];
}

const flagsOf = (command: Parser, name: string): string =>
  command.options.find((option) => option.attributeName() === name)?.flags ?? `--${name}`;
