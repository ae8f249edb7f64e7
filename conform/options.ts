/** The command line of `conform`, and the files that it names. */
import { readFile } from "node:fs/promises";
import type { Command as Parser } from "commander";
import * as z from "zod";
import { hasAccounts, SEVERAL_ACCOUNTS } from "../src/config/account_list.ts";
import { tokenRule } from "../src/config/token_rule.ts";
import { DEFAULT_CONFIG } from "../src/config_place.ts";
import { reasonOf } from "../src/file_faults.ts";
import { CannotRun } from "./errors.ts";
import { chosen, shownName } from "./registry.ts";

/** The options of a run; file names are as written. */
export interface Options {
  readonly baseUrl: string;
  readonly token: string;
  readonly limitedToken?: string | undefined;
  readonly oauth?: string | undefined;
  /** Ids and groups of checks; empty for all. */
  readonly only: readonly string[];
  readonly deep: boolean;
  readonly state?: string | undefined;
  readonly expect?: string | undefined;
  readonly junit?: string | undefined;
  readonly html?: string | undefined;
  readonly json?: string | undefined;
}

const NAME = "source-ai-billing conform";

const HELP = `
Address and token come from the config, or from the environment:
  AI_BILLING_BASE_URL       address, which --base-url replaces
  AI_BILLING_TOKEN          read-only bearer token with all three scopes
  AI_BILLING_LIMITED_TOKEN  token without billing.cost.read, to see the 403
BILLING_EXPORT_TOKEN and BILLING_EXPORT_LIMITED_TOKEN, the older names, work too. With --base-url no
config is read unless --config names one. No token is taken from the command line, which lists of
processes show.

All requests read only, and Retry-After is honored. The run is bounded: about 130 requests, at most
20 minutes and 128 MiB of answers; with --deep a few hundred requests, 2 hours and 512 MiB. The
checks that are left then are reported as not verified.

A report and the file of --state replace nothing but a file of an earlier run.

A file for --expect has an id on each line; what follows a # is a remark. A file for --oauth is
  { "client_id": "…", "client_secret": "…", "refresh_token": "…" }
It is written again if a refresh brings a new refresh token. With --deep the old refresh token is
sent once more to see it refused, which may end that sign-in.

Examples:
  $ ${NAME}
  $ ${NAME} --base-url https://billing.example.com --html report.html
  $ ${NAME} --config config.json --only PAG,REC-02 --deep

Exit codes: 0 no rule of the interface is broken, but those of --expect; 1 one is, or a line of
--expect names a check that passes; 2 the check could not run.
`;

/** Adds `conform` to the command tree. `found` gets its options as they are written. */
export function addConform(program: Parser, found: (command: ConformCommand) => void): void {
  program
    .command("conform")
    .description(
      "check a provider against the AI Provider Billing Export Interface, clause by clause",
    )
    .option("--base-url <url>", "address that the operations lie under, without /v1")
    .option(
      "--config <file>",
      'take address and token from a configuration (JSON), or - for stdin (default: "config.json")',
    )
    .option("--oauth <file>", "client and refresh token (JSON), to try a refresh")
    .option("--only <ids>", "checks or groups, by comma: PAG,REC-02")
    .option("--deep", "longer checks too", false)
    .option("--state <file>", "compare with the run that wrote this file, and write it again")
    .option("--expect <file>", "checks that are known to fail")
    .option("--junit <file>", "write a report as JUnit XML")
    .option("--html <file>", "write a report as HTML")
    .option("--json <file>", "write a report as JSON")
    .addHelpText("after", HELP)
    .action((_, at: Parser) => found({ kind: "conform", options: parsed.parse(at.opts()) }));
}

const argument = z.string().optional();
const parsed = z.object({
  baseUrl: argument,
  config: argument,
  oauth: argument,
  only: argument,
  deep: z.boolean(),
  state: argument,
  expect: argument,
  junit: argument,
  html: argument,
  json: argument,
});

/** The options as they are written. */
export type GivenOptions = z.output<typeof parsed>;

export interface ConformCommand {
  readonly kind: "conform";
  readonly options: GivenOptions;
}

const configSchema = z.object({
  base_url: z.string().optional(),
  credentials: z.object({ access_token: z.string().optional() }).optional(),
});

