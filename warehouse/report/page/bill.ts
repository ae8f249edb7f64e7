import { decimal, longDate, shortDate } from "../format.ts";
import type { ReportData, SyncBill } from "../model.ts";
import { draw, figureOf, type Option } from "./charts.ts";
import { showLegend, tip } from "./elements.ts";
import { basics, quietAxis, SERIES, type Theme } from "./theme.ts";

const [FINAL, PROVISIONAL, NAIVE] = SERIES;

/** The bill of a period after each sync: final costs, provisional costs, and the sum of the raw table. */
export function drawBill({ syncs }: ReportData): void {
  const figure = figureOf("bill");
  showLegend(figure, [
    { color: FINAL, name: "final" },
    { color: PROVISIONAL, name: "provisional" },
    { color: NAIVE, name: "naive sum" },
  ]);
  draw(figure, (theme) => optionFor(syncs, theme));
}

function tipFor(sync: SyncBill | undefined): HTMLElement | string {
  if (sync === undefined) return "";
  const entries = [
    { color: FINAL, name: "final", figure: decimal(sync.final) },
    { color: PROVISIONAL, name: "provisional", figure: decimal(sync.provisional) },
  ];
  const naive = { color: NAIVE, name: "naive sum", figure: decimal(sync.naive) };
  const title = sync.title === "" ? "" : `: ${sync.title.toLowerCase()}`;
  return tip(`${longDate(sync.at)}${title}`, entries, naive);
}

/** The heights of a series; the last one has its exact amount as a label. */
function heights(amounts: readonly string[], color: string, position: "top" | "bottom") {
  return amounts.map((amount, index) => ({
    value: Number(amount),
    label: {
      show: index === amounts.length - 1,
      position,
      distance: 8,
      color,
      fontSize: 13,
      formatter: decimal(amount),
    },
  }));
}

function seriesOf(syncs: readonly SyncBill[], theme: Theme): NonNullable<Option["series"]> {
  const bar = { type: "bar" as const, stack: "bill", barWidth: "46%" };
  return [
    {
      ...bar,
      color: FINAL,
      data: heights(
        syncs.map(({ final }) => final),
        theme.ink,
        "bottom",
      ),
    },
    {
      ...bar,
      color: PROVISIONAL,
      itemStyle: { borderRadius: [3, 3, 0, 0] },
      data: syncs.map(({ provisional }) => Number(provisional)),
    },
    {
      type: "line",
      color: NAIVE,
      symbol: "diamond",
      symbolSize: 11,
      lineStyle: { width: 1.5, type: "dashed" },
      data: heights(
        syncs.map(({ naive }) => naive),
        theme.ink,
        "top",
      ),
    },
  ];
}

function optionFor(syncs: readonly SyncBill[], theme: Theme): Option {
  return {
    ...basics(theme),
    grid: { left: 32, right: 4, top: 16, bottom: 28 },
    xAxis: {
      ...quietAxis(theme),
      type: "category",
      data: syncs.map(({ at }) => shortDate(at)),
      axisLine: { show: true, lineStyle: { color: theme.soft } },
      axisLabel: { color: theme.soft, fontSize: 12 },
      splitLine: { show: false },
    },
    yAxis: { ...quietAxis(theme), type: "value" },
    tooltip: {
      ...basics(theme).tooltip,
      trigger: "axis",
      axisPointer: { type: "shadow", shadowStyle: { color: theme.soft, opacity: 0.08 } },
      formatter: (points) => {
        const [point] = Array.isArray(points) ? points : [points];
        return tipFor(syncs[point?.dataIndex ?? -1]);
      },
    },
    series: seriesOf(syncs, theme),
  };
}
