/** Turns the credentials of the config into the object that authorizes requests. */
import type { Credentials } from "../config/config.ts";
import type { TokenSet } from "../config/token_set.ts";
import { type Auth, bearer } from "../http/auth.ts";
import type { RetryContext } from "./retries.ts";

export interface Credential {
  readonly auth: Auth;
  /** Remembers the address of the provider's metadata that capabilities name (interface section 2.2). */
  readonly setMetadataUrl: (metadataUrl: string | null | undefined) => void;
  /** Resolves when no refresh is under way. A refresh that waits for its next attempt is given up. Never rejects. */
  readonly settle: () => Promise<void>;
}

export interface CredentialOptions extends Omit<RetryContext, "retrySignal"> {
  readonly baseUrl: URL;
  /** Ends the run early: a refresh that waits for its next attempt is given up. */
  readonly stop: AbortSignal;
  /** Saves new tokens. Resolves when it is safe to use them. */
  readonly save: (tokens: TokenSet) => Promise<void>;
}

/**
 * The credential of a run. For a bearer token no code of OAuth is loaded.
 *
 * @throws ConnectorError `invalid_config` if a bearer token cannot be sent in a header
 */
export async function openCredential(
  credentials: Credentials,
  options: CredentialOptions,
): Promise<Credential> {
  if (credentials.authType === "scoped_bearer_token") {
    const auth = bearer(credentials.accessToken);
    return { auth, setMetadataUrl: () => undefined, settle: () => Promise.resolve() };
  }
  const [{ RefreshingAuth }, { TokenEndpoint }] = await Promise.all([
    import("./refreshing_auth.ts"),
    import("./token_endpoint.ts"),
  ]);
  const closing = new AbortController();
  const { save, edges, stop } = options;
  // If nobody reads stdout any more, `settle` is never called: the waits must end with the run itself.
  const retrySignal = AbortSignal.any([closing.signal, stop]);
  const endpoint = new TokenEndpoint({ ...options, credentials, retrySignal });
  const auth = new RefreshingAuth({ credentials, endpoint, clock: edges.clock, save });
  return {
    auth,
    setMetadataUrl: (metadataUrl) => endpoint.setMetadataUrl(metadataUrl),
    settle: async () => {
      closing.abort();
      await auth.settled();
    },
  };
}
