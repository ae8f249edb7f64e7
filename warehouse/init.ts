/** `init`: asks for an address and a credential, checks them, and writes the config. */
import { addressFault } from "../src/config/address.ts";
import { parseConfig, secretsOf } from "../src/config/config.ts";
import { configFileFault, createConfigFile } from "../src/config/file.ts";
import { addAccount, faultOfChanging, faultsOfAdding } from "./add_account.ts";
import { DEFAULT_CONFIG } from "../src/config_place.ts";
import { ConnectorError } from "../src/errors.ts";
import type { LogLevel, LogMessage } from "../src/protocol.ts";
import type { WarehouseHost } from "./host.ts";

/** The kinds of credentials by the names that people use: the `auth_type`, the key of the secret, and words for a newcomer. */
const PROVIDERS = {
  anthropic: {
    authType: "anthropic_admin_key",
    key: "api_key",
    secret: "admin key",
    words: "Anthropic, with an admin key of the organization",
  },
  openai: {
    authType: "openai_admin_key",
    key: "api_key",
    secret: "admin key",
    words: "OpenAI, with an admin key of the organization",
  },
  openrouter: {
    authType: "openrouter_management_key",
    key: "api_key",
    secret: "management key",
    words: "OpenRouter, with a management key of the account",
  },
  interface: {
    authType: "scoped_bearer_token",
    key: "access_token",
    secret: "access token",
    words:
      "any other provider that serves the AI Provider Billing Export Interface, with its address and an access token",
  },
} as const;

export type ProviderName = keyof typeof PROVIDERS;
export const PROVIDER_NAMES = Object.keys(PROVIDERS);
export const isProviderName = (name: string): name is ProviderName => PROVIDER_NAMES.includes(name);

export interface InitOptions {
  readonly config: string;
  /** The name of an account that is added to the config; absent for a new file. */
  readonly add: string | undefined;
  /** The person is asked for this member and the next two if they are absent. */
  readonly provider: ProviderName | undefined;
  readonly baseUrl: string | undefined;
  /** Whether stdin is the secret. */
  readonly secretFromInput: boolean;
  /** The command line alone names this member and the next one. Nobody is asked for them. */
  readonly account: string | undefined;
  readonly startDate: string | undefined;
}

/** The answers of a person, or what the line says in their place. */
interface Given {
  readonly provider: ProviderName;
  readonly baseUrl: string | undefined;
  readonly secret: string;
}

/**
 * Writes a config that was checked against the provider, with mode 0600, or adds it to the accounts of a config. Never replaces any
 * other file. All that the line says is judged before
 * a secret is asked for. At a terminal a fault of an answer is said, and the question comes again.
 *
 * @throws ConnectorError with every fault of the line, or with the words of `check`; then nothing is written
 */
export async function init(options: InitOptions, host: WarehouseHost): Promise<void> {
  const faults = await faultsOf(options, host);
  if (faults.length > 0) throw new ConnectorError("invalid_arguments", faults.join("\n"));
  const config = asks(options, host) ? await asked(options, host) : await judged(options, host);
  const { config: path, add: name } = options;
  const named = path === DEFAULT_CONFIG ? "" : ` --config ${path}`;
  let written = "is written";
  if (name === undefined) await createConfigFile(path, config);
  else written = `has the accounts ${(await addAccount({ path, name, config })).join(", ")}`;
  await host.say(
    `${path} ${written}; only you may read it. Next: source-ai-billing sync${named}\n`,
  );
}

/** Whether a person is there who may type the answers. With the secret on stdin, nobody can type there. */
const asks = ({ secretFromInput }: InitOptions, { ask: asking }: WarehouseHost): boolean =>
  asking !== undefined && !secretFromInput;

/** Stands for a secret while the rest of a config is judged. */
const TO_COME = "to-come";

/** Every fault of the line, as sentences. */
async function faultsOf(options: InitOptions, host: WarehouseHost): Promise<readonly string[]> {
  const { config: path, add, provider = "openai", baseUrl, secretFromInput, startDate } = options;
  const file = await (add === undefined ? configFileFault(path) : faultOfChanging(path));
  const isWithoutAddress = provider === "interface" && baseUrl === undefined;
  const missing = [
    ...(options.provider === undefined ? ["--provider"] : []),
    ...(isWithoutAddress ? ["--base-url"] : []),
    ...(secretFromInput ? [] : ["--secret-stdin"]),
  ];
  const address = isWithoutAddress ? "https://to-come.example" : baseUrl;
  const config = configOf(options, { provider, baseUrl: address, secret: TO_COME });
  const own = faultOf(() => parseConfig(config));
  // Without its address, an account cannot be judged beside the others yet: `addAccount` does that.
  const isWhole = own.length === 0 && options.provider !== undefined && !isWithoutAddress;
  return [
    ...(file === undefined ? [] : [`The config file "${path}" is not written: ${file}.`]),
    ...own,
    ...(add !== undefined && file === undefined && isWhole
      ? await faultsOfAdding({ path, name: add, config })
      : []),
    ...(startDate !== undefined && Date.parse(startDate) > host.now()
      ? ["The start date lies in the future: nothing would be read before it."]
      : []),
    ...(!asks(options, host) && missing.length > 0
      ? [`There is no terminal to ask at: pass ${missing.join(" and ")}.`]
      : []),
  ];
}

