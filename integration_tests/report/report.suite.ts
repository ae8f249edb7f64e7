/** The report that the demo leaves, in a real browser without a network. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LAUNCHER } from "../../bin/process.ts";
import { Database } from "../../warehouse/database.ts";
import { add, plain, rounded } from "../../warehouse/decimals.ts";

const DEMO = fileURLToPath(new URL("../../demo/main.ts", import.meta.url));

/** Chromium runs as root and without internet here: no sandbox, and no requests of its own. */
const FLAGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** The charts of each currency, and how many shapes each has at least. */
const CHARTS = { month: 4, explore: 30, units: 3 } as const;

let directory: string;
let database: Database;
let browser: BrowserContext;
let page: Page;
let troubles: string[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "report-"));
  const run = promisify(execFile);
  await run(process.execPath, [DEMO, "--out", directory]);
  const [budgets = "", path = ""] = ["budgets.csv", "company.duckdb"].map(inDirectory);
  writeFileSync(
    budgets,
    "team,month,billing_currency,budget\nCustomer Care,2026-11,USD,5200\nResearch,2026-11,USD,2500\n",
  );
  const line = ["report", "--database", path, "--budgets", budgets, "--out", ofTwoTeams()];
  await run(LAUNCHER, line);
  writeFileSync(budgets, `team,month,billing_currency,budget\n${LONG},2026-11,USD,0.00012345\n`);
  await run(LAUNCHER, [...line.slice(0, -1), withLongName()]);
  database = await Database.open(join(directory, "company.duckdb"), "read");
  browser = await chromium.launchPersistentContext(join(directory, "profile"), {
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: FLAGS.split(" "),
    viewport: { width: 1400, height: 900 },
    reducedMotion: "reduce",
    offline: true,
  });
});
afterAll(async () => {
  await browser.close();
  database.close();
  rmSync(directory, { recursive: true, force: true });
});

const inDirectory = (name: string): string => join(directory, name);
const file = (): string => inDirectory("report.html");
/** The same costs with the budgets of two of the four teams. */
const ofTwoTeams = (): string => inDirectory("two_teams.html");
/** The same with the budget of a team whose name is long. */
const withLongName = (): string => inDirectory("long_name.html");
const LONG = "Search".repeat(33);

beforeEach(async () => {
  troubles = [];
  page = await browser.newPage();
  page.on("console", (message) => troubles.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const pages = [file(), ofTwoTeams(), withLongName()].map((path) => pathToFileURL(path).href);
    if (!pages.includes(request.url())) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file()).href);
});
afterEach(async () => {
  await page.close();
  expect(troubles).toEqual([]);
});

const figure = (name: string, currency = "USD"): Locator =>
  page.locator(`figure[id="${name}-${currency}"]`);
const chart = (name: string): Locator => figure(name).locator(".chart");
const shown = (currency = "USD"): Locator =>
  page.locator(`article.view[data-currency=${currency}]`);

/** The exact amounts of the elements that show money. */
const exact = async (place: Locator): Promise<string[]> =>
  await place
    .locator("data.money")
    .evaluateAll((found) => found.map((element) => element.getAttribute("value") ?? ""));

/** The first column of a query, decimals without trailing zeros. */
const asked = async (sql: string): Promise<string[]> =>
  (await database.query(sql)).map(([value = ""]) =>
    /^-?[0-9.]+$/.test(value) ? plain(value) : value,
  );

const NOVEMBER = "billing_currency = 'USD' AND day BETWEEN '2026-11-01' AND '2026-11-19'";

