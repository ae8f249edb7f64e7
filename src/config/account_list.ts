/** A config with a list of accounts, which only `sync` reads. */
import { isObject } from "./members.ts";

export const hasAccounts = (config: unknown): boolean =>
  isObject(config) && Array.isArray(config["accounts"]);

/** The fault of such a config for every other command. */
export const SEVERAL_ACCOUNTS =
  "The config has a list of accounts, which only `sync` reads. Give this command a config of one account.";
