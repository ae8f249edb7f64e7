/** Notes and words for a person where a provider refuses a report, or a part of it (R11). */
import { formatDay } from "../core/time.ts";
import type { ReportMemory } from "./memory.ts";
import type { MissingGroup, ProviderReports, Query, Report } from "./report.ts";

interface Reading {
  readonly provider: ProviderReports;
  readonly query: Query;
  readonly memory: ReportMemory;
  readonly say: (level: "INFO" | "WARN", message: string) => void;
}

/** Says that rows do not name a group. */
export function sayMissing(
  { provider, say }: Reading,
  { name }: Report,
  { group, since }: MissingGroup,
): void {
  const [before, rows] =
    since === Infinity ? ["", "its rows"] : [` before ${formatDay(since)}`, "rows of these days"];
  say(
    "INFO",
    `${provider.title} has no ${group} in the report ${name}${before}: ${rows} do not name it.`,
  );
}

/**
 * A refused report counts as empty: with one warning, and without a proof if it had rows before.
 *
 * @param status for the warning: ` (HTTP 404)`
 */
export function refuse(
  { memory, provider, query, say }: Reading,
  report: Report | undefined,
  status: string,
): void {
  if (report === undefined) return;
  const { name } = report;
  memory.lacks(query.dataset, name, query);
  if (!memory.refuse(query.dataset, name)) return;
  const last = memory.lastDay(query.dataset, name);
  const effect =
    last === undefined
      ? "It never had rows, so it counts as empty"
      : `It had rows until ${formatDay(last)}. The earlier rows of all reports stand until that day, and no day of this sync is proven`;
  say(
    "WARN",
    `${provider.title} refuses the report ${name}${status}. ${effect}. The next sync asks for it again.`,
  );
}

/**
 * Judges an answer without rows that says that no export covers its range. If the report has shown rows of the range before, they
 * have not vanished: it counts as refused.
 */
export function judgeUncovered({ memory, provider, query, say }: Reading, { name }: Report): void {
  const last = memory.lastDay(query.dataset, name);
  if (last === undefined || last < query.start || last >= query.end) return;
  if (!memory.refuse(query.dataset, name)) return;
  say(
    "WARN",
    `${provider.title} says that the report ${name} has no data of ${formatDay(last)}, of which it had rows. The earlier rows stand ` +
      "until that day, and no day of this sync is proven. The next sync asks for it again.",
  );
}