describe("the first screen", () => {
  test("has this month so far, the month before at the same day, the forecast and the budget", async () => {
    const [billed = ""] = await asked(
      `SELECT sum(billed_cost) FROM current_costs WHERE ${NOVEMBER}`,
    );
    const [before = ""] = await asked(
      "SELECT sum(billed_cost) FROM current_costs WHERE billing_currency = 'USD' AND day BETWEEN '2026-10-01' AND '2026-10-19'",
    );
    expect(await exact(shown().locator(".to-date strong"))).toEqual([billed]);
    expect(await exact(shown().locator(".previous strong"))).toEqual([before]);
    // All charges of the story in dollars are usage. A day weighs as much as its weekday in the 56 days up to the 19th.
    const [forecast = ""] = await exact(shown().locator(".forecast strong"));
    const [expected = ""] = await asked(`
      WITH weights AS (
        SELECT dayofweek(day) AS weekday, sum(billed_cost)::DOUBLE AS weight FROM current_costs
        WHERE billing_currency = 'USD' AND day BETWEEN '2026-09-25' AND '2026-11-19' GROUP BY 1),
      days AS (SELECT unnest(generate_series(DATE '2026-11-01', DATE '2026-11-30', INTERVAL 1 DAY)) AS day),
      month AS (SELECT sum(weight) / sum(weight) FILTER (day <= '2026-11-19') AS growth FROM days JOIN weights ON dayofweek(day) = weekday)
      SELECT sum(billed_cost)::DOUBLE * any_value(growth) FROM current_costs CROSS JOIN month WHERE ${NOVEMBER}`);
    expect(Number(forecast) / Number(expected)).toBeCloseTo(1, 5);
    const [low = "", high = ""] = await exact(shown().locator(".forecast .says"));
    const range = `SELECT forecast_low, forecast_high FROM month_forecasts WHERE billing_currency = 'USD'`;
    expect((await database.query(range)).map((row) => row.map(plain))).toEqual([[low, high]]);
    expect(await exact(shown().locator(".budget strong"))).toEqual(["16500"]);
    expect(await shown().locator(".budget.over").count()).toBe(1);
  });

  test("says it in one sentence, with two decimals", async () => {
    const [billed = ""] = await exact(shown().locator(".to-date strong"));
    const [whole = "", cents] = rounded(billed, 2).split(".");
    const grouped = `${Number(whole).toLocaleString("en-US")}.${cents}`;
    expect(await shown().locator("h1").textContent()).toMatch(
      new RegExp(
        `^November so far: ${grouped} USD, \\+\\d+% against the month before; 3 of 4 teams with a budget are on course to ` +
          "exceed their budgets: Customer Care, Research, Engineering; all costs are on course to exceed the budget by \\d+%$",
      ),
    );
  });

  test("names what grew most, the runaway job, and what was withdrawn and corrected", async () => {
    const news = shown().locator(".moved");
    const [grown = ""] = await asked(
      `SELECT max(change) FROM cost_movers WHERE comparison = 'month_to_date' AND label = 'model_id' AND value = 'atlas-4'`,
    );
    expect((await exact(news))[0]).toBe(grown);
    const text = (await news.textContent()) ?? "";
    expect(text).toContain("model atlas-4");
    expect(text).toMatch(/Nov 17\s+key key-nightly-evals/);
    expect(text).toContain("withdrawn by the provider");
    expect(await exact(news)).toContain("-38.25");
  });

  test("is there at 1,400 pixels without scrolling", async () => {
    for (const place of [".sums", "figure .chart", ".moved h2"]) {
      const box = await shown().locator(place).first().boundingBox();
      expect((box?.y ?? 9999) + (box?.height ?? 0), place).toBeLessThan(900);
    }
  });

  test("has each team beside its budget, and what belongs to none", async () => {
    const rows = await shown().locator(".teams tbody tr td:first-child").allTextContents();
    expect(rows).toEqual(["Customer Care", "Engineering", "Research", "Legal", "no team"]);
    const billed = await exact(shown().locator(".teams tbody td:nth-child(2)"));
    expect([add(billed)]).toEqual(await exact(shown().locator(".to-date strong")));
  });
});

describe("the budgets of two teams", () => {
  test("are compared with the costs of these teams, in words and not in the chart of all costs", async () => {
    const legend = figure("month").locator(".legend");
    expect(await legend.textContent()).toContain("budget");
    await page.goto(pathToFileURL(ofTwoTeams()).href);
    const [billed = "", forecast = ""] = await database
      .query(
        `SELECT sum(to_date_cost), 7700 - sum(forecast_cost) FROM team_costs
         WHERE month = '2026-11-01' AND billing_currency = 'USD' AND team IN ('Customer Care', 'Research')`,
      )
      .then(([sums = []]) => sums.map(plain));
    expect(await exact(shown().locator(".budget"))).toEqual(["7700", billed, forecast.slice(1)]);
    expect(await shown().locator("h1").textContent()).toMatch(
      /; 2 of 2 teams with a budget are on course to exceed their budgets: Customer Care, Research; the teams together are on course to exceed the sum of their budgets by \d+%$/,
    );
    expect(await legend.textContent()).toContain("forecast");
    expect(await legend.textContent()).not.toContain("budget");
  });
});

