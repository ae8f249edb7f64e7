/** Changes of records between two answers of one sync, so that readings, second readings and looks see different moments. */
import { DAY, dayOf, monthOf, SECOND } from "./calendar.ts";
import { dueOf } from "./outages.ts";
import { type Exchange, lookbackOf, type Provider, type Rules } from "./provider.ts";
import type { Random } from "./random.ts";
import { addVersion, type Life, settlesFrom, type StreamName, visible } from "./records.ts";

/** A change that happens right after an answer. */
export interface Stir {
  readonly stream: StreamName;
  /** Which pages are counted: all, or only the last pages of windows. */
  readonly counts: "pages" | "windows";
  readonly after: number;
}

/** The changes that a sync meets. One sync in five draws none. */
export function drawStirs(random: Random, streams: readonly StreamName[]): Stir[] {
  if (random.chance(0.2)) return [];
  return Array.from({ length: random.int(1, 6) }, () => ({
    stream: streams[random.int(0, streams.length - 1)] ?? "usage",
    counts: random.pick(["pages", "windows"]),
    after: random.int(1, random.pick([1, 3, 8, 20])),
  }));
}

/** Makes the changes of a sync as soon as they are due. */
export function stirBy(
  random: Random,
  provider: Provider,
  stirs: readonly Stir[],
): (next: number) => void {
  let left = stirs;
  return (next) => {
    const due = dueOf(left, provider.exchanges);
    left = left.filter((one) => !due.includes(one));
    for (const { stream } of due) stir(random, provider, stream, next);
  };
}

/** Changes one record of a stream at an instant. Most often it is one that this sync has been shown. */
function stir(random: Random, provider: Provider, stream: StreamName, at: number): void {
  const rules = provider.rules(stream);
  if (rules === undefined) return;
  // A8: if windows have views of their own, the row of an old day may come later than that of its new day.
  const mayMove = rules.views?.isOfWindow !== true;
  const overtaking =
    mayMove && random.chance(0.4) ? overtakingOf(random, provider, stream, at) : undefined;
  const moves =
    overtaking ??
    (isTold(rules, provider) && random.chance(0.4)
      ? replacingOf(random, provider, stream, at)
      : undefined);
  if (moves !== undefined) {
    const { life, place } = moves;
    // The answer of the window that was read may break off on its way. Then the connector asks again, and the windows are read at once.
    return issueAgain(random, provider, rules, life, {
      at,
      place: isDated(provider) ? place : life,
    });
  }
  const shown = provider.exchanges
    .filter((exchange) => exchange.stream === stream)
    .flatMap(({ versions }) => versions.map(({ record }) => record));
  const wanted = random.chance(0.7) ? shown : provider.options.lives;
  const oldest = dayOf(at) - 7 * DAY;
  const found = wanted.filter(
    (life) => life.stream === stream && life.start >= oldest && visible(life, at) !== undefined,
  );
  const life = found[random.int(0, found.length - 1)];
  if (life === undefined) return;
  switch (random.int(0, mayMove ? 4 : 2)) {
    case 0:
      return restate(random, provider, rules, life, at);
    case 1:
      life.withdrawnAt = at;
      return undefined;
    case 2:
      return issueAgain(random, provider, rules, life, { at, place: life });
    default: {
      const place = isTold(rules, provider) ? placeOf(random, rules, life, at) : life;
      const isKept = staysUnproven(provider, stream, life, place);
      return issueAgain(random, provider, rules, life, { at, place: isKept ? life : place });
    }
  }
}

/**
 * R10: whether this sync may read a record on its old day, and then on its new one, in a reading that begins later. The new row replaces
 * the old one by key, and the old day is not due.
 */
function staysUnproven(
  { exchanges }: Provider,
  stream: StreamName,
  from: Place,
  to: Place,
): boolean {
  const isAbout =
    ({ start }: Place) =>
    (one: Exchange): boolean =>
      one.stream === stream && one.start <= start && start < one.end;
  const [old, now] = [exchanges.findIndex(isAbout(from)), exchanges.findIndex(isAbout(to))];
  const isRead = exchanges.some(
    (one) => isAbout(to)(one) && one.status === 200 && one.nextCursor === null,
  );
  return old !== -1 && !isRead && (now === -1 || now > old);
}

/**
 * R10: whether the connector can see that a record moves between two windows which are read at once. It cannot if the provider makes a view
 * between the two answers, or if its `Date` is wrong by more than R4 allows.
 */
const isTold = ({ views }: Rules, provider: Provider): boolean =>
  views === null && isDated(provider);

const isDated = ({ exchanges }: Provider): boolean =>
  exchanges.every(({ date, at }) => Math.abs(date - at) < 10 * SECOND);

