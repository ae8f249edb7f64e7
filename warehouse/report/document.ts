/** The document: the choice of a currency, the first screen of each, its costs by label, unit costs, and the proof. */
import { subtract } from "../decimals.ts";
import { exploreSection } from "./explore_section.ts";
import { count, money, monthName, percent, shortDate } from "./format.ts";
import { type Markup, markup } from "./markup.ts";
import type { Budget, Headline, ReportData, Reporting, View } from "./model.ts";
import { newsSection } from "./news_section.ts";
import { proofSection } from "./proof_section.ts";
import { changeWords, savingsWords } from "./prices.ts";
import { amount, change, dayOf, DIGITS, nameOf, table } from "./tables.ts";
import {
  claimOf,
  comparedDays,
  convertedWords,
  detailsOf,
  missingWords,
  namesOf,
  reportingBudgetWords,
  scopeWords,
} from "./words.ts";

const NOTHING = new Array<Markup>();

/** The visible part of the document. */
export function documentBody(data: ReportData): Markup {
  const { views } = data;
  return markup`
<main>
<div class="bar">
  <p class="kicker">${titleOf(data.providers)}${accountsOf(data)}</p>
  <div class="choices">
    ${views.length < 2 ? NOTHING : [currencyChoice(views)]}
    <button type="button" id="digits" aria-pressed="false">4 decimals</button>
  </div>
</div>
${views.length === 0 ? [markup`<h1>There are no costs.</h1>`] : views.map((view) => section(data, view))}
${proofSection(data)}
</main>
<footer>
  <p>Made by <code>${data.madeBy}</code>. Amounts are billed costs by the UTC day on which their charge begins. Sums are
    exact, and each amount is rounded by itself, so that those shown may not add up to a sum shown. Charts by Apache ECharts, Apache
    License 2.0. This page loads nothing.</p>
</footer>`;
}

/** Without costs there is no provider to name. */
export const titleOf = (providers: readonly string[]): string =>
  providers.length === 0 ? "AI spend" : `AI spend at ${namesOf(providers)}`;

const accountsOf = ({ accounts }: ReportData): string =>
  accounts.length < 2 ? "" : ` · ${count(accounts.length, "account")}`;

function currencyChoice(views: readonly View[]): Markup {
  const options = views.map(
    ({ currency }) => markup`<option value="${currency}">${currency}</option>`,
  );
  // A browser that goes back to the page must not restore a choice which the page then does not show.
  return markup`<label>Currency <select id="currency" autocomplete="off">${options}</select></label>`;
}

function section(data: ReportData, view: View): Markup {
  const others = data.views.filter((each) => each !== view);
  return markup`
<article class="view" data-currency="${view.currency}" aria-label="Costs in ${view.currency}">
${headline(data, view, others)}
<div class="pair">
${monthFigure(view)}
${newsSection(view)}
</div>
${exploreSection(view)}
${unitFigure(view, data.accounts.length > 1)}
</article>`;
}

function headline({ reporting }: ReportData, view: View, others: readonly View[]): Markup {
  const { headline: head, currency } = view;
  return markup`
<header>
  <h1>${claimOf(view)}</h1>
  <p class="lead">${detailsOf(view)}${othersOf(others, reporting)}</p>
  ${reporting === null ? NOTHING : [convertedLine(reporting, head)]}
  <dl class="sums">
    ${sum("to-date", monthName(head, true), amount(head.toDate), currency, `through ${shortDate(head.throughDay)}`)}
    ${previousSum(head, currency)}
    ${head.isOver ? NOTHING : [forecastSum(head, currency)]}
    ${budgetSum(view, reporting)}
  </dl>
</header>`;
}

function forecastSum({ forecast, range, forecastMethod }: Headline, currency: string): Markup {
  const title = "Forecast of the month";
  const says = forecastMethod.replace(/^none: /, "");
  if (forecast === null) return sum("forecast", title, "none", "", says);
  const unknown =
    forecastMethod === ""
      ? "no cost in this month"
      : "no range: it needs four weeks of usage charges";
  const ends =
    range === null
      ? unknown
      : markup`80 of 100 months end from ${amount(range.low)} to ${amount(range.high)}`;
  return sum(
    "forecast",
    title,
    amount(forecast),
    currency,
    markup`<span title="${says}">${ends}</span>`,
  );
}

