/** The part of the page in which people choose a label and a period. Without a script it shows this month. */
import { PERIODS, periodOf, sharesOf } from "./explore.ts";
import { percent } from "./format.ts";
import { type Markup, markup } from "./markup.ts";
import type { View } from "./model.ts";
import { amount, change, nameOf, table } from "./tables.ts";

export function exploreSection(view: View): Markup {
  const { currency, dimensions } = view;
  const [first] = dimensions;
  const id = `explore-${currency}`;
  const shares = first === undefined ? [] : sharesOf(first, periodOf(view, "month"));
  const labels = dimensions.map(({ name }) => markup`<option>${name}</option>`);
  const periods = PERIODS.map(
    ({ name, title }) => markup`<option value="${name}">${title}</option>`,
  );
  const rows = shares.map(({ value, billed, previous, change: by }) => [
    nameOf(value),
    amount(billed),
    previous === null ? "" : amount(previous),
    by === null ? "" : change(by),
    by === null || previous === null ? "" : percent(by, previous),
  ]);
  return markup`
<figure id="${id}" class="explore" aria-labelledby="${id}-title">
  <figcaption>
    <h2 id="${id}-title">Where the money goes</h2>
    <p id="${id}-says">${currency} billed by day. The seven largest have a color each, the others share one.
      This month is compared with as many days of the month before, another period with the one before it, and only if both were read wholly.</p>
  </figcaption>
  <div class="choices">
    <label>By <select class="by" autocomplete="off">${labels}</select></label>
    <label>Period <select class="period" autocomplete="off">${periods}</select></label>
  </div>
  <div class="legend" hidden></div>
  <div class="chart" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-says"></div>
  <div class="scroll shares" tabindex="0">${table(
    [
      { title: first?.name ?? "" },
      { title: `Billed ${currency}`, isNumber: true },
      { title: "Before", isNumber: true },
      { title: "Change", isNumber: true },
      { title: "", isNumber: true },
    ],
    rows,
  )}</div>
  <details>
    <summary>By day, as a table</summary>
    <div class="scroll by-day" tabindex="0"></div>
  </details>
</figure>`;
}
