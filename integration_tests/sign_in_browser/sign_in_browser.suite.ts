/** A person at a shell signs in with a browser: the provider's pages and the pages of `login` itself. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { generateAccount } from "../../reference_provider/generator/index.ts";
import type { Config } from "../support/config.ts";
import {
  credentialsOf,
  leaksIn,
  type OAuthServed,
  secretsIn,
  serveOAuth,
} from "../support/oauth.ts";
import { launch, type Running } from "../support/process.ts";

const NOW = "2025-10-04T00:00:00Z";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let served: OAuthServed;
let folder: string;
let path: string;
let context: BrowserContext;

beforeEach(async () => {
  served = await serveOAuth(generateAccount("acme", { usage: 50, costs: 5, now: NOW }), NOW);
  folder = mkdtempSync(join(tmpdir(), "browser-"));
  path = join(folder, "config.json");
  context = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    headless: true,
    args: FLAGS,
  });
});

afterEach(async () => {
  await context.close();
  await served[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const isConfig = (value: unknown): value is Config => typeof value === "object" && value !== null;

function savedConfig(): Config {
  const value: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (isConfig(value)) return value;
  throw new TypeError("no config");
}

/** Starts `login` for a public client, and returns the address that `login` shows. */
async function startLogin(): Promise<{ readonly running: Running; readonly address: string }> {
  const client = served.oauth.server.publicClient.clientId;
  const credentials = { auth_type: "oauth2_authorization_code", client_id: client };
  writeFileSync(path, JSON.stringify({ base_url: served.baseUrl, credentials, account: "mine" }));
  const running = launch("login", { args: ["--config", path, "--no-browser"] });
  let text = "";
  const address = await new Promise<string>((resolve, reject) => {
    running.stdout?.on("data", (part: string) => {
      text += part;
      const found = /^ {2}(http\S+)$/m.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    running.done.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  return { running, address };
}

/** Opens the address and signs in; the returned page asks for consent. */
async function openConsent(address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  expect(await page.title()).toBe("Sign in to the reference provider");
  await page.getByLabel("acme").check();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Allow" }).waitFor();
  return page;
}

test("consent given: the tab says so, and the config has tokens that work", async () => {
  const { running, address } = await startLogin();
  const page = await openConsent(address);
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("You can close this tab").waitFor();
  const finished = await running.done;
  expect(finished).toMatchObject({ code: 0, stderr: "" });
  const config = savedConfig();
  expect(config["account"]).toBe("mine");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(leaksIn(finished, secretsIn(config))).toEqual([]);
  const checked = await launch("check", { config }).done;
  expect(checked.stdout).toContain('"SUCCEEDED"');
});

test("consent denied: the tab and the command say what to do, and the file stays", async () => {
  const { running, address } = await startLogin();
  const before = readFileSync(path, "utf8");
  const page = await openConsent(address);
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("Access was denied").waitFor();
  const finished = await running.done;
  expect(finished.code).toBe(1);
  expect(finished.stderr).toContain("Run login again and allow it");
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("a scope that is unticked is missing later, and check names it", async () => {
  const { running, address } = await startLogin();
  const page = await openConsent(address);
  await page.getByLabel("billing.cost.read").uncheck();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("You can close this tab").waitFor();
  expect((await running.done).code).toBe(0);
  const checked = await launch("check", { config: savedConfig() }).done;
  expect(checked.stdout).toContain("billing.cost.read");
});

test("two tabs with the same address: the first wins, the second does no harm", async () => {
  const { running, address } = await startLogin();
  const [first, second] = [await openConsent(address), await context.newPage()];
  await second.goto(address);
  await first.getByRole("button", { name: "Allow" }).click();
  await first.getByText("You can close this tab").waitFor();
  expect((await running.done).code).toBe(0);
  expect(credentialsOf(savedConfig())["refresh_token"]).toBeDefined();
  expect(served.tokenRequests()).toEqual([200]);
});
