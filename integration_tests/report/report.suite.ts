/** The report that the demo leaves, in a real browser without a network. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { subtract } from "../../warehouse/decimals.ts";

const DEMO = fileURLToPath(new URL("../../demo/main.ts", import.meta.url));

/** Chromium as root in a closed network: no sandbox, and none of its own errands. */
const FLAGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** The charts, and how many shapes each has at least: bars of a year's days, projects, syncs, and all days. */
const CHARTS = { days: 40, projects: 4, bill: 10, completeness: 1_100 } as const;

let directory: string;
let output: string;
let browser: BrowserContext;
let page: Page;
let troubles: string[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "report-"));
  const run = promisify(execFile);
  output = (await run(process.execPath, [DEMO, "--out", directory])).stdout;
  browser = await chromium.launchPersistentContext(join(directory, "profile"), {
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: FLAGS.split(" "),
    viewport: { width: 1200, height: 900 },
    reducedMotion: "reduce",
    offline: true,
  });
});
afterAll(async () => {
  await browser.close();
  rmSync(directory, { recursive: true, force: true });
});

const file = (): string => join(directory, "report.html");

beforeEach(async () => {
  troubles = [];
  page = await browser.newPage();
  page.on("console", (message) => troubles.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (request.url() !== pathToFileURL(file()).href) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file()).href);
});
afterEach(async () => {
  await page.close();
  expect(troubles).toEqual([]);
});

const chart = (name: string): Locator => page.locator(`#${name} .chart`);

/** A figure as it is written, as the plain decimal that it was. */
const plain = (text: string): string => text.trim().replaceAll(",", "").replace("−", "-");

const cells = async (figure: string, column: number): Promise<string[]> =>
  (await page.locator(`#${figure} tbody td:nth-child(${column})`).allTextContents()).map(plain);

/** The exact sum of decimals. */
const sum = (amounts: readonly string[]): string =>
  amounts.reduce((total, amount) => subtract(total, subtract("0", amount)), "0");

describe("figures", () => {
  test("the headline's are those that the demo prints", async () => {
    const [, naive, current, provider] =
      /^ {2}billed USD +\d+ +(\S+) +\d+ +(\S+) +\d+ +(\S+) +0$/m.exec(output) ?? [];
    const shown = await page.locator(".sum .amount").allTextContents();
    expect(shown.map(plain)).toEqual([naive, current, provider]);
    expect(current).toBe(provider);
    expect(await page.locator("h1").textContent()).toBe(
      "Warehouse and provider agree to the last digit",
    );
  });

  test("the tables beside the charts add up to it, to the last digit", async () => {
    const total = plain((await page.locator(".current .amount").textContent()) ?? "");
    expect(sum(await cells("days", 3))).toBe(total);
    expect(sum(await cells("projects", 3))).toBe(total);
  });

  test("what was taken back is what the naive sum has too much", async () => {
    const [naive = "", , provider = ""] = (
      await page.locator(".sum .amount").allTextContents()
    ).map(plain);
    expect(sum(await cells("removed", 3))).toBe(subtract(naive, provider));
  });

  test("after each sync the bill is final and provisional as the demo said", async () => {
    const provisional = output.matchAll(
      /^ {2}billed USD: .*, (?:(\S+) of it provisional|all .*)$/gm,
    );
    expect(await cells("bill", 3)).toEqual([...provisional].map(([, amount = "0"]) => amount));
  });

  test("days are as proven as the demo said", async () => {
    const counted = new Map<string, number>();
    for (const row of await page.locator("#completeness tbody tr").all()) {
      const [dataset, , , days, , status] = await row.locator("td").allTextContents();
      const key = `${dataset} ${status}`;
      counted.set(key, (counted.get(key) ?? 0) + Number(plain(days ?? "")));
    }
    const printed = output.matchAll(/^ {2}(usage|costs) +(\d+) +(\d+) +(\d+) +\d+ +0$/gm);
    for (const [, dataset, proven, unproven, incomplete] of printed) {
      expect(counted.get(`${dataset} proven`) ?? 0).toBe(Number(proven));
      expect(counted.get(`${dataset} unproven`) ?? 0).toBe(Number(unproven));
      expect(counted.get(`${dataset} incomplete`) ?? 0).toBe(Number(incomplete));
    }
    expect(counted.size).toBe(4);
  });
});

