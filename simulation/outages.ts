/** Outages: spans in which a dataset answers 200 and hides records. */
import type { Life, StreamName } from "./records.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Whether two spans have an instant in common. */
export const overlap = (one: Span, other: Span): boolean =>
  one.start < other.end && other.start < one.end;

/** Whether a record is a stray of a window (P5): it starts outside the window. */
export const isStrayOf = (window: Span, { start }: Pick<Life, "start">): boolean =>
  start < window.start || start >= window.end;

/** A span in which a dataset answers 200 and shows only some of its records (R8). */
export interface Outage extends Span {
  /** One record in this number stays visible; none if the number is infinite. */
  readonly showsOneOf: number;
}

/** An outage that begins right after an answer. */
export interface Strike {
  readonly stream: StreamName;
  /** Which pages are counted: all, or only the last pages of windows. After such a page the window may be read a second time (R6). */
  readonly counts: "pages" | "windows";
  readonly after: number;
  readonly lasts: number;
  readonly showsOneOf: number;
}

/** Whether one of the outages hides a record at an instant. */
export function isHidden(
  { outages }: { readonly outages: readonly Outage[] },
  life: Pick<Life, "id">,
  at: number,
): boolean {
  return outages.some(
    (outage) => outage.start <= at && at < outage.end && isHiddenBy(outage, life),
  );
}

/** Whether an outage hides a record while it lasts. */
function isHiddenBy({ showsOneOf }: Outage, { id }: Pick<Life, "id">): boolean {
  if (showsOneOf === Infinity) return true;
  return Number(/\d+$/.exec(id)?.[0] ?? 0) % showsOneOf !== 0;
}

interface Answer {
  readonly stream: StreamName;
  readonly status: number;
  readonly nextCursor: string | null;
}

/** The outages, or changes of records, that begin with the last of these exchanges. */
export function dueOf<One extends Pick<Strike, "stream" | "counts" | "after">>(
  strikes: readonly One[],
  exchanges: readonly Answer[],
): One[] {
  if (strikes.length === 0) return [];
  const stream = exchanges.at(-1)?.stream;
  const answers = exchanges.filter((one) => one.stream === stream && one.status === 200);
  const windows = answers.filter(({ nextCursor }) => nextCursor === null);
  return strikes.filter(
    ({ stream: hit, counts, after }) =>
      hit === stream && (counts === "pages" ? answers : windows).length === after,
  );
}
