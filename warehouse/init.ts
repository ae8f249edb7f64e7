/** `init`: asks for an address and a credential, checks them, and writes the config. */
import { secretsOf } from "../src/config/config.ts";
import { createConfigFile } from "../src/config/file.ts";
import { ConnectorError } from "../src/errors.ts";
import type { LogLevel, LogMessage } from "../src/protocol.ts";
import type { WarehouseHost } from "./host.ts";

/** The kinds of credentials by the names that people use: the `auth_type` and the key of the secret. */
const PROVIDERS = {
  interface: { authType: "scoped_bearer_token", key: "access_token", secret: "access token" },
  anthropic: { authType: "anthropic_admin_key", key: "api_key", secret: "admin key" },
  openai: { authType: "openai_admin_key", key: "api_key", secret: "admin key" },
  openrouter: { authType: "openrouter_management_key", key: "api_key", secret: "management key" },
} as const;

export type ProviderName = keyof typeof PROVIDERS;
export const PROVIDER_NAMES = Object.keys(PROVIDERS);
export const isProviderName = (name: string): name is ProviderName => PROVIDER_NAMES.includes(name);

export interface InitOptions {
  readonly config: string;
  /** Asked for where it is absent, and so are the two that follow. */
  readonly provider: ProviderName | undefined;
  readonly baseUrl: string | undefined;
  /** Whether stdin is the secret. */
  readonly secretFromInput: boolean;
  /** Not asked for. */
  readonly account: string | undefined;
  readonly startDate: string | undefined;
}

/**
 * Writes a config that was checked against the provider, with mode 0600. Never replaces a file.
 *
 * @throws ConnectorError `invalid_config` with what `check` says; then nothing is written
 */
export async function init(options: InitOptions, host: WarehouseHost): Promise<void> {
  const provider = options.provider ?? (await askProvider(host));
  const { authType, key, secret: name } = PROVIDERS[provider];
  const needsAddress = provider === "interface" && options.baseUrl === undefined;
  const baseUrl = needsAddress ? await ask(host, "Base URL", "--base-url") : options.baseUrl;
  const secret = options.secretFromInput
    ? (await host.readInput()).trim()
    : await ask(host, `The ${name}`, "--secret-stdin", true);
  const config = {
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    credentials: { auth_type: authType, [key]: secret },
    ...(options.startDate === undefined ? {} : { start_date: options.startDate }),
    ...(options.account === undefined ? {} : { account: options.account }),
  };
  host.secrets.add(secretsOf(config));
  const { sentence, notices, warnings } = await check(config, host);
  await host.say([sentence, ...notices].map((text) => `${text}\n`).join(""));
  for (const warning of warnings) host.warn(warning);
  await createConfigFile(options.config, config);
  await host.say(
    `${options.config} is written; only you may read it. Next: source-ai-billing sync --config ${options.config}\n`,
  );
}

async function askProvider(host: WarehouseHost): Promise<ProviderName> {
  const answer = await ask(host, `Provider (${PROVIDER_NAMES.join(", ")})`, "--provider");
  if (isProviderName(answer)) return answer;
  throw new ConnectorError(
    "invalid_arguments",
    `The provider must be one of ${PROVIDER_NAMES.join(", ")}.`,
  );
}

async function ask(
  host: WarehouseHost,
  question: string,
  flag: string,
  secret = false,
): Promise<string> {
  if (host.ask === undefined) {
    throw new ConnectorError("invalid_arguments", `There is no terminal to ask at: pass ${flag}.`);
  }
  return (await host.ask(`${question}: `, secret)).trim();
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
