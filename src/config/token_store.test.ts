import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { assertWritable, writeConfigFile } from "./file.ts";
import { Secrets } from "../secrets.ts";
import { loadConfig } from "./token_store.ts";
import type { Message } from "../protocol.ts";
import { mustHandOver, withTokens } from "./token_set.ts";

const UUID = "00000000-0000-4000-8000-000000000000";
const EXPIRES = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const TOKENS = {
  accessToken: "access-1",
  expiresAt: EXPIRES,
  refreshToken: "refresh-1",
  tokenUrl: "https://as.example/token",
};
const CONFIG = {
  base_url: "https://api.example",
  credentials: {
    auth_type: "oauth2_authorization_code",
    client_id: "client",
    client_secret: null,
    refresh_token: "refresh-0",
    token_expiry_date: "2020-01-01T00:00:00Z",
    x_own: [1],
  },
  x_more: { kept: "1.10" },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "token-store-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the whole config stays, except the tokens", () => {
  expect(withTokens(CONFIG, TOKENS)).toEqual({
    ...CONFIG,
    credentials: {
      ...CONFIG.credentials,
      refresh_token: "refresh-1",
      access_token: "access-1",
      token_expiry_date: "2026-01-02T03:04:05.678Z",
      token_url: "https://as.example/token",
    },
  });
});

test("an unknown life leaves no old expiry date behind; a configured address stays", () => {
  const configured = {
    ...CONFIG,
    credentials: { ...CONFIG.credentials, token_url: "https://mine.example/t" },
  };
  const { credentials } = withTokens(configured, { ...TOKENS, expiresAt: undefined });
  expect(credentials).not.toHaveProperty("token_expiry_date");
  expect(credentials).toHaveProperty("token_url", "https://mine.example/t");
});

test("CONTROL is for another refresh token or a discovered token_url, not for a new access token alone", () => {
  const after = withTokens(CONFIG, TOKENS);
  expect(mustHandOver(CONFIG, after)).toBe(true);
  expect(mustHandOver(after, withTokens(after, { ...TOKENS, accessToken: "access-2" }))).toBe(
    false,
  );
  expect(mustHandOver(after, withTokens(after, { ...TOKENS, refreshToken: "refresh-2" }))).toBe(
    true,
  );
});

test("new tokens are masked first, then in the file, then handed over; only then may they be used", async () => {
  const secrets = new Secrets();
  const steps: string[] = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const note = (step: string): void =>
    void steps.push(`${step} ${secrets.mask("refresh-1 access-1")}`);
  const host = {
    clock: { now: () => 5, sleep: () => Promise.resolve() },
    secrets,
    readJson: () => Promise.resolve(CONFIG),
    configFile: {
      write: () => Promise.resolve(note("file")),
      assertWritable: () => Promise.resolve(),
    },
  };
  const sent: Message[] = [];
  const { save } = await loadConfig({ config: "c", writeConfig: true }, host, async (message) => {
    note("sent");
    sent.push(message);
    await promise;
  });
  let isSaved = false;
  const saving = (async () => {
    await save(TOKENS);
    isSaved = true;
  })();
  await new Promise((tick) => setImmediate(tick));
  expect(steps).toEqual(["file **** ****", "sent **** ****"]);
  expect(isSaved).toBe(false);
  resolve(undefined);
  await saving;
  expect(sent).toEqual([
    {
      type: "CONTROL",
      control: {
        type: "CONNECTOR_CONFIG",
        emitted_at: 5,
        connectorConfig: { config: withTokens(CONFIG, TOKENS) },
      },
    },
  ]);
});

test("a file that cannot be written: CONTROL hands the new refresh token over, then the error is thrown", async () => {
  const full = new Error("ENOSPC");
  const host = {
    clock: { now: () => 5, sleep: () => Promise.resolve() },
    secrets: new Secrets(),
    readJson: () => Promise.resolve(CONFIG),
    configFile: {
      write: () => Promise.reject(full),
      assertWritable: () => Promise.resolve(),
    },
  };
  const sent: Message[] = [];
  const { save } = await loadConfig({ config: "c", writeConfig: true }, host, (message) =>
    Promise.resolve(void sent.push(message)),
  );
  await expect(save(TOKENS)).rejects.toBe(full);
  expect(JSON.stringify(sent)).toContain("refresh-1");
});

