/** The costs of a period by a label, beside the period before it. The page and the document use the same functions. */
import { add, subtract } from "../decimals.ts";
import { dayCosts } from "./day_costs.ts";
import type { Dimension, View } from "./model.ts";

/** The periods that people choose from. */
export const PERIODS = [
  { name: "month", title: "This month" },
  { name: "last-month", title: "Last month" },
  { name: "7", title: "7 days" },
  { name: "30", title: "30 days" },
  { name: "90", title: "90 days" },
  { name: "all", title: "All time" },
] as const;
export type PeriodName = (typeof PERIODS)[number]["name"];

/** Days `from` to `to`, as indices of the view's days, `to` exclusive; and those that they are compared with. */
export interface Period {
  readonly from: number;
  readonly to: number;
  readonly before: { readonly from: number; readonly to: number } | null;
}

/** The days of a view, and what was read of them. */
type Calendar = Pick<View, "days" | "reaches"> & {
  readonly headline: Pick<View["headline"], "month" | "throughDay">;
};

const DAY = 86_400_000;

/** The index of a day: the number of days since the first day of the view. It may lie outside the view. */
const offsetOf = ({ days }: Calendar, day: string): number =>
  Math.round((Date.parse(day) - Date.parse(days[0] ?? day)) / DAY);

/** The first day of the month that is `months` after that of `day`. */
function monthStart(day: string, months: number): string {
  const date = new Date(day);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1))
    .toISOString()
    .slice(0, 10);
}

/** Whether each account with a cost in these periods was read wholly in all of them. Only then are they compared. */
export function isRead(
  { reaches }: Pick<View, "reaches">,
  periods: readonly { readonly from: number; readonly to: number }[],
): boolean {
  const concerned = reaches.filter((reach) =>
    periods.some(({ from, to }) => reach.from < to && reach.to > from),
  );
  return concerned.every(({ read }) =>
    periods.every(({ from, to }) => read.some((run) => run.from <= from && run.to >= to)),
  );
}

/** The period of a name. `before` is null unless both it and the period were read wholly. */
export function periodOf(view: Calendar, name: PeriodName): Period {
  const period = daysOf(view, name);
  const { from, to, before } = period;
  return before !== null && isRead(view, [{ from, to }, before])
    ? period
    : { ...period, before: null };
}

/**
 * The period of the month before, for the chart of the running month. Null unless each account was read in all of it, and in the running
 * month up to the day of the page: a line of less than a month's cost would tell a change that there was none.
 */
export function wholeMonthBefore(view: Calendar): Pick<Period, "from" | "to"> | null {
  const [now, before] = [daysOf(view, "month"), daysOf(view, "last-month")];
  return isRead(view, [now, before]) ? before : null;
}

/** The days of a period. They end with the newest complete day, as the headline does. */
function daysOf(view: Calendar, name: PeriodName): Period {
  const { month, throughDay } = view.headline;
  const end = throughDay === "" ? view.days.length : offsetOf(view, throughDay) + 1;
  const start = offsetOf(view, month);
  const previous = offsetOf(view, monthStart(month, -1));
  if (name === "month") {
    return {
      from: start,
      to: end,
      before: { from: previous, to: Math.min(start, previous + end - start) },
    };
  }
  if (name === "last-month") {
    return {
      from: previous,
      to: start,
      before: { from: offsetOf(view, monthStart(month, -2)), to: previous },
    };
  }
  if (name === "all") return { from: 0, to: view.days.length, before: null };
  const length = Number(name);
  return { from: end - length, to: end, before: { from: end - 2 * length, to: end - length } };
}

/** The cost of a value in a period and in the one before. */
export interface Share {
  readonly value: string;
  readonly billed: string;
  /** Null where the period has none before it. */
  readonly previous: string | null;
  readonly change: string | null;
}

/** The values of a label that cost something in either period, those with the largest cost first. */
export function sharesOf({ values, costs }: Dimension, { from, to, before }: Period): Share[] {
  return values
    .map((value, index) => {
      const days = dayCosts(costs[index] ?? "");
      const sumIn = (start: number, end: number): string =>
        add(days.filter(([day]) => day >= start && day < end).map(([, cost]) => cost));
      const billed = sumIn(from, to);
      const previous = before === null ? null : sumIn(before.from, before.to);
      return {
        value,
        billed,
        previous,
        change: previous === null ? null : subtract(billed, previous),
      };
    })
    .filter(({ billed, previous }) => billed !== "0" || (previous !== null && previous !== "0"))
    .toSorted((a, b) => Number(b.billed) - Number(a.billed));
}
