/** Cost per million tokens by week, a line for each kind of token of a model. */
import { shortDate } from "../format.ts";
import type { View } from "../model.ts";
import { draw, figureOf, lineFrame, type Option } from "./charts.ts";
import { shown } from "./digits.ts";
import { showLegend, tip } from "./elements.ts";
import { OTHER, SERIES, type Theme } from "./theme.ts";

interface Line {
  readonly name: string;
  readonly color: string;
  /** The exact cost by week; absent in a week without use. */
  readonly costs: ReadonlyMap<string, string>;
}

export function drawUnits({ currency, units }: View): void {
  const figure = figureOf(`units-${currency}`);
  if (figure === null) return;
  const weeks = [...new Set(units.map(({ week }) => week))].toSorted();
  const names = [...new Set(units.map(({ name }) => name))];
  const lines = names.map((name, index): Line => ({
    name,
    color: SERIES[index] ?? OTHER,
    costs: new Map(
      units.filter((unit) => unit.name === name).map(({ week, perMillion }) => [week, perMillion]),
    ),
  }));
  showLegend(figure, lines);
  draw(figure, (theme) => optionFor(weeks, lines, theme));
}

function optionFor(weeks: readonly string[], lines: readonly Line[], theme: Theme): Option {
  const tipAt = (index: number): HTMLElement => {
    const week = weeks[index] ?? "1970-01-01";
    const entries = lines.flatMap(({ color, name, costs }) => {
      const cost = costs.get(week);
      return cost === undefined ? [] : [{ color, name, figure: shown(cost) }];
    });
    return tip(`week from ${shortDate(week)}`, entries);
  };
  return {
    ...lineFrame(theme, { labels: weeks.map(shortDate), right: 12, tipAt }),
    series: lines.map(({ name, color, costs }) => ({
      name,
      type: "line" as const,
      color,
      symbolSize: 5,
      lineStyle: { width: 2 },
      connectNulls: true,
      data: weeks.map((week) => {
        const cost = costs.get(week);
        return cost === undefined ? null : Number(cost);
      }),
    })),
  };
}