describe("where the money goes", () => {
  const total = async (): Promise<string> =>
    add(await exact(figure("explore").locator(".shares td:nth-child(2)")));

  test("adds up to the month by each label, and to the last digit", async () => {
    const [billed] = await exact(shown().locator(".to-date strong"));
    const labels = await figure("explore").locator(".by option").allTextContents();
    expect(labels).toEqual(expect.arrayContaining(["Model", "Project", "Key", "Team"]));
    for (const label of labels) {
      await figure("explore").locator(".by").selectOption(label);
      expect(await total(), label).toBe(billed);
      expect(add(await exact(figure("explore").locator(".by-day"))), label).toBe(billed);
    }
  });

  test.each([
    ["last-month", "day BETWEEN '2026-10-01' AND '2026-10-31'"],
    ["7", "day BETWEEN '2026-11-13' AND '2026-11-19'"],
    ["30", "day BETWEEN '2026-10-21' AND '2026-11-19'"],
    ["all", "true"],
  ])("period %s", async (period, condition) => {
    await figure("explore").locator(".period").selectOption(period);
    const [billed] = await asked(
      `SELECT sum(billed_cost) FROM current_costs WHERE billing_currency = 'USD' AND ${condition}`,
    );
    expect(await total()).toBe(billed);
  });
});

test("unit costs are cost by tokens, each kind of token by itself", async () => {
  const week = figure("units").locator("tbody tr").filter({ hasText: "November 9, 2026" });
  const names = await week.locator("td:nth-child(2)").allTextContents();
  expect(names).toHaveLength(6);
  for (const kind of ["input", "output"]) {
    expect(names).toContain(`atlas-4 ${kind} tokens, standard`);
    const row = week.filter({ hasText: `atlas-4 ${kind} tokens` });
    const [price = ""] = await exact(row);
    const within = `model_id = 'atlas-4' AND usage_type = '${kind}_tokens' AND day BETWEEN '2026-11-09' AND '2026-11-15'`;
    const [cost = ""] = await asked(`
      SELECT (SELECT sum(effective_cost) FROM current_costs WHERE ${within})
        / (SELECT sum(consumed_quantity) FROM current_usage WHERE ${within}) * 1000000`);
    expect(Number(price)).toBeCloseTo(Number(cost), 4);
  }
  expect(await figure("units").locator(".legend").textContent()).toContain(
    "atlas-4 output tokens, standard",
  );
});

describe("several currencies", () => {
  test("are named, never added, and chosen", async () => {
    expect(await shown().locator(".lead").textContent()).toContain("never added: 450.00 EUR");
    expect(await shown("EUR").isVisible()).toBe(false);
    await page.locator("#currency").selectOption("EUR");
    expect(await shown().isVisible()).toBe(false);
    expect(await exact(shown("EUR").locator(".to-date strong"))).toEqual(["450"]);
    expect(await figure("month", "EUR").locator("svg path").count()).toBeGreaterThan(1);
  });
});

test("the proof is one line that opens", async () => {
  const proof = page.locator("#proof");
  const [proven, all] = [
    await asked("SELECT count(*) FROM completeness WHERE dataset = 'costs' AND status = 'proven'"),
    await asked("SELECT count(*) FROM completeness WHERE dataset = 'costs'"),
  ];
  expect(await proof.locator("summary").textContent()).toContain(
    `costs ${proven[0]} of ${all[0]} days proven`,
  );
  expect(await proof.locator("#removed").isVisible()).toBe(false);
  await proof.locator("summary").click();
  expect(await proof.locator("#removed").isVisible()).toBe(true);
  expect(await proof.locator("#removed td").first().textContent()).toBe(
    "cost-2026-11-10-0-output_tokens",
  );
  const [naive = "", current = "", excess] = await exact(
    proof.locator("#naive tr").filter({ hasText: "USD" }),
  );
  expect(excess).toBe(add([naive, `-${current}`]));
  expect([current]).toEqual(
    await asked("SELECT sum(billed_cost) FROM current_costs WHERE billing_currency = 'USD'"),
  );
});

