import { count, longDate } from "../format.ts";
import type { DayProof, ReportData } from "../model.ts";
import { draw, figureOf, type Option } from "./charts.ts";
import { showLegend, tip } from "./elements.ts";
import { basics, SERIES, type Theme } from "./theme.ts";

/** Height of a day, distance of two years, and space for the months above, in pixels. */
const CELL = 15;
const GAP = 18;
const TOP = 24;

/** The statuses of a day, each with its color. */
const LEVELS = [
  { name: "proven: nothing there", color: "#3ca95130" },
  { name: "proven: rows", color: "#3ca951" },
  { name: "not covered as a whole", color: SERIES[1] },
  { name: "unproven", color: SERIES[2] },
] as const;

/** The worse status of the two datasets. */
function levelOf({ costs, usage, costRows, usageRows }: DayProof): number {
  if (costs === "unproven" || usage === "unproven") return 3;
  if (costs === "incomplete" || usage === "incomplete") return 2;
  return costRows + usageRows > 0 ? 1 : 0;
}

/** A calendar of proven days, with a row of weeks for each year. */
export function drawCompleteness({ completeness }: ReportData): void {
  const figure = figureOf("completeness");
  const years = [...new Set(completeness.map(({ day }) => day.slice(0, 4)))];
  const height = TOP + years.length * (7 * CELL + GAP);
  figure.querySelector<HTMLElement>(".chart")?.style.setProperty("height", `${height}px`);
  showLegend(figure, LEVELS);
  draw(figure, (theme) => optionFor(completeness, years, theme));
}

function tipFor(proof: DayProof | undefined): HTMLElement | string {
  if (proof === undefined) return "";
  return tip(longDate(proof.day), [
    { name: "costs", figure: `${proof.costs}, ${count(proof.costRows, "row")}` },
    { name: "usage", figure: `${proof.usage}, ${count(proof.usageRows, "row")}` },
  ]);
}

function calendarOf(year: string, index: number, { soft, paper }: Theme) {
  return {
    range: year,
    top: TOP + index * (7 * CELL + GAP),
    left: 44,
    right: 4,
    cellSize: ["auto" as const, CELL],
    splitLine: { show: false },
    itemStyle: { color: "transparent", borderColor: paper, borderWidth: 2 },
    // The year replaces the names of the days; the library would write its own year label vertically.
    dayLabel: { nameMap: ["", "", "", year, "", "", ""], color: soft, fontSize: 13, margin: 12 },
    yearLabel: { show: false },
    monthLabel: { show: index === 0, color: soft, fontSize: 12 },
  };
}

function optionFor(
  completeness: readonly DayProof[],
  years: readonly string[],
  theme: Theme,
): Option {
  const byDay = new Map(completeness.map((proof) => [proof.day, proof]));
  return {
    ...basics(theme),
    calendar: years.map((year, index) => calendarOf(year, index, theme)),
    visualMap: {
      type: "piecewise",
      show: false,
      dimension: 1,
      pieces: LEVELS.map(({ color }, value) => ({ value, color })),
    },
    tooltip: {
      ...basics(theme).tooltip,
      formatter: (point) => {
        const value = Array.isArray(point) ? undefined : point.value;
        return tipFor(Array.isArray(value) ? byDay.get(String(value[0])) : undefined);
      },
    },
    series: years.map((year, calendarIndex) => ({
      type: "heatmap",
      coordinateSystem: "calendar",
      calendarIndex,
      itemStyle: { borderColor: theme.paper, borderWidth: 2, borderRadius: 4 },
      data: completeness
        .filter(({ day }) => day.startsWith(year))
        .map((proof) => [proof.day, levelOf(proof)]),
    })),
  };
}
