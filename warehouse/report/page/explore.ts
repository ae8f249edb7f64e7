/** Costs by a label and in a period that people choose. */
import { add } from "../../decimals.ts";
import { dayCosts } from "../day_costs.ts";
import {
  type Period,
  type PeriodName,
  PERIODS,
  periodOf,
  type Share,
  sharesOf,
} from "../explore.ts";
import { longDate, percent, shortDate } from "../format.ts";
import type { Dimension, View } from "../model.ts";
import { draw, figureOf, type Option } from "./charts.ts";
import { moneyElement, shown } from "./digits.ts";
import { showLegend, tip } from "./elements.ts";
import { nameElement, tableOf } from "./tables.ts";
import { basics, OTHER, quietAxis, SERIES, type Theme } from "./theme.ts";

/** The number of values with their own color. */
const LARGEST = 7;

/** Bars of a longer period are weeks of seven days. */
const LONGEST_BY_DAY = 120;

/** The label, the period and the values that the page shows now. */
interface Choice {
  readonly dimension: Dimension;
  readonly period: Period;
  readonly shares: readonly Share[];
}

/** One color of the bars. */
interface Stack {
  readonly name: string;
  readonly color: string;
  readonly values: ReadonlySet<number>;
}

const isPeriod = (text: string): text is PeriodName => PERIODS.some(({ name }) => name === text);

export function explore(view: View): void {
  const figure = figureOf(`explore-${view.currency}`);
  const by = figure?.querySelector<HTMLSelectElement>(".by");
  const period = figure?.querySelector<HTMLSelectElement>(".period");
  if (figure === null || by === null || by === undefined || period === null || period === undefined)
    return;
  const chosen = (): Choice | undefined => {
    const dimension = view.dimensions.find(({ name }) => name === by.value);
    if (dimension === undefined || !isPeriod(period.value)) return undefined;
    const found = periodOf(view, period.value);
    return { dimension, period: found, shares: sharesOf(dimension, found) };
  };
  const { redraw } = draw(figure, (theme) => {
    const choice = chosen();
    return choice === undefined ? {} : optionFor(view, choice, theme);
  });
  const update = (): void => {
    redraw();
    const choice = chosen();
    if (choice !== undefined) showTables(figure, view, choice);
  };
  by.addEventListener("change", update);
  period.addEventListener("change", update);
  update();
}

function showTables(figure: HTMLElement, view: View, choice: Choice): void {
  const { dimension, period, shares } = choice;
  showLegend(figure, stacksOf(choice));
  const rows = shares.map(({ value, billed, previous, change }) => [
    nameElement(value),
    moneyElement(billed),
    previous === null ? "" : moneyElement(previous),
    change === null ? "" : moneyElement(change, true),
    change === null || previous === null ? "" : percent(change, previous),
  ]);
  const titles = [dimension.name, `Billed ${view.currency}`, "Before", "Change", ""];
  figure.querySelector(".shares")?.replaceChildren(tableOf(titles, rows));
  const days = dimension.values
    .flatMap((value, index) =>
      dayCosts(dimension.costs[index] ?? "").map(([day, cost]) => ({ day, value, cost })),
    )
    .filter(({ day }) => day >= period.from && day < period.to)
    .toSorted((a, b) => a.day - b.day)
    .map(({ day, value, cost }) => [
      longDate(view.days[day] ?? "1970-01-01"),
      nameElement(value),
      moneyElement(cost),
    ]);
  const byDay = tableOf(["Day", dimension.name, `Billed ${view.currency}`], days, 2);
  figure.querySelector(".by-day")?.replaceChildren(byDay);
}

function stacksOf({ dimension, shares }: Choice): Stack[] {
  const large = shares.slice(0, LARGEST);
  const indexOf = (value: string): number => dimension.values.indexOf(value);
  const rest = shares.slice(LARGEST).map(({ value }) => indexOf(value));
  const stacks = large.map(({ value }, index) => ({
    name: value,
    color: SERIES[index] ?? OTHER,
    values: new Set([indexOf(value)]),
  }));
  return rest.length === 0
    ? stacks
    : [...stacks, { name: `${rest.length} others`, color: OTHER, values: new Set(rest) }];
}

/** The first days of the bars, and how many days each has. */
function barsOf({ from, to }: Period): {
  readonly starts: readonly number[];
  readonly width: number;
} {
  const width = to - from > LONGEST_BY_DAY ? 7 : 1;
  const first = Math.max(0, from);
  const length = Math.max(0, Math.ceil((to - first) / width));
  return { starts: Array.from({ length }, (_, index) => first + index * width), width };
}

function optionFor(view: View, choice: Choice, theme: Theme): Option {
  const stacks = stacksOf(choice);
  const { starts, width } = barsOf(choice.period);
  const sums = stacks.map(({ values }) => sumsOf(choice, values, starts, width));
  return {
    ...basics(theme),
    grid: { left: 48, right: 8, top: 12, bottom: 24 },
    xAxis: {
      ...quietAxis(theme),
      type: "category",
      axisLine: { show: true, lineStyle: { color: theme.line } },
      splitLine: { show: false },
      data: starts.map((day) => shortDate(view.days[day] ?? "1970-01-01")),
    },
    yAxis: { ...quietAxis(theme), type: "value" },
    tooltip: {
      ...basics(theme).tooltip,
      trigger: "axis",
      axisPointer: { type: "shadow", shadowStyle: { color: theme.soft, opacity: 0.08 } },
      formatter: (points) => {
        const [point] = Array.isArray(points) ? points : [points];
        const bar = point?.dataIndex ?? 0;
        const entries = stacks.map(({ color, name }, index) => ({
          color,
          name,
          exact: sums[index]?.[bar] ?? "0",
        }));
        const title = `${width === 1 ? "" : "week from "}${longDate(view.days[starts[bar] ?? 0] ?? "1970-01-01")}`;
        return tip(
          title,
          entries
            .filter(({ exact }) => exact !== "0")
            .map(({ exact, ...entry }) => ({ ...entry, figure: shown(exact) })),
          { name: "All", figure: shown(add(entries.map(({ exact }) => exact))) },
        );
      },
    },
    series: stacks.map(({ name, color }, index) => ({
      name,
      type: "bar" as const,
      stack: "cost",
      color,
      barMaxWidth: 28,
      data: (sums[index] ?? []).map(Number),
    })),
  };
}

/** The exact cost of some values in each bar. */
function sumsOf(
  { dimension, period }: Choice,
  values: ReadonlySet<number>,
  starts: readonly number[],
  width: number,
): string[] {
  const [first = 0] = starts;
  const bars = starts.map((): string[] => []);
  for (const value of values) {
    for (const [day, cost] of dayCosts(dimension.costs[value] ?? "")) {
      if (day >= first && day < period.to) bars[Math.floor((day - first) / width)]?.push(cost);
    }
  }
  return bars.map(add);
}
