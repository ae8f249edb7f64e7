/** The proof in one strip: proven days, age, and removed rows. A click on the strip shows tables. */
import { subtract } from "../decimals.ts";
import { count, decimal, longDate } from "./format.ts";
import { type Markup, markup } from "./markup.ts";
import type { ProofRange, ReportData, Status } from "./model.ts";
import { amount, dayOf, nameOf, table } from "./tables.ts";
import { namesOf } from "./words.ts";
import { wordsOf } from "../unusable.ts";
import type { Unusables } from "../unusable_values.ts";

const daysOf = (ranges: readonly ProofRange[], dataset: string, status: Status): number =>
  ranges
    .filter((range) => range.dataset === dataset && range.status === status)
    .reduce((sum, { days }) => sum + days, 0);

/** Both datasets in words, such as `costs: 110 of 112 days proven`. */
function proven(ranges: readonly ProofRange[], dataset: string): string {
  const [good, bad, open] = [
    daysOf(ranges, dataset, "proven"),
    daysOf(ranges, dataset, "unproven"),
    daysOf(ranges, dataset, "incomplete"),
  ];
  const rest = bad === 0 ? "" : `, ${decimal(String(bad))} UNPROVEN`;
  return `${dataset} ${decimal(String(good))} of ${count(good + bad + open, "day")} proven${rest}`;
}

function naiveSums({ views }: ReportData): Markup {
  const rows = views.map(({ currency, naive, current, provisional }) => [
    currency,
    amount(naive),
    amount(current),
    amount(subtract(naive, current)),
    amount(provisional),
  ]);
  const isNumber = true;
  return table(
    [
      { title: "Currency" },
      { title: "An upsert, added up", isNumber },
      { title: "What counts", isNumber },
      { title: "Too much", isNumber },
      { title: "Of it provisional", isNumber },
    ],
    rows,
  );
}

/** The tables that a click on the strip shows. */
function proofTables(data: ReportData): Markup {
  const { removed, ranges } = data;
  return markup`
  <h3>The table against what counts</h3>
  <p class="says">A row that is withdrawn, or issued again under another id, never comes again: an upsert keeps it. A sum over the
    newest version of each row counts it; the newest complete reading of its day does not.</p>
  <div class="scroll" tabindex="0" id="naive">${naiveSums(data)}</div>
  <h3>Gone at the provider, still in the table</h3>
  <div class="scroll" tabindex="0" id="removed">${table(
    [
      { title: "Record" },
      { title: "Last seen" },
      { title: "Currency" },
      { title: "Billed", isNumber: true },
    ],
    removed.map(({ id, lastSeenAt, billed, currency }) => [
      nameOf(id),
      markup`<time datetime="${lastSeenAt}">${longDate(lastSeenAt)}, ${lastSeenAt.slice(11, 16)} UTC</time>`,
      currency,
      billed === null ? "cannot be summed" : amount(billed),
    ]),
  )}</div>
  <h3>Days</h3>
  <p class="says">A proven day holds just what one complete reading returned: the same rows, the same sums, even where that is nothing.</p>
  <div class="scroll" tabindex="0" id="days">${table(
    [
      { title: "Dataset" },
      { title: "Account" },
      { title: "From" },
      { title: "Through" },
      { title: "Days", isNumber: true },
      { title: "Rows", isNumber: true },
      { title: "Status" },
      { title: "Why" },
    ],
    ranges.map((range) => [
      range.dataset,
      nameOf(range.account),
      dayOf(range.from),
      dayOf(range.through),
      range.days,
      range.rows,
      range.status,
      range.why,
    ]),
  )}</div>`;
}

/** Rows that no figure of the page contains. */
function unusableRows({ rows, first }: Unusables): Markup {
  const shown = new Set(
    first.map(({ dataset, account, record }) => `${dataset} ${account ?? ""} ${record}`),
  ).size;
  return markup`
  <h3>In no sum</h3>
  <p class="says">No figure of this page contains these rows, because one of their values cannot be summed exactly. Their days are not
    proven. When the provider has corrected a row, it counts.${shown < rows ? ` These are the newest ${shown} of ${rows} rows.` : ""}</p>
  <ul id="unusable">${first.map((value) => markup`<li>${wordsOf(value)}</li>`)}</ul>`;
}

export function proofSection(data: ReportData): Markup {
  const { ranges, withoutCosts, removed, asOf, faults, findings, unusable } = data;
  const datasets = [...new Set(ranges.map(({ dataset }) => dataset))];
  const strip = [
    ...datasets.map((dataset) => proven(ranges, dataset)),
    ...(withoutCosts.length === 0 ? [] : [`NO COSTS OF ${namesOf(withoutCosts)}`]),
    `${count(removed.length, "cost row")} gone at the provider`,
    ...(unusable.rows === 0 ? [] : [`${count(unusable.rows, "row")} IN NO SUM`]),
    ...(faults.length === 0
      ? []
      : [count(faults.length, "row of the inputs to correct", "rows of the inputs to correct")]),
    ...(findings.length === 0 ? [] : [count(findings.length, "finding")]),
  ];
  const read =
    asOf === ""
      ? markup`<span>never read</span>`
      : markup`<span>read <time datetime="${asOf}">${longDate(asOf)}, ${asOf.slice(11, 16)} UTC</time></span>`;
  return markup`
<section id="proof" aria-labelledby="proof-title">
<details>
  <summary><strong id="proof-title">Proof</strong> ${strip.map((text) => markup`<span>${text}</span>`)} ${read}</summary>
  ${unusable.rows === 0 ? new Array<Markup>() : [unusableRows(unusable)]}
  ${proofTables(data)}
  ${faults.length === 0 ? new Array<Markup>() : [markup`<h3>Rows of the inputs to correct</h3><ul>${faults.map((fault) => markup`<li>${fault}</li>`)}</ul>`]}
  ${findings.length === 0 ? new Array<Markup>() : [markup`<h3>Findings</h3><ul id="findings">${findings.map((finding) => markup`<li>${finding}</li>`)}</ul>`]}
</details>
</section>`;
}
