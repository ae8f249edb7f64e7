/** The places of a command's config: a file, stdin, or variables of the environment. */

/** The file that `init` writes and that every command reads unless `--config` names another one. */
export const DEFAULT_CONFIG = "config.json";

/** In place of a file: the config comes from stdin. */
export const STDIN = "-";

/** The variables that stand for `base_url` and `credentials`, for containers. A command line never holds a secret. */
export const VARIABLES = {
  baseUrl: "AI_BILLING_BASE_URL",
  token: "AI_BILLING_TOKEN",
  provider: "AI_BILLING_PROVIDER",
} as const;

/** The member of a config with the address that gets notices of `sync`. */
export const NOTICE_MEMBER = "notice_url";

/** The address for notices of `sync`, instead of `notice_url`. A secret: anyone with the address can write to its channel. */
export const NOTICE_URL = "AI_BILLING_NOTICE_URL";

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;
