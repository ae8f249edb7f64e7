/**
 * After some syncs just the provider's records stand, whatever windows show them and however the syncs die (P5, R10). The property draws
 * exports whose records show in the windows of several days, and changes them twice.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { IncrementalState } from "../core/state.ts";
import { DAY, formatInstant, HOUR } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import type { Fields } from "../records/fields.ts";
import { Table } from "./scripted/table.ts";
import {
  fourWindows,
  idsOf,
  lastState,
  pagesOf,
  readScript,
  recordOf,
  refused,
  type Run,
} from "./scripted/testing.ts";
import { versionAt } from "./scripted/worlds.ts";
import type { FetchedPage } from "./stream.ts";
import { DAY_ONE } from "./testing.ts";

const DAYS = 5;
/** The times between which the records change. */
const PHASES = [0, 1, 2];

const change = fc.constantFrom("kept", "kept", "kept", "toggled", "restated");
const record = fc.record({
  /** The day of its start, by its number from 0; a day below 0 lies before the plan. */
  day: fc.integer({ min: -1, max: DAYS - 1 }),
  /** The days whose windows show it. */
  shownOn: fc.subarray([0, 1, 2, 3, 4], { minLength: 1, maxLength: 3 }),
  isThere: fc.constantFrom(true, true, false),
  changes: fc.tuple(change, change),
});
const plain = fc
  .record({ day: fc.nat(DAYS - 1), changes: fc.tuple(change, change) })
  .map((drawn) => ({ ...drawn, shownOn: [drawn.day], isThere: true }));
const death = fc.record({
  query: fc.nat(9),
  page: fc.nat(2),
  code: fc.constantFrom("unavailable", "unavailable", "cursor_refused"),
  /** Whether the provider refuses the cursors of the process before. */
  refusesCursors: fc.boolean(),
  /** Whether the platform keeps rows behind the last STATE. */
  keepsRows: fc.boolean(),
});
const lives = fc.record({
  records: fc
    .tuple(fc.array(record, { maxLength: 6 }), fc.array(plain, { maxLength: 6 }))
    .map((all) => all.flat()),
  perPage: fc.constantFrom(1, 1, 2, 9),
  lanes: fc.constantFrom(1, 2, 3),
  stateInterval: fc.constantFrom(0, DAY),
  deaths: fc.array(death, { maxLength: 3 }),
});
type Life = typeof lives extends fc.Arbitrary<infer Drawn> ? Drawn : never;
type Death = Life["deaths"][number];

/** The records that the provider has after so many changes, with the days whose windows show them. */
function recordsAt({ records }: Life, phase: number) {
  return records.flatMap((drawn, index) => {
    const { day, shownOn } = drawn;
    const version = versionAt(drawn, phase);
    if (version === null) return [];
    const fields: Fields = recordOf(`r${index}`, day, {
      x_RecordUpdatedAt: formatInstant(DAY_ONE + version * HOUR),
      ConsumedQuantity: `${version + 1}`,
    });
    return [{ shownOn, fields }];
  });
}

/** One connection, whose syncs follow each other. */
class Connection {
  readonly #life: Life;
  #table = new Table();
  #stored: IncrementalState | null = null;
  now = DAY_ONE + (DAYS + 0.5) * DAY;

  constructor(life: Life) {
    this.#life = life;
  }

  get isSettled(): boolean {
    return this.#stored?.due.length === 0 && this.#stored.pass === null;
  }

  /** @param reads whether the sync reads all days, and not only those that are due */
  async sync(phase: number, reads: "all" | "due", dies?: Death): Promise<Run> {
    const { perPage, lanes, stateInterval } = this.#life;
    const shown = recordsAt(this.#life, phase);
    let query = -1;
    const script = ({ start }: Range, cursor: string | null): (FetchedPage | ConnectorError)[] => {
      query += 1;
      if (cursor !== null && dies?.refusesCursors === true) return [refused("cursor_refused")];
      const day = (start - DAY_ONE) / DAY;
      const own = shown.filter(({ shownOn }) => shownOn.includes(day));
      const fields = own.map((each) => each.fields);
      const pages = pagesOf(fields, perPage).slice(cursor === null ? 0 : Number(cursor.slice(1)));
      if (dies?.query !== query) return pages;
      const { page, code } = dies;
      if (code === "unavailable")
        return [...pages.slice(0, page), new ConnectorError(code, "It is down.")];
      // No first page has a cursor.
      return page === 0 ? pages : [...pages.slice(0, page), refused("cursor_refused")];
    };
    const run = await readScript(script, {
      input: {
        ...fourWindows,
        now: this.now,
        endDate: DAY_ONE + DAYS * DAY,
        lookback: reads === "all" ? 30 * DAY : 0,
      },
      stored: this.#stored,
      marksReports: true,
      lanes,
      stateInterval,
    });
    const last = run.outputs.findLastIndex(({ type }) => type === "STATE");
    const keepsAll = run.succeeded || dies?.keepsRows !== false;
    this.#table = this.#table.with(run, keepsAll ? run.outputs.length : last + 1);
    const state = lastState(run);
    if (state?.mode === "incremental") this.#stored = state;
    this.now += HOUR / 60;
    return run;
  }

  /** The differences between the records that stand and those of the provider. */
  wrong(phase: number): string[] {
    const records = recordsAt(this.#life, phase).map(({ fields }) => JSON.stringify(fields));
    const standing = [...this.#table.standing().values()].map(({ text }) => text);
    return [
      ...standing.filter((text) => !records.includes(text)).map((text) => `stands: ${text}`),
      ...records.filter((text) => !standing.includes(text)).map((text) => `is lost: ${text}`),
    ];
  }
}

/** The faults of a life: after each change the connection dies some times, reads all days, and then those that are due. */
async function faultsOf(life: Life): Promise<string[]> {
  const connection = new Connection(life);
  for (const phase of PHASES) {
    const deaths = phase === 0 ? [] : life.deaths;
    for (const dies of deaths) await connection.sync(phase, "all", dies);
    await connection.sync(phase, "all");
    const written: string[][] = [];
    do {
      connection.now += DAY;
      written.push(idsOf(await connection.sync(phase, "due")));
    } while (written.length < 6 && (!connection.isSettled || written.at(-1)?.length !== 0));
    const isEndless = written.length === 6;
    const wrong = connection.wrong(phase);
    if (isEndless || wrong.length > 0)
      return [...wrong, ...(isEndless ? [`no end: ${JSON.stringify(written)}`] : [])];
  }
  return [];
}

test("P5 R10: after some syncs just the provider's records stand, whatever windows show them and however the syncs die, and an idle sync writes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(lives, async (life) => {
      expect(await faultsOf(life)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
