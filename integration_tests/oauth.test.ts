/** OAuth: lives of tokens, rotation, what is kept, what is never shown. Signals, options and files are tested with the real process. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { generateAccount } from "../reference_provider/generator/index.ts";
import { type Choices, clickThrough } from "../reference_provider/oauth/testing.ts";
import type { TokenFaultInput } from "../reference_provider/oauth/token_faults.ts";
import { catalogOf, type Config } from "./support/config.ts";
import {
  configsOf,
  credentialsOf,
  leaksIn,
  type OAuthServed,
  secretsIn,
  serveOAuth,
} from "./support/oauth.ts";
import { inProcess } from "./support/in_process.ts";
import { type Finished, type Inputs, launch, type LaunchOptions } from "./support/process.ts";
import type { StreamState } from "./support/protocol.ts";

const NOW = "2025-10-04T00:00:00Z";
const account = () =>
  generateAccount("acme", { usage: 3000, costs: 100, days: 30, now: NOW, seed: 1 });
const catalog = catalogOf();

let served: OAuthServed;
let folder: string;
let path: string;

beforeEach(async () => {
  served = await serveOAuth(account(), NOW);
  folder = mkdtempSync(join(tmpdir(), "oauth-"));
  path = join(folder, "config.json");
});

afterEach(async () => {
  await served[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command in a process that the launcher starts. */
const start = (command: string, options: LaunchOptions): Promise<Finished> =>
  launch(command, options).done;

/** Runs a command in this process. */
const run = (
  command: "check" | "discover" | "read",
  { debug = false, ...inputs }: Inputs & { readonly debug?: boolean },
): Promise<Finished> => inProcess(command, inputs, debug);

function recordsOf({ messages }: Finished): string[] {
  return messages.flatMap(({ record }) =>
    record === undefined ? [] : [`${record.stream} ${String(record.data["x_RecordId"])}`],
  );
}

/** How many records the provider has. */
function everything(): number {
  const { usage, costs } = served.provider.totals();
  return usage["1d"].rows + costs.rows;
}

/** The last state of each stream, after those of earlier runs. */
function statesOf({ messages }: Finished, earlier: readonly StreamState[]): StreamState[] {
  const states = [...earlier, ...messages.flatMap(({ state }) => state ?? [])];
  return [...new Map(states.map((state) => [state.stream.stream_descriptor.name, state])).values()];
}

function expectNoLeak(finished: Finished, config: Config): void {
  expect(leaksIn(finished, secretsIn(config, ...configsOf(finished)))).toEqual([]);
}

