/**
 * Digests of 0.2.0 (R6). They hash the bytes of each record in the order in which its members came. Days that a state of 0.2.0 knows
 * are compared in this form. Then the state keeps their digests in today's form, so the upgrade writes no row. Pure.
 */
import type { DayDigest } from "./digests.ts";
import type { KnownDay, KnownDays } from "./known_days.ts";
import type { Reading } from "./reading.ts";
import { DAY } from "./time.ts";
import type { Range } from "./window.ts";

/** The form of a reading's digests: today's; that of 0.2.0, if 0.2.0 began the reading; both, if it meets digests of 0.2.0. */
export type DigestForm = "present" | "former" | "both";

/** @param hasFormerStrays whether strays are known by their hash of 0.2.0 */
export function formOf(
  reading: Pick<Reading, "start" | "end" | "isFormer">,
  known: KnownDays,
  hasFormerStrays: boolean,
): DigestForm {
  if (reading.isFormer) return "former";
  return hasFormerStrays || hasFormerDays(known, reading) ? "both" : "present";
}

/** Whether a day in the range is known by a digest of 0.2.0. */
function hasFormerDays(known: KnownDays, { start, end }: Range): boolean {
  for (const { day, isFormer, shrinkage } of known.days.values()) {
    const isCompared = isFormer === true || shrinkage?.isFormer === true;
    if (isCompared && start < day + DAY && day < end) return true;
  }
  return false;
}

/** Replaces a digest of 0.2.0 by the digest in today's form, if a reading has shown the same records. */
export function renewed(known: KnownDays, seen: readonly DayDigest[]): KnownDays {
  let days: Map<number, KnownDay> | null = null;
  for (const digest of seen) {
    const entry = known.days.get(digest.day);
    if (entry === undefined || digest.former === undefined) continue;
    const next = renewedDay(entry, digest);
    if (next !== entry) days = (days ?? new Map(known.days)).set(digest.day, next);
  }
  return days === null ? known : { ...known, days };
}

function renewedDay(entry: KnownDay, seen: DayDigest): KnownDay {
  const { isFormer, shrinkage, ...rest } = entry;
  if (isFormer === true && isSame(entry, seen)) return { ...rest, digest: seen.digest, shrinkage };
  if (shrinkage?.isFormer !== true || !isSame(shrinkage, seen)) return entry;
  const { records, at } = shrinkage;
  return { ...entry, shrinkage: { records, at, digest: seen.digest } };
}

const isSame = (known: Pick<DayDigest, "records" | "digest">, seen: DayDigest): boolean =>
  known.records === seen.records && known.digest === seen.former;

/** The known days after a reading that 0.2.0 began: what it learned of these days is of the former form. */
export function asFormer(known: KnownDays, days: readonly number[]): KnownDays {
  const marked = new Map(known.days);
  for (const day of days) {
    const entry = marked.get(day);
    if (entry === undefined) continue;
    const { shrinkage } = entry;
    marked.set(day, {
      ...entry,
      isFormer: true,
      shrinkage: shrinkage === null ? null : { ...shrinkage, isFormer: true },
    });
  }
  return { ...known, days: marked };
}
