/** The document: headline, a figure for each chart with its data as a table, and the withdrawn rows. */
import { count, decimal, longDate, month, shortDate } from "./format.ts";
import { type Markup, markup } from "./markup.ts";
import type { ReportData } from "./model.ts";
import { table } from "./tables.ts";

interface Figure {
  /** The id by which page/ finds the place for the chart. */
  readonly name: string;
  readonly title: string;
  /** The description of the chart, also for screen readers. */
  readonly says: string;
  readonly table: Markup;
}

function figure({ name, title, says, table: fallback }: Figure): Markup {
  return markup`
<figure id="${name}" aria-labelledby="${name}-title">
  <figcaption>
    <h2 id="${name}-title">${title}</h2>
    <p id="${name}-says">${says}</p>
  </figcaption>
  <div class="legend" hidden></div>
  <div class="stage">
    <div class="chart" role="img" aria-labelledby="${name}-title" aria-describedby="${name}-says"></div>
  </div>
  <details>
    <summary>As a table</summary>
    <div class="scroll" tabindex="0">${fallback}</div>
  </details>
</figure>`;
}

function headline(data: ReportData): Markup {
  const { naive, current, truth, excess, currency } = data;
  const sum = (kind: string, title: string, amount: string, says: string): Markup => markup`
  <div class="sum ${kind}">
    <dt>${title}</dt>
    <dd><strong><span class="amount">${decimal(amount)}</span> <small>${currency}</small></strong>
      <span class="says">${says}</span></dd>
  </div>`;
  const excessive = excess === "0" ? "" : `: ${decimal(excess)} too much`;
  const sums = [
    sum(
      excess === "0" ? "naive" : "naive wrong",
      "Naive sum",
      naive,
      `of the table costs${excessive}`,
    ),
    sum("current", "Current", current, "of the view current_costs"),
    ...(truth === null ? [] : [sum("truth", "Provider", truth, "by its own account")]),
  ];
  return markup`
<header>
  <p class="kicker">AI spend at ${data.provider}</p>
  <h1>${claimOf(data)}</h1>
  <p class="lead">${periodOf(data)}</p>
  <dl class="sums" data-agreed="${String(truth === null || current === truth)}">
    ${sums}
  </dl>
</header>`;
}

/** The claim of the report: the comparison with the provider, or the days whose sums are proven. */
function claimOf({ current, truth, completeness: days }: ReportData): string {
  if (truth !== null) {
    return `Warehouse and provider ${current === truth ? "agree" : "do not agree"} to the last digit`;
  }
  const proven = days.filter(({ costs }) => costs === "proven");
  return `The costs of ${decimal(String(proven.length))} of ${count(days.length, "day")} are proven to the last digit`;
}

function periodOf({ days, asOf }: ReportData): string {
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  if (first === undefined || last === undefined) return "There are no costs.";
  return `Billed for use from ${longDate(first)} to ${longDate(last)}, as shown by the provider on ${longDate(asOf)}, ${asOf.slice(11, 16)} UTC.`;
}

function costByDay({ days, currency, largestModels, otherModels }: ReportData): Markup {
  const largest = count(largestModels.length, "model");
  return figure({
    name: "days",
    title: "Cost by day and model",
    says: `${currency} billed, by day of use. The ${largest} that cost most have a color each, ${count(otherModels.count, "other")} share one. The slider below reaches every day.`,
    table: table(
      ["Day", "Model", `Billed ${currency}`],
      days.flatMap(({ day, models }) => models.map(({ model, cost }) => [day, model, cost])),
    ),
  });
}

function topProjects({ projects, currency }: ReportData): Markup {
  return figure({
    name: "projects",
    title: "Top projects",
    says: `${currency} billed, over the whole time.`,
    table: table(
      ["Project", "Models", `Billed ${currency}`],
      projects.map(({ project, models, cost }) => [project, String(models), cost]),
    ),
  });
}

function bill(data: ReportData): Markup {
  const { syncs, billingPeriod, provisional, final, currency } = data;
  return figure({
    name: "bill",
    title: "Provisional against final",
    says: `The bill of ${billingPeriod === "" ? "the period" : month(billingPeriod)} after each sync, in ${currency}. Of all costs, ${decimal(final)} are final today and ${decimal(provisional)} provisional.`,
    table: table(
      ["Sync", "What had happened", "Provisional", "Final", "Naive sum"],
      syncs.map((sync) => [
        shortDate(sync.at),
        sync.title,
        sync.provisional,
        sync.final,
        sync.naive,
      ]),
    ),
  });
}

function completeness({ completeness: found, ranges }: ReportData): Markup {
  const proven = found.filter(({ costs, usage }) => costs === "proven" && usage === "proven");
  const unproven = found.filter(({ costs, usage }) => [costs, usage].includes("unproven"));
  const open = found.length - proven.length - unproven.length;
  return figure({
    name: "completeness",
    title: "Completeness by day",
    says: `${decimal(String(proven.length))} of ${count(found.length, "day")} are proven: one complete reading returned just what is shown of them, even where that is nothing. ${unproven.length === 0 ? "None is unproven" : count(unproven.length, "is unproven", "are unproven")}; ${count(open, "is", "are")} not covered as a whole, in progress or at the edge of what the provider keeps.`,
    table: table(
      ["Dataset", "From", "Through", "Days", "Rows", "Status", "Why"],
      ranges.map((range) => [
        range.dataset,
        range.from,
        range.through,
        String(range.days),
        String(range.rows),
        range.status,
        range.why,
      ]),
    ),
  });
}

function removed({ removed: rows, currency }: ReportData): Markup {
  const found = table(
    ["Record", "Last seen", `Billed ${currency}`],
    rows.map(({ id, lastSeenAt, billed }) => [id, `${lastSeenAt.slice(0, 16)} UTC`, billed]),
  );
  return markup`
<section id="removed" aria-labelledby="removed-title">
  <h2 id="removed-title">Gone at the provider, still in the table</h2>
  <p>What the naive sum has too much. A row that is withdrawn, or issued again under another id, never comes again: an
    upsert keeps it, the newest complete reading of its day does not.</p>
  <div class="scroll" tabindex="0">${found}</div>
</section>`;
}

/** The visible part of the document. */
export function documentBody(data: ReportData): Markup {
  return markup`
<main>
${headline(data)}
${costByDay(data)}
<div class="pair">
${topProjects(data)}
${bill(data)}
</div>
${completeness(data)}
${removed(data)}
</main>
<footer>
  <p>Made by <code>${data.madeBy}</code> from the views of <code>sql/duckdb.sql</code>. Charts by Apache ECharts, Apache
    License 2.0. This page loads nothing.</p>
</footer>`;
}
