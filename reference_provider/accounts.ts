import { createHash } from "node:crypto";
import type { Instant } from "./instants.ts";
import type { Capabilities, DatasetName, Granularity } from "./model.ts";
import { ProblemError } from "./problems.ts";
import type { Listing } from "./store.ts";

export const SCOPES = ["billing.account.read", "billing.usage.read", "billing.cost.read"] as const;
export type Scope = (typeof SCOPES)[number];

/** A customer billing account: its capabilities and its records. */
export interface Account {
  readonly id: string;
  capabilities: Capabilities;
  readonly listings: Readonly<Record<`usage-${Granularity}` | "costs", Listing>>;
}

/** The listing that answers a query. Costs have one; usage has one for each granularity. */
export function listingOf(
  account: Account,
  dataset: DatasetName,
  granularity: Granularity,
): Listing {
  return dataset === "costs" ? account.listings.costs : account.listings[`usage-${granularity}`];
}

/** The permissions of an access token. `id` names the token in logs; the token itself is kept only as a hash. */
export interface Grant {
  readonly id: string;
  readonly account: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: Instant;
}

/** The grant of a token at an instant; undefined if the token is unknown, expired or revoked. */
export type TokenVerifier = (
  token: string,
  now: Instant,
) => Grant | undefined | Promise<Grant | undefined>;

function digest(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}

/** Dedicated read-only tokens (`scoped_bearer_token`, interface section 5). */
export class BearerTokens {
  readonly #grants = new Map<string, Grant>();

  /** Accepts `token` from now on, in place of any earlier grant of the same token. */
  issue(token: string, grant: Grant): void {
    this.#grants.set(digest(token), grant);
  }

  /** Refuses the tokens with this id from now on. Returns whether there was one. */
  revoke(id: string): boolean {
    const found = [...this.#grants].filter(([, grant]) => grant.id === id);
    for (const [key] of found) this.#grants.delete(key);
    return found.length > 0;
  }

  readonly verify: TokenVerifier = (token, now) => {
    const grant = this.#grants.get(digest(token));
    return grant?.expiresAt !== undefined && grant.expiresAt <= now ? undefined : grant;
  };
}

/** The 401 of RFC 6750 section 3: without an error code where no credential was sent. */
export function challenge(error?: "invalid_token"): ProblemError {
  const parameters = ['realm="billing export"'];
  if (error !== undefined) {
    parameters.push(
      `error="${error}"`,
      'error_description="The access token is unknown, expired or revoked"',
    );
  }
  const detail =
    error === undefined
      ? "Send Authorization: Bearer <access token>."
      : "The access token is unknown, expired or revoked.";
  return new ProblemError("unauthorized", detail, {
    "www-authenticate": `Bearer ${parameters.join(", ")}`,
  });
}

/** The 403 of RFC 6750 section 3, naming all scopes that the operation needs. */
export function insufficientScope(required: readonly Scope[]): ProblemError {
  const scope = required.join(" ");
  return new ProblemError(
    "insufficient-scope",
    `The operation needs the scope ${scope.replace(" ", " and ")}.`,
    {
      "www-authenticate": `Bearer realm="billing export", error="insufficient_scope", scope="${scope}"`,
    },
  );
}

/** Reads the Authorization header and asks the verifiers in turn. Throws the 401 where none knows the token. */
export async function authenticate(
  header: string | undefined,
  verifiers: readonly TokenVerifier[],
  now: Instant,
): Promise<Grant> {
  const token = /^bearer +([^\s,]+) *$/i.exec(header ?? "")?.[1];
  if (token === undefined)
    throw challenge(/^bearer\b/i.test(header ?? "") ? "invalid_token" : undefined);
  for (const verify of verifiers) {
    const grant = await verify(token, now);
    if (grant !== undefined) return grant;
  }
  throw challenge("invalid_token");
}

/** Throws the 403 unless the grant has every scope. */
export function requireScopes(grant: Grant, required: readonly Scope[]): void {
  if (!required.every((scope) => grant.scopes.includes(scope))) throw insufficientScope(required);
}