describe("lives of tokens", () => {
  test("a backfill of many lives: one refresh each, every one kept before it is used", async () => {
    served.oauth.server.switches.tokenSeconds = 2;
    served.provider.fault({ kind: "latency", milliseconds: 60 });
    const config = await served.config({ page_size: 30, concurrency: 8, x_extra: ["kept", 1.5] });
    const finished = await run("read", { config, catalog });
    expect(finished.code, finished.stdout.slice(-600)).toBe(0);
    expect(new Set(recordsOf(finished)).size).toBe(everything());
    const configs = configsOf(finished);
    // Every answer of the token endpoint was a new token, and each of them was handed over.
    expect(served.tokenRequests()).toEqual(configs.map(() => 200));
    expect(configs.length).toBeGreaterThan(3);
    expect(new Set(configs.map((each) => credentialsOf(each)["refresh_token"])).size).toBe(
      configs.length,
    );
    for (const each of configs) {
      expect({ ...each, credentials: null }).toEqual({ ...config, credentials: null });
    }
    // A life is two seconds, of which three quarters are used. A busy machine tells of a life late, so only their mean counts.
    const at = finished.messages.flatMap(({ control }) =>
      control === undefined ? [] : [control.emitted_at],
    );
    const mean = ((at.at(-1) ?? 0) - (at[0] ?? 0)) / (at.length - 1);
    expect(mean).toBeGreaterThan(1250);
    const refused = served.provider.requests().filter(({ status }) => status === 401);
    expect(refused).toEqual([]);
    expectNoLeak(finished, config);
  });

  test("tokens that end all at once: many lanes are refused, one refresh follows", async () => {
    const config = await served.config({ page_size: 10, concurrency: 8 });
    const reading = launch("read", { config, catalog });
    for (let times = 0; times < 3; times++) {
      const records = times * 300;
      let seen = 0;
      await reading.until(({ record }) => record !== undefined && ++seen > records);
      served.oauth.server.expireAccessTokens();
    }
    const finished = await reading.done;
    expect(finished.code, finished.stdout.slice(-600)).toBe(0);
    expect(new Set(recordsOf(finished)).size).toBe(everything());
    const tokens = served.tokenRequests();
    expect(tokens).toEqual(configsOf(finished).map(() => 200));
    expect(tokens.length).toBeGreaterThan(1);
    expect(tokens.length).toBeLessThanOrEqual(4);
    expectNoLeak(finished, config);
  });

  test("a killed process goes on with the config and the states that it flushed last", async () => {
    served.oauth.server.switches.tokenSeconds = 1;
    served.provider.fault({ kind: "latency", milliseconds: 60 });
    let config = await served.config({ page_size: 10 });
    let state: StreamState[] = [];
    const records = new Set<string>();
    for (const controls of [1, 2, 1]) {
      let seen = 0;
      const reading = launch("read", { config, catalog, state });
      await reading.until(({ control }) => control !== undefined && ++seen >= controls);
      const killed = await reading.kill("SIGKILL");
      for (const id of recordsOf(killed)) records.add(id);
      config = configsOf(killed).at(-1) ?? config;
      state = statesOf(killed, state);
    }
    served.provider.faults.clear();
    const finished = await run("read", { config, catalog, state });
    expect(finished.code, finished.stdout.slice(-600)).toBe(0);
    for (const id of recordsOf(finished)) records.add(id);
    expect(records.size).toBe(everything());
    expect(new Set(served.tokenRequests())).toEqual(new Set([200]));
  });

  test("a signal during a refresh: it ends, is handed over, then the process dies", async () => {
    const config = await served.config();
    served.oauth.setFaults([{ kind: "slow", milliseconds: 600 }]);
    const reading = launch("read", { config, catalog });
    await expect.poll(() => served.tokenRequests().length).toBe(1);
    const killed = await reading.kill("SIGTERM");
    expect(killed.signal).toBe("SIGTERM");
    const [kept] = configsOf(killed);
    expect(credentialsOf(kept)["refresh_token"]).toBeDefined();
    served.oauth.setFaults([]);
    const next = await run("check", { config: kept });
    expect(next.stdout).toContain('"SUCCEEDED"');
    expectNoLeak(killed, config);
  });
});

describe("what is kept", () => {
  test.each(["check", "discover"] as const)(
    "%s hands a rotated token over before it is used",
    async (command) => {
      const config = await served.config();
      const finished = await start(command, { config });
      expect(finished.code).toBe(0);
      expect(finished.messages[0]?.type).toBe("CONTROL");
      const [kept] = configsOf(finished);
      expect(credentialsOf(kept)).toMatchObject({
        ...credentialsOf(config),
        refresh_token: expect.any(String),
      });
      expect(credentialsOf(kept)["refresh_token"]).not.toBe(credentialsOf(config)["refresh_token"]);
      // The next run has a token that is good for an hour: nothing to refresh, nothing to hand over.
      const next = await run(command, { config: kept });
      expect(configsOf(next)).toEqual([]);
      expect(served.tokenRequests()).toEqual([200]);
    },
  );

  test("a provider that does not rotate: nothing to hand over", async () => {
    served.oauth.server.switches.rotate = false;
    const finished = await run("check", { config: await served.config() });
    expect(finished.messages.map(({ type }) => type)).toEqual(["CONNECTION_STATUS"]);
  });

  test("what is discovered is kept: the next refresh goes to the same place without asking", async () => {
    const { token_url: _, ...credentials } = credentialsOf(await served.config());
    const found = await run("check", { config: { base_url: served.baseUrl, credentials } });
    const [kept] = configsOf(found);
    expect(credentialsOf(kept)["token_url"]).toBe(served.oauth.tokenUrl);
    expectNoLeak(found, { credentials });
  });

  test("--write-config saves to the file, for its owner only, and leaves nothing beside it", async () => {
    writeFileSync(path, JSON.stringify(await served.config({ x_mine: { kept: true } })), {
      mode: 0o644,
    });
    const args = ["--config", path, "--write-config"];
    const finished = await start("check", { args });
    const saved = JSON.parse(readFileSync(path, "utf8")) as Config;
    expect(saved).toEqual(configsOf(finished)[0]);
    expect(saved["x_mine"]).toEqual({ kept: true });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["config.json"]);
  });

  test("a file that cannot be replaced is told before any token is", async () => {
    const config = await served.config();
    const args = ["--config", "/proc/self/status", "--write-config"];
    writeFileSync(path, JSON.stringify(config));
    const finished = await start("check", { args });
    expect(finished.stdout).toContain("FAILED");
    expect(served.tokenRequests()).toEqual([]);
  });
});

