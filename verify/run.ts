/** Asks an account for all that its assumptions need, and compares it with the memory and with invoices. */
import { DAY, floorTo, monthStart, nextMonthStart } from "../src/core/time.ts";
import type { Account, Sums } from "./account.ts";
import { ASSUMPTIONS } from "./assumptions.ts";
import {
  compareInvoice,
  type Invoice,
  type InvoiceResult,
  judgeUnit,
  notCompared,
  sumOfMonth,
} from "./invoice.ts";
import { type Judgment, judged, notSeen, unseen, whyUnseen } from "./judgment.ts";
import {
  judgeComplete,
  judgeIdentity,
  judgeMonth,
  judgeOpenAiLag,
  judgeOpenRouterLag,
  type Lag,
  lagsOf,
} from "./lag.ts";
import { hashedGroups, type Memory, MOST_GROUPS, type Seen, withSeen } from "./memory.ts";
import type { Result } from "./report.ts";
import type { Amounts } from "./rows.ts";

/** The days before today that each run looks at, and the age at which a day is looked at no more. */
const RECENT_DAYS = 5;
const OLDEST_DAYS = 31;

/** The groups of a day are compared for so many days. Then a newer day takes its place in the memory. */
const WATCHED_DAYS = 4;

const NO_MEMORY = "it takes --out, and a second run a day later or more";

/** Functions that decide an assumption from the observations of all runs, by the id of the assumption. */
const OF_SEEN: Readonly<Record<string, (seen: readonly Seen[]) => Judgment>> = {
  "ANT-08": judgeComplete,
  "OAI-07": judgeOpenAiLag,
  "OAI-08": judgeMonth,
  "ORT-04": judgeOpenRouterLag,
};

/**
 * Decides all assumptions of a provider.
 *
 * @param memory what earlier runs saw; undefined if nothing is to be remembered
 * @param say gets each result once it is decided, in the order of the list
 */
export async function verifyAccount(
  account: Account,
  memory: Memory | undefined,
  invoices: readonly Invoice[],
  say: (result: Result) => Promise<void>,
): Promise<{
  readonly results: readonly Result[];
  readonly lags: readonly Lag[];
  readonly invoices: readonly InvoiceResult[];
  readonly memory: Memory | undefined;
}> {
  const compared: InvoiceResult[] = [];
  for (const invoice of invoices) compared.push(await invoiceOf(account, invoice));
  const watched = memory === undefined ? undefined : await watch(account, memory);
  const results: Result[] = [];
  for (const { id, text, decidedBy } of ASSUMPTIONS[account.provider]) {
    const judge = async (): Promise<Judgment> => {
      if (decidedBy === "an invoice") return judgeUnit(compared);
      if (decidedBy === "one run") return (await account.judges[id]?.()) ?? notSeen("");
      if (watched === undefined) return notSeen(NO_MEMORY);
      if (id === "ALL-01") return watched.identity;
      if (watched.fault !== undefined) throw unseen(watched.fault);
      return OF_SEEN[id]?.(watched.memory.seen) ?? notSeen("");
    };
    const result = { id, text, ...(await judged(judge)) };
    results.push(result);
    await say(result);
  }
  const lags = watched === undefined ? [] : lagsOf(watched.memory.seen);
  return { results, lags, invoices: compared, memory: watched?.memory };
}

interface Watched {
  readonly memory: Memory;
  readonly identity: Judgment;
  /** Why sums could not be read; undefined if they could. */
  readonly fault: string | undefined;
}

/** Looks at recent days, at days that the memory has, and at the last closed month. */
async function watch(account: Account, memory: Memory): Promise<Watched> {
  const { now } = account;
  let fault: string | undefined;
  const added: Seen[] = [];
  try {
    for (const dataset of ["usage", "costs"] as const) {
      const days = daysToSee(account, memory.seen, dataset);
      for (const day of days) added.push(...(await seenOf(account, dataset, day)));
    }
    if (account.daysARequest > 1) added.push(await monthOf(account));
  } catch (reason) {
    fault = whyUnseen(reason);
  }
  const seen = withSeen(memory.seen, added, now);
  const { identity, groups } = await compareGroups(account, memory);
  return { memory: { ...memory, seen, groups }, identity, fault };
}

