/** The form that people fill in, in a real browser. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { parseConfig } from "../../src/config/config.ts";

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Chromium as root in a closed network: no sandbox, and none of its own errands. */
const FLAGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

let browser: BrowserContext;
let script: string;
let page: Page;

beforeAll(async () => {
  const bundle = await build({
    entryPoints: [file("page/page.ts")],
    bundle: true,
    write: false,
    define: { "process.env.NODE_ENV": '"production"' },
  });
  script = bundle.outputFiles[0]?.text ?? "";
  browser = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), "chromium-")), {
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: FLAGS.split(" "),
    viewport: { width: 720, height: 900 },
  });
});
afterAll(async () => {
  await browser.close();
});
beforeEach(async () => {
  page = await browser.newPage();
  await page.setContent(readFileSync(file("page/page.html"), "utf8"));
  await page.addScriptTag({ content: script });
  await page.getByLabel("Base URL").waitFor();
});
afterEach(async () => {
  await page.close();
});

const visibleLabels = async (): Promise<string[]> =>
  (await page.locator("label:visible, legend:visible").allInnerTexts()).map((label) =>
    label.replace(/\s*\*$/, "").trim(),
  );

const field = (label: string) => page.getByLabel(label, { exact: false }).first();

test("the cards come in their order, what is needed first, and only what a person would set is open", async () => {
  expect(await page.locator("h2").allInnerTexts()).toEqual([
    "Connection",
    "What to Read",
    "Advanced",
  ]);
  const labels = await visibleLabels();
  expect(labels[0]).toBe("Base URL");
  expect(labels).toContain("Start Date");
  expect(labels).not.toContain("Concurrency");
  await page.locator("#advanced summary").click();
  expect(await visibleLabels()).toContain("Concurrency");
});

test("OAuth is the first choice and the one made", async () => {
  const choices = page.locator("#connection input[type=radio]");
  const texts = await page.locator("#connection label:has(input[type=radio])").allInnerTexts();
  expect(texts.map((text) => text.trim())).toEqual(["OAuth 2.0", "Access Token"]);
  expect(await choices.first().isChecked()).toBe(true);
});

test("secrets are password fields, and what the connector keeps for itself is not shown", async () => {
  const secrets = async (): Promise<string[]> =>
    page
      .locator("input[type=password]")
      .evaluateAll((inputs) => inputs.map(({ id }) => id.replace(/^.*_credentials_/, "")));
  expect(await secrets()).toEqual(["client_secret", "refresh_token"]);
  expect(await visibleLabels()).not.toContain("Access Token Expiry");
  await page.getByLabel("Access Token").first().check();
  expect(await secrets()).toEqual(["access_token"]);
});

test("dates are picked", async () => {
  expect(await field("Start Date").getAttribute("type")).toBe("date");
});

test("a wrong address is told in words", async () => {
  await field("Base URL").fill("billing.example.com");
  await page.getByRole("button", { name: "Set up source" }).click();
  await page.getByText("The value must look like https://host/path").waitFor();
  expect(await page.locator("body").getAttribute("data-config")).toBeNull();
});

test("what is filled in is a config that the connector takes", async () => {
  await field("Base URL").fill("https://billing.example.com");
  await page.getByLabel("Access Token").first().check();
  await page.locator("input[type=password]").fill("a-token");
  await field("Start Date").fill("2026-01-31");
  await page.getByRole("button", { name: "Set up source" }).click();
  await page.locator("body[data-config]").waitFor();
  const config: unknown = JSON.parse(
    (await page.locator("body").getAttribute("data-config")) ?? "",
  );
  expect(config).toMatchObject({
    start_date: "2026-01-31",
    credentials: { auth_type: "scoped_bearer_token" },
  });
  expect(parseConfig(config)).toMatchObject({ baseUrl: "https://billing.example.com" });
});

test("a picture of it", async () => {
  const picture = await page.screenshot({
    fullPage: true,
    path: process.env["SCREENSHOT"] ?? join(tmpdir(), "form.png"),
  });
  expect(picture.length).toBeGreaterThan(10_000);
});
