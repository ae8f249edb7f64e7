import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ConnectorError } from "../src/errors.ts";
import { connectionStatus, type Output } from "../src/protocol.ts";
import { init, type InitOptions } from "./init.ts";
import { hostWith } from "./testing.ts";

const folder = mkdtempSync(join(tmpdir(), "init-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fresh = (): string => join(folder, `${(files += 1)}.json`);

/**
 * Runs `init`.
 *
 * @param answers of the person at the terminal; absent if there is none
 * @param tried the outcomes of `check`, one after the other: undefined for a success
 */
async function run(
  given: Partial<InitOptions>,
  answers?: readonly string[],
  tried: readonly (Error | string | undefined)[] = [],
) {
  const config = given.config ?? fresh();
  const [said, warned, questions]: string[][] = [[], [], []];
  const [rest, outcomes] = [[...(answers ?? [])], [...tried]];
  const seen: unknown[] = [];
  const ask = (question: string, secret: boolean): Promise<string> => {
    questions?.push(`${question}${secret ? "(hidden)" : ""}`);
    const answer = rest.shift();
    const ended = new ConnectorError("aborted", "No answer was given, so nothing was written.");
    return answer === undefined ? Promise.reject(ended) : Promise.resolve(answer);
  };
  const host = hostWith({
    async *engine(_, { readJson }): AsyncGenerator<Output, boolean> {
      seen.push(await readJson("", "config"));
      const outcome = outcomes.shift();
      if (outcome instanceof Error) throw outcome;
      yield outcome === undefined
        ? connectionStatus("SUCCEEDED", "It works.")
        : connectionStatus("FAILED", outcome);
      return true;
    },
    say: (text) => Promise.resolve(void said?.push(text)),
    warn: (text) => void warned?.push(text),
    ask: answers === undefined ? undefined : ask,
    readInput: () => Promise.resolve("s3cr3t\n"),
  });
  const options: InitOptions = {
    add: undefined,
    provider: undefined,
    baseUrl: undefined,
    secretFromInput: false,
    account: undefined,
    startDate: undefined,
    ...given,
    config,
  };
  const fault = await init(options, host).then(
    () => undefined,
    (reason: unknown) => ConnectorError.from(reason).message,
  );
  const written = (): unknown => JSON.parse(readFileSync(config, "utf8"));
  return { fault, written, said: said?.join("") ?? "", warned, questions, seen, config };
}

const LINE = {
  provider: "interface",
  baseUrl: "https://a.example",
  secretFromInput: true,
} as const;

test("writes what the line and stdin say, for its owner only", async () => {
  const { fault, written, said, config } = await run({ ...LINE, startDate: "2026-01-01" });
  expect(fault).toBeUndefined();
  expect(written()).toEqual({
    base_url: "https://a.example",
    credentials: { auth_type: "scoped_bearer_token", access_token: "s3cr3t" },
    start_date: "2026-01-01",
  });
  expect(statSync(config).mode & 0o777).toBe(0o600);
  expect(said).toContain(`Next: source-ai-billing sync --config ${config}`);
});

test("says every fault of the line at once, before it asks for anything", async () => {
  const config = fresh();
  writeFileSync(config, "mine");
  const { fault, questions, seen } = await run(
    { config, provider: "interface", baseUrl: "http://a.example", startDate: "2026-02-30" },
    ["s3cr3t"],
  );
  expect(fault).toBe(
    `The config file "${config}" is not written: there is one already. Add an account to it with --add NAME, remove it first, or name another one.\n` +
      "The config has 2 faults:\n" +
      "- base_url must start with https:// (http:// only for an address of this machine, such as localhost or 127.0.0.1)\n" +
      "- start_date names a day or a time that does not exist",
  );
  expect([questions, seen]).toEqual([[], []]);
  expect(readFileSync(config, "utf8")).toBe("mine");
});

test.each([
  [{ config: join(folder, "no", "config.json") }, /there is no such folder/],
  [{ config: folder }, /is not written: it is a folder\.$/],
  [{ startDate: "2026-03-11" }, /The start date lies in the future/],
  [{ config: join("/dev/null", "config.json") }, /a part of its path is no folder/],
])("%j is refused before the secret is asked for", async (given, words) => {
  const { fault, questions } = await run({ ...given, provider: "openai" }, ["s3cr3t"]);
  expect(fault).toMatch(words);
  expect(questions).toEqual([]);
});

test("names every missing option where there is no terminal", async () => {
  expect((await run({})).fault).toBe(
    "There is no terminal to ask at: pass --provider and --secret-stdin.",
  );
  expect((await run({ provider: "interface" })).fault).toContain("--base-url and --secret-stdin");
  expect((await run({ secretFromInput: true }, ["1"])).fault).toContain("pass --provider.");
});

test("explains each provider, and takes its number or its name", async () => {
  const { said, questions, written } = await run({}, ["nobody", "", "2", "s3cr3t"]);
  expect(said).toMatch(/1 {2}anthropic +Anthropic, with an admin key/);
  expect(said).toMatch(/4 {2}interface +any other provider that serves the AI Provider Billing/);
  expect(questions?.at(-1)).toBe("The admin key (it is not shown): (hidden)");
  expect(written()).toEqual({
    credentials: { auth_type: "openai_admin_key", api_key: "s3cr3t" },
  });
  expect((await run({}, ["OpenRouter", "s3cr3t"])).written()).toMatchObject({
    credentials: { auth_type: "openrouter_management_key" },
  });
});

test("a typo does not end it: the fault is said, and Enter keeps the other answers", async () => {
  const refused = new ConnectorError("unavailable", "The connection was refused.");
  const { questions, warned, written, seen } = await run(
    {},
    [
      "interface",
      "a.example",
      "https://a.example:1",
      "s3cr3t",
      "",
      "https://a.example",
      "",
      "",
      "",
      "token",
    ],
    [refused, "The provider does not accept the credential.", undefined],
  );
  expect(warned).toEqual([
    "The address must be an address such as https://billing.example.com.",
    "The connection was refused.\nCorrect your answers: Enter keeps one, Ctrl-C ends.",
    "The provider does not accept the credential.\nCorrect your answers: Enter keeps one, Ctrl-C ends.",
  ]);
  expect(questions?.slice(4, 7)).toEqual([
    "Number or name [interface]: ",
    "Address of its billing export, without /v1 [https://a.example:1]: ",
    "The access token (it is not shown) [keep]: (hidden)",
  ]);
  expect(seen).toHaveLength(3);
  expect(written()).toMatchObject({
    base_url: "https://a.example",
    credentials: { access_token: "token" },
  });
});

test("a fault without a terminal, and Ctrl-C, end it and write nothing", async () => {
  const failed = await run(LINE, undefined, ["The provider does not accept the credential."]);
  expect(failed.fault).toBe("The provider does not accept the credential.");
  expect(failed.written).toThrow("ENOENT");
  const ended = await run({ provider: "openai" }, []);
  expect(ended.fault).toContain("No answer was given");
  expect(ended.written).toThrow("ENOENT");
});

test("--add makes a list of the accounts, under the address and label that they had", async () => {
  const { config } = await run({ ...LINE, startDate: "2026-01-01" });
  const key = { auth_type: "openai_admin_key", api_key: "s3cr3t" };
  const bearer = { auth_type: "scoped_bearer_token", access_token: "s3cr3t" };
  const first = {
    name: "a.example",
    base_url: "https://a.example",
    credentials: bearer,
    start_date: "2026-01-01",
  };
  const openai = { provider: "openai", secretFromInput: true, config } as const;
  const added = await run({ ...openai, add: "chat" });
  expect(added).toMatchObject({ fault: undefined });
  expect(added.written()).toEqual({ accounts: [first, { name: "chat", credentials: key }] });
  expect(added.said).toContain("has the accounts a.example, chat; only you may read it");
  expect(statSync(config).mode & 0o777).toBe(0o600);

  const again = await run({ ...openai, add: "chat" });
  expect(again.fault).toContain('"chat" and "chat" have the same address and no account label');
  const third = { name: "third", account: "eu", credentials: key };
  const other = await run({ ...openai, add: "third", account: "eu" });
  expect(other.written()).toEqual({ accounts: [first, { name: "chat", credentials: key }, third] });
});

test("--add leaves the address for notices beside the list, because sync reads it there only", async () => {
  const config = fresh();
  const credentials = { auth_type: "scoped_bearer_token", access_token: "s3cr3t" };
  const one = { base_url: "https://a.example", credentials };
  writeFileSync(config, JSON.stringify({ ...one, notice_url: "https://hooks.example/x" }));
  const line = { provider: "openai", secretFromInput: true, config, add: "chat" } as const;
  expect((await run(line)).written()).toEqual({
    notice_url: "https://hooks.example/x",
    accounts: [
      { name: "a.example", ...one },
      { name: "chat", credentials: { auth_type: "openai_admin_key", api_key: "s3cr3t" } },
    ],
  });
});

test("--add needs a config that is there and can be a part of a list", async () => {
  for (const asked of [
    await run({ ...LINE, add: "b" }),
    await run({ add: "b" }, ["openai", "k"]),
  ]) {
    expect(asked.questions).toEqual([]);
    expect(asked.fault).toMatch(
      /^The config file ".*" is not written: there is none yet; without --add, init makes it\.$/,
    );
  }
  const config = fresh();
  writeFileSync(config, "mine");
  expect((await run({ ...LINE, add: "b", config })).fault).toMatch(/not valid JSON/);
  expect(readFileSync(config, "utf8")).toBe("mine");
  const oauth = { auth_type: "oauth2_authorization_code", client_id: "c", refresh_token: "r" };
  writeFileSync(config, JSON.stringify({ base_url: "https://o.example", credentials: oauth }));
  expect((await run({ ...LINE, add: "b", config })).fault).toMatch(
    /"o.example".* a file of its own/,
  );
});
