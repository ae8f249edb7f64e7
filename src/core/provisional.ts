/** The provisional costs that a stream keeps in mind until they are final (R2). */
import { addAmounts } from "./decimal.ts";

/** The provisional costs of one UTC day of charge period. `billed`: exact sums of BilledCost by currency. */
export interface ProvisionalDay {
  readonly day: number;
  readonly records: number;
  readonly billed: Readonly<Record<string, string>>;
}

/** The sums of two parts of a reading, sorted by day. */
export function addProvisional(
  known: readonly ProvisionalDay[],
  more: readonly ProvisionalDay[],
): readonly ProvisionalDay[] {
  if (more.length === 0) return known;
  const days = new Map(known.map((entry) => [entry.day, entry]));
  for (const entry of more) {
    const before = days.get(entry.day);
    days.set(entry.day, before === undefined ? entry : sumOf(before, entry));
  }
  return [...days.values()].toSorted((a, b) => a.day - b.day);
}

function sumOf(a: ProvisionalDay, b: ProvisionalDay): ProvisionalDay {
  return { day: a.day, records: a.records + b.records, billed: addAmounts(a.billed, b.billed) };
}

/** Adds the sums of days that have none yet. All other days keep their sums, which come from a complete reading. */
export function addMissingDays(
  known: readonly ProvisionalDay[],
  found: readonly ProvisionalDay[],
): readonly ProvisionalDay[] {
  const days = new Set(known.map(({ day }) => day));
  return addProvisional(
    known,
    found.filter(({ day }) => !days.has(day)),
  );
}

/**
 * A complete reading knows all provisional costs of its days, so its sums replace the earlier ones of these days.
 *
 * @param isAbout whether the reading was about a day, given as its midnight
 */
export function replaceProvisional(
  known: readonly ProvisionalDay[],
  found: readonly ProvisionalDay[],
  isAbout: (day: number) => boolean,
): readonly ProvisionalDay[] {
  const elsewhere = known.filter(({ day }) => !isAbout(day));
  const own = found.filter(({ day }) => isAbout(day));
  return [...elsewhere, ...own].toSorted((a, b) => a.day - b.day);
}

/**
 * Divides provisional costs by retention. There are three kinds: costs that the provider still shows, costs that have just left
 * retention, and costs that it may show again, because an earlier retention was longer.
 */
export function underRetention(
  {
    provisional,
    left,
  }: { readonly provisional: readonly ProvisionalDay[]; readonly left: readonly ProvisionalDay[] },
  { floor, keepFrom }: { readonly floor: number; readonly keepFrom: number },
): {
  readonly lostProvisional: readonly ProvisionalDay[];
  readonly provisional: readonly ProvisionalDay[];
  readonly left: readonly ProvisionalDay[];
} {
  const all = addMissingDays(provisional, left);
  return {
    lostProvisional: provisional.filter(({ day }) => day < floor),
    provisional: all.filter(({ day }) => day >= floor),
    left: all.filter(({ day }) => day >= keepFrom && day < floor),
  };
}
