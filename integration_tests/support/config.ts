/** The config of a connection. */

export type Config = Readonly<Record<string, unknown>>;

/** A config with an access token; `extra` adds keys or replaces them. */
export function bearerConfig(baseUrl: string, token: string, extra: Config = {}): Config {
  return {
    base_url: baseUrl,
    credentials: { auth_type: "scoped_bearer_token", access_token: token },
    ...extra,
  };
}

export type SyncMode = "full_refresh" | "incremental";

/** A configured catalog as platforms send it. */
export interface ConfiguredCatalog {
  readonly streams: readonly {
    readonly stream: { readonly name: string };
    readonly sync_mode: string;
    readonly destination_sync_mode: string;
  }[];
}

/** A catalog of these streams; by default usage and costs. */
export function catalogOf(
  syncMode: SyncMode = "incremental",
  names: readonly string[] = ["usage", "costs"],
): ConfiguredCatalog {
  return {
    streams: names.map((name) => ({
      stream: { name },
      sync_mode: syncMode,
      destination_sync_mode: "append",
    })),
  };
}
