import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConnectorError } from "../src/errors.ts";
import { Secrets } from "../src/secrets.ts";
import { accountsOf } from "./accounts.ts";
import { Database } from "./database.ts";
import { prepare } from "./store.ts";

const token = (secret: string) => ({ auth_type: "scoped_bearer_token", access_token: secret });
const A = { base_url: "https://a.example", credentials: token("secret-a") };
const B = { base_url: "https://b.example", credentials: token("secret-b") };

const secrets = new Secrets();
const read = (files: Readonly<Record<string, unknown>>) =>
  accountsOf(Object.keys(files), { secrets, readJson: async (path) => files[path] });

describe("the accounts of a sync", () => {
  it("are those of each config, and of the list in a config", async () => {
    const list = { accounts: [{ name: "b", ...B, account: "x" }] };
    expect(await read({ "a.json": A, "list.json": list })).toMatchObject([
      {
        name: "a.json",
        base_url: "https://a.example",
        account: "",
        path: "a.json",
        entry: undefined,
      },
      {
        name: "b",
        base_url: "https://b.example",
        account: "x",
        granularity: "1d",
        path: "list.json",
      },
    ]);
    expect(secrets.mask("secret-a secret-b")).not.toContain("secret");
  });

  it("have the name of the config, else its label, else its path", async () => {
    const named = await read({
      "1": { ...A, name: "n", account: "l" },
      "2": { ...B, account: "l" },
    });
    expect(named.map(({ name }) => name)).toEqual(["n", "l"]);
  });

  it("are refused with every file that cannot be read, and every fault of the others", async () => {
    const readJson = async (path: string): Promise<unknown> => {
      if (path === "b.json") return { ...B, granularity: "weekly" };
      throw new ConnectorError("invalid_config", `The config file "${path}" does not exist.`);
    };
    const faulty = accountsOf(["a.json", "b.json", "c.json"], { secrets, readJson });
    await expect(faulty).rejects.toThrow(
      /^The config file "a.json" does not exist.\nThe config file "c.json" does not exist.\nThe config "b.json": .*granularity/,
    );
    const missing = accountsOf(["a.json", "d.json"], { secrets, readJson });
    await expect(missing).rejects.toThrow(/"a.json" does not exist.\n.*"d.json" does not exist.$/);
  });

  it("are refused with every fault at once", async () => {
    const oauth = { auth_type: "oauth2_authorization_code", client_id: "c", refresh_token: "r" };
    const faulty = read({
      "a.json": A,
      "list.json": {
        start_date: "2026-01-01",
        accounts: [{ ...A }, { name: "b", ...B, credentials: oauth }, { name: "c", base_url: "c" }],
      },
      "empty.json": { accounts: [] },
    });
    await expect(faulty).rejects.toThrow(
      /1 other member beside them(.|\n)*empty.json": accounts must be a list(.|\n)*accounts\[0\]: name must(.|\n)*accounts\[1\] \("b"\) has a refresh token(.|\n)*accounts\[2\] \("c"\): (.|\n)*base_url(.|\n)*"a.json" and "list.json" have the same address and no account label/,
    );
  });

  it("stand at different places, and have different names", async () => {
    const one = { ...A, account: "x", name: "one" };
    await expect(read({ "1": one, "2": { ...one, name: "two" } })).rejects.toThrow(
      '"one" and "two" have the same address and the account label "x", so their rows could not be told apart',
    );
    await expect(read({ "1": one, "2": { ...one, account: "y" } })).rejects.toThrow(
      'Two accounts have the name "one"',
    );
    expect(await read({ "1": one, "2": { ...one, account: "y", name: "two" } })).toHaveLength(2);
  });
});

describe("a database", () => {
  let folder = "";
  let database: Database;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "accounts-"));
    database = await Database.open(join(folder, "billing.duckdb"), "write");
  });
  afterAll(async () => {
    database.close();
    await rm(folder, { recursive: true });
  });

  it("takes a further account only beside all whose rows it holds", async () => {
    const [a, b, typo] = await read({
      "a.json": A,
      "b.json": B,
      "typo.json": { ...A, base_url: "https://typo.example" },
    });
    if (a === undefined || b === undefined || typo === undefined) throw new Error("no accounts");
    const held = () => database.query("SELECT name FROM source_ai_billing.accounts ORDER BY ALL");
    const report = (base_url: string) =>
      database.run("INSERT INTO export_windows (id, base_url) VALUES ('1', ?)", [base_url]);
    await prepare(database, [typo]);
    await prepare(database, [a]);
    expect(await held()).toEqual([["a.json"]]);
    await report(a.base_url);
    await expect(prepare(database, [typo])).rejects.toThrow("another address than the config says");
    await expect(prepare(database, [typo, b])).rejects.toThrow(
      'an account that no config names ("a.json", https://a.example)',
    );
    await prepare(database, [a, b]);
    await report(b.base_url);
    await prepare(database, [b]);
    expect(await held()).toEqual([["a.json"], ["b.json"]]);
    await expect(prepare(database, [{ ...a, granularity: "1h" }])).rejects.toThrow(
      'another granularity than the config of "a.json" says',
    );
  });
});