describe("charts", () => {
  test.each(Object.entries(CHARTS))("%s is drawn", async (name, shapes) => {
    expect(await chart(name).locator("svg path").count()).toBeGreaterThanOrEqual(shapes);
    const colors = await chart(name)
      .locator("svg [fill]")
      .evaluateAll((elements) => elements.map((element) => element.getAttribute("fill")));
    expect(new Set(colors).size).toBeGreaterThan(2);
    // Empty paper takes some two thousand bytes.
    expect((await chart(name).screenshot()).length).toBeGreaterThan(4_000);
  });

  test("tell a day's exact amounts where one points at it", async () => {
    const place = await chart("days").boundingBox();
    await chart("days").hover({ position: { x: (place?.width ?? 0) / 2, y: 200 } });
    const tip = chart("days").locator(".tip");
    await tip.waitFor();
    const day = (await tip.locator("p").textContent()) ?? "";
    const date = new Date(`${day} UTC`).toISOString().slice(0, 10);
    const rows = page.locator("#days tbody tr").filter({ hasText: date });
    const costs = await rows.locator("td:nth-child(3)").allTextContents();
    expect(plain((await tip.locator(".total b").textContent()) ?? "")).toBe(sum(costs.map(plain)));
  });

  test("lose a model that is switched off", async () => {
    const bars = chart("days").locator(`svg path[fill="#4269d0"]`);
    const button = page.locator("#days .legend button").first();
    expect(await bars.count()).toBeGreaterThan(0);
    await button.click();
    expect(await button.getAttribute("aria-pressed")).toBe("false");
    await expect.poll(() => bars.count()).toBe(0);
  });
});

describe("people", () => {
  test("read it in the dark too", async () => {
    const ink = chart("bill").locator("svg text").first();
    const light = await ink.getAttribute("fill");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => ink.getAttribute("fill")).not.toBe(light);
    const paper = await page
      .locator("body")
      .evaluate((body) => body.ownerDocument.defaultView?.getComputedStyle(body).backgroundColor);
    expect(paper).toBe("rgb(19, 20, 23)");
  });

  test("on a narrow screen scroll down only", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    const width = await page.locator("html").evaluate((html) => html.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
  });

  test("who do not see charts are told what they show, and have the tables", async () => {
    for (const name of Object.keys(CHARTS)) {
      const figure = page.locator(`#${name}`);
      const title = (await figure.locator("h2").textContent()) ?? "";
      expect(await figure.getByRole("img", { name: title }).count(), name).toBe(1);
      await figure.locator("summary").click();
      expect(await figure.locator("table").isVisible(), name).toBe(true);
    }
  });
});

test("the page loads nothing, may load nothing, and is small enough to send", async () => {
  const policy = page.locator("meta[http-equiv=Content-Security-Policy]");
  expect(await policy.getAttribute("content")).toMatch(/^default-src 'none'; script-src 'sha256-/);
  const addresses = await page
    .locator("[src], [href]")
    .evaluateAll((elements) =>
      elements.map((element) => element.getAttribute("src") ?? element.getAttribute("href")),
    );
  expect(addresses).toEqual(["data:,"]);
  expect(statSync(file()).size).toBeLessThan(1_000_000);
});

test("a picture of it", async () => {
  const end = await page.locator("#completeness").boundingBox();
  const picture = await page.screenshot({
    fullPage: true,
    clip: { x: 0, y: 0, width: 1200, height: Math.floor(end?.y ?? 900) - 32 },
    path: process.env["SCREENSHOT"] ?? join(directory, "report.png"),
  });
  expect(picture.length).toBeGreaterThan(10_000);
});