describe("what goes wrong", () => {
  const FAULTS: readonly [string, TokenFaultInput, string][] = [
    [
      "a revoked family",
      { kind: "status", status: 400, error: "invalid_grant", echo: true },
      "Authorize again",
    ],
    [
      "a refused client",
      { kind: "status", status: 401, error: "invalid_client", echo: true },
      "client_secret",
    ],
    [
      "an unknown error",
      { kind: "status", status: 400, error: "invalid_scope", echo: true },
      "invalid_scope",
    ],
    ["no error of OAuth", { kind: "status", status: 404, error: "", echo: true }, "token_url"],
    [
      "a redirect",
      {
        kind: "status",
        status: 307,
        headers: { location: "http://127.0.0.1:9/steal" },
        echo: true,
      },
      "redirects",
    ],
  ];

  test.each(FAULTS)("%s is told without a secret", async (_, fault, words) => {
    const config = await served.config();
    served.oauth.setFaults([fault]);
    for (const command of ["check", "discover", "read"] as const) {
      const files = command === "read" ? { config, catalog } : { config };
      const finished = await run(command, { ...files, debug: true });
      expect(finished.stdout).toContain(words);
      expect(finished.code).toBe(
        command === "check" && fault.kind === "status" && fault.error !== "invalid_scope" ? 0 : 1,
      );
      expectNoLeak(finished, config);
    }
    // No retry storm: one token request for a command, or two if the secret is tried in the body and in the header.
    expect(served.tokenRequests().length).toBeLessThanOrEqual(6);
  });

  test.each<TokenFaultInput>([
    { kind: "status", status: 503, echo: true, times: 1 },
    { kind: "status", status: 429, echo: true, headers: { "retry-after": "0" }, times: 1 },
    { kind: "status", status: 400, error: "temporarily_unavailable", echo: true, times: 1 },
    { kind: "reset", times: 1 },
  ])("$kind $status mends at the first retry", async (fault) => {
    const config = await served.config();
    served.oauth.setFaults([fault]);
    const finished = await run("check", { config, debug: true });
    expect(finished.stdout).toContain("SUCCEEDED");
    expect(finished.stdout).toContain("Trying again");
    expectNoLeak(finished, config);
  });

  test("an answer that is lost takes the family with it: authorize again", async () => {
    const config = await served.config();
    served.oauth.setFaults([{ kind: "lost", times: 1 }]);
    const finished = await run("check", { config });
    expect(finished.stdout).toContain("Authorize again");
    expectNoLeak(finished, config);
  });

  test("a scope that was not granted is named", async () => {
    const scopes = ["billing.account.read", "billing.usage.read"] as const;
    const { refreshToken } = await served.oauth.server.issue("acme", scopes);
    const config = await served.config();
    const credentials = { ...credentialsOf(config), refresh_token: refreshToken };
    const finished = await run("check", { config: { ...config, credentials } });
    expect(finished.stdout).toContain("SUCCEEDED");
    expect(finished.stdout).toContain("billing.cost.read");
  });
});

