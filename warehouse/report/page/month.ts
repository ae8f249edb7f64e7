/** The running month: cost since its first day, the month before, the forecast and the budget. */
import { add } from "../../decimals.ts";
import { dayCosts } from "../day_costs.ts";
import { throughDay } from "../format.ts";
import type { Headline, View } from "../model.ts";
import { periodOf, wholeMonthBefore } from "../explore.ts";
import { draw, figureOf, lineFrame, type Option } from "./charts.ts";
import { moneyElement, shown } from "./digits.ts";
import { showLegend, tip } from "./elements.ts";
import { tableOf } from "./tables.ts";
import { OTHER, SERIES, type Theme } from "./theme.ts";

const [NOW, BUDGET] = SERIES;

interface Months {
  /** Sums since the first of the month, one for each day that is over. */
  readonly now: readonly string[];
  readonly before: readonly string[];
  readonly view: View;
}

/** Sums since the first day, of days `from` to `to`. */
function runningSums({ dimensions: [dimension] }: View, from: number, to: number): string[] {
  const all = (dimension?.costs ?? []).flatMap(dayCosts);
  const sums: string[] = [];
  for (let day = from; day < to; day += 1) {
    const costs = all.filter(([of]) => of === day).map(([, cost]) => cost);
    sums.push(add([sums.at(-1) ?? "0", ...costs]));
  }
  return sums;
}

export function drawMonth(view: View): void {
  const figure = figureOf(`month-${view.currency}`);
  if (figure === null) return;
  const { from, to } = periodOf(view, "month");
  const before = wholeMonthBefore(view);
  const months: Months = {
    now: runningSums(view, from, to),
    before: before === null ? [] : runningSums(view, before.from, before.to),
    view,
  };
  const { headline } = view;
  showLegend(figure, [
    { color: NOW, name: "this month" },
    ...(months.before.length === 0 ? [] : [{ color: OTHER, name: "month before" }]),
    ...(hasForecast(headline) ? [{ color: `${NOW}88`, name: "forecast" }] : []),
    ...(budgetLine(headline) === null ? [] : [{ color: BUDGET, name: "budget" }]),
  ]);
  draw(figure, (theme) => optionFor(months, theme));
  const length = Math.max(months.now.length, months.before.length);
  const rows = Array.from({ length }, (_, day) => [
    String(day + 1),
    amountAt(months.now, day),
    amountAt(months.before, day),
  ]);
  figure
    .querySelector(".month-table")
    ?.replaceChildren(tableOf(["Day of the month", "This month", "Month before"], rows));
}

function amountAt(sums: readonly string[], day: number): HTMLElement | string {
  const sum = sums[day];
  return sum === undefined ? "" : moneyElement(sum);
}

const hasForecast = ({ forecast, isOver }: Headline): boolean => forecast !== null && !isOver;

/** The budget, if all costs of the chart count against it. */
const budgetLine = ({ budget }: Headline): string | null =>
  budget?.isOfAll === true ? budget.amount : null;

function seriesOf({ now, before, view }: Months): NonNullable<Option["series"]> {
  const { forecast, daysInMonth } = view.headline;
  const budget = budgetLine(view.headline);
  const last = now.length - 1;
  const line = { type: "line" as const, showSymbol: false, silent: true };
  const straight = (value: string): (number | null)[] =>
    Array.from({ length: daysInMonth }, () => Number(value));
  return [
    { ...line, color: OTHER, lineStyle: { width: 1.5 }, data: before.map(Number) },
    {
      ...line,
      color: NOW,
      lineStyle: { width: 3 },
      areaStyle: { opacity: 0.12 },
      data: now.map(Number),
    },
    ...(!hasForecast(view.headline)
      ? []
      : [
          {
            ...line,
            color: NOW,
            lineStyle: { width: 2, type: "dashed" as const, opacity: 0.6 },
            connectNulls: true,
            data: Array.from({ length: daysInMonth }, (_, day) => {
              if (day === last) return Number(now[last] ?? 0);
              return day === daysInMonth - 1 ? Number(forecast) : null;
            }),
          },
        ]),
    ...(budget === null
      ? []
      : [{ ...line, color: BUDGET, lineStyle: { width: 2 }, data: straight(budget) }]),
  ];
}

function optionFor(months: Months, theme: Theme): Option {
  const { daysInMonth } = months.view.headline;
  const length = Math.max(daysInMonth, months.before.length);
  const labels = Array.from({ length }, (_, day) => String(day + 1));
  const tipAt = (day: number): HTMLElement => tipFor(months, day);
  return { ...lineFrame(theme, { labels, right: 8, tipAt }), series: seriesOf(months) };
}

function tipFor({ now, before, view }: Months, day: number): HTMLElement {
  const entries = [
    { color: NOW, name: "this month", sum: now[day] },
    { color: OTHER, name: "month before", sum: before[day] },
  ].flatMap(({ sum, ...entry }) => (sum === undefined ? [] : [{ ...entry, figure: shown(sum) }]));
  return tip(throughDay(view.headline, day), entries);
}
