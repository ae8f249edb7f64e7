/** Takes pictures of the first screen of reports, wide and narrow: `pictures.ts FROM TO`, both folders. */
import { readdirSync } from "node:fs";
import { join, parse, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

/** Sizes in pixels. A person sees the lower part of a narrow page after one scroll. */
const SCREENS = [
  { width: 1400, height: 900 },
  { width: 390, height: 1400 },
];

const [from = "", to = ""] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
for (const viewport of SCREENS) {
  const context = await browser.newContext({ viewport, reducedMotion: "reduce", offline: true });
  for (const file of readdirSync(from).filter((name) => name.endsWith(".html"))) {
    const page = await context.newPage();
    await page.goto(pathToFileURL(resolve(from, file)).href);
    await page.screenshot({ path: join(to, `${parse(file).name}_${viewport.width}.png`) });
    await page.close();
  }
  await context.close();
}
await browser.close();