function restate(random: Random, provider: Provider, rules: Rules, life: Life, at: number): void {
  const now = visible(life, at);
  // The versions that were still to come never do.
  life.versions.splice(now === undefined ? 0 : now.index + 1);
  addVersion(life, {
    at,
    due: at <= settlesFrom(life, false) + lookbackOf(rules),
    status: life.stream === "costs" ? random.pick(["provisional", "final"]) : null,
    amount: random.int(-2_000_000, 90_000_000),
    currency: now?.currency ?? "USD",
    extra: "",
    granularity: rules.granularity,
  });
  const last = life.versions.at(-1);
  if (last !== undefined) provider.texts.set(last.text, last);
}

type Place = Pick<Life, "start" | "end" | "postedAt">;

/** The record disappears, and its id comes at once, or after some hours, at a place of its own. */
function issueAgain(
  random: Random,
  provider: Provider,
  rules: Rules,
  life: Life,
  { at, place }: { readonly at: number; readonly place: Place },
): void {
  life.withdrawnAt = at;
  const { stream, id } = life;
  const { start, end, postedAt } = place;
  const isMove = start !== life.start || postedAt !== life.postedAt;
  const again: Life = { stream, id, start, end, postedAt, versions: [], withdrawnAt: Infinity };
  const delay = isMove && random.chance(0.8) ? 0 : random.int(1, random.pick([2000, DAY]));
  restate(random, provider, rules, again, at + delay);
  provider.add(again);
}

/** A record of a day that this sync has not asked for yet, and a place on a day that it has read to the end (R10). */
function overtakingOf(
  random: Random,
  { exchanges, options }: Provider,
  stream: StreamName,
  at: number,
): { readonly life: Life; readonly place: Place } | undefined {
  const today = dayOf(at);
  const own = exchanges.filter((one) => one.stream === stream && one.status === 200);
  const ended = own.filter(({ nextCursor, start }) => nextCursor === null && start < today);
  const window = ended[random.int(0, ended.length - 1)];
  if (window === undefined) return undefined;
  const days = Math.ceil((Math.min(window.end, today) - window.start) / DAY);
  const day = dayOf(window.start) + random.int(0, days - 1) * DAY;
  const found = options.lives.filter(
    (life) =>
      life.stream === stream &&
      life.end <= dayOf(life.start) + DAY &&
      life.start < today &&
      Math.abs(life.start - day) < 5 * DAY &&
      visible(life, at - 1) !== undefined &&
      visible(life, at) !== undefined &&
      !own.some((one) => one.start <= life.start && life.start < one.end),
  );
  const life = found[random.int(0, found.length - 1)];
  if (life === undefined) return undefined;
  return { life, place: onDay(life, day) };
}

/**
 * A record that a window has shown, and a place in a window that has begun before and goes on. If that window shows the record too, the
 * row of the old day has the later reading id (R4).
 */
function replacingOf(
  random: Random,
  provider: Provider,
  stream: StreamName,
  at: number,
): { readonly life: Life; readonly place: Place } | undefined {
  const own = provider.exchanges.filter((one) => one.stream === stream && one.status === 200);
  const begun = own.findIndex(
    ({ start, end }) =>
      own.findLast((one) => one.start === start && one.end === end)?.nextCursor !== null,
  );
  const window = own[begun];
  if (window === undefined) return undefined;
  const later = own
    .slice(begun + 1)
    .filter(({ start, end }) => start !== window.start || end !== window.end)
    .flatMap(({ versions }) => versions.map(({ record }) => record))
    .filter((life) => life.end <= dayOf(life.start) + DAY && visible(life, at) !== undefined);
  const life = later[random.int(0, later.length - 1)];
  if (life === undefined) return undefined;
  const days = Math.ceil((Math.min(window.end, dayOf(at)) - window.start) / DAY);
  if (days < 1) return undefined;
  const place = onDay(life, dayOf(window.start) + random.int(0, days - 1) * DAY);
  return staysUnproven(provider, stream, life, place) ? undefined : { life, place };
}

/** The place of a record on another day. */
function onDay({ start, end, postedAt }: Life, day: number): Place {
  const by = day - dayOf(start);
  return { start: start + by, end: end + by, postedAt: postedAt + by };
}

/** Another day, or the window of another posting. */
function placeOf(random: Random, rules: Rules, life: Life, at: number): Place {
  const { start, end, postedAt } = life;
  if (rules.selects === "posting" && rules.maximumWindowDays < 31 && random.chance(0.5)) {
    const days = random.pick([0, rules.maximumWindowDays + random.int(0, 8)]);
    return { start, end, postedAt: start + days * DAY };
  }
  const days = random.pick([-3, -2, -1, 1, 2, 3]);
  const moved = start + days * DAY;
  if (moved > at || monthOf(moved, 0) !== monthOf(start, 0)) return life;
  const until = rules.stream === "costs" ? monthOf(moved, -1) : Infinity;
  return { start: moved, end: Math.min(end + days * DAY, until), postedAt: postedAt + days * DAY };
}
