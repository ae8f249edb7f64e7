/** Judges what only a later run can show: sums of days and months that have changed, and groups that have changed their identity. */
import { addDecimals } from "../src/core/decimal.ts";
import { DAY, HOUR } from "../src/core/time.ts";
import { confirmed, contradicted, counted, type Judgment, notSeen, ratioOf } from "./judgment.ts";
import { ageOf, type Seen } from "./memory.ts";
import type { Amounts } from "./rows.ts";

/** Two observations that are alike prove something only if the first was early and the last is late. */
const EARLY = 48 * HOUR;
const SETTLED = 72 * HOUR;

/** Costs are thought to be final after so many days. Two equal observations with this time between them prove it. */
const FINAL_DAYS = 5;
const FINAL_WATCH = 7 * DAY;

/** The advice to a person for a second observation. */
const AGAIN = "run it again a day later or more, with the same --out";

/** Observations of one period, in the order of time. */
function byPeriod(seen: readonly Seen[]): readonly (readonly Seen[])[] {
  const key = ({ dataset, period, end }: Seen): string => JSON.stringify([dataset, period, end]);
  const groups = Map.groupBy(seen, key);
  return [...groups.values()].map((each) => each.toSorted((a, b) => a.at - b.at));
}

/** An amount that differs. The ratio of the later one to the earlier one is undefined if the earlier one is 0. */
interface Change {
  readonly ratio: number | undefined;
  readonly grew: boolean;
}

function changesOf(before: Amounts, after: Amounts): readonly Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((unit) => {
    const [was, is] = [before[unit] ?? "0", after[unit] ?? "0"];
    const difference = addDecimals(is, was.startsWith("-") ? was.slice(1) : `-${was}`);
    if (difference === "0") return [];
    const ratio = ratioOf(is, was);
    const grew = !difference.startsWith("-");
    return [{ ratio: ratio === undefined ? undefined : Number(ratio), grew }];
  });
}

const isNothing = (amounts: Amounts): boolean =>
  Object.values(amounts).every((amount) => addDecimals(amount, "0") === "0");

interface Compared {
  /** Periods that have changed; the ratio of a change that is furthest from 1; periods that are proven to stay the same. */
  readonly changed: number;
  readonly furthest: number | undefined;
  readonly same: number;
  /** Periods with an observation that counts. */
  readonly begun: number;
}

/**
 * Compares the first observation that counts with the last one.
 *
 * @param counts whether an observation claims that its period does not change any more
 * @param isSettled whether two observations that are alike prove it
 */
function compare(
  seen: readonly Seen[],
  counts: (seen: Seen) => boolean,
  isSettled: (first: Seen, last: Seen) => boolean,
  matters: (change: Change) => boolean = () => true,
): Compared {
  let [changed, same, begun] = [0, 0, 0];
  let furthest: number | undefined;
  for (const observations of byPeriod(seen)) {
    const first = observations.find(counts);
    const last = observations.at(-1);
    if (first === undefined || last === undefined) continue;
    // A day on which nothing was used proves nothing.
    if (isNothing(first.amounts) && isNothing(last.amounts)) continue;
    begun += 1;
    if (first === last) continue;
    const changes = changesOf(first.amounts, last.amounts).filter(matters);
    if (changes.length > 0) changed += 1;
    else if (isSettled(first, last)) same += 1;
    for (const { ratio } of changes)
      if (ratio !== undefined && Math.abs(ratio - 1) >= Math.abs((furthest ?? 1) - 1))
        furthest = ratio;
  }
  return { changed, furthest, same, begun };
}

const isSettledDay = (first: Seen, last: Seen): boolean =>
  ageOf(first) < EARLY && ageOf(last) >= SETTLED;

const daysOf = (seen: readonly Seen[], dataset: Seen["dataset"]): Seen[] =>
  seen.filter((each) => each.period === "day" && each.dataset === dataset);

/** The furthest change in words; nothing if no ratio says it. */
const timesOf = ({ furthest }: Compared): string =>
  furthest === undefined ? "" : `, to ${furthest} times the value`;

/** Judges the age after which days of a dataset do not change, until their costs are thought to be final. */
function judgeDays(seen: readonly Seen[], dataset: Seen["dataset"], hours: number): Judgment {
  const old = (each: Seen): boolean => ageOf(each) >= hours * HOUR;
  const young = daysOf(seen, dataset).filter((each) => ageOf(each) < FINAL_DAYS * DAY);
  const compared = compare(young, old, isSettledDay);
  const after = `${hours} h`;
  if (compared.changed > 0)
    return contradicted(
      `${counted(compared.changed, "day")} of ${dataset} changed after ${after}${timesOf(compared)}`,
    );
  if (compared.same > 0)
    return confirmed(
      `${counted(compared.same, "day")} of ${dataset} seen after ${after} and again after 72 h did not change`,
    );
  return notSeen(`no day of ${dataset} was seen both after ${after} and after 72 h: ${AGAIN}`);
}

