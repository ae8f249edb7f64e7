/** The page's script: draws the charts of the chosen currency from the data inside the document. */
import type { ReportData, View } from "../model.ts";
import { listenForDigits } from "./digits.ts";
import { explore } from "./explore.ts";
import { drawMonth } from "./month.ts";
import { drawUnits } from "./units.ts";

const data: ReportData = JSON.parse(document.querySelector("#data")?.textContent ?? "");

const drawn = new Set<string>();

/** Shows one currency. Its charts are drawn when it is shown for the first time. */
function show(view: View): void {
  for (const article of document.querySelectorAll<HTMLElement>("article.view")) {
    article.hidden = article.dataset["currency"] !== view.currency;
  }
  if (drawn.has(view.currency)) return;
  drawn.add(view.currency);
  drawMonth(view);
  explore(view);
  drawUnits(view);
}

const choice = document.querySelector<HTMLSelectElement>("#currency");
choice?.addEventListener("change", () => {
  const view = data.views.find(({ currency }) => currency === choice.value);
  if (view !== undefined) show(view);
});
const [first] = data.views;
if (first !== undefined) show(first);
listenForDigits();
tellAge();

/** Adds to the instant of the newest reading how long ago it was. */
function tellAge(): void {
  const time = document.querySelector<HTMLTimeElement>("#proof time");
  if (time === null) return;
  const hours = Math.floor((Date.now() - Date.parse(time.dateTime)) / 3_600_000);
  if (hours < 1) return;
  const age = hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
  time.append(` (${age} ago)`);
}
