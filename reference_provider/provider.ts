import { randomBytes } from "node:crypto";
import { BearerTokens } from "./accounts.ts";
import type { Account } from "./accounts.ts";
import type { Certificate } from "./certificate.ts";
import { Clock } from "./clock.ts";
import { registerControl } from "./control.ts";
import { CursorSealer } from "./cursors.ts";
import { CursorHistory } from "./faults/alter.ts";
import { FaultEngine } from "./faults/engine.ts";
import { MINUTE, requireInstant } from "./instants.ts";
import type { AuthorizationOptions } from "./oauth/authorization_server.ts";
import { createOperations, type Operations } from "./operations.ts";
import { RateLimit } from "./rate_limit.ts";
import { RequestLog } from "./requests.ts";
import { buildServer } from "./server.ts";
import type { World } from "./server.ts";

export interface ProviderOptions {
  /** At least one. A token that names no account belongs to the first. */
  readonly accounts: readonly Account[];
  /** The first instant of the clock, as RFC 3339 text in UTC. */
  readonly now: string;
  /** Whether the clock runs from there. Default: it stands still. */
  readonly running?: boolean;
  /** The path before the paths of all operations, such as `/billing`. Default: none. */
  readonly basePath?: string;
  /** The highest number of requests a minute and account; more are answered with 429. Default: no limit. */
  readonly rateLimit?: number;
  /** Whether to serve `/control` too. Default: no. */
  readonly control?: boolean;
  /** Lifetime of a cursor in seconds of the provider's clock. Default: 900. */
  readonly cursorLifetime?: number;
  /** Seed of the random choices of faults. Default: 1. */
  readonly seed?: number;
  /** Serves OAuth 2.0 too, under `/oauth` of the base path. Default: no. */
  readonly oauth?: AuthorizationOptions;
  /** Serves https with this certificate. Default: http. */
  readonly certificate?: Certificate;
  /**
   * The name or address under which clients reach the provider. Default: 127.0.0.1. Any other one makes the provider listen
   * on every address of the machine, which needs a certificate and allows no control.
   */
  readonly host?: string;
  /** Clock of the rate limit in milliseconds. Default: the machine's clock. */
  readonly time?: () => number;
}

/** A running or startable reference provider. */
export interface Provider extends Operations {
  /** Starts to serve at a port (0 or absent: any free one). Rejects if the port is taken. */
  listen(port?: number): Promise<{ readonly baseUrl: string }>;
  /** Ends all connections and stops. */
  close(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";
const BASE_PATH = /^(\/[A-Za-z0-9._~-]+)*$/;

function createWorld(options: ProviderOptions): World {
  const basePath = (options.basePath ?? "").replace(/\/+$/, "");
  if (!BASE_PATH.test(basePath))
    throw new RangeError(`base path "${basePath}" must look like /billing`);
  if (options.accounts.length === 0) throw new RangeError("a provider has at least one account");
  const ids = options.accounts.map(({ id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw new RangeError(`two accounts have the id ${repeated}`);
  const tokens = new BearerTokens();
  const world: World = {
    clock: new Clock(requireInstant(options.now), options.running ?? false),
    accounts: new Map(options.accounts.map((account) => [account.id, account])),
    tokens,
    verifiers: [tokens.verify, (token, now) => world.oauth?.verify(token, now)],
    faults: new FaultEngine(options.seed ?? 1),
    requests: new RequestLog(),
    sealer: new CursorSealer(
      randomBytes(32),
      (options.cursorLifetime ?? 15 * (MINUTE / 1000)) * 1000,
    ),
    history: new CursorHistory(),
    rateLimit:
      options.rateLimit === undefined ? undefined : new RateLimit(options.rateLimit, options.time),
    oauth: undefined,
    basePath,
  };
  return world;
}

/**
 * Makes a reference provider of `interface.md`. It serves nothing before `listen`, and then on 127.0.0.1 unless
 * `host` says otherwise. Throws a RangeError for options that contradict each other or are out of range.
 */
export function createProvider(options: ProviderOptions): Provider {
  const world = createWorld(options);
  const operations = createOperations(world);
  const { certificate, host = LOOPBACK } = options;
  if (URL.parse(`https://${host}`)?.hostname !== host.toLowerCase())
    throw new RangeError(`the host "${host}" is no name and no IPv4 address`);
  if (host !== LOOPBACK && certificate === undefined)
    throw new RangeError("a host other than 127.0.0.1 needs TLS");
  if (host !== LOOPBACK && options.control === true)
    throw new RangeError("control is served on 127.0.0.1 only");
  const app = buildServer(world, certificate);
  if (options.control === true) registerControl(app, world, operations);
  return {
    ...operations,
    async listen(port = 0) {
      await app.listen({ host: host === LOOPBACK ? LOOPBACK : "0.0.0.0", port });
      const address = app.server.address();
      if (address === null || typeof address === "string")
        throw new Error("the server has no port");
      const scheme = certificate === undefined ? "http" : "https";
      const baseUrl = `${scheme}://${host}:${address.port}${world.basePath}`;
      if (options.oauth !== undefined) {
        // The OAuth library takes half a second to load, so it is loaded only if OAuth is on.
        const { OAuth } = await import("./oauth/oauth.ts");
        world.oauth = new OAuth(baseUrl, () => [...world.accounts.keys()], options.oauth);
      }
      return { baseUrl };
    },
    close: () => app.close(),
  };
}
