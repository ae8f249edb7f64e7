import type { ReportData } from "../model.ts";
import { count, decimal } from "../format.ts";
import { draw, figureOf } from "./charts.ts";
import { tip } from "./elements.ts";
import { basics, quietAxis, SERIES } from "./theme.ts";

/** The total cost of each project. */
export function drawProjects({ projects }: ReportData): void {
  const [color] = SERIES;
  draw(figureOf("projects"), (theme) => ({
    ...basics(theme),
    color: [color],
    grid: { left: 4, right: 84, top: 8, bottom: 8 },
    xAxis: { type: "value", show: false },
    yAxis: {
      ...quietAxis(theme),
      type: "category",
      inverse: true,
      data: projects.map(({ project }) => project),
      axisLabel: {
        inside: true,
        color: theme.ink,
        fontSize: 13,
        align: "left",
        verticalAlign: "bottom",
        margin: 0,
        padding: [0, 0, 16, 0],
      },
      z: 10,
    },
    tooltip: {
      ...basics(theme).tooltip,
      formatter: (point) => {
        const project = Array.isArray(point) ? undefined : projects[point.dataIndex];
        if (project === undefined) return "";
        const { project: name, cost, models } = project;
        return tip(name, [{ color, name: count(models, "model"), figure: decimal(cost) }]);
      },
    },
    series: [
      {
        type: "bar",
        barWidth: 18,
        itemStyle: { borderRadius: [0, 4, 4, 0] },
        label: {
          show: true,
          position: "right",
          color: theme.ink,
          fontSize: 13,
          formatter: ({ dataIndex }) => decimal(projects[dataIndex]?.cost ?? ""),
        },
        data: projects.map(({ cost }) => Number(cost)),
      },
    ],
  }));
}
