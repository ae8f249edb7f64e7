/** Cost per million tokens by week, a line for each model. */
import { shortDate } from "../format.ts";
import type { View } from "../model.ts";
import { draw, figureOf, type Option } from "./charts.ts";
import { shown } from "./digits.ts";
import { showLegend, tip } from "./elements.ts";
import { basics, OTHER, quietAxis, SERIES, type Theme } from "./theme.ts";

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
  const models = [...new Set(units.map(({ model }) => model))];
  const lines = models.map((name, index): Line => ({
    name,
    color: SERIES[index] ?? OTHER,
    costs: new Map(
      units.filter(({ model }) => model === name).map(({ week, perMillion }) => [week, perMillion]),
    ),
  }));
  showLegend(figure, lines);
  draw(figure, (theme) => optionFor(weeks, lines, theme));
}

function optionFor(weeks: readonly string[], lines: readonly Line[], theme: Theme): Option {
  return {
    ...basics(theme),
    grid: { left: 48, right: 12, top: 12, bottom: 24 },
    xAxis: {
      ...quietAxis(theme),
      type: "category",
      boundaryGap: false,
      splitLine: { show: false },
      data: weeks.map(shortDate),
    },
    yAxis: { ...quietAxis(theme), type: "value" },
    tooltip: {
      ...basics(theme).tooltip,
      trigger: "axis",
      axisPointer: { type: "line", lineStyle: { color: theme.soft, type: "dotted" } },
      formatter: (points) => {
        const [point] = Array.isArray(points) ? points : [points];
        const week = weeks[point?.dataIndex ?? 0] ?? "1970-01-01";
        const entries = lines.flatMap(({ color, name, costs }) => {
          const cost = costs.get(week);
          return cost === undefined ? [] : [{ color, name, figure: shown(cost) }];
        });
        return tip(`week from ${shortDate(week)}`, entries);
      },
    },
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
