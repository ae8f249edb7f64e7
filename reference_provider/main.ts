import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Account, Scope } from "./accounts.ts";
import { SCOPES } from "./accounts.ts";
import { loadDirectory, loadLives, loadRealSpend } from "./data.ts";
import { generateAccount, parseGeneratorSpec } from "./generator/index.ts";
import { publishCertificate } from "./certificate.ts";
import { clientFacts } from "./oauth/control.ts";
import { createProvider } from "./provider.ts";
import type { Provider } from "./provider.ts";
import { formatInstant, requireInstant } from "./instants.ts";

const DEFAULT_NOW = "2025-10-04T12:00:00Z";
/** The default time of a fake. All three fakes show the days before it. */
const FAKE_NOW = "2026-11-01T12:00:00Z";

const HELP = `Usage: npm run provider -- [options]

Serves the AI Provider Billing Export Interface on 127.0.0.1, by default the real spend of reference_provider/data.

  --as NAME              serve a fake of the API of anthropic, openai or openrouter instead, with invented data
                         (fake_providers/README.md); takes --port, --now, --seed, --control and --json
  --port N               port to listen on; 0 takes any free one (default 8080)
  --base-path PATH       serve under a path such as /billing
  --data DIR             an account read from DIR: capabilities.json, usage.jsonl, costs.jsonl (may be repeated; the
                         account's id is the directory's name)
  --generate SPEC        a generated account, e.g. usage=10000,costs=500,days=30; also from, hours, currencies=USD+EUR,
                         late, restated, corrections=delta|ledger|replacement|none, monthly=true|false, reissued,
                         withdrawn, moved, retention, window (may be repeated; ids generated, generated-2 …)
  --lives FILE           more records for the first account: JSON Lines, each line with its dataset and life
                         (may be repeated)
  --now INSTANT          what the clock shows; it stands still (default ${DEFAULT_NOW}, with --as
                         ${FAKE_NOW}); "real" for the machine's clock
  --scopes A,B           scopes of the ready token (default all: ${SCOPES.join(",")})
  --rate-limit N         requests a minute and account before 429
  --cursor-lifetime N    seconds until a cursor expires (default 900)
  --oauth                serve OAuth 2.0 too: login and consent, tokens, metadata; prints a client and a refresh token
  --token-seconds N      life of an OAuth access token in real seconds (default 3600)
  --redirect-uri URI     a redirect address besides those on 127.0.0.1 and [::1], any port (may be repeated)
  --tls                  serve https with a certificate that is made at the start; prints the file to trust
  --host NAME            with --tls: the name under which others reach this machine; listens on all its addresses
  --control              serve /control too: clock, faults, totals, requests, tokens, records, capabilities; with --oauth
                         also oauth
  --seed N               seed of the generator and of faults left to chance (default 1)
  --json                 print one line, {"base_url": "…", "access_token": "…"}, and nothing else; with --oauth it
                         also has "oauth": client_id, client_secret, public_client_id, authorization_url, token_url,
                         issuer, refresh_token; with --tls "certificate", the file to trust
  --help                 print this
`;