function convertedLine(reporting: Reporting, head: Headline): Markup {
  const missing = reporting.missing.map((each) => ` There is no rate ${missingWords(each)}.`);
  const budgets = reporting.budgets.map(
    (each) => markup`<li>${reportingBudgetWords(each, reporting.currency)}</li>`,
  );
  return markup`<p class="lead">In ${reporting.currency}, ${convertedWords(reporting, head)}.${missing.join("")}</p>
  ${budgets.length === 0 ? NOTHING : [markup`<ul class="lead" aria-label="Budgets in ${reporting.currency}">${budgets}</ul>`]}`;
}

/** The month before, on the days that are compared. */
function previousSum(head: Headline, currency: string): Markup {
  const { comparison: compared } = head;
  if (compared === null) return sum("previous", "Month before", "not read", "", notRead(head));
  const { billed, previous } = compared;
  const title = `Month before, ${comparedDays(compared)}`;
  const share = percent(subtract(billed, previous), previous);
  const moved = change(subtract(billed, previous));
  const end = share === "" ? "" : `, ${share}`;
  const where = scopeWords(head);
  // If the comparison leaves out days or accounts, its difference is not that of the two large numbers: show its own amount.
  const says =
    where === ""
      ? markup`${moved} this month${end}`
      : markup`${amount(billed)} this month${where}: ${moved}${end}`;
  return sum("previous", title, amount(previous), currency, says);
}

const notRead = ({ hasCompleteDay }: Headline): string =>
  hasCompleteDay ? "it was not read on the days of this month" : "no complete day to compare";

function sum(
  kind: string,
  title: string,
  figure: Markup | string,
  unit: string,
  says: Markup | string,
): Markup {
  return markup`
  <div class="sum ${kind}">
    <dt>${title}</dt>
    <dd><strong>${figure} <small>${unit}</small></strong> <span class="says">${says}</span></dd>
  </div>`;
}

function budgetSum({ headline: head, currency }: View, reporting: Reporting | null): Markup {
  const { budget, isOver: isMonthOver, isWhole } = head;
  if (budget === null) {
    // A budget in the reporting currency counts costs of all currencies, so it is no budget of this one.
    return reporting === null || reporting.budgets.length === 0
      ? sum("budget", "Budget", "none", "", "give one with --budgets FILE.csv")
      : sum("budget", "Budget", "above", "", `in ${reporting.currency}, over all currencies`);
  }
  const rest = subtract(budget.amount, budget.forecast ?? budget.toDate);
  const isOver = Number(rest) < 0;
  const { says, forecast } = scopeOf(budget, isMonthOver);
  // A month of which not all was read is never compared as if it was.
  const known = isWhole ? "so far" : "the costs that were read are";
  const soFar = budget.forecast === null ? known : forecast;
  const compared = isMonthOver && budget.forecast !== null ? "the month is" : soFar;
  return sum(
    isOver ? "budget over" : "budget",
    "Budget",
    amount(budget.amount),
    currency,
    markup`${says} ${compared} ${amount(rest.replace("-", ""))} ${isOver ? "over" : "under"}`,
  );
}

/** Words for the costs that count against a budget. `says` is empty for the budget of the whole organization. */
function scopeOf(
  { teams, toDate }: Budget,
  isMonthOver: boolean,
): { says: Markup | string; forecast: string } {
  if (teams === null) return { says: "", forecast: "forecast is" };
  const has = teams === 1 ? "has" : "have";
  const says = markup`of ${count(teams, "team")}, which ${has} spent ${amount(toDate)}${isMonthOver ? "" : " so far"};`;
  return { says, forecast: teams === 1 ? "its forecast is" : "their forecast is" };
}

