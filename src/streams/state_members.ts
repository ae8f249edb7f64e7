/** The members of a state's JSON that several of its parts share, and the days that it knows (R6). */
import * as z from "zod";
import type { DayDigest } from "../core/digests.ts";
import type { ForgottenDay, KnownDay, KnownDays } from "../core/known_days.ts";
import type { ProvisionalDay } from "../core/provisional.ts";
import type { Scrub } from "../core/scrub.ts";
import type { AwaitedStrays, KnownStray, StrayGroup } from "../core/state.ts";
import { DAY, floorTo, formatDay, formatInstant, parseDate, parseInstant } from "../core/time.ts";
import { type Range, union } from "../core/window.ts";
import type { JsonObject } from "../protocol.ts";

export const instant = z.string().transform((text, context) => {
  const ms = parseInstant(text);
  if (ms === undefined) context.addIssue({ code: "custom", message: "must be an instant in UTC" });
  return ms ?? 0;
});
export const day = z.string().transform((text, context) => {
  const ms = parseDate(text);
  if (ms === undefined) context.addIssue({ code: "custom", message: "must be a day" });
  return ms ?? 0;
});
export const count = z.int().min(0);
export const readingId = z.string().regex(/^[0-9a-z]{1,40}$/, "must be a reading's id");

/** 96 bits in 16 characters instead of 24: there is one for each retained day (S8). */
const hash = z
  .string()
  .regex(/^[A-Za-z0-9_-]{16}$/, "must be a hash of 96 bits")
  .transform((text) => Buffer.from(text, "base64url").toString("hex"));
export const encodeHash = (hex: string): string => Buffer.from(hex, "hex").toString("base64url");

/** `["2026-01-31", 12, "…"]`, and the digest in the form of 0.2.0 if there is one. */
export const digest = z
  .tuple([day, count, hash, hash.optional()])
  .transform(([at, records, text, former]): DayDigest => ({
    day: at,
    records,
    digest: text,
    ...(former === undefined ? {} : { former }),
  }));
export const encodeDigest = (entry: DayDigest): unknown => [
  formatDay(entry.day),
  entry.records,
  encodeHash(entry.digest),
  ...(entry.former === undefined ? [] : [encodeHash(entry.former)]),
];

/** Ranges of whole days: `["2026-01-01", "2026-01-31"]` */
export const dayRanges = z
  .array(z.tuple([day, day]))
  .transform((found): Range[] =>
    union(found.map(([start, end]) => ({ start: floorTo(DAY, start), end: floorTo(DAY, end) }))),
  );

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/, "must be a decimal");
export const provisional = z.array(
  z
    .tuple([day, count, z.record(z.string(), decimal)])
    .transform(([at, records, billed]): ProvisionalDay => ({ day: at, records, billed })),
);
/** Short, because there may be one for each day of two months: `["2026-01-31", 12, {"USD": "1.5"}]`. */
export const encodeProvisional = (entry: ProvisionalDay): unknown => [
  formatDay(entry.day),
  entry.records,
  entry.billed,
];
export const totals = z.array(
  z.object({
    day,
    inside: z.boolean(),
    records: count,
    groups: z
      .array(
        z.object({
          labels: z.record(z.string(), z.string()),
          amounts: z.record(z.string(), decimal),
          records: count,
        }),
      )
      .nullable(),
  }),
);

/**
 * The members with the known days: `known`, the ranges that were read completely; `days`, the days in them that have
 * records, grouped by the reading whose rows stand; `unconfirmed` (P6); `shrunk` (R8); `former`, the days whose digests are of the
 * form of 0.2.0; `forgotten`, unknown days with the largest number of their records, and the rows and the reading that stand (R8);
 * and `in_part`, other unknown days with the number of records that a reading has shown which was given up (R8). A state of 0.2.0 has
 * none of the last three: all its digests are of its form.
 */
export const knownDaysMembers = {
  known: dayRanges.nullish(),
  days: z.array(z.tuple([readingId, z.array(digest)])).nullish(),
  unconfirmed: z.array(day).nullish(),
  shrunk: z.array(z.tuple([day, count, hash, instant, z.literal("former").optional()])).nullish(),
  former: z.array(day).nullish(),
  forgotten: z.array(z.tuple([day, count, count, readingId.nullable()])).nullish(),
  in_part: z.array(z.tuple([day, count])).nullish(),
};

const FORMER = { isFormer: true } as const;

type Members = {
  readonly [Name in keyof typeof knownDaysMembers]?: z.output<(typeof knownDaysMembers)[Name]>;
};

