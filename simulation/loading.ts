/**
 * Handles the lines of a sync as a platform does: it loads rows and reports, and keeps states, also if the process died. Before a sync it
 * may clear some of them.
 */
import { clearedState } from "../src/streams/cleared_state.ts";
import { lastState } from "./judge.ts";
import type { Item, StateValue, Warehouse } from "./platform.ts";
import { isComplete } from "./promises.ts";
import type { StreamName, Version } from "./records.ts";
import type { Step } from "./step.ts";
import type { SyncResult } from "./sync.ts";

/** A state that the platform has. */
export interface Stored {
  readonly json: string;
  readonly value: StateValue;
}

/** All that the lines change. */
interface Loaded {
  readonly streams: readonly StreamName[];
  readonly versions: ReadonlyMap<string, Version>;
  readonly warehouse: Warehouse;
  readonly states: Map<string, Stored>;
  /** R4: the streams whose platform gave back a STATE that is older than the last one before the rows that it kept. */
  readonly tooOld: Set<StreamName>;
  /** R4: the ids of the reports that the platform kept behind such a STATE, and of the readings whose rows it kept there. */
  readonly tooOldFor: Set<string>;
  /** The readings whose reports came after the last STATE that the platform kept. */
  readonly uncovered: Set<string>;
  /** The readings that were reported before the state of their stream was lost. */
  readonly lostReadings: Set<string>;
}

/** Clears the streams that a step names. */
export function clear(
  { selection, reset }: Pick<Step, "selection" | "reset">,
  { states, warehouse, lostReadings }: Pick<Loaded, "states" | "warehouse" | "lostReadings">,
): void {
  if (selection.clears) {
    states.delete("export_windows");
    warehouse.clearReports();
  }
  if (reset === null) return;
  const { stream, kind } = reset;
  for (const { dataset, reading_id: id } of warehouse.reports)
    if (dataset === stream) lostReadings.add(id);
  const stored = states.get(stream);
  states.delete(stream);
  if (kind === "data") return warehouse.clear(stream);
  const cleared = stored === undefined ? null : clearedState(JSON.parse(stored.json));
  if (cleared === null) return;
  const chain = stored?.value.chain;
  const value: StateValue = { mode: "incremental", start: "", ...(chain && { chain }) };
  states.set(stream, { json: JSON.stringify(cleared), value });
}

/** Returns the number of rows that were loaded. */
export function load(
  result: SyncResult,
  { keepsRows, olderState, reportsKept }: Pick<Step, "keepsRows" | "olderState" | "reportsKept">,
  { streams, versions, warehouse, states: kept, tooOld, tooOldFor, uncovered }: Loaded,
): number {
  let loaded = 0;
  for (const stream of streams) {
    const states = result.items
      .filter((item) => item.kind === "state")
      .filter((item) => item.stream === stream);
    const died = !isComplete(result, stream);
    const wanted = died && olderState ? states[Math.floor(states.length / 2)] : states.at(-1);
    const covered = result.items.indexOf(wanted ?? { kind: "other" });
    const end = died && !keepsRows ? covered : result.items.length;
    const next = wanted === undefined ? undefined : states[states.indexOf(wanted) + 1];
    const nextIndex = next === undefined ? Infinity : result.items.indexOf(next);
    for (const [index, item] of result.items.slice(0, end + 1).entries()) {
      if (item.kind !== "record" || item.stream !== stream) continue;
      const version = versions.get(item.text);
      if (version === undefined) continue;
      warehouse.load(version, item.readingId, result.startedAt);
      loaded += 1;
      if (index <= nextIndex) continue;
      tooOld.add(stream);
      tooOldFor.add(item.readingId);
    }
    for (const [index, item] of result.items.entries()) {
      if (item.kind !== "report" || item.row.dataset !== stream) continue;
      if (index > nextIndex) tooOldFor.add(item.row.id);
      if (index > covered) uncovered.add(item.row.reading_id);
      else uncovered.delete(item.row.reading_id);
    }
    if (wanted !== undefined) kept.set(stream, { json: wanted.json, value: wanted.value });
  }
  const told = toldBy(result, reportsKept);
  for (const item of told) {
    if (item.kind === "report") warehouse.report(item.row);
  }
  const reported = lastState(told, "export_windows");
  if (reported !== undefined) kept.set("export_windows", reported);
  return loaded;
}

/** The lines of a sync up to the last STATE of `export_windows` that the platform has kept; all lines if it keeps all of them. */
function toldBy({ items, outcome }: SyncResult, share: number): readonly Item[] {
  if (outcome === true || share === 1) return items;
  const states = items
    .filter((item) => item.kind === "state")
    .filter(({ stream }) => stream === "export_windows");
  const last = states[Math.floor(share * (states.length + 1)) - 1];
  return last === undefined ? [] : items.slice(0, items.indexOf(last) + 1);
}