test("a broken answer leaves no old access token in the config", () => {
  const old = withTokens(CONFIG, TOKENS);
  const { credentials } = withTokens(old, {
    ...TOKENS,
    accessToken: undefined,
    expiresAt: undefined,
  });
  expect(credentials).toMatchObject({ refresh_token: "refresh-1" });
  expect(credentials).not.toHaveProperty("access_token");
  expect(credentials).not.toHaveProperty("token_expiry_date");
});

test("the file is replaced as a whole, for its owner only; a link stays a link", async () => {
  const [file, link] = [join(folder, "real.json"), join(folder, "config.json")];
  writeFileSync(file, "{}", { mode: 0o644 });
  symlinkSync(file, link);
  // The temporary file of a killed process is removed; that of another writer stays.
  const [old, young] = ["1", "2"].map((digit) => `${file}.${UUID.replace("0", digit)}.new`);
  for (const name of [old, young]) writeFileSync(name ?? "", "half");
  const longAgo = new Date(Date.now() - 120_000);
  utimesSync(old ?? "", longAgo, longAgo);
  await assertWritable(link);
  await writeConfigFile(link, { a: 1 });
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ a: 1 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).toSorted()).toEqual([
    "config.json",
    "real.json",
    basename(young ?? ""),
  ]);
});

test("several writers at once: the file is one of theirs as a whole, and nothing is left beside it", async () => {
  const file = join(folder, "config.json");
  writeFileSync(file, "{}");
  const writers = Array.from({ length: 8 }, (_, writer) => ({ writer, pad: "x".repeat(100_000) }));
  await Promise.all(writers.map((config) => writeConfigFile(file, config)));
  expect(writers).toContainEqual(JSON.parse(readFileSync(file, "utf8")));
  expect(readdirSync(folder)).toEqual(["config.json"]);
});

test("an error names a file that is missing or cannot be replaced", async () => {
  const missing = join(folder, "none.json");
  const refusal = { code: "invalid_config", detail: "ENOENT" };
  await expect(assertWritable(missing)).rejects.toMatchObject(refusal);
  await expect(writeConfigFile(missing, {})).rejects.toMatchObject(refusal);
  // The tests may run as root, who may write to every folder. So they take a file that not even root can replace.
  await expect(writeConfigFile("/proc/self/status", {})).rejects.toMatchObject({
    code: "invalid_config",
  });
});

test("a file that is mounted without its folder is refused before a refresh spends its token", async () => {
  const [file, link] = [join(folder, "a config.json"), join(folder, "link.json")];
  const mounts = join(folder, "mountinfo");
  writeFileSync(file, "{}");
  symlinkSync(file, link);
  const lineOf = (place: string) =>
    `36 35 98:0 /mnt ${place.replaceAll(" ", "\\040")} rw,noatime master:1 - ext4 /dev/root rw\n`;
  writeFileSync(mounts, lineOf(folder));
  await expect(assertWritable(link, mounts)).resolves.toBeUndefined();
  writeFileSync(mounts, lineOf("/") + lineOf(realpathSync(file)));
  await expect(assertWritable(link, mounts)).rejects.toThrow(
    "mounted without its folder: mount the folder instead. A config with a refresh token needs",
  );
});

test.each([
  ["2026-01-02", 1],
  ["2026-01-01", 0],
])("a start_date %s is told %i times on 2026-01-01", async (start, times) => {
  const host = {
    clock: { now: () => Date.UTC(2026, 0, 1), sleep: () => Promise.resolve() },
    secrets: new Secrets(),
    readJson: () => Promise.resolve({ ...CONFIG, start_date: start }),
  };
  const sent: Message[] = [];
  await loadConfig({ config: "c", writeConfig: false }, host, (message) =>
    Promise.resolve(void sent.push(message)),
  );
  expect(sent).toHaveLength(times);
  if (times > 0) expect(JSON.stringify(sent)).toContain("start_date lies in the future");
});

test("a refresh token on stdin cannot be renewed, and the message says what to do", async () => {
  await expect(assertWritable("-")).rejects.toThrow(
    /^The config from stdin has a refresh token, .* Put the config into a file that this user may write/,
  );
});
