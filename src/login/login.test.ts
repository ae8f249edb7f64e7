import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { ConnectorError } from "../errors.ts";
import { Secrets } from "../secrets.ts";
import { login, type LoginHost } from "./login.ts";

const CONFIG = {
  base_url: "https://api.example",
  credentials: { auth_type: "oauth2_authorization_code", client_id: "client", refresh_token: null },
};
const COMMAND = { kind: "login", config: "c.json", browser: true, port: 0 } as const;
const TOKENS = {
  accessToken: "access",
  expiresAt: undefined,
  refreshToken: "refresh",
  tokenUrl: "https://as.example/token",
};

interface Bench {
  readonly host: LoginHost;
  readonly said: string[];
  readonly saved: unknown[];
  /** The address to which the browser comes back. */
  readonly redirect: Promise<string>;
}

function bench(more: Partial<LoginHost> = {}, complete?: Promise<typeof TOKENS>): Bench {
  const [said, saved]: [string[], unknown[]] = [[], []];
  const { promise: redirect, resolve } = Promise.withResolvers<string>();
  const host: LoginHost = {
    // A sleep that lasts until it is told to end.
    clock: {
      now: () => 0,
      sleep: (_, signal) =>
        new Promise((_resolve, reject) => {
          if (signal.aborted) reject(signal.reason);
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    },
    stop: new AbortController().signal,
    secrets: new Secrets(),
    readJson: () => Promise.resolve(CONFIG),
    configFile: {
      write: (_, config) => Promise.resolve(void saved.push(config)),
      assertWritable: () => Promise.resolve(),
    },
    begin: (_, redirectUri) => {
      resolve(redirectUri);
      return Promise.resolve({
        address: new URL("https://as.example/authorize?state=s"),
        isAnswer: (callback: URL) => callback.searchParams.get("state") === "s",
        complete: () => complete ?? Promise.resolve(TOKENS),
        close: () => Promise.resolve(),
      });
    },
    openBrowser: () => Promise.resolve(true),
    say: (text) => void said.push(text),
    ...more,
  };
  return { host, said, saved, redirect };
}

const page = async (url: string): Promise<[number, string]> => {
  const response = await fetch(url);
  return [response.status, await response.text()];
};

test("the answer is exchanged, saved, and said", async () => {
  const { host, said, saved, redirect } = bench();
  const done = login(COMMAND, host);
  expect(await redirect).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect(await page(`${await redirect}?state=s&code=c`)).toEqual([
    200,
    expect.stringContaining("You can close this tab"),
  ]);
  await done;
  expect(saved).toEqual([expect.objectContaining({ base_url: CONFIG.base_url })]);
  expect(said.join("")).toContain("Sign in with your browser");
  expect(said.join("")).toContain("https://as.example/authorize?state=s");
  expect(host.secrets.mask("refresh access")).toBe("**** ****");
});

test("without a browser the address is shown to be opened", async () => {
  const { host, said, redirect } = bench({ openBrowser: () => Promise.resolve(false) });
  const done = login(COMMAND, host);
  await page(`${await redirect}?state=s`);
  await done;
  expect(said[0]).toContain("Open this address");
});

test("a second tab is told that another was first, one of another sign-in to go away", async () => {
  const { promise, resolve } = Promise.withResolvers<typeof TOKENS>();
  const { host, redirect } = bench({}, promise);
  const done = login(COMMAND, host);
  const address = await redirect;
  expect((await page(`${address}?state=other`))[0]).toBe(400);
  const tabs = [page(`${address}?state=s`), page(`${address}?state=s`)];
  const [status, text] = await Promise.race(tabs);
  expect(status).toBe(409);
  expect(text).toContain("another tab");
  resolve(TOKENS);
  expect(new Set((await Promise.all(tabs)).map(([each]) => each))).toEqual(new Set([200, 409]));
  await done;
});

test.each([
  "",
  "GET /call",
  "GET /callback HTTP/1.1\r\nHost: 127.0.0.1\r\n",
  "POST / HTTP/1.1\r\n",
])("a connection that has sent %j only does not keep the command alive", async (text) => {
  const { host, redirect } = bench();
  const done = login(COMMAND, host);
  const address = new URL(await redirect);
  const socket = connect(Number(address.port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(text);
  const closed = once(socket, "close");
  socket.resume();
  await page(`${address.href}?state=s`);
  await done;
  await closed;
});

test("nobody comes: after five minutes it says so", async () => {
  const waits: number[] = [];
  const sleep = (ms: number): Promise<void> => Promise.resolve(void waits.push(ms));
  const { host } = bench({ clock: { now: () => 0, sleep } });
  await expect(login(COMMAND, host)).rejects.toThrow("Nobody signed in within 5 minutes");
  expect(waits).toEqual([300_000]);
});

test("a signal ends it", async () => {
  const controller = new AbortController();
  const { host, redirect } = bench({ stop: controller.signal });
  const done = login(COMMAND, host);
  await redirect;
  const reason = new ConnectorError("aborted", "stopped");
  controller.abort(reason);
  await expect(done).rejects.toBe(reason);
});

test("a config that is missing: told how to make it", async () => {
  const message = "The config file does not exist.";
  const missing = new ConnectorError("invalid_config", message, { detail: "ENOENT" });
  const { host } = bench({ readJson: () => Promise.reject(missing) });
  await expect(login(COMMAND, host)).rejects.toThrow(
    `${message} Make it with \`source-ai-billing init\` and set "credentials" to { "auth_type": "oauth2_`,
  );
});

test("a config that is wrong, a file that cannot be saved: told before anything is opened", async () => {
  const wrong = bench({ readJson: () => Promise.resolve({ credentials: CONFIG.credentials }) });
  await expect(login(COMMAND, wrong.host)).rejects.toThrow("base_url is required");
  const fault = new ConnectorError("invalid_config", "cannot be replaced");
  const unwritable = {
    write: () => Promise.reject(fault),
    assertWritable: () => Promise.reject(fault),
  };
  const { host, said } = bench({ configFile: unwritable });
  await expect(login(COMMAND, host)).rejects.toBe(fault);
  expect(said).toEqual([]);
});
