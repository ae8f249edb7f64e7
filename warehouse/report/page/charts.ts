/** The parts of the charting library that the page uses, and the drawing of a chart in its place. */
import { BarChart, LineChart } from "echarts/charts";
import type { BarSeriesOption, LineSeriesOption } from "echarts/charts";
import { GridComponent, LegendPlainComponent, TooltipComponent } from "echarts/components";
import type {
  GridComponentOption,
  LegendComponentOption,
  TooltipComponentOption,
} from "echarts/components";
import { type ComposeOption, type EChartsType, init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { basics, quietAxis, type Theme, themeNow } from "./theme.ts";

use([BarChart, LineChart, GridComponent, LegendPlainComponent, TooltipComponent, SVGRenderer]);

export type Option = ComposeOption<
  | BarSeriesOption
  | LineSeriesOption
  | GridComponentOption
  | LegendComponentOption
  | TooltipComponentOption
>;

/** The figure of the document with this id; null where the document has none. */
export const figureOf = (name: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`figure[id="${name}"]`);

export interface Chart {
  readonly chart: EChartsType;
  /** Draws the chart from the newest data. */
  readonly redraw: () => void;
}

/** A chart of lines over labels; `right` is the space beside it, in pixels. */
export interface LineFrame {
  readonly labels: readonly string[];
  readonly right: number;
  /** The tip of the label with this index. */
  readonly tipAt: (index: number) => HTMLElement;
}

/** The axes and tips of a chart of lines over labels, such as days. */
export function lineFrame(theme: Theme, { labels, right, tipAt }: LineFrame) {
  return {
    ...basics(theme),
    grid: { left: 48, right, top: 12, bottom: 24 },
    xAxis: {
      ...quietAxis(theme),
      type: "category",
      boundaryGap: false,
      splitLine: { show: false },
      data: [...labels],
    },
    yAxis: { ...quietAxis(theme), type: "value" },
    tooltip: {
      ...basics(theme).tooltip,
      trigger: "axis",
      axisPointer: { type: "line", lineStyle: { color: theme.soft, type: "dotted" } },
      formatter: (points) => {
        const [point] = Array.isArray(points) ? points : [points];
        return tipAt(point?.dataIndex ?? 0);
      },
    },
  } satisfies Option;
}

/** Draws a chart as wide as its figure. Draws it again when the color scheme changes. */
export function draw(figure: HTMLElement, option: (theme: Theme) => Option): Chart {
  const place = figure.querySelector<HTMLElement>(".chart");
  if (place === null) throw new Error(`the figure ${figure.id} has no place for its chart`);
  const chart = init(place, null, { renderer: "svg" });
  const redraw = (): void => chart.setOption(option(themeNow()), { notMerge: true });
  redraw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  new ResizeObserver(() => chart.resize()).observe(place);
  return { chart, redraw };
}
