/** The sentences about the running month: the first ones of the page, and of the summary at the end of a sync. */
import { subtract } from "../decimals.ts";
import {
  count,
  longDate,
  money,
  moneyApart,
  month,
  monthName,
  percent,
  shortDate,
  shortName,
} from "./format.ts";
import type {
  Budget,
  Comparison,
  Headline,
  Reporting,
  ReportingBudget,
  Screen,
  TeamBudget,
  Unread,
} from "./model.ts";
import { DIGITS } from "./tables.ts";

export function namesOf(names: readonly string[]): string {
  const few = names.slice(0, 3).map(shortName).join(", ");
  return names.length > 3 ? `${few} and ${names.length - 3} more` : few;
}

/** The claim of the page: where the month stands, in one sentence. */
export function claimOf({ headline: head, currency, teams }: Screen): string {
  const { toDate, budget, isOver, unsummed } = head;
  const without = [
    ...(unsummed === 0 ? [] : [`${count(unsummed, "cost")} that cannot be summed`]),
    ...unreadWords(head),
  ];
  const left = without.length === 0 ? "" : ` without ${without.join(" and ")}`;
  const billed = `${money(toDate, DIGITS)} ${currency}${left}`;
  const over = overWords(teams, isOver);
  const course = budget === null ? "" : courseOf(budget, { head, isSecond: over !== "" });
  return `${monthName(head)}: ${billed}, ${sinceOf(head, currency)}${over}${course}`;
}

/** The days and the accounts that the sum of the month lacks, because they were never read. */
function unreadWords({ behind, unread }: Headline): string[] {
  const names = behind.filter(({ isUnread }) => isUnread).map(({ name }) => name);
  // Accounts may lack the same days.
  const days = new Set(unread.flatMap(datesOf)).size;
  return [
    ...(names.length === 0 ? [] : [`the costs of ${namesOf(names)}, which were never read`]),
    ...(days === 0 ? [] : [`${count(days, "day")} that ${days === 1 ? "was" : "were"} never read`]),
  ];
}

/** The days of the month of a range. */
const datesOf = ({ from, days }: Unread): number[] =>
  Array.from({ length: days }, (_, index) => Number(from.slice(8)) + index);

/** The words for labels, where people do not call them by their names. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ["model_id", "model"],
  ["project_id", "project"],
  ["api_key_id", "key"],
  ["service_provider_name", "provider"],
]);

/** The costs of a value of a label in words, such as `all costs` or `project Chat`. */
export const costWords = (label: string, value: string): string =>
  label === "all" ? "all costs" : `${labelWord(label)} ${value}`;

/** The word for a label, such as `project`. */
export const labelWord = (label: string): string => LABELS.get(label) ?? label;

/** A team whose expected costs exceed its budget: the forecast, or the costs so far if they are more or if there is no forecast. */
export interface TeamOver {
  readonly team: string;
  readonly budget: string;
  /** The costs so far. */
  readonly billed: string;
  /** The forecast, or the costs so far. */
  readonly expected: string;
  readonly isForecast: boolean;
  readonly excess: string;
  /** Whether the costs so far exceed the budget already. */
  readonly isAlready: boolean;
}

/** The teams over their budgets, those with the largest excess first. */
export function teamsOver(teams: readonly TeamBudget[], isMonthOver: boolean): TeamOver[] {
  return teams
    .flatMap(({ team, billed, forecast, budget }): TeamOver[] => {
      if (budget === null) return [];
      // Credits to come could bring a forecast below a budget that is exceeded already.
      const isForecast = !isMonthOver && forecast !== null && isMore(forecast, billed);
      const expected = isForecast ? forecast : billed;
      const excess = subtract(expected, budget);
      const isAlready = isMore(billed, budget);
      return isMore(expected, budget)
        ? [{ team, budget, billed, expected, isForecast, excess, isAlready }]
        : [];
    })
    .toSorted((a, b) => Number(b.excess) - Number(a.excess));
}

const isMore = (amount: string, than: string): boolean => Number(subtract(amount, than)) > 0;

/** The teams over their budgets. The claim names them before the whole budget, which may hold although theirs do not. */
function overWords(teams: readonly TeamBudget[], isMonthOver: boolean): string {
  const over = teamsOver(teams, isMonthOver);
  if (over.length === 0) return "";
  const all = teams.filter(({ budget }) => budget !== null).length;
  const has = over.length === 1 ? "its budget" : "their budgets";
  const is = over.length === 1 ? "is" : "are";
  const already = over.filter(({ isAlready }) => isAlready).length;
  const verb = isMonthOver
    ? `exceeded ${has}`
    : already === over.length
      ? `${is} over ${has}`
      : already === 0
        ? `${is} on course to exceed ${has}`
        : `${is} over ${has} or on course to exceed them`;
  const names = namesOf(over.map(({ team }) => team));
  return `; ${over.length} of ${count(all, "team")} with a budget ${verb}: ${names}`;
}