const options = {
  as: { type: "string" },
  port: { type: "string", default: "8080" },
  "base-path": { type: "string", default: "" },
  data: { type: "string", multiple: true },
  generate: { type: "string", multiple: true },
  lives: { type: "string", multiple: true },
  now: { type: "string" },
  scopes: { type: "string", default: SCOPES.join(",") },
  "rate-limit": { type: "string" },
  "cursor-lifetime": { type: "string" },
  oauth: { type: "boolean", default: false },
  "token-seconds": { type: "string", default: "3600" },
  "redirect-uri": { type: "string", multiple: true },
  tls: { type: "boolean", default: false },
  host: { type: "string", default: "127.0.0.1" },
  control: { type: "boolean", default: false },
  seed: { type: "string", default: "1" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** The options that a fake takes. */
const OF_FAKE: ReadonlySet<string> = new Set(["as", "port", "now", "seed", "control", "json"]);

/** Refuses options that would do nothing beside the others. */
function refuseIdle(given: readonly string[]): void {
  const foreign = given.find((name) => !OF_FAKE.has(name));
  if (given.includes("as") && foreign !== undefined)
    throw new RangeError(`--as does not take --${foreign}`);
  const lone = ["token-seconds", "redirect-uri"].find((name) => given.includes(name));
  if (!given.includes("oauth") && lone !== undefined)
    throw new RangeError(`--${lone} needs --oauth`);
}

function integer(name: string, text: string, minimum: number, maximum: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw new RangeError(`--${name} must be an integer between ${minimum} and ${maximum}`);
}

/** The OAuth addresses and credentials of a client, with a first refresh token. Closes the provider where there are none. */
async function oauthFacts(
  provider: Provider,
  account: string,
  scopes: readonly Scope[],
): Promise<Readonly<Record<string, string>>> {
  const oauth = provider.oauth();
  try {
    const { refreshToken } = await oauth.server.issue(account, scopes);
    return { ...clientFacts(oauth), refresh_token: refreshToken };
  } catch (error) {
    await provider.close(); // else the process would go on, and serve nobody
    throw error;
  }
}

function shownOAuth(facts: Readonly<Record<string, string>>): string {
  const lines = Object.entries(facts).map(
    ([name, value]) => `  ${name.replaceAll("_", " ").padEnd(18)} ${value}\n`,
  );
  return lines.length === 0 ? "" : `OAuth\n${lines.join("")}`;
}

function greeting(
  facts: { base_url: string; access_token: string; certificate?: string },
  account: Account,
  now: string,
  control: boolean,
  oauth: Readonly<Record<string, string>>,
): string {
  const { base_url: baseUrl, access_token: token, certificate } = facts;
  const trust = certificate === undefined ? "" : `NODE_EXTRA_CA_CERTS=${certificate} `;
  return `Reference provider, account ${account.id}, at ${now}
  base URL      ${baseUrl}
  access token  ${token}
${certificate === undefined ? "" : `  certificate   ${certificate}\n`}${control ? `  control       ${new URL("/control/", baseUrl).href}\n` : ""}${shownOAuth(oauth)}
${tryIt(token, `--base-url ${baseUrl}`, trust)}`;
}

/** The commands that read a provider which has just begun to serve. */
const tryIt = (secret: string, line: string, environment = ""): string => `Try in another shell
  echo ${secret} | ${environment}bin/source-ai-billing init ${line} --secret-stdin
  ${environment}bin/source-ai-billing sync --report report.html
`;

async function loadAccounts(
  directories: readonly string[],
  specs: readonly string[],
  lives: readonly string[],
  generation: { now: string; seed: number },
): Promise<[Account, ...Account[]]> {
  const loaded = await Promise.all(
    directories.map((path) => loadDirectory(basename(resolve(path)), path)),
  );
  const generated = specs.map((spec, index) =>
    generateAccount(index === 0 ? "generated" : `generated-${index + 1}`, {
      ...parseGeneratorSpec(spec),
      ...generation,
    }),
  );
  const [first, ...rest] = [...loaded, ...generated];
  const account = first ?? loadRealSpend();
  for (const path of lives) await loadLives(account, path);
  return [account, ...rest];
}

/** Serves a fake of another API until a signal comes. */
async function serveFake(
  name: string,
  values: { now?: string; seed: string; port: string; control: boolean; json: boolean },
): Promise<void> {
  const { createFake, isFakeName, serve } = await import("../fake_providers/index.ts");
  if (!isFakeName(name)) throw new RangeError("--as takes anthropic, openai or openrouter");
  const { now: given = FAKE_NOW } = values;
  const running = given === "real";
  const now = running ? Date.now() : requireInstant(given);
  const fake = createFake(name, {
    now,
    running,
    seed: integer("seed", values.seed, 0, 2 ** 32 - 1),
  });
  const served = await serve(fake, integer("port", values.port, 0, 65_535), values.control);
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, () => void served[Symbol.asyncDispose]());
  const facts = { base_url: served.baseUrl, access_token: fake.api.key };
  process.stdout.write(
    values.json
      ? `${JSON.stringify(facts)}\n`
      : `A fake of ${name}, at ${formatInstant(now)}\n  base URL      ${facts.base_url}\n  key           ${facts.access_token}\n` +
          tryIt(fake.api.key, `--provider ${name} --base-url ${served.baseUrl}`),
  );
}

/** The options of limits and OAuth that the command line gives. */
function limitsOf(values: ReturnType<typeof parseArgs<{ options: typeof options }>>["values"]) {
  return {
    ...(values.oauth
      ? {
          oauth: {
            tokenSeconds: integer("token-seconds", values["token-seconds"], 1, 1e6),
            redirectUris: values["redirect-uri"] ?? [],
          },
        }
      : {}),
    ...(values["rate-limit"] === undefined
      ? {}
      : { rateLimit: integer("rate-limit", values["rate-limit"], 1, 1e6) }),
    ...(values["cursor-lifetime"] === undefined
      ? {}
      : { cursorLifetime: integer("cursor-lifetime", values["cursor-lifetime"], 1, 1e9) }),
  };
}

async function main(): Promise<void> {
  const { values, tokens } = parseArgs({ options, tokens: true });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  refuseIdle(tokens.flatMap((token) => (token.kind === "option" ? [token.name] : [])));
  if (values.as !== undefined) {
    await serveFake(values.as, values);
    return;
  }
  const known = new Set<string>(SCOPES);
  const wanted = new Set(values.scopes.split(","));
  const unknown = [...wanted].find((scope) => !known.has(scope));
  if (unknown !== undefined) throw new RangeError(`--scopes: there is no scope ${unknown}`);
  const { now: given = DEFAULT_NOW } = values;
  const running = given === "real";
  const now = running ? formatInstant(Date.now()) : given;
  const seed = integer("seed", values.seed, 0, 2 ** 32 - 1);
  const accounts = await loadAccounts(
    values.data ?? [],
    values.generate ?? [],
    values.lives ?? [],
    { now, seed },
  );
  const certificate = values.tls ? await publishCertificate(values.host, Date.now()) : undefined;
  if (certificate !== undefined) process.once("exit", certificate.remove);
  const provider = createProvider({
    accounts,
    ...(certificate === undefined ? {} : { certificate }),
    host: values.host,
    now,
    running,
    basePath: values["base-path"],
    control: values.control,
    seed,
    ...limitsOf(values),
  });
  const scopes = SCOPES.filter((scope) => wanted.has(scope));
  const { token } = provider.issueToken({ scopes });
  const { baseUrl } = await provider.listen(integer("port", values.port, 0, 65_535));
  const oauth = values.oauth ? await oauthFacts(provider, accounts[0].id, scopes) : {};
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, () => void provider.close());
  const facts = {
    base_url: baseUrl,
    access_token: token,
    ...(values.oauth ? { oauth } : {}),
    ...(certificate === undefined ? {} : { certificate: certificate.path }),
  };
  process.stdout.write(
    values.json
      ? `${JSON.stringify(facts)}\n`
      : greeting(facts, accounts[0], now, values.control, oauth),
  );
}

/** The message of an error. A port that is taken gets the remedy, and an error of OAuth what it is about. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("error_description" in error) return `${error.message}: ${String(error.error_description)}`;
  if (!("code" in error) || !("port" in error)) return error.message;
  const { code, port } = error;
  if (code !== "EADDRINUSE" && code !== "EACCES") return error.message;
  const why = code === "EADDRINUSE" ? "is in use by another process" : "may not be used by you";
  return `port ${String(port)} ${why}: choose another one with --port N, or any free one with --port 0`;
}

main().catch((error: unknown) => {
  process.stderr.write(`reference provider: ${faultOf(error)}\n`);
  process.exitCode = 1;
});
