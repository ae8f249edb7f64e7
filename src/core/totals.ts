/** Control totals of a reading (R5): its records by UTC day of charge period, and their sums in exact decimals. */
import { addAmounts } from "./decimal.ts";

/** A record's part in the totals: `labels` name its group, `amounts` are exact decimals, e.g. `{ billed: "1.5" }`. */
export interface Amounts {
  readonly labels: Readonly<Record<string, string>>;
  readonly amounts: Readonly<Record<string, string>>;
}

export interface GroupTotal extends Amounts {
  readonly records: number;
}

/** The most groups of a day, and the most characters of a label (L1). An honest provider has a few groups with short labels. */
const MAXIMUM_GROUPS = 200;
const MAXIMUM_LABEL = 200;

/** `day`: midnight UTC, in milliseconds since 1970. `inside`: whether the records start inside the reading's window. */
export interface DayTotal {
  readonly day: number;
  readonly inside: boolean;
  readonly records: number;
  /** Null if the day has no totals and proves nothing: a record could not be added up, or a limit was passed (L1). */
  readonly groups: readonly GroupTotal[] | null;
}

const keyOf = ({ day, inside }: DayTotal): string => `${day} ${inside}`;
const nameOf = ({ labels }: Amounts): string => JSON.stringify(Object.entries(labels));

/** The totals of two parts of a reading, by day and then by group, in a stable order. */
export function addTotals(a: readonly DayTotal[], b: readonly DayTotal[]): DayTotal[] {
  const days = new Map(a.map((total) => [keyOf(total), total]));
  for (const total of b) {
    const before = days.get(keyOf(total));
    days.set(keyOf(total), before === undefined ? total : sumOfDays(before, total));
  }
  return [...days.values()].toSorted(
    (x, y) => x.day - y.day || Number(y.inside) - Number(x.inside),
  );
}

function sumOfDays(a: DayTotal, b: DayTotal): DayTotal {
  const records = a.records + b.records;
  if (a.groups === null || b.groups === null) return { ...a, records, groups: null };
  const groups = new Map(a.groups.map((group) => [nameOf(group), group]));
  for (const group of b.groups) {
    const before = groups.get(nameOf(group));
    groups.set(nameOf(group), before === undefined ? group : sumOfGroups(before, group));
  }
  if (groups.size > MAXIMUM_GROUPS) return { ...a, records, groups: null };
  const sorted = [...groups].toSorted(([x], [y]) => (x < y ? -1 : 1)).map(([, group]) => group);
  return { ...a, records, groups: sorted };
}

function sumOfGroups(a: GroupTotal, b: GroupTotal): GroupTotal {
  const amounts = addAmounts(a.amounts, b.amounts);
  return { labels: a.labels, amounts, records: a.records + b.records };
}

interface DaySum {
  readonly day: number;
  readonly inside: boolean;
  records: number;
  groups: Map<string, GroupTotal> | null;
}

/** Adds up the records of one page, without a copy for each record. */
export class PageTotals {
  readonly #days = new Map<string, DaySum>();

  /** @param amounts null if the record cannot be added up; the record's day then has no totals */
  add(day: number, inside: boolean, amounts: Amounts | null): void {
    const key = `${day} ${inside}`;
    const sum = this.#days.get(key) ?? { day, inside, records: 0, groups: new Map() };
    this.#days.set(key, sum);
    sum.records += 1;
    if (amounts === null || !hasShortLabels(amounts)) sum.groups = null;
    if (amounts === null || sum.groups === null) return;
    const group = { ...amounts, records: 1 };
    const name = nameOf(group);
    const known = sum.groups.get(name);
    sum.groups.set(name, known === undefined ? group : sumOfGroups(known, group));
    if (sum.groups.size > MAXIMUM_GROUPS) sum.groups = null;
  }

  result(): DayTotal[] {
    return [...this.#days.values()].map(({ day, inside, records, groups }) => ({
      day,
      inside,
      records,
      groups: groups === null ? null : [...groups.values()],
    }));
  }
}

const hasShortLabels = ({ labels }: Amounts): boolean =>
  Object.values(labels).every((label) => label.length <= MAXIMUM_LABEL);
