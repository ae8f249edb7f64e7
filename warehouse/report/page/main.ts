/** The page's script: draws the charts from the data inside the document. */
import type { ReportData } from "../model.ts";
import { drawBill } from "./bill.ts";
import { drawCompleteness } from "./completeness.ts";
import { drawDays } from "./days.ts";
import { drawProjects } from "./projects.ts";

const data: ReportData = JSON.parse(document.querySelector("#data")?.textContent ?? "");

drawDays(data);
drawProjects(data);
drawBill(data);
drawCompleteness(data);