/** The comparison in the headline, in percent. If the month before was 0 or less, there is no percentage, and its amount is named. */
function sinceOf(head: Headline, currency: string): string {
  const { comparison: compared } = head;
  if (compared === null)
    return head.hasCompleteDay
      ? "not compared, because the month before was not read on these days"
      : "nothing to compare with";
  const { billed, previous } = compared;
  const share = percent(subtract(billed, previous), previous);
  const against = share === "" ? `${money(previous, DIGITS)} ${currency}` : share;
  const words = share === "" ? `after ${against} in` : `${against} against`;
  return `${words} ${daysBefore(head)}the month before${scopeWords(head)}`;
}

/** The days of the month before that are compared, where a month that is over is shorter: its last days are not among them. */
function daysBefore({ comparison: compared, isOver, month: first, daysInMonth }: Headline): string {
  const isLonger = Number(previousMonth(first).slice(8, 10)) > daysInMonth;
  return isOver && isLonger && compared?.isWhole === true
    ? `the first ${daysInMonth} days of `
    : "";
}

/** Whether the budget lies inside the range of the forecast, and is not exceeded yet. Then no verdict is proven. */
export const isUndecided = (
  { amount: budget, toDate }: Budget,
  { range, isOver }: Headline,
): boolean =>
  range !== null &&
  !isOver &&
  !isMore(toDate, budget) &&
  !isMore(range.low, budget) &&
  isMore(range.high, budget);

/** The end of the claim: whether the costs that count against the budget will exceed it. */
function courseOf(
  whole: Budget,
  { head, isSecond }: { head: Headline; isSecond: boolean },
): string {
  const { amount: budget, forecast, teams, isOfAll, toDate } = whole;
  const isMonthOver = head.isOver;
  if (forecast === null) {
    // Without a forecast the claim says nothing of the month's end. It only tells that the costs so far exceed the budget.
    const by = isMore(toDate, budget) ? byShare(percent(subtract(toDate, budget), budget)) : "";
    const whose = teams === null ? "the budget" : "the sum of the teams' budgets";
    return isMore(toDate, budget) ? `; over ${whose}${by}${isMonthOver ? "" : " already"}` : "";
  }
  if (isOfAll && isUndecided(whole, head)) {
    const { high } = head.range ?? { high: forecast };
    const share = byShare(percent(subtract(high, budget), budget));
    return `; ${isSecond ? "all costs" : "it"} may stay within the budget or exceed it${share.replace(/ by (?=\d)/, " by up to ")}`;
  }
  const isOver = isMore(forecast, budget);
  const share = isOver ? byShare(percent(subtract(forecast, budget), budget)) : "";
  const verb = isOver ? "exceed" : "stay within";
  const past = isOver ? "exceeded" : "stayed within";
  if (isSecond) {
    const who = teams === null ? "all costs" : "the teams together";
    const of = teams === null ? "the budget" : "the sum of their budgets";
    return `; ${who} ${isMonthOver ? past : `are on course to ${verb}`} ${of}${share}`;
  }
  if (isOfAll || teams === null)
    return isMonthOver
      ? `; it ${past} the budget${share}`
      : `, on course to ${verb} the budget${share}`;
  const who = teams === 1 ? "the team with a budget" : `the ${count(teams, "team")} with a budget`;
  if (isMonthOver) return `; ${who} ${past} it${share}`;
  return `; ${who} ${teams === 1 ? "is" : "are"} on course to ${verb} it${share}`;
}

/** The share in words; empty if there is none, because the budget is 0. An excess is never said to be 0. */
const byShare = (share: string): string =>
  share === "±0%" ? " by less than 1%" : share === "" ? "" : ` by ${share.slice(1)}`;

export function detailsOf({ headline: head, currency }: Screen): string {
  const open = [
    ...(head.daysProvisional === 0
      ? []
      : [`${count(head.daysProvisional, "day")} still provisional`]),
    ...(head.daysNotProven === 0
      ? []
      : [`${count(head.daysNotProven, "day")} of the month not proven yet`]),
  ];
  const all = isAllRead(head) ? "All days" : "All days that were read";
  const state = open.length === 0 ? `${all} are final and proven` : open.join(", ");
  const names = head.behind.map(({ name }) => name);
  const complete = names.length === 0 ? "Complete" : `Without ${namesOf(names)}, complete`;
  const reach = head.hasCompleteDay
    ? `${complete} through`
    : "No day is known to be complete. Costs are known through";
  return `${reach} ${longDate(head.throughDay)}, day ${Number(head.throughDay.slice(8))} of ${head.daysInMonth}${exceptOf(head)}. ${state}.${unevenOf(head, currency)}`;
}