describe("login", () => {
  /** Signs in with forms and cookies. Gives the last page that the browser saw, and the result of the command. */
  async function signIn(
    choices: Choices = {},
    before: (back: URL) => Promise<void> = async () => undefined,
  ): Promise<{ finished: Finished; page: string; address: URL }> {
    const running = launch("login", { args: ["--config", path, "--no-browser"] });
    const address = await new Promise<URL>((resolve, reject) => {
      let text = "";
      running.stdout?.on("data", (part: string) => {
        text += part;
        const found = /^ {2}(http\S+)$/m.exec(text)?.[1];
        if (found !== undefined) resolve(new URL(found));
      });
      running.done.then(({ stderr }) => reject(new Error(stderr)), reject);
    });
    const back = await clickThrough(address.href, choices);
    await before(back);
    const response = await fetch(back);
    return { page: await response.text(), finished: await running.done, address };
  }

  const publicConfig = (): Config => ({
    base_url: served.baseUrl,
    credentials: {
      auth_type: "oauth2_authorization_code",
      client_id: served.oauth.server.publicClient.clientId,
    },
    start_date: "2025-09-30",
    x_mine: [1, null],
  });

  test("consent given: the file has tokens that work, and all that it had", async () => {
    writeFileSync(path, JSON.stringify(publicConfig()));
    const { finished, page } = await signIn();
    expect(finished).toMatchObject({ code: 0, stderr: "" });
    expect(page).toContain("You are signed in");
    const saved = JSON.parse(readFileSync(path, "utf8")) as Config;
    expect({ ...saved, credentials: null }).toEqual({ ...publicConfig(), credentials: null });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await run("check", { config: saved })).stdout).toContain("SUCCEEDED");
    expect(leaksIn(finished, secretsIn(saved))).toEqual([]);
    // A second sign-in, with the config that the first one left.
    expect((await signIn()).finished).toMatchObject({ code: 0, stderr: "" });
    const renewed = JSON.parse(readFileSync(path, "utf8")) as Config;
    expect(credentialsOf(renewed)["refresh_token"]).not.toBe(credentialsOf(saved)["refresh_token"]);
  });

  test("a client with a secret and addresses of its own in the config", async () => {
    const { refresh_token: _, ...credentials } = credentialsOf(await served.config());
    const addresses = { authorization_url: served.oauth.authorizationUrl };
    writeFileSync(
      path,
      JSON.stringify({ base_url: served.baseUrl, credentials: { ...credentials, ...addresses } }),
    );
    const { finished } = await signIn();
    expect(finished).toMatchObject({ code: 0, stderr: "" });
    const saved = JSON.parse(readFileSync(path, "utf8")) as Config;
    expect(leaksIn(finished, secretsIn(saved))).toEqual([]);
  });

  test("consent denied: the file stays as it was, and the words say what to do", async () => {
    const text = JSON.stringify(publicConfig());
    writeFileSync(path, text);
    const { finished, page } = await signIn({ decision: "deny" });
    expect(finished.code).toBe(1);
    expect(finished.stderr).toContain("Run login again and allow it");
    expect(page).toContain("Access was denied");
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("a code that is refused is told without it, whatever the server repeats", async () => {
    const { refresh_token: _, ...credentials } = credentialsOf(await served.config());
    writeFileSync(path, JSON.stringify({ base_url: served.baseUrl, credentials }));
    served.oauth.setFaults([{ kind: "status", status: 400, error: "invalid_grant", echo: true }]);
    let code = "";
    const { finished, page } = await signIn({}, (back) => {
      code = back.searchParams.get("code") ?? "";
      return Promise.resolve();
    });
    expect(finished.code).toBe(1);
    expect(finished.stderr).toContain("did not accept the code");
    expect(
      leaksIn({ ...finished, stderr: finished.stderr + page }, [
        code,
        credentials["client_secret"] ?? "",
      ]),
    ).toEqual([]);
  });

  test("a tab of another sign-in and an answer of another server are turned away", async () => {
    writeFileSync(path, JSON.stringify(publicConfig()));
    const { finished } = await signIn({}, async (back) => {
      const stale = new URL(back);
      stale.searchParams.set("state", "of-yesterday");
      const response = await fetch(stale);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain("another sign-in");
      expect((await fetch(new URL("/elsewhere", back))).status).toBe(404);
      back.searchParams.set("iss", "https://mallory.example");
    });
    expect(finished.code).toBe(1);
    expect(finished.stderr).toContain("No code was sent anywhere");
    expect(served.tokenRequests()).toEqual([]);
  });

  test("a port that is in use, a bearer config, a provider without metadata: each says what to do", async () => {
    writeFileSync(path, JSON.stringify(publicConfig()));
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const busy = await start("login", { args: ["--config", path, "--no-browser", "--port", port] });
    other.close();
    expect(busy.stderr).toContain("--port");
    const bearer = { auth_type: "scoped_bearer_token", access_token: "secret-token" };
    writeFileSync(path, JSON.stringify({ base_url: served.baseUrl, credentials: bearer }));
    const needless = await start("login", { args: ["--config", path] });
    expect(needless.stderr).toContain("needs no login");
    const bare = createServer((_, response) => response.writeHead(404).end());
    await new Promise<void>((resolve) => bare.listen(0, "127.0.0.1", resolve));
    const at = bare.address();
    const base = typeof at === "object" && at !== null ? `http://127.0.0.1:${at.port}` : "";
    writeFileSync(path, JSON.stringify({ ...publicConfig(), base_url: base }));
    const unknown = await start("login", { args: ["--config", path, "--no-browser"] });
    bare.closeAllConnections();
    bare.close();
    expect(unknown.stderr).toContain("Set token_url (and authorization_url)");
    expect([busy.code, needless.code, unknown.code]).toEqual([1, 1, 1]);
  });

  test("Ctrl-C ends it", async () => {
    writeFileSync(path, JSON.stringify(publicConfig()));
    const running = launch("login", { args: ["--config", path, "--no-browser"] });
    await new Promise<void>((resolve) => running.stdout?.once("data", () => resolve()));
    const finished = await running.kill("SIGINT");
    expect(finished.signal).toBe("SIGINT");
  });
});
