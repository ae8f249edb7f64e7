import type { DayCost, ReportData } from "../model.ts";
import { decimal, longDate } from "../format.ts";
import { draw, figureOf, type Option } from "./charts.ts";
import { showLegend, tip } from "./elements.ts";
import { basics, OTHER, quietAxis, SERIES, type Theme } from "./theme.ts";

const DAY = 86_400_000;

/** The number of days at first, and the smallest number. */
const SHOWN = 400;
const FEWEST = 14;

/** The highest number of models in a tooltip. */
const NAMED = 8;

/** Cost by day, stacked by model. */
export function drawDays(data: ReportData): void {
  const figure = figureOf("days");
  const stacks = stacksOf(data);
  const chart = draw(figure, (theme) => optionFor(data, stacks, theme));
  showLegend(figure, stacks, (name) => chart.dispatchAction({ type: "legendToggleSelect", name }));
}

/** The parts of a bar: the largest models, and all others as one. */
interface Stack {
  readonly name: string;
  readonly color: string;
  readonly has: (model: string) => boolean;
}

function stacksOf({ largestModels, otherModels }: ReportData): Stack[] {
  const largest = largestModels.map(({ model }) => model);
  return [
    ...largest.map((name, index) => ({
      name,
      color: SERIES[index] ?? OTHER,
      has: (model: string) => model === name,
    })),
    {
      name: `${otherModels.count} others`,
      color: OTHER,
      has: (model) => !largest.includes(model),
    },
  ];
}

/** Only for the height of a bar: the page prints the decimals unchanged. */
function heightOf({ models }: DayCost, { has }: Stack): number {
  return models
    .filter(({ model }) => has(model))
    .reduce((height, { cost }) => height + Number(cost), 0);
}

function tipFor(day: DayCost | undefined, stacks: readonly Stack[]): HTMLElement | string {
  if (day === undefined) return "";
  const entries = day.models.slice(0, NAMED).map(({ model, cost }) => ({
    color: stacks.find(({ has }) => has(model))?.color ?? OTHER,
    name: model,
    figure: decimal(cost),
  }));
  const more = day.models.length - NAMED;
  return tip(longDate(day.day), more > 0 ? [...entries, { name: `and ${more} more` }] : entries, {
    name: "All models",
    figure: decimal(day.total),
  });
}

/** The chart shows the last days first; the slider below it has an outline of all of them. */
function zooms(
  first: number,
  last: number,
  { soft, line, raised }: Theme,
): NonNullable<Option["dataZoom"]> {
  const common = {
    startValue: Math.max(first, last - SHOWN * DAY),
    endValue: last,
    minValueSpan: FEWEST * DAY,
    // The slider outlines the series of the first axis.
    xAxisIndex: [1, 0],
  };
  const outline = (opacity: number) => ({
    lineStyle: { color: soft, width: 1, opacity },
    areaStyle: { color: soft, opacity: opacity / 2 },
  });
  return [
    { ...common, type: "inside", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true },
    {
      ...common,
      type: "slider",
      left: 40,
      right: 10,
      bottom: 14,
      height: 36,
      brushSelect: false,
      showDetail: false,
      borderColor: line,
      borderRadius: 4,
      backgroundColor: "transparent",
      fillerColor: `${soft}1f`,
      dataBackground: outline(0.4),
      selectedDataBackground: outline(1),
      handleStyle: { color: raised, borderColor: soft },
      moveHandleSize: 0,
    },
  ];
}

function axes(first: number, last: number, theme: Theme): NonNullable<Option["xAxis"]> {
  const time = { type: "time" as const, min: first, max: last };
  const shown = {
    ...quietAxis(theme),
    ...time,
    axisLine: { show: true, lineStyle: { color: theme.line } },
    splitLine: { show: false },
    axisLabel: {
      color: theme.soft,
      hideOverlap: true,
      formatter: { year: "{yyyy}", month: "{MMM}", day: "{MMM} {d}" },
    },
  };
  return [shown, { ...time, show: false, axisPointer: { show: false } }];
}

/** The slider's outline: all days, also those without cost. */
function outlineOf(byTime: ReadonlyMap<number, DayCost>, first: number, last: number) {
  const total = (time: number): number => Number(byTime.get(time)?.total ?? 0);
  return {
    type: "line" as const,
    xAxisIndex: 1,
    silent: true,
    showSymbol: false,
    lineStyle: { opacity: 0 },
    data: Array.from({ length: (last - first) / DAY + 1 }, (_, index) => {
      const time = first + index * DAY;
      return [time, total(time)];
    }),
  };
}

function optionFor({ days, asOf }: ReportData, stacks: readonly Stack[], theme: Theme): Option {
  const byTime = new Map(days.map((day) => [Date.parse(day.day), day]));
  const first = Math.min(...byTime.keys());
  const last = Date.parse(asOf.slice(0, 10));
  return {
    ...basics(theme),
    grid: { left: 40, right: 10, top: 16, bottom: 84 },
    legend: { show: false },
    xAxis: axes(first, last, theme),
    yAxis: { ...quietAxis(theme), type: "value" },
    tooltip: {
      ...basics(theme).tooltip,
      trigger: "axis",
      axisPointer: { type: "line", lineStyle: { color: theme.soft, type: "dotted" } },
      formatter: (points) => {
        const [point] = Array.isArray(points) ? points : [points];
        const time = Array.isArray(point?.value) ? point.value[0] : undefined;
        return tipFor(byTime.get(Number(time)), stacks);
      },
    },
    dataZoom: zooms(first, last, theme),
    series: [
      ...stacks.map((stack) => ({
        name: stack.name,
        type: "bar" as const,
        stack: "cost",
        color: stack.color,
        barMinWidth: 5,
        barMaxWidth: 28,
        data: days.map((day) => [Date.parse(day.day), heightOf(day, stack)]),
      })),
      outlineOf(byTime, first, last),
    ],
  };
}
