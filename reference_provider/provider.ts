import { randomBytes } from "node:crypto";
import { SCOPES, BearerTokens } from "./accounts.ts";
import type { Account, Scope, TokenVerifier } from "./accounts.ts";
import { Clock } from "./clock.ts";
import { registerControl } from "./control.ts";
import { CursorSealer } from "./cursors.ts";
import { CursorHistory } from "./faults/alter.ts";
import { FaultEngine } from "./faults/engine.ts";
import type { FaultInput } from "./faults/schema.ts";
import { MINUTE, requireInstant } from "./instants.ts";
import type { Instant } from "./instants.ts";
import { changeRecord } from "./changes.ts";
import type { RecordChange } from "./changes.ts";
import type { AuthorizationOptions } from "./oauth/authorization_server.ts";
import type { OAuth } from "./oauth/oauth.ts";
import { RateLimit } from "./rate_limit.ts";
import { RequestLog } from "./requests.ts";
import type { LoggedRequest } from "./requests.ts";
import { buildServer } from "./server.ts";
import type { World } from "./server.ts";
import { totalsOf } from "./totals.ts";
import type { Totals, TotalsRange } from "./totals.ts";

/** What an access token shall allow. Without `scopes` it has all three; without `account` it is for the first. */
export interface TokenOptions {
  readonly token?: string | undefined;
  readonly id?: string | undefined;
  readonly account?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  readonly expiresAt?: Instant | undefined;
}

export interface ProviderOptions {
  /** At least one; the first is that of tokens which name none. */
  readonly accounts: readonly Account[];
  /** What the clock shows at first: an RFC 3339 instant in UTC. */
  readonly now: string;
  /** Whether the clock goes on from there. Default: it stands still. */
  readonly running?: boolean;
  /** Path under which all is served, such as `/billing`. Default: none. */
  readonly basePath?: string;
  /** Requests a minute and account, beyond which the answer is 429. Default: no limit. */
  readonly rateLimit?: number;
  /** Whether `/control` is served too. Default: not. */
  readonly control?: boolean;
  /** Life of a cursor in seconds of the provider's clock. Default: 900. */
  readonly cursorLifetime?: number;
  /** Seed of whatever the faults leave to chance. Default: 1. */
  readonly seed?: number;
  /** Who judges tokens, beside the provider's own bearer tokens. */
  readonly verifiers?: readonly TokenVerifier[];
  /** Serves OAuth 2.0 too, under `/oauth` of the base path. Default: not. */
  readonly oauth?: AuthorizationOptions;
  /** Clock of the rate limit in milliseconds. Default: the machine's. */
  readonly time?: () => number;
}

/** A running or startable reference provider. */
export interface Provider {
  readonly clock: Clock;
  readonly faults: FaultEngine;
  readonly accounts: ReadonlyMap<string, Account>;
  /** The OAuth side; throws a RangeError where it is off or before `listen`. */
  oauth(): OAuth;
  /** Starts to serve on 127.0.0.1 at a port (0 or absent: any free one). Rejects where the port is taken. */
  listen(port?: number): Promise<{ readonly baseUrl: string }>;
  /** Ends all connections and stops. */
  close(): Promise<void>;
  /** Makes a token, or accepts the one given. */
  issueToken(options?: TokenOptions): { readonly id: string; readonly token: string };
  /** Refuses the tokens with this id from now on. */
  revokeToken(id: string): boolean;
  /** Sets faults and returns their ids. */
  fault(...faults: readonly FaultInput[]): string[];
  /** What is true now, or at `at`, of an account (default: the first). */
  totals(
    options?: Omit<TotalsRange, "at"> & {
      readonly at?: Instant | undefined;
      readonly account?: string | undefined;
    },
  ): Totals;
  requests(since?: number): readonly LoggedRequest[];
  /** Adds, changes or withdraws a record. */
  change(change: RecordChange): void;
}

const BASE_PATH = /^(\/[A-Za-z0-9._~-]+)*$/;

function createWorld(options: ProviderOptions): World {
  const basePath = (options.basePath ?? "").replace(/\/+$/, "");
  if (!BASE_PATH.test(basePath))
    throw new RangeError(`base path "${basePath}" must look like /billing`);
  if (options.accounts.length === 0) throw new RangeError("a provider has at least one account");
  const tokens = new BearerTokens();
  const world: World = {
    clock: new Clock(requireInstant(options.now), options.running ?? false),
    accounts: new Map(options.accounts.map((account) => [account.id, account])),
    tokens,
    verifiers: [
      tokens.verify,
      (token, now) => world.oauth?.verify(token, now),
      ...(options.verifiers ?? []),
    ],
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

function accountNamed(world: World, id?: string): Account {
  const account = id === undefined ? world.accounts.values().next().value : world.accounts.get(id);
  if (account === undefined) throw new RangeError(`there is no account ${id}`);
  return account;
}

function createOperations(world: World): Omit<Provider, "listen" | "close"> {
  let serial = 0;
  return {
    clock: world.clock,
    faults: world.faults,
    accounts: world.accounts,
    issueToken(options = {}) {
      serial += 1;
      const id = options.id ?? `token-${serial}`;
      const token = options.token ?? `rp_${randomBytes(24).toString("hex")}`;
      const account = accountNamed(world, options.account).id;
      const { expiresAt } = options;
      const scopes = options.scopes ?? SCOPES;
      world.tokens.issue(token, {
        id,
        account,
        scopes,
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
      return { id, token };
    },
    revokeToken: (id) => world.tokens.revoke(id),
    fault: (...faults) => world.faults.set(...faults),
    totals: ({ account, at = world.clock.now(), ...range } = {}) =>
      totalsOf(accountNamed(world, account), { at, ...range }),
    requests: (since) => world.requests.list(since),
    oauth() {
      if (world.oauth === undefined) throw new RangeError("OAuth is not served");
      return world.oauth;
    },
    change: (change) =>
      changeRecord(accountNamed(world, change.account), change, world.clock.now()),
  };
}

/**
 * Makes a reference provider of `interface.md`. It serves nothing before `listen` and then on 127.0.0.1 only. Throws a
 * RangeError for options that make no sense.
 */
export function createProvider(options: ProviderOptions): Provider {
  const world = createWorld(options);
  const operations = createOperations(world);
  const app = buildServer(world);
  if (options.control === true) registerControl(app, world, operations);
  return {
    ...operations,
    async listen(port = 0) {
      await app.listen({ host: "127.0.0.1", port });
      const address = app.server.address();
      if (address === null || typeof address === "string")
        throw new Error("the server has no port");
      const baseUrl = `http://127.0.0.1:${address.port}${world.basePath}`;
      if (options.oauth !== undefined) {
        // Its library takes half a second to load, which whoever needs no OAuth is spared.
        const { OAuth } = await import("./oauth/oauth.ts");
        world.oauth = new OAuth(baseUrl, () => [...world.accounts.keys()], options.oauth);
      }
      return { baseUrl };
    },
    close: () => app.close(),
  };
}