const isAllRead = ({ behind, unread }: Headline): boolean =>
  unread.length === 0 && behind.length === 0;

/** The days of the month that were never read, of each account. */
function exceptOf({ unread }: Headline): string {
  if (unread.length === 0) return "";
  const few = unread.slice(0, 3).map(({ name, from, through, days }) => {
    const range = days === 1 ? shortDate(from) : `${shortDate(from)} to ${shortDate(through)}`;
    return name === null ? range : `${range} of ${shortName(name)}`;
  });
  const more = unread.length > 3 ? ` and ${count(unread.length - 3, "more range")}` : "";
  return `, except ${few.join(", ")}${more}: never read`;
}

/** The accounts that are behind the others, each with its amount, and the costs that others have after the day of the page. */
function unevenOf({ behind, ahead, month: first, throughDay }: Headline, currency: string): string {
  const left = behind.map(({ name, throughDay: day, billed, isUnread }) => {
    if (isUnread)
      return ` The costs of ${shortName(name)} were never read: no sum of this page contains them.`;
    const reach =
      day === null ? "has no complete day" : `is complete through ${longDate(day)} only`;
    if (billed === "0") return ` ${shortName(name)} ${reach}: none of its later costs are known.`;
    return ` ${shortName(name)} ${reach}: its ${money(billed, DIGITS)} ${currency} of ${month(previousMonth(first))} and since are not compared.`;
  });
  const waiting =
    ahead === null
      ? ""
      : ` This page ends with the newest complete day of ${namesOf(ahead.names)}; later complete days of other accounts, ${money(ahead.billed, DIGITS)} ${currency} after ${shortDate(throughDay)}, are not in it yet.`;
  return `${left.join("")}${waiting}`;
}

const previousMonth = (first: string): string =>
  new Date(Date.parse(first) - 86_400_000).toISOString();

/** The days of the month before that are compared, such as `same days`. */
export function comparedDays({ isWhole, days, previousDays }: Comparison): string {
  if (isWhole && previousDays !== null) return `all ${previousDays} days`;
  return days === 1 ? "same day" : "same days";
}

/** The days and accounts that a comparison is about, where it is not about all. */
export function scopeWords({ comparison: compared, behind }: Headline): string {
  if (compared === null) return "";
  const days =
    compared.days === null
      ? " on the days of each account that were read in both months"
      : ` on the ${count(compared.days, "day")} that ${compared.days === 1 ? "was" : "were"} read in both months`;
  // An account that was never read is in no sum at all, so no difference is without it alone.
  const names = behind.filter(({ isUnread }) => !isUnread).map(({ name }) => name);
  return `${compared.isWhole ? "" : days}${names.length === 0 ? "" : `, without ${namesOf(names)}`}`;
}

/** All currencies together, in the reporting currency. Its budgets have more costs than the month so far: those of days in progress. */
export function convertedWords({ toDate, later, all, budgets }: Reporting, head: Headline): string {
  const counted = budgets.length === 0 ? "" : ", but count against its budgets";
  const waiting =
    later === "0" ? "" : ` (${money(later, DIGITS)} of later days are not in it yet${counted})`;
  return `all currencies at the rate of each day: ${money(toDate, DIGITS)} in ${monthName(head, true)}${waiting}, ${money(all, DIGITS)} since the first day`;
}

/** Costs without a rate. */
export function missingWords({
  currency,
  billed,
  firstDay,
  lastDay,
}: Reporting["missing"][number]): string {
  const days =
    firstDay === lastDay ? longDate(firstDay) : `${longDate(firstDay)} to ${longDate(lastDay)}`;
  return `for ${money(billed, DIGITS)} ${currency} of ${days}, which are in no converted sum`;
}

/** A budget in the reporting currency in words. */
export function reportingBudgetWords(each: ReportingBudget, currency: string): string {
  const { name, budget, billed, forecast } = each;
  const [limit = "", spent = "", expected = ""] = moneyApart(
    [budget, billed, forecast ?? billed],
    DIGITS,
  );
  const course = forecast === null ? "" : `, ${expected} expected`;
  return `${name}: ${spent} of ${limit} ${currency} spent${course}${isOverBudget(each) ? "; OVER" : ""}`;
}

/** Whether a budget in the reporting currency is exceeded, or will be. */
export const isOverBudget = ({ budget, billed, forecast }: ReportingBudget): boolean =>
  isMore(billed, budget) || (forecast !== null && isMore(forecast, budget));