export function encodeKnownDays({ ranges, days, forgotten, inPart }: KnownDays): JsonObject {
  const byDay = (a: { readonly day: number }, b: { readonly day: number }): number => a.day - b.day;
  const entries = [...days.values()].toSorted(byDay);
  const gone = [...forgotten.values()].toSorted(byDay);
  const all = [...entries, ...gone].toSorted(byDay);
  const byReading = Map.groupBy(entries, (entry) => entry.readingId);
  return {
    known: ranges.map(({ start, end }) => [formatDay(start), formatDay(end)]),
    days: [...byReading].map(([id, own]) => [id, own.map(encodeDigest)]),
    unconfirmed: all.filter(({ confirmed }) => !confirmed).map((entry) => formatDay(entry.day)),
    shrunk: all.flatMap(({ day: at, shrinkage }) =>
      shrinkage === null
        ? []
        : [
            [
              formatDay(at),
              shrinkage.records,
              encodeHash(shrinkage.digest),
              formatInstant(shrinkage.at),
              ...(shrinkage.isFormer === true ? ["former"] : []),
            ],
          ],
    ),
    former: entries
      .filter(({ isFormer }) => isFormer === true)
      .map((entry) => formatDay(entry.day)),
    forgotten: gone.map(({ day: at, most, records, readingId: id }) => [
      formatDay(at),
      most,
      records,
      id,
    ]),
    in_part: [...inPart]
      .toSorted(([one], [other]) => one - other)
      .map(([at, records]) => [formatDay(at), records]),
  };
}

/** Leaves out entries that contradict the ranges: a known day outside every known range, and an unknown day inside one. */
export function decodeKnownDays(members: Members): KnownDays {
  const { known, days, unconfirmed, shrunk, former, forgotten, in_part: inPart } = members;
  const ranges = known ?? [];
  const doubtful = new Set(unconfirmed);
  const ofForm = former == null ? null : new Set(former);
  const isFormer = (at: number): boolean => ofForm === null || ofForm.has(at);
  const shrinkages = new Map(
    (shrunk ?? []).map(([at, records, text, seenAt, form]) => [
      at,
      {
        records,
        digest: text,
        at: seenAt,
        ...((form ?? (former == null ? "former" : null)) === "former" ? FORMER : {}),
      },
    ]),
  );
  const doubtsOf = (at: number): Pick<KnownDay, "confirmed" | "shrinkage"> => ({
    confirmed: !doubtful.has(at),
    shrinkage: shrinkages.get(at) ?? null,
  });
  const entries = (days ?? []).flatMap(([id, own]) =>
    own.map((entry): [number, KnownDay] => [
      entry.day,
      {
        day: entry.day,
        records: entry.records,
        digest: entry.digest,
        ...(isFormer(entry.day) ? FORMER : {}),
        readingId: id,
        ...doubtsOf(entry.day),
      },
    ]),
  );
  const gone = (forgotten ?? []).map(([at, most, records, id]): [number, ForgottenDay] => [
    at,
    { day: at, most, records, readingId: id, ...doubtsOf(at) },
  ]);
  const isInside = ([at]: [number, unknown]): boolean =>
    ranges.some(({ start, end }) => start <= at && at < end);
  return {
    ranges,
    days: new Map(entries.filter(isInside)),
    forgotten: new Map(gone.filter((entry) => !isInside(entry))),
    inPart: new Map((inPart ?? []).filter((entry) => !isInside(entry))),
  };
}

export const encodeScrub = (scrub: Scrub | null): JsonObject | null =>
  scrub && { began: formatDay(scrub.began), through: formatInstant(scrub.through) };

export const strayGroup = z
  .tuple([day, readingId])
  .transform(([start, id]): StrayGroup => ({ day: start, readingId: id }));
/** `["2026-01-31", "2026-02-01", "2026-02-10T00:00:00Z", "2026-02-11T00:00:00Z"]`: the days from one to before another, and the window. */
export const awaitedStrays = z
  .tuple([day, day, instant, instant])
  .transform(([from, until, start, end]): AwaitedStrays => ({
    days: { start: from, end: until },
    window: { start, end },
  }));
export const encodeAwaited = ({ days, window }: AwaitedStrays): unknown => [
  formatDay(days.start),
  formatDay(days.end),
  formatInstant(window.start),
  formatInstant(window.end),
];
export const encodeStray = (stray: KnownStray): unknown => [
  encodeHash(stray.hash),
  formatDay(stray.day),
  stray.readingId,
  formatInstant(stray.window.start),
  formatInstant(stray.window.end),
  ...moreOf(stray),
];
/** The id, and the end of the first reading that lacked the stray and was not believed (R8). Most strays have only an id. */
function moreOf({ id, isFormer, missedAt }: KnownStray): readonly (string | null)[] {
  const name = isFormer === true ? "former" : id === undefined ? null : encodeHash(id);
  if (missedAt !== undefined) return [name, formatInstant(missedAt)];
  return name === null ? [] : [name];
}
export const stray = z
  .tuple([
    hash,
    day,
    readingId.nullable(),
    instant,
    instant,
    z.union([z.literal("former"), hash]).nullish(),
    instant.optional(),
  ])
  .transform(([text, at, writtenBy, start, end, more, missedAt]): KnownStray => ({
    hash: text,
    ...(more == null ? {} : more === "former" ? { isFormer: true } : { id: more }),
    day: at,
    readingId: writtenBy,
    window: { start, end },
    ...(missedAt === undefined ? {} : { missedAt }),
  }));
