/** From the config's credentials to what authorizes requests. */
import type { Credentials } from "../config.ts";
import { type Auth, bearer } from "./auth.ts";
import type { Renewed } from "./oauth.ts";
import type { Persistence } from "./persist.ts";

export interface Credential {
  readonly auth: Auth;
  /** Takes note of where the provider says that its metadata is (interface section 2.2). */
  readonly learn: (metadataUrl: string | null | undefined) => void;
  /** Resolves once no refresh is under way; one that waits to be tried again is given up. Never rejects. */
  readonly settle: () => Promise<void>;
}

export interface CredentialOptions extends Omit<Persistence, "waits"> {
  readonly baseUrl: URL;
  /** See {@link Renewed}; resolves once it is safe to use them. */
  readonly keep: (renewed: Renewed) => Promise<void>;
}

/**
 * The credential of a run. Nothing of OAuth is loaded for a bearer token.
 *
 * @throws ConnectorError `invalid_config` where a bearer token is none
 */
export async function openCredential(
  credentials: Credentials,
  options: CredentialOptions,
): Promise<Credential> {
  if (credentials.authType === "scoped_bearer_token") {
    const auth = bearer(credentials.accessToken);
    return { auth, learn: () => undefined, settle: () => Promise.resolve() };
  }
  const [{ OAuth }, { TokenEndpoint }] = await Promise.all([
    import("./oauth.ts"),
    import("./token_endpoint.ts"),
  ]);
  const closing = new AbortController();
  const endpoint = new TokenEndpoint({ ...options, credentials, waits: closing.signal });
  const { keep, edges } = options;
  const auth = new OAuth({ credentials, endpoint, clock: edges.clock, keep });
  return {
    auth,
    learn: (metadataUrl) => endpoint.learn(metadataUrl),
    settle: async () => {
      closing.abort();
      await auth.settled();
    },
  };
}
