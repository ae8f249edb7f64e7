/** The operations of a provider: used by tests and the demo in the same process, and served under `/control`. */
import { randomBytes } from "node:crypto";
import { SCOPES } from "./accounts.ts";
import type { Account, Scope } from "./accounts.ts";
import { changeRecord } from "./changes.ts";
import type { RecordChange } from "./changes.ts";
import type { Clock } from "./clock.ts";
import type { FaultEngine } from "./faults/engine.ts";
import type { FaultInput } from "./faults/schema.ts";
import type { Instant } from "./instants.ts";
import type { OAuth } from "./oauth/oauth.ts";
import type { LoggedRequest } from "./requests.ts";
import type { World } from "./server.ts";
import { totalsOf } from "./totals.ts";
import type { Totals, TotalsRange } from "./totals.ts";

/** The options of an access token. Default: all three scopes, and the first account. */
export interface TokenOptions {
  readonly token?: string | undefined;
  readonly id?: string | undefined;
  readonly account?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  readonly expiresAt?: Instant | undefined;
}

/** Reads and changes a provider, beside its interface. */
export interface Operations {
  readonly clock: Clock;
  readonly faults: FaultEngine;
  readonly accounts: ReadonlyMap<string, Account>;
  /** The OAuth side. Throws a RangeError where OAuth is off, and before `listen`. */
  oauth(): OAuth;
  /** Makes a token, or accepts the one given. */
  issueToken(options?: TokenOptions): { readonly id: string; readonly token: string };
  /** Refuses the tokens with this id from now on. */
  revokeToken(id: string): boolean;
  /** Sets faults and returns their ids. */
  fault(...faults: readonly FaultInput[]): string[];
  /** The totals of an account (default: the first) at an instant (default: now). */
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

function accountNamed(world: World, id?: string): Account {
  const account = id === undefined ? world.accounts.values().next().value : world.accounts.get(id);
  if (account === undefined) throw new RangeError(`there is no account ${id}`);
  return account;
}

/** The operations of the provider whose parts are `world`. */
export function createOperations(world: World): Operations {
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
