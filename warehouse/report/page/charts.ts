/** The parts of the charting library that the page uses, and the drawing of a chart in its place. */
import { BarChart, HeatmapChart, LineChart } from "echarts/charts";
import type { BarSeriesOption, HeatmapSeriesOption, LineSeriesOption } from "echarts/charts";
import {
  CalendarComponent,
  DataZoomComponent,
  GridComponent,
  LegendPlainComponent,
  TooltipComponent,
  VisualMapPiecewiseComponent,
} from "echarts/components";
import type {
  CalendarComponentOption,
  DataZoomComponentOption,
  GridComponentOption,
  LegendComponentOption,
  TooltipComponentOption,
  VisualMapComponentOption,
} from "echarts/components";
import { type ComposeOption, type EChartsType, init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { type Theme, themeNow } from "./theme.ts";

use([
  BarChart,
  LineChart,
  HeatmapChart,
  CalendarComponent,
  DataZoomComponent,
  GridComponent,
  LegendPlainComponent,
  TooltipComponent,
  VisualMapPiecewiseComponent,
  SVGRenderer,
]);

export type Option = ComposeOption<
  | BarSeriesOption
  | LineSeriesOption
  | HeatmapSeriesOption
  | CalendarComponentOption
  | DataZoomComponentOption
  | GridComponentOption
  | LegendComponentOption
  | TooltipComponentOption
  | VisualMapComponentOption
>;

/** The figure of the document with this id. */
export function figureOf(name: string): HTMLElement {
  const figure = document.querySelector<HTMLElement>(`figure#${name}`);
  if (figure === null) throw new Error(`the page has no figure ${name}`);
  return figure;
}

/** Draws a chart as wide as its figure. Draws it again when the color scheme changes. */
export function draw(figure: HTMLElement, option: (theme: Theme) => Option): EChartsType {
  const place = figure.querySelector<HTMLElement>(".chart");
  if (place === null) throw new Error(`the figure ${figure.id} has no place for its chart`);
  const chart = init(place, null, { renderer: "svg" });
  const redraw = (): void => chart.setOption(option(themeNow()));
  redraw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  new ResizeObserver(() => chart.resize()).observe(place);
  return chart;
}
