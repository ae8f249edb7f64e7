/** The form that people fill in, drawn by Airbyte's rules in a real browser. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import spec from "../../spec.json" with { type: "json" };
import { parseConfig } from "../../src/config/config.ts";

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Chromium runs as root and without internet here: no sandbox, and no requests of its own. */
const FLAGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

const { oneOf: variants } = spec.connectionSpecification.properties.credentials;

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

const labelsIn = async (part: string): Promise<string[]> =>
  (await page.locator(`${part} label:visible:not(.tile)`).allInnerTexts()).map((label) =>
    label.replace(/\s*\*$/, "").trim(),
  );

const field = (label: string) => page.getByLabel(label, { exact: false }).first();
const choose = (title: string) => page.locator(".tile", { hasText: title }).last().click();

test("the cards come in their order, and a card of optional fields is folded", async () => {
  expect(await page.locator("h2, .card > details:only-child > summary").allInnerTexts()).toEqual([
    "Connection",
    "What to Read",
    "Advanced",
  ]);
  expect((await labelsIn("#connection"))[0]).toBe("Base URL");
  expect(await labelsIn("#range")).toEqual(["Start Date", "Usage Granularity"]);
  expect(await labelsIn("#advanced")).toEqual([]);
  await page.locator("#advanced summary").click();
  expect(await labelsIn("#advanced")).toContain("Concurrency");
});

test("OAuth is the first choice and the one made", async () => {
  const texts = await page.locator(".tile span").allInnerTexts();
  expect(texts).toEqual(variants.map(({ title }) => title));
  expect(texts[0]).toBe("OAuth 2.0");
  expect(await page.locator(".tile input").first().isChecked()).toBe(true);
});

test("all that the sign-in button needs is open above it, and nothing is folded away", async () => {
  expect(await labelsIn(".variant")).toEqual([
    "Client ID",
    "Client Secret",
    "Authorization URL",
    "Token URL",
    "Access Token",
    "Access Token Expiry",
  ]);
  expect(await page.locator(".variant details").count()).toBe(0);
  const button = await page.locator("#sign-in").boundingBox();
  const last = await page.getByLabel("Token URL").boundingBox();
  const next = await page.getByLabel("Access Token Expiry").boundingBox();
  expect(button?.y).toBeGreaterThan(last?.y ?? Infinity);
  expect(button?.y).toBeLessThan(next?.y ?? 0);
  await choose("Access Token");
  expect(await page.locator("#sign-in").count()).toBe(0);
});

test("secrets are password fields", async () => {
  const secrets = async (): Promise<string[]> =>
    page
      .locator("input[type=password]")
      .evaluateAll((inputs) => inputs.map(({ id }) => id.replace(/^.*_credentials_/, "")));
  expect(await secrets()).toEqual(["client_secret", "access_token"]);
  await choose("Access Token");
  expect(await secrets()).toEqual(["access_token"]);
});

test("dates are picked", async () => {
  expect(await field("Start Date").getAttribute("type")).toBe("date");
});

test("a wrong address is explained in words", async () => {
  await field("Base URL").fill("billing.example.com");
  await page.getByRole("button", { name: "Set up source" }).click();
  await page.getByText("The value must look like https://host/path").waitFor();
  expect(await page.locator("body").getAttribute("data-config")).toBeNull();
});

test("the connector takes the config that a person fills in", async () => {
  await field("Base URL").fill("https://billing.example.com");
  await choose("Access Token");
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

test("the picture for the documentation", async () => {
  const picture = await page.screenshot({
    fullPage: true,
    path: process.env["SCREENSHOT"] ?? join(tmpdir(), "form.png"),
  });
  expect(picture.length).toBeGreaterThan(10_000);
});
