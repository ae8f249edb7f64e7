/** The costs at the end of a sync, in the words and sums of the report's first screen: a few aligned lines for each currency. */
import { add, ratio, rounded, subtract } from "./decimals.ts";
import {
  count,
  decimal,
  haveShares,
  longDate,
  money,
  month,
  monthName,
  percent,
  shortDate,
  signedMoney,
} from "./report/format.ts";
import { findingWords, invoiceName } from "./report/invoices.ts";
import type { Largest, Mover, Overview } from "./report/model.ts";
import { othersWords, subjectOf, usualWords } from "./report/unusual.ts";
import { claimOf, detailsOf, teamsOver } from "./report/words.ts";
import { cleaned, padded, type Paint, shortName, widthOf } from "./text.ts";

/** Digits after the point of money. */
const DIGITS = 2;

/** Entries of each kind. Of what moved, the others are added up in one more line. */
const MOVED = 2;
const LARGEST = 2;
const OVER = 2;

/** Currencies after the first one; each has one line. */
const OTHERS = 3;

interface Row {
  /** The subject of the row; empty in all rows of a group but the first. */
  readonly group: string;
  readonly name: string;
  readonly amount: string;
  readonly rest: string;
  readonly isBad?: boolean;
}

/** The lines of all currencies: the first one as a whole, and the claim of each other one. */
export function screenLines(overviews: readonly Overview[], paint: Paint): string[] {
  const [first, ...others] = overviews;
  if (first === undefined) return ["There are no costs."];
  const more =
    others.length > OTHERS
      ? [`And ${count(others.length - OTHERS, "more currency", "more currencies")}.`]
      : [];
  return [
    paint("bold", cleaned(claimOf(first))),
    cleaned(detailsOf(first)),
    ...alignedRows(rowsOf(first), paint),
    ...others.slice(0, OTHERS).map((other) => cleaned(claimOf(other))),
    ...more,
  ];
}

const rowsOf = (overview: Overview): Row[] => [
  ...monthRows(overview),
  ...movedRows(overview),
  ...largestRows("Models", overview.models, overview),
  ...largestRows("Keys", overview.keys, overview),
  ...overRows(overview),
  ...unusualRows(overview),
  ...invoiceRows(overview),
];

function alignedRows(rows: readonly Row[], paint: Paint): string[] {
  const names = rows.map(({ name }) => shortName(name));
  const width = Math.max(0, ...names.map(widthOf));
  const digits = Math.max(0, ...rows.map(({ amount }) => amount.length));
  return rows.map(({ group, amount, rest, isBad }, index) => {
    const isFirst = rows[index - 1]?.group !== group;
    const figures = `${padded(names[index] ?? "", width)}  ${amount.padStart(digits)}`;
    const line = `${(isFirst ? group : "").padEnd(7)} ${figures}  ${cleaned(rest)}`.trimEnd();
    return isBad === true ? paint("red", line) : line;
  });
}

function monthRows({ months, headline, later, all }: Overview): Row[] {
  const rows = months.flatMap(({ month: first, billed, read }, index): Row[] => {
    if (index > 0 && read === "none") return [];
    const isRunning = index === 0;
    const waiting = later === "0" ? "" : `; ${money(later, DIGITS)} of later days not in it yet`;
    const part = read === "whole" ? "" : "not all of its days were read";
    const through = [`through ${shortDate(headline.throughDay)}${waiting}`, part];
    return [
      {
        group: "Months",
        name: isRunning ? monthName(headline, true) : month(first),
        amount: money(billed, DIGITS),
        rest: isRunning ? through.filter((words) => words !== "").join("; ") : part,
      },
    ];
  });
  const since = all.since === null ? "" : `since ${longDate(all.since)}`;
  return [
    ...rows,
    { group: "Months", name: "All costs", amount: money(all.billed, DIGITS), rest: since },
  ];
}

/** The parts that changed most, and all others in one line, so that the lines add up to the change of the claim. */
function movedRows({ moves }: Overview): Row[] {
  if (moves === null) return [];
  const parts = moves.parts.toSorted(
    (a, b) => Math.abs(Number(b.change)) - Math.abs(Number(a.change)),
  );
  const few =
    parts.length <= MOVED + 1 ? parts : [...parts.slice(0, MOVED), together(parts.slice(MOVED))];
  return few.map(({ names, change, previous }) => ({
    group: "Moved",
    name: names.join(", "),
    amount: signedMoney(change, DIGITS),
    rest: percent(change, previous) || `from ${money(previous, DIGITS)}`,
  }));
}

const together = (parts: readonly Mover[]): Mover => ({
  names: ["all others"],
  billed: add(parts.map(({ billed }) => billed)),
  previous: add(parts.map(({ previous }) => previous)),
  change: add(parts.map(({ change }) => change)),
});

function largestRows(
  group: string,
  largest: readonly Largest[],
  { headline: { toDate } }: Overview,
): Row[] {
  const hasShares = haveShares(
    largest.map(({ billed }) => billed),
    toDate,
  );
  return largest.slice(0, LARGEST).map(({ value, billed }) => ({
    group,
    name: value,
    amount: money(billed, DIGITS),
    rest: hasShares ? `${decimal(rounded(ratio(billed, toDate, 100), 0))}%` : "",
  }));
}

function overRows({ teams, headline }: Overview): Row[] {
  const over = teamsOver(teams, headline.isOver);
  const left = over.length - OVER;
  const more =
    left > 0 ? `; ${count(left, "more team is over its own", "more teams are over theirs")}` : "";
  return over.slice(0, OVER).map(({ team, budget, expected, isForecast, excess }, index) => ({
    group: "Budgets",
    name: team,
    amount: money(expected, DIGITS),
    rest: `${isForecast ? "forecast, " : ""}${money(excess, DIGITS)} over the budget of ${money(budget, DIGITS)}${index === OVER - 1 ? more : ""}`,
    isBad: true,
  }));
}

/** The most unusual day. */
function unusualRows({ anomalies: { found, number } }: Overview): Row[] {
  const more = number > 1 ? `; ${decimal(String(number - 1))} more in the report` : "";
  return found.slice(0, 1).map((anomaly) => ({
    group: "Unusual",
    name: subjectOf(anomaly),
    amount: money(anomaly.billed, DIGITS),
    rest: `on ${shortDate(anomaly.day)}; ${usualWords(anomaly)}${othersWords(anomaly)}${more}`,
    isBad: true,
  }));
}

/** The invoice with the largest difference. */
function invoiceRows({ invoices: { found, findings } }: Overview): Row[] {
  const more = findings > 1 ? `; ${decimal(String(findings - 1))} more in the report` : "";
  return found.slice(0, 1).map((each) => ({
    group: "Invoice",
    name: invoiceName(each),
    amount: signedMoney(subtract(each.billed, each.total ?? "0"), DIGITS),
    rest: `${findingWords(each)}${more}`,
    isBad: true,
  }));
}
