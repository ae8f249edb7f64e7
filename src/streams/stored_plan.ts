/** The plan of a stream's sync, from its stored state. */
import type { ConfiguredStream } from "../catalog/catalog.ts";
import type { Limits } from "../core/limits.ts";
import { type Plan, planFullRefresh, planIncremental, type PlanInput } from "../core/plan.ts";
import { knownOf, knownWithout, type StateOwner, type StreamState } from "../core/state.ts";
import { withUnreported } from "../core/unreported.ts";
import type { Range } from "../core/window.ts";
import type { JsonObject } from "../protocol.ts";
import type { Missing } from "./export_windows.ts";
import { decodeState, encodeState } from "./state_codec.ts";

export interface StoredStates {
  /** Stored states by stream, not yet judged. */
  readonly states: ReadonlyMap<string, unknown>;
  readonly owner: StateOwner;
  readonly limits: Limits;
  /** All: the sync reports this stream for the first time, or since the reports were cleared. Then none tells of the state's days (R10). */
  readonly missing: Missing;
}

/** @throws ConnectorError `invalid_state`; see {@link decodeState} */
export function planOf(
  { name, syncMode }: ConfiguredStream,
  at: PlanInput,
  { states, owner, limits, missing }: StoredStates,
): Plan<StreamState> {
  const stored = decodeState(states.get(name), owner, syncMode);
  const state = stored && missing !== "none" ? untold(stored, missing) : stored;
  if (syncMode !== "incremental") {
    // A state of the reports that does not know the stream tells of no earlier refresh, so one may have died before.
    const earlierEnded = at.earlierEnded && missing === "none";
    return planFullRefresh(state?.mode === "full_refresh" ? state : null, { ...at, earlierEnded });
  }
  const known = state?.mode === "incremental" ? state : null;
  const earlierEnded = at.earlierEnded && known !== null;
  return planIncremental(known, { ...at, earlierEnded }, limits);
}

/** The stored state of a stream as a STATE of this version; null if there is none. Throws like {@link planOf}. */
export function storedOf(
  { name, syncMode }: ConfiguredStream,
  { states, owner }: Pick<StoredStates, "states" | "owner">,
): JsonObject | null {
  const stored = decodeState(states.get(name), owner, syncMode);
  return stored === null ? null : encodeState(stored, owner);
}

/** R10: the state without the reports that are missing. */
function untold(state: StreamState, missing: "some" | "all"): StreamState {
  return withUnreported(missing === "some" ? withoutPass(state) : state, toldOf(state));
}

/**
 * R10: a pass of which reports are missing does not go on. It would read no window again that it has read, and the models would miss what
 * the lost reports told of strays.
 */
function withoutPass(state: StreamState): StreamState {
  if (state.mode !== "incremental") return state;
  return { ...state, pass: null, known: knownWithout(state, []) };
}

/** The days that reports may have told of, and the windows of strays. Forgotten days are due in any case. */
function toldOf(state: StreamState): Range[] {
  const strays = state.mode === "incremental" ? state.strays : [];
  return [...knownOf(state).ranges, ...strays.map(({ window }) => window)];
}
