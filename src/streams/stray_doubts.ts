/**
 * R8 for strays: if a window hides most strays of a day at once, the cause may be an outage. Such strays count as shown until another
 * reading, an hour or more later, lacks the same ones.
 */
import { confirms, firstEnd, isSuddenLoss, type View } from "../core/known_days.ts";
import type { Reading, StandingStrays } from "../core/reading.ts";
import type { Settlement } from "../core/settle.ts";
import { groupOf } from "../core/stray_group.ts";
import { contains, nameOf, nearestDay, type Range } from "../core/window.ts";
import { describeDoubts } from "./describe.ts";
import { isWritten } from "./stray_groups.ts";
import type { Listing, WrittenStray } from "./stray_listings.ts";
import type { StrayTable } from "./stray_table.ts";

/** A complete reading of a window. `endedAt`: its end, in milliseconds since 1970 on the provider's clock. */
export type Viewed = Listing & View & { readonly endedAt: number };

/** The strays of one day that a reading is not believed to miss. */
interface Doubt {
  readonly day: number;
  readonly window: Range;
  /** The number of strays of the day that stood, and the number that the reading shows. */
  readonly most: number;
  readonly records: number;
  readonly strays: readonly WrittenStray[];
}

interface OfDay {
  readonly day: number;
}

/** The rows of days. */
export interface DayRows {
  /** The number of rows of a day that stand as its own. */
  readonly rowsOf: (day: number) => number;
}

export class StrayDoubts {
  readonly #rowsOf: DayRows["rowsOf"];
  /** By reading, until the next warning. */
  readonly #all = new Map<string, readonly Doubt[]>();
  /** The days of windows that a warning has named. */
  readonly #told = new Set<string>();

  /** @param rowsOf see {@link DayRows} */
  constructor(rowsOf: DayRows["rowsOf"]) {
    this.#rowsOf = rowsOf;
  }

  /**
   * Takes note of the strays that a reading lacks and that stand all the same.
   *
   * @param missing all strays that the reading lacks
   * @param known all strays; here they keep the end of the first reading that has lacked them
   */
  add(
    missing: readonly WrittenStray[],
    known: StrayTable,
    reading: Viewed,
  ): readonly WrittenStray[] {
    if (missing.length === 0) return [];
    const written = [...known.values()].filter((stray) => isWritten(stray));
    const inside = written.filter(({ window }) => contains(reading, window));
    const stood = Map.groupBy(inside, ({ day }) => day);
    const doubts: Doubt[] = [];
    for (const [day, own] of Map.groupBy(missing, (stray) => stray.day)) {
      const strays = stood.get(day)?.length ?? 0;
      const rows = strays + this.#rowsOf(day);
      // The day may have taken over strays of the group. So the rows of the day count as well as its strays alone.
      const most = isSuddenLoss(strays, strays - own.length) ? strays : rows;
      const records = most - own.length;
      const agrees = own.every(
        ({ missedAt }) => missedAt !== undefined && confirms(reading, missedAt),
      );
      if (agrees || !isSuddenLoss(most, records)) continue;
      const { endedAt } = reading;
      const doubted = own.map((stray) => ({
        ...stray,
        missedAt: firstEnd(stray.missedAt ?? endedAt, endedAt),
      }));
      doubts.push({ day, window: reading, most, records, strays: doubted });
    }
    if (doubts.length > 0) this.#all.set(reading.id, doubts);
    const doubted = doubts.flatMap(({ strays }) => strays);
    for (const stray of doubted) known.set(stray);
    return doubted;
  }

  #of({ id }: Pick<Listing, "id">): readonly Doubt[] {
    return this.#all.get(id) ?? [];
  }

  /** A reading, with such strays among those that it has shown. */
  shownBy<Some extends Pick<Reading, "id" | "standing">>(reading: Some): Some {
    const doubted = this.#of(reading).flatMap(({ strays }) => strays);
    return doubted.length === 0
      ? reading
      : { ...reading, standing: sumsOf(reading.standing, doubted) };
  }

  /** The days of a window that keep their provisional sums (R2): those that show less than half, and those with the costs of such strays. */
  keepingCosts(reading: Listing, { shrunk }: Pick<Settlement, "shrunk">): readonly OfDay[] {
    const doubted = this.#of(reading).map(({ day }) => ({ day: nearestDay(reading, day) }));
    return [...shrunk, ...doubted];
  }

  /** Gives the warnings since the last call. Each day of a window is named once in a read: a second reading may lack the same strays. */
  takeWarnings(): string[] {
    const nameIn = ({ day, window }: Doubt): string => `${day} ${nameOf(window)}`;
    const doubts = [...this.#all.values()].flat().filter((one) => !this.#told.has(nameIn(one)));
    for (const doubt of doubts) this.#told.add(nameIn(doubt));
    this.#all.clear();
    return describeDoubts(doubts);
  }
}

/** The strays that a reading has shown, and further ones, by group. */
function sumsOf(
  shown: readonly StandingStrays[],
  more: readonly WrittenStray[],
): readonly StandingStrays[] {
  const sums = new Map(
    shown.map((one) => [groupOf({ ...one, readingId: one.rowsReadingId }), one]),
  );
  for (const stray of more) {
    const { day, readingId: rowsReadingId } = stray;
    const records = (sums.get(groupOf(stray))?.records ?? 0) + 1;
    sums.set(groupOf(stray), { day, rowsReadingId, records });
  }
  return [...sums.values()];
}
