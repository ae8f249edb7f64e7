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

/** `day`: midnight UTC, in milliseconds since 1970. `inside`: whether the records start inside the reading's window. */
export interface DayTotal {
  readonly day: number;
  readonly inside: boolean;
  readonly records: number;
  readonly groups: readonly GroupTotal[];
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
  const groups = new Map(a.groups.map((group) => [nameOf(group), group]));
  for (const group of b.groups) {
    const before = groups.get(nameOf(group));
    groups.set(nameOf(group), before === undefined ? group : sumOfGroups(before, group));
  }
  const sorted = [...groups].toSorted(([x], [y]) => (x < y ? -1 : 1)).map(([, group]) => group);
  return { ...a, records: a.records + b.records, groups: sorted };
}

function sumOfGroups(a: GroupTotal, b: GroupTotal): GroupTotal {
  const amounts = addAmounts(a.amounts, b.amounts);
  return { labels: a.labels, amounts, records: a.records + b.records };
}

/** Adds up the records of one page, without a copy for each record. */
export class PageTotals {
  readonly #days = new Map<string, { total: DayTotal; groups: Map<string, GroupTotal> }>();

  /** @param amounts null where the record holds no exact decimals: it is counted only */
  add(day: number, inside: boolean, amounts: Amounts | null): void {
    const key = `${day} ${inside}`;
    const before = this.#days.get(key);
    const groups = before?.groups ?? new Map<string, GroupTotal>();
    const records = (before?.total.records ?? 0) + 1;
    this.#days.set(key, { total: { day, inside, records, groups: [] }, groups });
    if (amounts === null) return;
    const group = { ...amounts, records: 1 };
    const known = groups.get(nameOf(group));
    groups.set(nameOf(group), known === undefined ? group : sumOfGroups(known, group));
  }

  result(): DayTotal[] {
    return [...this.#days.values()].map(({ total, groups }) => ({
      ...total,
      groups: [...groups.values()],
    }));
  }
}
