/** From the config's credentials to what authorizes requests. */
import type { Credentials } from "../config/config.ts";
import { type Auth, bearer } from "../http/auth.ts";
import type { Renewed } from "./refreshing_auth.ts";
import type { RetryContext } from "./retries.ts";

export interface Credential {
  readonly auth: Auth;
  /** Takes note of where the provider says that its metadata is (interface section 2.2). */
  readonly setMetadataUrl: (metadataUrl: string | null | undefined) => void;
  /** Resolves once no refresh is under way; one that waits to be tried again is given up. Never rejects. */
  readonly settle: () => Promise<void>;
}

export interface CredentialOptions extends Omit<RetryContext, "waits"> {
  readonly baseUrl: URL;
  /** See {@link Renewed}; resolves once it is safe to use them. */
  readonly save: (renewed: Renewed) => Promise<void>;
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
    return { auth, setMetadataUrl: () => undefined, settle: () => Promise.resolve() };
  }
  const [{ RefreshingAuth }, { TokenEndpoint }] = await Promise.all([
    import("./refreshing_auth.ts"),
    import("./token_endpoint.ts"),
  ]);
  const closing = new AbortController();
  const endpoint = new TokenEndpoint({ ...options, credentials, waits: closing.signal });
  const { save, edges } = options;
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
