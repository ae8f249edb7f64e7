/**
 * Accounts on which `verify` decides each assumption of docs/adapters.md. Nothing in them is late or changes, unless a switch names
 * the id of an assumption. The account then contradicts this assumption.
 */
import { DAY } from "../reference_provider/instants.ts";
import type { Instant } from "../reference_provider/instants.ts";
import type { DayMaker, Fact } from "./facts.ts";

/** Null contradicts nothing; undefined is the usual account, of which a part is late. */
export type Contradicted = string | null | undefined;

/** Assumptions about the time after which a day is complete. */
const LATE: ReadonlySet<string> = new Set(["ANT-08", "OAI-07", "ORT-04"]);

/** The report of completions counts the requests of these reports, too. */
const COUNTED_TWICE: ReadonlySet<string> = new Set(["web_search_calls", "images"]);

/** How old a day is when its late facts come, and when its facts get another identity. */
const LATE_AFTER = 3 * DAY;
const MOVED_AFTER = 2 * DAY;

/** The time after the end of a month when its costs change once more, in milliseconds. */
const REOPENED_AFTER = 9 * DAY;

/**
 * Makes the facts for a switch.
 *
 * @param moved the dimension that changes when facts get another identity
 */
export function contradicting(contradicted: Contradicted, make: DayMaker, moved: string): DayMaker {
  if (contradicted === undefined) return make;
  return (day, draw) =>
    make(day, draw).flatMap((fact, index): Fact[] => {
      const punctual = { ...fact, visibleFrom: fact.at };
      const { report } = fact;
      const isCost = report === "costs" || report === "activity";
      if (COUNTED_TWICE.has(report) && contradicted !== "OAI-12")
        return [punctual, completionOf(punctual)];
      if (LATE.has(contradicted ?? "") && index % 3 === 0)
        return [{ ...punctual, visibleFrom: day + LATE_AFTER }];
      if (contradicted === "OAI-08" && isCost && index % 3 === 0)
        return [{ ...punctual, visibleFrom: endOfMonth(day) + REOPENED_AFTER }];
      if (contradicted === "ALL-01" && isCost) return movedOf(punctual, day, moved);
      if (contradicted === "ANT-10" && isCost && fact.dimensions["service_tier"] === "priority")
        return [];
      if (contradicted === "OAI-14" && isCost && index % 3 === 0)
        return [punctual, creditOf(punctual)];
      return [punctual];
    });
}

function endOfMonth(day: Instant): Instant {
  const date = new Date(day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

function movedOf(fact: Fact, day: Instant, name: string): Fact[] {
  const at = day + MOVED_AFTER;
  const dimensions = { ...fact.dimensions, [name]: `${fact.dimensions[name] ?? "none"}-moved` };
  return [
    { ...fact, visibleUntil: at },
    { ...fact, dimensions, visibleFrom: at },
  ];
}

/** A credit of a thousandth of a charge. */
function creditOf(fact: Fact): Fact {
  const amount = -((fact.metrics["amount"] ?? 0n) / 1000n) - 1n;
  const dimensions = { ...fact.dimensions, line_item: "credit grant" };
  return { ...fact, dimensions, metrics: { amount, quantity: 0n } };
}

/** The requests of another report, as a fact of the report of completions. */
function completionOf(fact: Fact): Fact {
  return {
    ...fact,
    report: "completions",
    metrics: { requests: fact.metrics["num_model_requests"] ?? 0n },
  };
}
