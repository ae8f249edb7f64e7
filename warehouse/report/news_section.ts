/** "What moved, and why": the change in parts, unusual days and late changes, each as a short list. */
import { subtract } from "../decimals.ts";
import { count, decimal, money, percent, shortDate } from "./format.ts";
import { findingWords, invoiceName, stateWords } from "./invoices.ts";
import { type Markup, markup } from "./markup.ts";
import type { Anomalies, Invoices, LateChanges, Mover, View } from "./model.ts";
import { amount, change, DIGITS, nameOf } from "./tables.ts";
import { subjectOf, whyOf } from "./unusual.ts";
import { comparedDays } from "./words.ts";

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

/** A value that cost nothing on the compared days has no share: it may have cost something on others. */
const moved = ({ names, change: by, previous }: Mover): Markup =>
  markup`<li><span class="what">${nameOf(names.join(" · "))}</span>
      <span class="figure">${change(by)} <small>${percent(by, previous) || `from ${money(previous, DIGITS)}`}</small></span></li>`;

function movesOf({ headline: { comparison }, moves }: View): Markup {
  const title = `Against the month before, ${comparison === null ? "same days" : comparedDays(comparison)}`;
  if (comparison === null || moves === null)
    return list(title, [], "Not compared: no day of this month was read in the month before too.");
  const { billed, previous } = comparison;
  const all = { names: ["All costs"], billed, previous, change: subtract(billed, previous) };
  const parts = moves.parts.length === 0 ? [] : [...moves.parts, all];
  const largest = moves.largest.map(moved);
  return markup`${list(title, parts.map(moved), "Nothing changed.")}
  ${largest.length === 0 ? [] : [list("The same by other labels, the largest changes", largest, "")]}`;
}

/** The words where no day is unusual. Days that nothing is known about are not called usual. */
function usualWords({ judged, known, all }: Anomalies): string {
  if (all === 0) return "The last five weeks have no usage charges to judge.";
  if (known === 0)
    return "The history is too short to judge a day: it needs eight days to compare with.";
  const others = "too short a history, or a weekday that usually costs nothing";
  if (judged === 0) return `No day can be judged: each has ${others}.`;
  const usual = "No day of the last five weeks is far from its usual cost";
  return judged === all
    ? `${usual}.`
    : `${usual}, among the ${decimal(String(judged))} of ${decimal(String(all))} values that can be judged. The others have ${others}.`;
}

/** Unusual days on the first screen. */
const UNUSUAL = 4;

function unusualOf(anomalies: Anomalies): Markup {
  const more = anomalies.number - UNUSUAL;
  const items = anomalies.found.slice(0, UNUSUAL).map(
    (
      found,
    ) => markup`<li><span class="what"><small>${shortDate(found.day)}</small> ${nameOf(sentence(subjectOf(found)))}
      <span class="says">${whyOf(found)}</span></span> <span class="figure">${amount(found.billed)}</span></li>`,
  );
  const rest = markup`<li><span class="says">and ${decimal(String(more))} more in the table <code>cost_anomalies</code></span></li>`;
  return list("Unusual days", more > 0 ? [...items, rest] : items, usualWords(anomalies));
}

const sentence = (words: string): string => words.replace(/^all costs/, "All costs");

/** The words where no late change is known. */
const UNCHANGED: Readonly<Record<LateChanges["reread"], string>> = {
  none: "No complete day was read again in the last five weeks.",
  unchanged:
    "No complete day changed: each reading of the last five weeks returned the rows of the one before.",
  rewritten:
    "No change of an amount is known, but rows of complete days were written again in the last five weeks.",
};

function lateOf({ found, rest, reread }: LateChanges): Markup {
  const items = found.map(
    (
      late,
    ) => markup`<li><span class="what"><small>found ${shortDate(late.foundAt)}</small> ${nameOf(late.what)}, ${shortDate(late.day)}
      <span class="says">${KINDS[late.kind] ?? late.kind}${late.records === 1 ? "" : `, ${count(late.records, "record")}`}</span></span> <span class="figure">${change(late.change)}</span></li>`,
  );
  const others =
    rest === null
      ? []
      : [
          markup`<li><span class="what">and ${count(rest.number, "other change")} in the table <code>cost_changes</code>, together</span> <span class="figure">${change(rest.change)}</span></li>`,
        ];
  return list("Changed after it was shown", [...items, ...others], UNCHANGED[reread]);
}

/** Nothing, while no totals of invoices are given. */
function invoicesOf(invoices: Invoices): Markup[] {
  const says = stateWords(invoices);
  if (says === "") return [];
  const { found, findings } = invoices;
  const items = found.map(
    (each) => markup`<li><span class="what">${invoiceName(each)}
      <span class="says">${findingWords(each)}</span></span> <span class="figure">${change(subtract(each.billed, each.total ?? "0"))}</span></li>`,
  );
  const more = findings > found.length ? ` The largest ${found.length} differences are shown.` : "";
  if (items.length === 0) return [list("Invoices", [], says)];
  return [
    markup`${list("Invoices", items, "")}
  <p class="says">${says}${more}</p>`,
  ];
}

export function newsSection(view: View): Markup {
  const { currency, anomalies, changes, invoices } = view;
  return markup`
<section class="moved" aria-labelledby="moved-${currency}">
  <h2 id="moved-${currency}">What moved, and why</h2>
  ${movesOf(view)}
  ${unusualOf(anomalies)}
  ${lateOf(changes)}
  ${invoicesOf(invoices)}
</section>`;
}