describe("people", () => {
  test.each(Object.entries(CHARTS))("see the chart %s", async (name, shapes) => {
    expect(await chart(name).locator("svg path").count()).toBeGreaterThanOrEqual(shapes);
    // Empty paper takes some two thousand bytes.
    expect((await chart(name).screenshot()).length).toBeGreaterThan(4_000);
  });

  test("see a day's amounts where they point at it", async () => {
    const place = await chart("explore").boundingBox();
    await chart("explore").hover({ position: { x: (place?.width ?? 0) / 2, y: 150 } });
    const tip = chart("explore").locator(".tip");
    await tip.waitFor();
    const date = new Date(`${await tip.locator("p").textContent()} UTC`).toISOString().slice(0, 10);
    const [billed = ""] = await asked(
      `SELECT sum(billed_cost) FROM current_costs WHERE billing_currency = 'USD' AND day = '${date}'`,
    );
    const text = (await tip.locator(".total b").textContent()) ?? "";
    expect(text.replaceAll(",", "")).toBe(rounded(billed, 2));
  });

  test("see four decimals on demand, and two again", async () => {
    const amount = shown().locator(".to-date data");
    const [few, exactly = ""] = [
      await amount.textContent(),
      (await exact(shown().locator(".to-date strong")))[0],
    ];
    await page.locator("#digits").click();
    expect((await amount.textContent())?.replaceAll(",", "")).toBe(rounded(exactly, 4));
    await page.locator("#digits").click();
    expect(await amount.textContent()).toBe(few);
  });

  test("read it in the dark too", async () => {
    const ink = chart("explore").locator("svg text").first();
    const light = await ink.getAttribute("fill");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => ink.getAttribute("fill")).not.toBe(light);
    const paper = await page
      .locator("body")
      .evaluate((body) => body.ownerDocument.defaultView?.getComputedStyle(body).backgroundColor);
    expect(paper).toBe("rgb(19, 20, 23)");
  });

  test("on a narrow screen scroll down only, also with everything open", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    for (const summary of await page.locator("summary:visible").all()) await summary.click();
    const width = await page.locator("html").evaluate((html) => html.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
  });

  test("see on a narrow screen what is left of each budget, beside its words", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    const left = await shown().locator(".teams td:last-child").all();
    expect(left.length).toBe(5);
    for (const cell of left) {
      const box = await cell.boundingBox();
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= 390).toBe(true);
      const title = await cell.evaluate(
        (element) =>
          element.ownerDocument.defaultView?.getComputedStyle(element, "::before").content,
      );
      expect(title).toBe('"Left at month end"');
    }
  });

  test("see the beginning of a long name, all of it on demand, and no amount as 0.00 that is more", async () => {
    await page.goto(pathToFileURL(withLongName()).href);
    const name = shown().locator(".teams td span");
    expect(await name.textContent()).toBe(`${LONG.slice(0, 59)}…`);
    expect(await name.getAttribute("title")).toBe(LONG);
    const row = shown().locator(".teams tr", { has: page.locator("td span") });
    expect(await row.locator("td").nth(3).textContent()).toBe("0.00012");
  });

  test("read dates in words, also with everything open", async () => {
    for (const summary of await page.locator("summary:visible").all()) await summary.click();
    const words = await page.locator("main").evaluate((main) => main.innerText);
    expect(words).toContain("November 17, 2026");
    // A provider chooses the ids of its records, so an id may hold a date of any form.
    expect(words.replaceAll(/cost-\S+/g, "")).not.toMatch(/\d{4}-\d\d-\d\d/);
  });

  test("who do not see charts are told what they show, and have the tables", async () => {
    for (const name of Object.keys(CHARTS)) {
      const title = (await figure(name).locator("h2").textContent()) ?? "";
      expect(await figure(name).getByRole("img", { name: title }).count(), name).toBe(1);
      await figure(name).locator("summary").click();
      expect(await figure(name).locator("details table").isVisible(), name).toBe(true);
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
  const end = await shown().locator(".explore").boundingBox();
  const picture = await page.screenshot({
    fullPage: true,
    clip: { x: 0, y: 0, width: 1400, height: Math.floor(end?.y ?? 900) - 12 },
    path: process.env["SCREENSHOT"] ?? join(directory, "report.png"),
  });
  expect(picture.length).toBeGreaterThan(10_000);
});
