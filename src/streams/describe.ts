import { foreignText } from "../core/foreign_text.ts";
import type { Limits } from "../core/limits.ts";
import type { Plan } from "../core/plan.ts";
import type { ShrunkDay } from "../core/settle.ts";
import type { StreamState } from "../core/state.ts";
import { formatDay, formatInstant } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import { log, type LogMessage } from "../protocol.ts";

/** `1 record`, `2 records`. */
const countOf = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The log lines about a plan: the range that is read, and the ranges that cannot be read. */
export function describePlan(stream: string, plan: Plan<StreamState>): LogMessage[] {
  const { windows, resumed } = plan;
  const first = [...resumed, ...windows].toSorted((a, b) => a.start - b.start)[0];
  const last = [...resumed, ...windows].toSorted((a, b) => b.end - a.end)[0];
  const range =
    first === undefined || last === undefined
      ? "nothing to read"
      : `reading ${formatInstant(first.start)} to ${formatInstant(last.end)} in ${countOf(windows.length, "window")}` +
        (resumed.length === 0 ? "" : ` and ${resumed.length} begun by an earlier sync`) +
        (plan.reconciledOn === null ? "" : ", with the deep re-read of the day") +
        (plan.slice === null ? "" : ` and the scrub of ${spanOf(plan.slice)}`);
  const warnings = [
    ...describeLost(stream, plan.lost),
    ...plan.lostProvisional.map(({ day, records, billed }) =>
      log(
        "WARN",
        `${stream}: ${countOf(records, "provisional cost")} of ${formatDay(day)} left retention before they were ` +
          `final: ${Object.entries(billed)
            .map(([currency, amount]) => foreignText(`${amount} ${currency}`))
            .join(", ")}. They stay provisional in the warehouse.`,
      ),
    ),
  ];
  return [...warnings, log("INFO", `${stream}: ${range}.`)];
}

/** The log line with the records and pages of a sync, and how far it came. `reached`: the state, if the sync did not fail; else null. */
export function describeRead(
  plan: Plan<StreamState>,
  reached: StreamState | null,
  { records, pages }: { readonly records: number; readonly pages: number },
): string {
  const read = `${countOf(records, "record")} in ${countOf(pages, "page")}`;
  return reached?.mode === "incremental" && reached.position > plan.from
    ? `${read}; complete through ${formatInstant(reached.position)}.`
    : `${read}.`;
}

const spanOf = ({ start, end }: Range): string => `${formatDay(start)} to ${formatDay(end)}`;

/** R8: a day that looks like an outage is named, with the rows that keep standing. */
export function describeShrunk(shrunk: readonly ShrunkDay[]): string[] {
  return shrunk.map(
    ({ day, most, records }) =>
      `the provider shows ${countOf(records, "record")} of ${formatDay(day)}, which had ${most}. ` +
      MAY_BE_OUTAGE,
  );
}

const MAY_BE_OUTAGE =
  "This may be an outage: the earlier rows keep standing until a reading of newer data, an hour or more later, shows the same.";

/** R8: a window that hides most records of another day. */
export function describeDoubts(
  doubts: readonly (Pick<ShrunkDay, "day" | "most" | "records"> & { readonly window: Range })[],
): string[] {
  return doubts.map(
    ({ day, window, most, records }) =>
      `the window ${spanOf(window)} shows ${countOf(records, "record")} of ${formatDay(day)}, of which it had shown ${most}. ${MAY_BE_OUTAGE}`,
  );
}

/** W3: ranges that have left retention are named in a warning each. */
export function describeLost(stream: string, lost: readonly Range[]): LogMessage[] {
  return lost.map(({ start, end }) =>
    log(
      "WARN",
      `${stream}: ${formatInstant(start)} to ${formatInstant(end)} has left the provider's retention and cannot be read.`,
    ),
  );
}

/** L3: a sync that reads nothing and succeeds would hide that the stream no longer gets any data. */
export function positionInFuture(state: StreamState): ConnectorError {
  const position = state.mode === "incremental" ? formatInstant(state.position) : "";
  return new ConnectorError(
    "position_in_future",
    `The state's position ${position} lies in the future of the provider's clock, so nothing is read. If the provider's clock was ` +
      "wrong in an earlier sync, clear the stream's data in the platform (sync: --reset; read: leave out its state); if it is wrong now, the next " +
      "sync goes on by itself.",
  );
}

/** The warning that no further stray can wait (P5). */
export const tooManyStrays = ({ pendingStrays }: Limits): string =>
  `more than ${pendingStrays.toLocaleString("en-US")} records start outside the windows that returned them. ` +
  "There was no room for further records of this kind: their days are not proven, and the next sync reads their windows again. " +
  "Ask the provider why its windows return records of other days.";

/** The warning that strays start on more days than a sync looks at (P5). `days`: those that are left. */
export const tooManyLooks = ({ looks }: Limits, days: number): string =>
  `records start outside the windows that returned them, on more than ${looks} windows that this sync did not read. ` +
  `${days} days of such starts are left to the next sync, and the windows that showed these records are not finished until then.`;

/** The warning that strays did not come again (P5). */
export function describeAbsent(count: number, { start, end }: Range): string {
  return (
    `of the records that the window ${formatInstant(start)} to ${formatInstant(end)} returned although they start outside it, ` +
    `${count} did not come again when they were to be written. The window is not finished, and the next sync reads it again. ` +
    "If this warning comes back, tell the provider that its windows return different records each time."
  );
}