/** The verdict of several parts: one that is contradicted decides, and all must be confirmed. */
function joined(...parts: readonly Judgment[]): Judgment {
  const wrong = parts.find(({ verdict }) => verdict === "contradicted");
  const open = parts.find(({ verdict }) => verdict === "not seen here");
  return wrong ?? open ?? confirmed(parts.map(({ fact }) => fact).join("; "));
}

/** ANT-08: a day that the report called complete has not grown since. */
export function judgeComplete(seen: readonly Seen[]): Judgment {
  const days = seen.filter(({ period }) => period === "day");
  const compared = compare(
    days,
    ({ complete }) => complete,
    isSettledDay,
    ({ grew }) => grew,
  );
  if (compared.begun === 0) return notSeen("the reports do not say up to when they are complete");
  if (compared.changed > 0)
    return contradicted(
      `${counted(compared.changed, "day")} grew after being called complete${timesOf(compared)}`,
    );
  return compared.same > 0
    ? confirmed(`${counted(compared.same, "day")} did not grow after they had been called complete`)
    : notSeen(`no complete day was seen again after 72 h: ${AGAIN}`);
}

/** OAI-07: usage is complete after 4 hours, costs after 24. */
export const judgeOpenAiLag = (seen: readonly Seen[]): Judgment =>
  joined(judgeDays(seen, "usage", 4), judgeDays(seen, "costs", 24));

/** Judges whether costs of days or months are final so many days after their end. */
function judgeFinal(seen: readonly Seen[], period: Seen["period"]): Judgment {
  const costs = seen.filter((each) => each.period === period && each.dataset === "costs");
  const compared = compare(
    costs,
    (each) => ageOf(each) >= FINAL_DAYS * DAY,
    (first, last) => last.at - first.at >= FINAL_WATCH,
  );
  if (compared.changed > 0)
    return contradicted(
      `${counted(compared.changed, period)} changed after ${FINAL_DAYS} days${timesOf(compared)}`,
    );
  return compared.same > 0
    ? confirmed(
        `${counted(compared.same, period)} seen after ${FINAL_DAYS} days and again a week later did not change`,
      )
    : notSeen(
        `no ${period} was seen both ${FINAL_DAYS} days after its end and a week after that: run it again then, with the same --out`,
      );
}

/** OAI-08. */
export const judgeMonth = (seen: readonly Seen[]): Judgment => judgeFinal(seen, "month");

/** ORT-04. */
export const judgeOpenRouterLag = (seen: readonly Seen[]): Judgment =>
  joined(judgeDays(seen, "costs", 24), judgeDays(seen, "usage", 4), judgeFinal(seen, "day"));

/**
 * ALL-01: compares the groups of one day, all hashed, with those of an earlier run. The same amount under another identity shows that
 * an identity has changed.
 */
export function judgeIdentity(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Judgment {
  const gone = Object.keys(before).filter((key) => !(key in after));
  const added = Object.keys(after).filter((key) => !(key in before));
  const amounts = new Set(added.map((key) => after[key]));
  const moved = gone.filter((key) => amounts.has(before[key])).length;
  const all = counted(Object.keys(before).length, "group");
  if (moved > 0)
    return contradicted(`${moved} of ${all} of a day came again under another identity`);
  if (gone.length > 0)
    return notSeen(`${gone.length} of ${all} of a day are gone, and ${added.length} are new`);
  const corrected = Object.keys(before).filter((key) => before[key] !== after[key]).length;
  return corrected > 0
    ? confirmed(`${corrected} of ${all} of a day have new amounts and their old identities`)
    : notSeen(`none of ${all} of a day was corrected since: ${AGAIN}`);
}

/** The share of the later value that a dataset showed at an age. */
export interface Lag {
  readonly dataset: Seen["dataset"];
  /** The lower bound of the age: 0, 24, 48 or 72. */
  readonly afterHours: number;
  readonly days: number;
  /** The smallest share of all days; 1 if nothing was missing. */
  readonly leastShare: number;
}

/** Compares the values that days showed at the age of 0, 24, 48 and 72 hours with their last observation. */
export function lagsOf(seen: readonly Seen[]): Lag[] {
  return (["usage", "costs"] as const).flatMap((dataset) =>
    [0, 24, 48, 72].flatMap((afterHours) => {
      const shares = byPeriod(daysOf(seen, dataset)).flatMap((observations) => {
        const last = observations.at(-1);
        const early = observations.find(
          (each) => Math.floor(ageOf(each) / DAY) * 24 === afterHours,
        );
        if (early === undefined || last === undefined || early === last) return [];
        if (isNothing(last.amounts)) return [];
        return [shareOf(early.amounts, last.amounts)];
      });
      if (shares.length === 0) return [];
      const leastShare = Math.min(...shares);
      return [{ dataset, afterHours, days: shares.length, leastShare }];
    }),
  );
}

/** The smallest share of an amount; 1 where there is none. */
const shareOf = (early: Amounts, last: Amounts): number =>
  Math.min(
    1,
    ...Object.entries(last).flatMap(([unit, amount]) => {
      const ratio = ratioOf(early[unit] ?? "0", amount);
      return ratio === undefined ? [] : [Number(ratio)];
    }),
  );
