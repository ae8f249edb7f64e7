/** `source-ai-billing verify`: from the config to the results, the file and the exit code. */
import { CannotRun } from "../conform/errors.ts";
import { Wire } from "../conform/http.ts";
import { Shown } from "../conform/text.ts";
import { providers } from "../src/adapters/index.ts";
import type { ProviderName } from "../src/adapters/report.ts";
import type { Config } from "../src/config/config.ts";
import { loadConfig, type TokenStore, type TokenStoreHost } from "../src/config/token_store.ts";
import { isLoopback } from "../src/core/loopback.ts";
import { BACKOFF_POLICY } from "../src/core/retry.ts";
import { formatDay } from "../src/core/time.ts";
import { ConnectorError } from "../src/errors.ts";
import { reasonOf } from "../src/file_faults.ts";
import type { OpenTransport } from "../src/http/transport.ts";
import { openCredential } from "../src/oauth/credential.ts";
import type { Account, OpenAccount } from "./account.ts";
import { openAnthropic } from "./anthropic.ts";
import { Asker } from "./asker.ts";
import { ASSUMPTIONS } from "./assumptions.ts";
import { verifyInterface } from "./interface.ts";
import { faultsOfMonths } from "./invoice.ts";
import { type Memory, newMemory, isOwn, parseMemory } from "./memory.ts";
import { openOpenAi } from "./openai.ts";
import { openOpenRouter } from "./openrouter.ts";
import type { VerifyCommand } from "./options.ts";
import { faultsOfOutputs, memoryPathOf, readMemory, write } from "./outputs.ts";
import { endOf, fileOf, lineOf, type Report } from "./report.ts";
import { verifyAccount } from "./run.ts";

/** The process that the command runs in. `stop` ends it; its reason is a ConnectorError `aborted`. */
export interface VerifyHost extends TokenStoreHost {
  readonly version: string;
  readonly random: () => number;
  readonly stop: AbortSignal;
  readonly openTransport: (connections: number) => OpenTransport;
  /** Proxies of the environment, for a provider of the interface. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes to stdout. Rejects if stdout is broken. */
  readonly say: (text: string) => Promise<void>;
  /** Writes a line to stderr. */
  readonly warn: (text: string) => void;
}

const OPENERS: Readonly<Record<ProviderName, OpenAccount>> = {
  anthropic: openAnthropic,
  openai: openOpenAi,
  openrouter: openOpenRouter,
};

/**
 * Runs the command.
 *
 * @returns whether nothing is contradicted
 * @throws ConnectorError if it could not run
 */
export async function verify(command: VerifyCommand, host: VerifyHost): Promise<boolean> {
  const { invoices, out } = command;
  // Checked before the first request: a run takes minutes, and its results must not be lost.
  const faults = [
    ...faultsOfMonths(invoices, host.clock.now()),
    ...(out === undefined ? [] : await faultsOfOutputs(out)),
  ];
  const store = await configOf(command, host, faults);
  if (faults.length > 0) throw cannot(faults);
  const { report, memory } = await reportOf(store, command, host);
  await host.say(endOf(report));
  if (out !== undefined) {
    await written(out, write(out, host.secrets.mask(fileOf(report))));
    if (memory !== undefined)
      await written(memoryPathOf(out), write(memoryPathOf(out), `${JSON.stringify(memory)}\n`));
    await host.say(`Written: ${out}. Look through it before you send it.\n`);
  }
  return report.results.every(({ verdict }) => verdict !== "contradicted");
}

const cannot = (faults: readonly string[]): ConnectorError =>
  new ConnectorError("invalid_arguments", `${faults.join(". ")}.`);

/** The config. Its faults are named together with those of the line. */
async function configOf(
  { config }: VerifyCommand,
  host: VerifyHost,
  faults: readonly string[],
): Promise<TokenStore> {
  try {
    return await loadConfig({ config, writeConfig: true }, host, (message) => {
      // Renewed tokens go into the file alone.
      if (message.type === "LOG") host.warn(message.log.message);
      return Promise.resolve();
    });
  } catch (reason) {
    const error = ConnectorError.from(reason);
    if (faults.length === 0 || error.code === "internal") throw error;
    throw cannot([...faults, error.message.replace(/\.$/, "")]);
  }
}

async function written(path: string, writing: Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (reason) {
    throw new ConnectorError(
      "invalid_arguments",
      `"${path}" cannot be written: ${reasonOf(reason)}.`,
      {
        cause: reason,
      },
    );
  }
}

type Outcome = { readonly report: Report; readonly memory: Memory | undefined };

async function reportOf(
  store: TokenStore,
  command: VerifyCommand,
  host: VerifyHost,
): Promise<Outcome> {
  const { provider } = store.config;
  const opened = host.openTransport(2);
  try {
    return provider === undefined
      ? await ofInterface(store, command, host, opened)
      : await ofReports(store.config, provider.name, command, host, opened);
  } finally {
    await opened.close();
  }
}

