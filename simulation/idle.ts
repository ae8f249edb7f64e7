/** The judge of an idle sync, which writes no row and changes no state (S6, R6). */
import { LIMITS } from "../src/core/limits.ts";
import { date, dayOf } from "./calendar.ts";
import type { Connection } from "./connection.ts";
import { selects as shows } from "./listing.ts";
import { type Item, lacksReports, type StateValue } from "./platform.ts";
import { livesOn, type StreamName } from "./records.ts";
import type { World } from "./world.ts";

const isDataset = (stream: string): stream is StreamName => stream !== "export_windows";

/** Finds what an idle sync has written or changed. */
export function judgeIdle(
  connection: Connection,
  before: Connection["states"],
  items: readonly Item[],
): string[] {
  const { world } = connection;
  const faults: string[] = [];
  const rows = items.filter((item) => item.kind === "record");
  const written = rows.filter((row) => !comesAndGoes(connection, before, row)).length;
  const isEconomic = isIdle(connection, before);
  if (written > 0 && isEconomic) faults.push(`R6: an idle sync wrote ${written} rows`);
  for (const [stream, { json, value }] of connection.states) {
    const was = before.get(stream);
    // A count that did not begin anew would let each later sync read all days again. If all days have left the range, none is read.
    const isRead = world.provider.exchanges.some((exchange) => exchange.stream === stream);
    const lacks = isDataset(stream) && lacksReports(connection.states, stream, world.reports);
    if (lacks && isRead && value.known?.length)
      faults.push(`R10: reports are missing behind the state of ${stream} after the last sync`);
    // A provisional cost that is posted later counts on the nearest day of the window that shows it.
    const { selects } =
      world.provider.options.datasets.find((rules) => rules.stream === stream) ?? {};
    if (selects === "posting" || !isEconomic) continue;
    if (was?.json === json || stream === "export_windows") continue; // its state names the newest reading, so it always changes
    if (was !== undefined && onlyForgets(was.value, value)) continue;
    // P6: a listing that moved while a day lost rows leaves the day forgotten. The next sync reads it again, and then knows it.
    if (was?.value.forgotten?.length && value.forgotten?.length === 0) continue;
    // P5: the strays on more days than a sync looks at wait for the next one.
    if (value.pass !== null && world.trials.limits.looks < LIMITS.looks) continue;
    faults.push(`S6: an idle sync changed the state of ${stream}: ${String(was?.json)} -> ${json}`);
  }
  return faults;
}

/**
 * A6: whether the provider shows another row of a written row's day in the window of another day, and only one of the windows that wrote
 * the day, now and before, contains both days.
 */
function comesAndGoes(
  { world, warehouse, versions }: Connection,
  before: Connection["states"],
  { stream, text, readingId }: Extract<Item, { readonly kind: "record" }>,
): boolean {
  const rules = isDataset(stream) ? world.provider.rules(stream) : undefined;
  const start = versions.get(text)?.record.start;
  if (rules?.selects !== "posting" || start === undefined) return false;
  const writers = before.get(stream)?.value.days ?? [];
  const [writtenBy] = writers.find(([, days]) => days.some(([day]) => day === date(start))) ?? [];
  const [now, then] = [readingId, writtenBy].map((id) => warehouse.windows.get(id ?? ""));
  if (now === undefined || then === undefined) return false;
  return livesOn(world.lives, rules.stream, dayOf(start)).some(
    (life) => shows("posting", now, life) !== shows("posting", then, life),
  );
}

/**
 * Whether the bounds leave room for all strays, so that no stray is written again and none waits for a later sync to be noted, and
 * for all days that are due.
 */
function isEconomical({ trials: { limits, members } }: World): boolean {
  const { knownStrays, pendingStrays, notedWindows, dueWindows } = limits;
  const least = Math.min(knownStrays, pendingStrays, notedWindows, dueWindows);
  return members !== "volatile" && least > 100;
}

/**
 * Whether a state differs from the one before it only by changes that an idle sync may make. Two kinds of days may leave the state:
 * those that a second reading has confirmed (P6), and those that are no longer due (R10). With such a day a group may leave that had lost
 * strays, once the last of them is written (P5). Written strays may leave if their window no longer shows them (P5). Strays that are owned
 * by a day may enter it: the windows of two syncs may differ, and the first sync that does not read the owner's day looks it up. The
 * number of reports grows with such a change.
 */
function onlyForgets(before: StateValue, after: StateValue): boolean {
  const without = (value: StateValue): string =>
    JSON.stringify({ ...value, unconfirmed: [], due: [], strays: [], fewer: [], reported: null });
  const namesOf = ({ unconfirmed = [], strays = [], fewer = [] }: StateValue): string[] => [
    ...unconfirmed,
    ...fewer.map((group) => group.join()),
    ...strays.filter(([, , writtenBy]) => writtenBy !== null).map((stray) => stray.join()),
  ];
  const known = namesOf(before);
  const [one, other] = [before, after].map((value) => JSON.stringify({ ...value, reported: null }));
  if (one === other) return false; // the number of reports alone changes nothing (S6)
  return without(before) === without(after) && namesOf(after).every((name) => known.includes(name));
}

/**
 * A3: a stirred record that is posted later may have changed behind the windows that are read. A listing of other strays finds it (R10).
 */
const mayBeLate = ({ trials, provider }: World): boolean =>
  trials.stirs !== null && provider.options.datasets.some(({ selects }) => selects === "posting");

/** Whether the last sync has no reason to write a row. */
const isIdle = (
  { world, mayCountTwice, leftOut }: Connection,
  before: Connection["states"],
): boolean =>
  isEconomical(world) &&
  leftOut.size === 0 &&
  !mayCountTwice &&
  !mayBeLate(world) &&
  !findsHidden(world, before) &&
  !mayLackStrays(world, before);

/**
 * Whether the last sync may find records that an outage had hidden. An outage that leaves half of a small day is believed (R8). Once it
 * is over, each sync that finds such a record in the window of its posting makes the windows of other records due, and these may show
 * further ones.
 */
const findsHidden = ({ provider }: World, states: Connection["states"]): boolean =>
  provider.options.datasets.some(({ stream, selects, outages }) => {
    const due = states.get(stream)?.value.due ?? [];
    return selects === "posting" && outages.length > 0 && due.length > 0;
  });

/**
 * Whether the last sync may find that a written stray is gone. In a listing that moves, two whole readings in a row have to lack the stray
 * (P6), and the windows of the syncs before need not have been that of the stray: its window has stayed due.
 */
const mayLackStrays = ({ provider }: World, states: Connection["states"]): boolean =>
  provider.options.datasets.some(({ stream, cursors }) => {
    const { due = [], strays = [] } = states.get(stream)?.value ?? {};
    return cursors !== "snapshot" && due.length > 0 && strays.length > 0;
  });