/** Reads a JSON file. Throws {@link CannotRun} that names the file and what is wrong with it, never what it holds. */
export async function readJson<Value>(path: string, schema: z.ZodType<Value>): Promise<Value> {
  let value: unknown;
  try {
    value = JSON.parse(await readText(path));
  } catch (error) {
    if (error instanceof CannotRun) throw error;
    throw new CannotRun(`${path} is no JSON`);
  }
  return judgedJson(value, path, schema);
}

function judgedJson<Value>(value: unknown, path: string, schema: z.ZodType<Value>): Value {
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  const where = error?.issues.map(({ path: at, message }) => `${at.join(".")}: ${message}`) ?? [];
  throw new CannotRun(`${path} is not as it should be: ${where.join("; ")}`);
}

/** Reads a text file. Throws {@link CannotRun} that names it. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new CannotRun(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** The base URL without a slash at the end; undefined for one that a token must not be sent to. */
function baseUrlOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = ["127.0.0.1", "[::1]", "localhost"].includes(url?.hostname ?? "");
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLocal);
  return isSafe && url.username === "" && url.search === "" && url.hash === ""
    ? url.href.replace(/\/+$/, "")
    : undefined;
}

/** The options of files that are written without a value. Their results would be lost after minutes. */
const emptyOf = ({ html, json, junit, state }: GivenOptions): readonly string[] =>
  Object.entries({ html, json, junit, state })
    .filter(([, path]) => path === "")
    .map(([name]) => `--${name}`);

const faultsOfToken = (name: string, token: string | undefined): readonly string[] => {
  const rule = token === undefined ? undefined : tokenRule(token);
  return rule === undefined ? [] : [`${name} ${rule}`];
};

/** A config, or the fault because of which it cannot be used. */
async function configOf(
  path: string,
  readConfig: (path: string) => Promise<unknown>,
): Promise<{ readonly config: z.output<typeof configSchema>; readonly fault?: string }> {
  try {
    const file = await readConfig(path);
    if (hasAccounts(file)) throw new CannotRun(SEVERAL_ACCOUNTS);
    return { config: judgedJson(file, "the config", configSchema) };
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    return { config: {}, fault: error.message.replace(/\.$/, "") };
  }
}

/**
 * Completes the options of a line by the environment, and by the config if one is named.
 *
 * @throws CannotRun which names everything that is wrong
 */
export async function completed(
  given: GivenOptions,
  environment: Readonly<Record<string, string | undefined>>,
  readConfig: (path: string) => Promise<unknown>,
): Promise<Options> {
  const needsNoConfig = given.config === undefined && given.baseUrl !== undefined;
  const { config, fault } = needsNoConfig
    ? { config: {} }
    : await configOf(given.config ?? DEFAULT_CONFIG, readConfig);
  const address = given.baseUrl ?? config.base_url;
  const baseUrl = address === undefined ? undefined : baseUrlOf(address);
  const fromEnvironment = (name: string): string | undefined =>
    [environment[`AI_BILLING_${name}`], environment[`BILLING_EXPORT_${name}`]].find(
      (value) => value !== undefined && value !== "",
    );
  const token = config.credentials?.access_token ?? fromEnvironment("TOKEN");
  const limitedToken = fromEnvironment("LIMITED_TOKEN");
  const only = (given.only ?? "").split(",").filter((name) => name.trim() !== "");
  const { unknown } = chosen(only);
  const faults = [
    ...(fault === undefined ? [] : [fault]),
    ...emptyOf(given).map((option) => `${option} has no value`),
    ...(address === undefined && fault === undefined ? ["--base-url is missing"] : []),
    ...(address !== undefined && baseUrl === undefined
      ? ["--base-url must be an https address (or http on this machine), without a query"]
      : []),
    ...(token === undefined && fault === undefined
      ? ["a token is missing: set AI_BILLING_TOKEN, or name a config that has one with --config"]
      : []),
    ...faultsOfToken("the token", token),
    ...faultsOfToken("AI_BILLING_LIMITED_TOKEN", limitedToken),
    // A script whose variable is not set must not try all checks, and then believe that it tried one.
    ...(given.only !== undefined && only.length === 0 ? ["--only names no check"] : []),
    ...(unknown.length > 0 ? [`--only names no check: ${unknown.map(shownName).join(", ")}`] : []),
  ];
  if (baseUrl === undefined || token === undefined || faults.length > 0)
    throw new CannotRun(faults.join("; "));
  return { ...given, baseUrl, token, limitedToken, only };
}
