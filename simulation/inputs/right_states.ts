/** Checks that a state was read with its exact content, and that its plan leaves nothing out. */
import { isDeepStrictEqual } from "node:util";
import { retentionFloor } from "../../src/core/plan.ts";
import type { StreamState } from "../../src/core/state.ts";
import { DAY, ceilTo, floorTo } from "../../src/core/time.ts";
import type { Plain } from "./rules.ts";
import {
  date,
  decimal,
  instant,
  listOf,
  mapOf,
  matching,
  Open,
  orNone,
  plain,
  Refused,
  text,
  truth,
  tuple,
  whole,
} from "./state_values.ts";
import { FINGERPRINT, type StateInput, type Taken } from "./states.ts";

/** The state of a stream in a state file; `open` if it has names that the connector may accept or refuse. */
export type Said =
  | { readonly kind: "state"; readonly state: StreamState | null }
  | { readonly kind: "refused" }
  | { readonly kind: "open" };

/** The state of a stream in a state file, read without the connector's code. */
export function saidOf(value: unknown, stream: "usage" | "costs", mode: StateInput["mode"]): Said {
  try {
    return { kind: "state", state: stateOf(entryOf(value, stream), stream, mode) };
  } catch (error) {
    if (error instanceof Refused) return { kind: "refused" };
    if (error instanceof Open) return { kind: "open" };
    throw error;
  }
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** The last entry of a stream; all entries must have the right shape. */
function entryOf(value: unknown, stream: string): unknown {
  if (isNothing(value)) return undefined;
  const entries = listOf(value).map((entry) => {
    const { type, stream: inner } = plain(entry);
    if (type !== undefined && type !== null && type !== "STREAM") throw new Refused();
    const { stream_descriptor: descriptor, stream_state: state } = plain(inner);
    return [text(plain(descriptor)["name"]), state] as const;
  });
  return new Map(entries).get(stream);
}

function stateOf(
  value: unknown,
  stream: "usage" | "costs",
  mode: StateInput["mode"],
): StreamState | null {
  if (isNothing(value)) return null;
  const state = plain(value);
  const { version, belongs_to: owner, mode: found } = state;
  if (version !== 1 && version !== 2) throw new Refused();
  const { base_url, dataset, granularity, account } = plain(owner);
  const own = [base_url, dataset, granularity].map(text);
  if (account !== undefined && account !== null) text(account);
  const expected = FINGERPRINT[stream];
  const isSame = isDeepStrictEqual(
    [...own, account ?? null],
    [expected.base_url, expected.dataset, expected.granularity, expected.account],
  );
  if (!isSame) throw new Refused();
  const read = found === "incremental" ? incremental(state) : fullRefresh(state);
  return read.mode === mode ? read : null;
}

/** Version 1 knew neither days nor chains, and a pass that it holds begins again. */
const isFirst = (state: Plain): boolean => state["version"] === 1;

const chainOf = (state: Plain): string =>
  isFirst(state) ? "" : matching(state["chain"], /^[0-9a-z]{5}$/);

function newestOf(state: Plain): string | null {
  const newest = state["newest_reading_id"];
  return isFirst(state) || newest === null || newest === undefined ? null : idOf(newest);
}

function incremental(state: Plain): StreamState {
  const { start, position, reconciled_on: on, provisional } = state;
  return {
    mode: "incremental",
    chain: chainOf(state),
    newestId: newestOf(state),
    start: instant(start),
    position: instant(position),
    reconciledOn: on === null || on === undefined ? null : text(on),
    provisional: provisionalOf(provisional),
    ...memoryOf(isFirst(state) ? {} : state),
    pass: isFirst(state) ? null : passOf(state["pass"]),
  };
}

type Incremental = Extract<StreamState, { mode: "incremental" }>;
type Doubtful =
  Incremental["known"]["forgotten"] extends ReadonlyMap<number, infer Day> ? Day : never;

/** The days, strays and the scrub that a state remembers; members may be missing. */
function memoryOf(state: Plain): Pick<Incremental, "known" | "strays" | "scrub"> {
  const { strays, scrub } = state;
  return {
    known: knownOf(state),
    strays: orNone(strays).map((stray) => {
      const [hash, own, id, start, end] = tuple(stray, 5);
      return {
        hash: hashOf(hash),
        day: date(own),
        readingId: idOf(id),
        window: { start: instant(start), end: instant(end) },
      };
    }),
    scrub:
      scrub === null || scrub === undefined
        ? null
        : { began: date(plain(scrub)["began"]), through: instant(plain(scrub)["through"]) },
  };
}

function knownOf({ known, days, unconfirmed, shrunk, forgotten }: Plain): Incremental["known"] {
  const ranges: { start: number; end: number }[] = [];
  const bounds = orNone(known).map((range) => tuple(range, 2).map(date));
  for (const [start = 0, end = 0] of bounds.toSorted(([a = 0], [b = 0]) => a - b)) {
    const last = ranges.at(-1);
    if (start >= end) continue;
    if (last === undefined || start > last.end) ranges.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  const doubtful = new Set(orNone(unconfirmed).map(date));
  const shrinkages = orNone(shrunk).map((entry) => {
    const [own, records, hash, at] = tuple(entry, 4);
    return { day: date(own), records: whole(records), digest: hashOf(hash), at: instant(at) };
  });
  const doubtsOf = (own: number): Pick<Doubtful, "confirmed" | "shrinkage"> => {
    const shrinkage = shrinkages.findLast((entry) => entry.day === own);
    return {
      confirmed: !doubtful.has(own),
      shrinkage:
        shrinkage === undefined
          ? null
          : { records: shrinkage.records, digest: shrinkage.digest, at: shrinkage.at },
    };
  };
  const isInside = (own: number): boolean =>
    ranges.some(({ start, end }) => start <= own && own < end);
  const found: Incremental["known"]["days"] extends ReadonlyMap<number, infer Day>
    ? Map<number, Day>
    : never = new Map();
  for (const group of orNone(days)) {
    const [id, own] = tuple(group, 2);
    const readingId = idOf(id);
    for (const digest of listOf(own).map(digestOf)) {
      if (!isInside(digest.day)) continue;
      found.set(digest.day, { ...digest, readingId, ...doubtsOf(digest.day) });
    }
  }
  const gone = orNone(forgotten).map((entry): [number, Doubtful] => {
    const [own, most, records, id] = tuple(entry, 4);
    const at = date(own);
    const readingId = id === null ? null : idOf(id);
    return [
      at,
      { day: at, most: whole(most), records: whole(records), readingId, ...doubtsOf(at) },
    ];
  });
  return { ranges, days: found, forgotten: new Map(gone.filter(([own]) => !isInside(own))) };
}

function digestOf(value: unknown) {
  const [own, records, hash] = tuple(value, 3);
  return { day: date(own), records: whole(records), digest: hashOf(hash) };
}

const idOf = (value: unknown): string => matching(value, /^[0-9a-z]{1,40}$/);

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** 96 bits in 16 characters of the URL-safe alphabet (RFC 4648, section 5), as 24 hexadecimal digits. */
function hashOf(value: unknown): string {
  let bits = 0n;
  for (const character of matching(value, /^[\w-]{16}$/)) {
    bits = bits * 64n + BigInt(ALPHABET.indexOf(character));
  }
  return bits.toString(16).padStart(24, "0");
}

function fullRefresh(state: Plain): StreamState {
  const { mode, start, end, done } = state;
  if (mode !== "full_refresh") throw new Refused();
  return {
    mode,
    chain: chainOf(state),
    newestId: newestOf(state),
    start: instant(start),
    end: instant(end),
    done: truth(done),
    pass: isFirst(state) ? null : passOf(state["pass"]),
  };
}

function passOf(value: unknown): StreamState["pass"] {
  if (value === null || value === undefined) return null;
  const { day, began_at: beganAt, reads, open } = plain(value);
  return {
    day: matching(day, /^\d{4}-\d{2}-\d{2}$/),
    beganAt: instant(beganAt),
    reads: listOf(reads).map((read) => {
      const { start, end, available_through: availableThrough } = plain(read);
      return {
        start: instant(start),
        end: instant(end),
        availableThrough: instant(availableThrough),
      };
    }),
    open: listOf(open).map(readingOf),
    frontier: -Infinity,
  };
}

function readingOf(value: unknown): NonNullable<StreamState["pass"]>["open"][number] {
  const reading = plain(value);
  const limit = whole(reading["limit"]);
  const cursor = text(reading["cursor"]);
  if (limit < 1 || cursor === "") throw new Refused();
  const { totals, rewrites } = reading;
  return {
    start: instant(reading["start"]),
    end: instant(reading["end"]),
    id: idOf(reading["id"]),
    limit,
    cursor,
    availableThrough: instant(reading["through"]),
    beganAt: instant(reading["beganAt"]),
    firstAsOf: text(reading["firstAsOf"]),
    lastAsOf: text(reading["lastAsOf"]),
    moved: truth(reading["moved"]),
    resumed: true,
    records: whole(reading["records"]),
    provisional: provisionalOf(reading["provisional"]),
    totals: totals === null ? null : listOf(totals).map(totalOf),
    rewrites: rewrites === null ? null : listOf(rewrites).map(digestOf),
    digests: listOf(reading["digests"]).map(digestOf),
    incomplete: listOf(reading["incomplete"]).map(date),
    isFormer: false,
    hasStrays: truth(reading["hasStrays"]),
    standing: listOf(reading["standing"]).map((entry) => {
      const { day, rowsReadingId, records } = plain(entry);
      return { day: date(day), rowsReadingId: idOf(rowsReadingId), records: whole(records) };
    }),
  };
}

function totalOf(value: unknown) {
  const { day, inside, records, groups } = plain(value);
  return {
    day: date(day),
    inside: truth(inside),
    records: whole(records),
    groups: groups === null ? null : listOf(groups).map(groupOf),
  };
}

function groupOf(group: unknown) {
  const { labels, amounts, records } = plain(group);
  return { labels: mapOf(labels, text), amounts: mapOf(amounts, decimal), records: whole(records) };
}

function provisionalOf(value: unknown) {
  return listOf(value).map((entry) => {
    const [own, records, billed] = tuple(entry, 3);
    return { day: date(own), records: whole(records), billed: mapOf(billed, decimal) };
  });
}

/** The failure of the plan of any state. */
export function judgePlan({ state, plan, again }: Taken, { at }: StateInput): string[] {
  const faults: string[] = [];
  const { windows, resumed, positionInFuture } = plan;
  const floor = retentionFloor(at.now, at.retentionDays);
  for (const [index, { start, end }] of windows.entries()) {
    const before = windows[index - 1];
    if (!(start < end)) faults.push(`W1: an empty window at ${start}`);
    if (before !== undefined && before.end > start) faults.push(`W1: two windows at ${start}`);
    if (end - start > at.maximumWindowDays * DAY) faults.push(`W2: too long a window at ${start}`);
    if (end > at.now + 2 * DAY)
      faults.push(`S7: a window far positionInFuture of now, up to ${end}`);
    if (start < floor) faults.push(`W3: a window before the floor at ${start}`);
    const overlap = resumed.find((reading) => reading.start < end && start < reading.end);
    if (overlap !== undefined) faults.push(`S3: ${start} is read and resumed`);
  }
  if (!positionInFuture && plan.state.mode === "incremental")
    faults.push(...gaps(plan, state, at, floor));
  if (again === null) faults.push("S3: the plan's state is none when it is read back");
  return faults;
}

/** R1: all days from position − lookback to the end are read now, or were read by the pass that continues. */
function gaps(
  plan: Taken["plan"],
  stored: StreamState | null,
  at: StateInput["at"],
  floor: number,
): string[] {
  if (plan.state.mode !== "incremental") return [];
  const today = ceilTo(at.bucket, at.now);
  const end = at.endDate === null ? today : Math.min(ceilTo(at.bucket, at.endDate), today);
  const start = at.startDate === null ? floor : floorTo(DAY, at.startDate);
  const from = Math.max(floor, start, floorTo(DAY, plan.state.position - at.lookback));
  const reads = stored?.pass?.reads ?? [];
  const covered = [...plan.windows, ...plan.resumed, ...reads];
  const missing: string[] = [];
  for (let day = from; day < end; day += DAY) {
    if (!covered.some((range) => range.start <= day && day < range.end))
      missing.push(`R1: nothing reads ${new Date(day).toISOString()}`);
  }
  return missing;
}
