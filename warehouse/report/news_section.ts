/** "What moved, and why": movers, anomalies and late changes, each as a short list. */
import { money, percent, shortDate } from "./format.ts";
import { type Markup, markup } from "./markup.ts";
import type { View } from "./model.ts";
import { amount, change, DIGITS } from "./tables.ts";

/** The kinds of late changes in words. */
const KINDS: Readonly<Record<string, string>> = {
  late: "arrived late",
  restated: "restated",
  removed: "withdrawn by the provider",
  corrected: "corrected",
  reissued: "issued again under another id",
};

function list(title: string, items: readonly Markup[], nothing: string): Markup {
  const shown =
    items.length === 0
      ? markup`<p class="says">${nothing}</p>`
      : markup`<ul class="news">${items}</ul>`;
  return markup`<h3>${title}</h3>
${shown}`;
}

export function newsSection({ currency, movers, anomalies, changes }: View): Markup {
  const moved = movers.map(
    (mover) => markup`<li><span class="what">${mover.names.join(" · ")}</span>
      <span class="figure">${change(mover.change)} <small>${percent(mover.change, mover.previous) || "new"}</small></span></li>`,
  );
  const odd = anomalies.map(
    ({
      day,
      label,
      value,
      billed,
      usual,
      why,
    }) => markup`<li><span class="what"><small>${shortDate(day)}</small> ${label === "all" ? "All costs" : `${label} ${value}`}
      <span class="says">${why === "" ? `usually ${money(usual, DIGITS)}` : why}</span></span> <span class="figure">${amount(billed)}</span></li>`,
  );
  const late = changes.map(
    (
      found,
    ) => markup`<li><span class="what"><small>found ${shortDate(found.foundAt)}</small> ${found.what}, ${shortDate(found.day)}
      <span class="says">${KINDS[found.kind] ?? found.kind}</span></span> <span class="figure">${change(found.change)}</span></li>`,
  );
  return markup`
<section class="moved" aria-labelledby="moved-${currency}">
  <h2 id="moved-${currency}">What moved, and why</h2>
  ${list("Against the month before, same days", moved, "Nothing changed.")}
  ${list("Unusual days", odd, "No day of the last five weeks is far from what its weekday usually costs.")}
  ${list("Changed after it was shown", late, "No earlier amount changed.")}
</section>`;
}
