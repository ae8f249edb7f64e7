/** Adds an account to an existing config: `init --add`. */
import { realpath } from "node:fs/promises";
import { parseConfig } from "../src/config/config.ts";
import { writeConfigFile } from "../src/config/file.ts";
import { readJsonFile } from "../src/config/json_file.ts";
import { isObject } from "../src/config/members.ts";
import { faultOfReplacing } from "../src/config/replace_file.ts";
import { NOTICE_MEMBER } from "../src/config_place.ts";
import { ConnectorError } from "../src/errors.ts";
import { codeOf, reasonOf } from "../src/file_faults.ts";
import { accountsIn } from "./accounts.ts";

/** A further account for the config at a path. */
export interface Addition {
  readonly path: string;
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** The faults of an addition, as sentences. `config` may hold any text as its secret: a person types the real one later. */
export async function faultsOfAdding(addition: Addition): Promise<readonly string[]> {
  try {
    accountsIn([[addition.path, await withAddition(addition)]]);
    return [];
  } catch (reason) {
    return [ConnectorError.from(reason).message];
  }
}

/** The reason why a config cannot get a further account: it is not there, or cannot be replaced. The end of a sentence. */
export async function faultOfChanging(path: string): Promise<string | undefined> {
  try {
    const code = await faultOfReplacing(await realpath(path));
    return code === undefined ? undefined : reasonOf({ code });
  } catch (reason) {
    return codeOf(reason) === "ENOENT"
      ? "there is none yet; without --add, init makes it"
      : reasonOf(reason);
  }
}

/**
 * Replaces the config by one with the further account.
 *
 * @returns the names of all accounts
 * @throws ConnectorError `invalid_config`
 */
export async function addAccount(addition: Addition): Promise<readonly string[]> {
  const whole = await withAddition(addition);
  const accounts = accountsIn([[addition.path, whole]]);
  await writeConfigFile(addition.path, whole);
  return accounts.map(({ name }) => name);
}

async function withAddition({ path, name, config }: Addition): Promise<unknown> {
  const file = await readJsonFile(path, "config");
  const added = { name, ...config };
  if (isObject(file) && Array.isArray(file["accounts"])) {
    const before: readonly unknown[] = file["accounts"];
    return { ...file, accounts: [...before, added] };
  }
  if (!isObject(file) || file[NOTICE_MEMBER] === undefined)
    return { accounts: [named(file), added] };
  // `sync` reads the address for notices beside the list only.
  const { [NOTICE_MEMBER]: notice, ...account } = file;
  return { [NOTICE_MEMBER]: notice, accounts: [named(account), added] };
}

/** The config of the one account so far, with a name. Its address and label stay, because its rows stand under them. */
function named(file: unknown): unknown {
  const { baseUrl, account, provider } = parseConfig(file);
  if (!isObject(file) || file["name"] !== undefined) return file;
  return { name: account ?? provider?.name ?? new URL(baseUrl).host, ...file };
}
