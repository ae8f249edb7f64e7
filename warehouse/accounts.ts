/** The accounts that a sync reads: configs of one account each, or a config with a list of accounts. */
import { mergedError } from "../src/all_of.ts";
import { type Config, parseConfig, secretsOf } from "../src/config/config.ts";
import { isObject } from "../src/config/members.ts";
import { NOTICE_MEMBER } from "../src/config_place.ts";
import { ConnectorError } from "../src/errors.ts";
import type { WarehouseHost } from "./host.ts";

/** An account at an address. Its rows, its states and its position belong to it alone. */
export interface Place {
  readonly base_url: string;
  /** The label in the config; empty without one. */
  readonly account: string;
}

/** An account in a database, which holds it in one granularity. */
export interface Owner extends Place {
  /** For people: the `name` in the config, else its label, else the path of the config. */
  readonly name: string;
  readonly granularity: string;
}

/** An account with the config from which it is read. */
export interface Account extends Owner {
  /** The path of the config, in which renewed tokens are saved. */
  readonly path: string;
  /** The account's own config if the file at the path has a list of accounts; else undefined. */
  readonly entry: unknown;
}

/** The most accounts that one sync reads. */
const MOST = 100;

/** The most characters of a name. */
const LONGEST_NAME = 100;

/** A config of one account, found in a file. `place` says where, for messages. */
interface Found {
  readonly path: string;
  readonly where: string;
  readonly config: unknown;
  readonly isEntry: boolean;
}

/**
 * The accounts of configs, in their order.
 *
 * @throws ConnectorError `invalid_config`; names every fault of every config at once
 */
export async function accountsOf(
  paths: readonly string[],
  host: Pick<WarehouseHost, "readJson" | "secrets">,
): Promise<readonly Account[]> {
  const files: (readonly [string, unknown])[] = [];
  const faults: unknown[] = [];
  for (const path of paths) {
    try {
      const file = await host.readJson(path, "config");
      host.secrets.add(secretsOf(file));
      files.push([path, file]);
    } catch (reason) {
      faults.push(reason);
    }
  }
  try {
    const accounts = accountsIn(files, paths.length === 1);
    if (faults.length === 0) return accounts;
  } catch (reason) {
    faults.push(reason);
  }
  throw mergedError(faults);
}

/**
 * The accounts of files that were read already: each is a path and its JSON.
 *
 * @param isAlone whether no other file was named: then its faults do not name it
 * @throws ConnectorError `invalid_config`
 */
export function accountsIn(
  files: readonly (readonly [string, unknown])[],
  isAlone = files.length === 1,
): readonly Account[] {
  const faults: string[] = [];
  const found = files.flatMap(([path, file]) => entriesOf(path, file, faults));
  const [only] = found;
  if (isAlone && only?.isEntry === false && faults.length === 0) {
    return [accountOf(only, parseConfig(only.config))];
  }
  const accounts: Account[] = [];
  for (const each of found) {
    try {
      const config = parseConfig(each.config);
      faults.push(...faultsOf(each, config));
      accounts.push(accountOf(each, config));
    } catch (reason) {
      faults.push(`${each.where}: ${ConnectorError.from(reason).message}`);
    }
  }
  if (found.length > MOST)
    faults.push(`There are ${found.length} accounts; at most ${MOST} are read`);
  faults.push(...sharedFaults(accounts));
  if (faults.length > 0) throw new ConnectorError("invalid_config", faults.join("\n"));
  return accounts;
}

/** The accounts in a file. Faults of the list itself go to `faults`. */
function entriesOf(path: string, file: unknown, faults: string[]): Found[] {
  const where = `The config "${path}"`;
  if (!isObject(file) || file["accounts"] === undefined) {
    return [{ path, where, config: file, isEntry: false }];
  }
  const list = file["accounts"];
  // Notices are about the whole database.
  const beside = Object.keys(file).filter((key) => key !== "accounts" && key !== NOTICE_MEMBER);
  if (beside.length > 0) {
    faults.push(
      `${where} has accounts, and ${beside.length} other ${beside.length === 1 ? "member" : "members"} beside them: put these into each account`,
    );
  }
  if (!Array.isArray(list) || list.length === 0) {
    faults.push(`${where}: accounts must be a list with at least one account`);
    return [];
  }
  return list.map((config: unknown, index) => {
    const name = nameIn(config);
    const called = name === undefined ? "" : ` ("${name}")`;
    return { path, where: `${where}, accounts[${index}]${called}`, config, isEntry: true };
  });
}

/** The `name` of a config; undefined if it has none that may be shown. */
function nameIn(config: unknown): string | undefined {
  const name = isObject(config) ? config["name"] : undefined;
  return typeof name === "string" && name.trim() !== "" && name.length <= LONGEST_NAME
    ? name.trim()
    : undefined;
}

function faultsOf({ where, config, isEntry }: Found, { credentials }: Config): readonly string[] {
  if (!isEntry) return [];
  return [
    ...(nameIn(config) === undefined
      ? [`${where}: name must be a text of at most ${LONGEST_NAME} characters`]
      : []),
    ...(credentials.authType === "oauth2_authorization_code"
      ? [
          `${where} has a refresh token, which the provider may replace at each use: put this account into a file of its own, ` +
            "and name both files with --config",
        ]
      : []),
  ];
}

function accountOf(
  { path, config, isEntry }: Found,
  { baseUrl, account, granularity }: Config,
): Account {
  return {
    base_url: baseUrl,
    account: account ?? "",
    granularity,
    name: nameIn(config) ?? account ?? path,
    path,
    entry: isEntry ? config : undefined,
  };
}

/** Faults between accounts: their rows and their lines in the summary must be told apart. */
function sharedFaults(accounts: readonly Account[]): readonly string[] {
  return accounts.flatMap((each, index) => {
    const earlier = accounts.slice(0, index);
    const twin = earlier.find((other) => isSamePlace(each, other));
    if (twin !== undefined) {
      const label =
        each.account === "" ? "no account label" : `the account label "${each.account}"`;
      return [
        `"${twin.name}" and "${each.name}" have the same address and ${label}, so their rows could not be told apart: ` +
          "give each another label in `account`, or name this account once",
      ];
    }
    return earlier.some(({ name }) => name === each.name)
      ? [`Two accounts have the name "${each.name}": give each another \`name\``]
      : [];
  });
}

export const isSamePlace = (one: Place, other: Place): boolean =>
  one.base_url === other.base_url && one.account === other.account;

/**
 * The condition that a row of the table `rows` belongs to an account of `source_ai_billing.accounts`, which has the alias `accounts`.
 * Without a label, an account may have rows under the id that its provider gives, but none under the label of another account.
 */
export const belongs = (rows: string, accounts: string): string => `(
  ${rows}.base_url = ${accounts}.base_url AND (
    ${rows}.account = ${accounts}.account
    OR (${accounts}.account = '' AND coalesce(${rows}.account, '') NOT IN (
      SELECT labelled.account FROM source_ai_billing.accounts AS labelled
      WHERE labelled.base_url = ${accounts}.base_url AND labelled.account <> ''))))`;