function faultOf(work: () => unknown): readonly string[] {
  try {
    work();
    return [];
  } catch (reason) {
    return [ConnectorError.from(reason).message];
  }
}

function configOf(options: InitOptions, { provider, baseUrl, secret }: Given) {
  const { authType, key } = PROVIDERS[provider];
  const { startDate, account } = options;
  return {
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    credentials: { auth_type: authType, [key]: secret },
    ...(startDate === undefined ? {} : { start_date: startDate }),
    ...(account === undefined ? {} : { account }),
  };
}

/** Tries what the line and stdin say. */
async function judged(options: InitOptions, host: WarehouseHost) {
  const { provider = "interface", baseUrl } = options;
  const config = configOf(options, { provider, baseUrl, secret: (await host.readInput()).trim() });
  await tryOut(config, host);
  return config;
}

/** Asks until `check` succeeds. Enter keeps an earlier answer, so that only the wrong one is typed again. */
async function asked(options: InitOptions, host: WarehouseHost) {
  for (let before: Given | undefined; ;) {
    const given = await answersOf(options, before, host);
    const config = configOf(options, given);
    try {
      await tryOut(config, host);
      return config;
    } catch (reason) {
      const error = ConnectorError.from(reason);
      if (error.code === "aborted" || error.code === "internal") throw error;
      host.warn(`${error.message}\nCorrect your answers: Enter keeps one, Ctrl-C ends.`);
    }
    before = given;
  }
}

async function answersOf(
  options: InitOptions,
  before: Given | undefined,
  host: WarehouseHost,
): Promise<Given> {
  const provider = options.provider ?? (await askProvider(before?.provider, host));
  const { secret: name } = PROVIDERS[provider];
  const kept = provider === before?.provider ? before : undefined;
  const baseUrl =
    provider === "interface" && options.baseUrl === undefined
      ? await askAddress(kept?.baseUrl, host)
      : options.baseUrl;
  const secret = await ask(host, `The ${name} (it is not shown)`, kept?.secret, true);
  return { provider, baseUrl, secret };
}

async function askAddress(before: string | undefined, host: WarehouseHost): Promise<string> {
  for (;;) {
    const answer = await ask(host, "Address of its billing export, without /v1", before);
    const fault = addressFault(answer, { query: false });
    if (fault === undefined) return answer;
    host.warn(`The address ${fault}.`);
  }
}

async function askProvider(
  before: ProviderName | undefined,
  host: WarehouseHost,
): Promise<ProviderName> {
  const lines = Object.entries(PROVIDERS).map(
    ([name, { words }], index) => `  ${index + 1}  ${name.padEnd(10)}  ${words}\n`,
  );
  await host.say(`Whose bill is to be read?\n${lines.join("")}`);
  for (;;) {
    const answer = (await ask(host, "Number or name", before)).toLowerCase();
    const name = PROVIDER_NAMES[Number(answer) - 1] ?? answer;
    if (isProviderName(name)) return name;
    host.warn(`That is no number from 1 to ${lines.length}, and no name of the list.`);
  }
}

/** Asks for a text until one is given. Enter alone keeps `before`. */
async function ask(
  host: WarehouseHost,
  question: string,
  before: string | undefined,
  secret = false,
): Promise<string> {
  const kept = before === undefined ? "" : secret ? " [keep]" : ` [${before}]`;
  for (;;) {
    const answer = (await host.ask?.(`${question}${kept}: `, secret))?.trim() ?? "";
    if (answer !== "" || before !== undefined) return answer === "" ? (before ?? "") : answer;
  }
}

/** Tries a config, and shows the sentence of `check`. @throws ConnectorError its fault */
async function tryOut(config: unknown, host: WarehouseHost): Promise<void> {
  host.secrets.add(secretsOf(config));
  const { sentence, notices, warnings } = await check(config, host);
  await host.say([sentence, ...notices].map((text) => `${text}\n`).join(""));
  for (const warning of warnings) host.warn(warning);
}

/** The result of a `check`, and its log. */
interface Checked {
  readonly sentence: string;
  readonly notices: readonly string[];
  readonly warnings: readonly string[];
}

/** Tries the config. @throws ConnectorError `invalid_config` with the sentence of a failed `check` */
async function check(config: unknown, host: WarehouseHost): Promise<Checked> {
  const command = { kind: "check", config: "", writeConfig: false, debug: false } as const;
  let sentence = "";
  const logs: LogMessage["log"][] = [];
  for await (const output of host.engine(command, { readJson: async () => config })) {
    if (output.type === "LOG") logs.push(output.log);
    if (output.type !== "CONNECTION_STATUS") continue;
    const { status, message = "" } = output.connectionStatus;
    if (status === "FAILED") throw new ConnectorError("invalid_config", message);
    sentence = message;
  }
  const saidAt = (level: LogLevel): string[] =>
    logs.filter((log) => log.level === level).map((log) => log.message);
  return { sentence, notices: saidAt("INFO"), warnings: saidAt("WARN") };
}