/** A range of days that one request reads. */
interface Range {
  readonly start: number;
  readonly end: number;
}

function daysToSee(
  { now, earliest, daysARequest }: Account,
  seen: readonly Seen[],
  dataset: Seen["dataset"],
): readonly Range[] {
  const today = floorTo(DAY, now);
  const first = Math.max(earliest, today - OLDEST_DAYS * DAY);
  if (daysARequest > 1) return [{ start: first, end: today }];
  const recent = Array.from({ length: RECENT_DAYS }, (_, back) => today - (back + 1) * DAY);
  const known = seen.flatMap((each) =>
    each.dataset === dataset && each.period === "day" ? [each.end - DAY] : [],
  );
  const days = new Set([...known, ...recent].filter((day) => day >= first && day < today));
  return [...days].map((day) => ({ start: day, end: day + DAY }));
}

async function seenOf(
  { now, sums }: Account,
  dataset: Seen["dataset"],
  { start, end }: Range,
): Promise<Seen[]> {
  const { days, completeBefore }: Sums = await sums(dataset, start, end);
  const seen: Seen[] = [];
  for (let day = start; day < end; day += DAY) {
    const complete = completeBefore !== undefined && day + DAY <= completeBefore;
    const amounts = days.get(day) ?? {};
    seen.push({ dataset, period: "day", end: day + DAY, at: now, amounts, complete });
  }
  return seen;
}

/** Costs of the last closed month. */
async function monthOf(account: Account): Promise<Seen> {
  const [start, end] = [monthStart(account.now, 1), monthStart(account.now)];
  const { days } = await account.sums("costs", start, end);
  const amounts = sumOfMonth(days, start);
  return { dataset: "costs", period: "month", end, at: account.now, amounts, complete: false };
}

/** Compares the groups of the remembered day with those of today's answer. */
async function compareGroups(
  account: Account,
  { groups: before, salt }: Memory,
): Promise<{ readonly identity: Judgment; readonly groups: Memory["groups"] }> {
  const today = floorTo(DAY, account.now);
  const read = async (day: number) => hashedGroups(salt, await someGroups(account, day));
  try {
    const isKept = before !== null && before.day >= account.earliest && before.day < today;
    const identity = isKept
      ? judgeIdentity(before.amounts, await read(before.day))
      : notSeen(NO_MEMORY);
    if (isKept && before.day >= today - WATCHED_DAYS * DAY) return { identity, groups: before };
    return { identity, groups: { day: today - DAY, amounts: await read(today - DAY) } };
  } catch (reason) {
    return { identity: notSeen(whyUnseen(reason)), groups: before };
  }
}

async function someGroups({ groups }: Account, day: number): Promise<ReadonlyMap<string, Amounts>> {
  const found = await groups(day);
  if (found.size > MOST_GROUPS) throw unseen(`a day has more than ${MOST_GROUPS} groups`);
  return found;
}

async function invoiceOf(account: Account, invoice: Invoice): Promise<InvoiceResult> {
  const { start, end } = invoice;
  const { provider, now, earliest } = account;
  if (end > now) return notCompared(invoice, "By the provider's clock the month is not over.");
  if (start < earliest)
    return notCompared(
      invoice,
      "The reports do not reach back to the beginning of this month. A database of `sync` keeps what it has read: ask it with `query`.",
    );
  try {
    const { days } = await account.sums("costs", start, nextMonthStart(start));
    const compared = { provider, now, isOlder: account.api.includes("older") };
    return compareInvoice(invoice, sumOfMonth(days, start), compared);
  } catch (reason) {
    return notCompared(invoice, `The costs of the month could not be read: ${whyUnseen(reason)}.`);
  }
}