/** The longest time and the most requests of the checks of `conform`: a minute or so. */
const LIMITS = {
  requests: 120,
  waiting: 60_000,
  time: 180_000,
  bytes: 64 * 1024 ** 2,
  pages: 25,
  samplePages: 3,
  pause: 1000,
};
const HTTP_LIMITS = { silence: 20_000, total: 30_000, bytes: 8 * 1024 ** 2 };

async function ofInterface(
  { config, save }: TokenStore,
  { invoices }: VerifyCommand,
  host: VerifyHost,
  opened: OpenTransport,
): Promise<Outcome> {
  const { clock, random, stop, version, warn, environment, say } = host;
  const baseUrl = new URL(config.baseUrl);
  const { auth, settle } = await openCredential(config.credentials, {
    edges: { clock, random, transport: opened.transport },
    baseUrl,
    backoff: BACKOFF_POLICY,
    userAgent: `source-ai-billing/${version}`,
    save,
    stop,
    onRetry: warn,
  });
  const authorization = await auth.authorization(stop).finally(settle);
  const token = authorization.replace(/^Bearer /, "");
  const shown = new Shown();
  shown.hide(token);
  const wire = new Wire(HTTP_LIMITS, { ...environment });
  try {
    const credentials = { token, limitedToken: undefined, oauth: undefined };
    const session = {
      baseUrl: config.baseUrl,
      credentials,
      deep: false,
      earlier: undefined,
      limits: LIMITS,
      clock: { now: () => clock.now(), sleep: (ms: number) => clock.sleep(ms, stop) },
      wire,
      shown,
    };
    await say("The provider serves the interface: the checks of conform that cost little.\n\n");
    const ended = await verifyInterface(session, invoices, (checked) => say(lineOf(checked)));
    const report: Report = {
      version,
      provider: "interface",
      api: "the interface",
      isLive: !isLoopback(baseUrl),
      day: formatDay(ended.now),
      requests: ended.requests,
      results: ended.checks,
      lags: [],
      invoices: ended.invoices,
    };
    return { report, memory: undefined };
  } catch (reason) {
    if (!(reason instanceof CannotRun)) throw reason;
    throw new ConnectorError("unavailable", `${reason.message}.`, { cause: reason });
  } finally {
    wire.close();
  }
}

async function ofReports(
  { baseUrl, credentials, provider, account: label }: Config,
  name: ProviderName,
  { invoices, out }: VerifyCommand,
  host: VerifyHost,
  { transport }: OpenTransport,
): Promise<Outcome> {
  const { clock, stop, version, say, warn } = host;
  const key = credentials.authType === "scoped_bearer_token" ? credentials.accessToken : "";
  const { title, headers } = providers[name];
  const userAgent = { "user-agent": `source-ai-billing/${version}` };
  const asker = new Asker({
    transport,
    clock,
    stop,
    baseUrl,
    onWait: (why, seconds) => warn(`${title}: ${why}. Trying again in ${seconds} s.`),
    headers: { ...headers(key), ...userAgent },
  });
  const account = await opening(() => OPENERS[name](asker), title);
  const memory =
    out === undefined
      ? undefined
      : await memoryOf(out, [name, baseUrl, account.id ?? "", label ?? ""]);
  await say(
    `${title}, ${account.api}: ${ASSUMPTIONS[name].length} assumptions that small requests can decide.\n\n`,
  );
  const ended = await verifyAccount(account, memory, invoices, (result) => say(lineOf(result)));
  const report: Report = {
    version,
    provider: name,
    api: account.api,
    isLive: provider?.hasOwnAddress ?? false,
    day: formatDay(account.now),
    requests: asker.requests,
    ...ended,
  };
  return { report, memory: ended.memory };
}

/** Sends the first request. An error of this request ends the run. */
async function opening(open: () => Promise<Account>, title: string): Promise<Account> {
  try {
    return await open();
  } catch (reason) {
    const error = ConnectorError.from(reason);
    if (error.code === "unavailable")
      throw new ConnectorError("unavailable", `${title} cannot be asked: ${error.message}.`, {
        cause: error,
      });
    throw error;
  }
}

/**
 * The memory of earlier runs of this account; an empty one at the first run.
 *
 * @throws ConnectorError `invalid_arguments` if the note is of another account or no memory: it is never replaced by guess
 */
async function memoryOf(out: string, identity: readonly string[]): Promise<Memory> {
  const text = await readMemory(out);
  if (text === undefined) return newMemory(identity);
  const memory = text === null ? undefined : parseMemory(text);
  const path = memoryPathOf(out);
  if (memory === undefined)
    throw cannot([`"${path}" is no memory of this version: remove it, or name another --out`]);
  if (!isOwn(memory, identity))
    throw cannot([`"${path}" is the memory of another account: name another --out`]);
  return memory;
}