/** The costs of the other currencies. With a reporting currency, the next line adds all of them up. */
function othersOf(others: readonly View[], reporting: Reporting | null): string {
  const billed = others.filter(({ headline: head }) => /[1-9]/.test(head.toDate));
  if (billed.length === 0) return "";
  const named = billed.map(
    ({ headline: head, currency }) => `${money(head.toDate, DIGITS)} ${currency}`,
  );
  return ` Also billed${reporting === null ? ", and never added" : ""}: ${named.join(", ")}.`;
}

/** A figure with the place of its chart and its data as a table. */
function chartFigure(id: string, title: string, says: string, data: Markup): Markup {
  return markup`
<figure id="${id}" aria-labelledby="${id}-title">
  <figcaption>
    <h2 id="${id}-title">${title}</h2>
    <p id="${id}-says">${says}</p>
  </figcaption>
  <div class="legend" hidden></div>
  <div class="chart" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-says"></div>
  <details>
    <summary>As a table</summary>
    <div class="scroll" tabindex="0">${data}</div>
  </details>
</figure>`;
}

function monthFigure(view: View): Markup {
  const { currency, teams } = view;
  const number = { isNumber: true };
  const found =
    teams.length === 0
      ? NOTHING
      : [
          markup`<div class="scroll teams" tabindex="0">${table(
            [
              { title: "Team" },
              { title: "So far", ...number },
              { title: "Forecast", ...number },
              { title: "Budget", ...number },
              { title: "Left at month end", ...number },
            ],
            teams.map(({ team, billed, forecast, budget }) => [
              nameOf(team),
              amount(billed),
              forecast === null ? "" : amount(forecast),
              budget === null ? "none" : amount(budget),
              budget === null || forecast === null ? "" : amount(subtract(budget, forecast)),
            ]),
          )}</div>`,
        ];
  return markup`
<div>
${chartFigure(
  `month-${currency}`,
  "The month, day by day",
  `${currency} billed since the first of the month, with the month before if all of both was read${budgetInChart(view)}.`,
  markup`<div class="month-table"></div>`,
)}
${found}
</div>`;
}

/** The lines of the chart beside the two months. A budget of a few teams is no line for the costs of all. */
function budgetInChart({ headline: { budget, isOver, forecast } }: View): string {
  if (isOver || forecast === null) return budget?.isOfAll === true ? ", and the budget" : "";
  if (budget?.isOfAll === true) return ", the forecast and the budget";
  return ` and the forecast${budget === null ? "" : "; the budget of a part of the costs is in the table only"}`;
}

function unitFigure(
  { currency, units, priceChanges, savings }: View,
  hasSeveralAccounts: boolean,
): Markup {
  const saved =
    savings === null ? NOTHING : [markup`<p class="says">${savingsWords(savings, currency)}</p>`];
  if (units.length === 0)
    return markup`<p class="says">There is no unit cost: no kind of token of a model has both usage and costs on a complete day.</p>
${saved}`;
  const figure = chartFigure(
    `units-${currency}`,
    "Unit cost",
    `${currency} per million tokens by week (Monday), effective cost, of the kinds of tokens that cost most. Each kind stands by itself${hasSeveralAccounts ? ", as the mean of all accounts" : ""}.`,
    table(
      [
        { title: "Week" },
        { title: "Tokens" },
        { title: `${currency} per million`, isNumber: true },
      ],
      units.map(({ week, name, perMillion }) => [dayOf(week), nameOf(name), amount(perMillion)]),
    ),
  );
  const { found, more } = priceChanges;
  const changes = found.map((each) => markup`<li>${changeWords(each, currency)}</li>`);
  const rest =
    more === 0
      ? NOTHING
      : [markup`<li>and ${count(more, "earlier change")} in the table <code>prices</code></li>`];
  const listed =
    changes.length === 0
      ? NOTHING
      : [
          markup`<h3>Prices that changed</h3>
<ul class="price-changes">${changes}${rest}</ul>`,
        ];
  return markup`${figure}
${listed}
${saved}`;
}
