/** The plan of a stream's sync, from its stored state. */
import type { ConfiguredStream } from "../catalog/catalog.ts";
import type { Limits } from "../core/limits.ts";
import { type Plan, planFullRefresh, planIncremental, type PlanInput } from "../core/plan.ts";
import { knownOf, type StateOwner, type StreamState } from "../core/state.ts";
import { withUnreported } from "../core/unreported.ts";
import type { Range } from "../core/window.ts";
import type { JsonObject } from "../protocol.ts";
import { decodeState, encodeState } from "./state_codec.ts";

export interface StoredStates {
  /** Stored states by stream, not yet judged. */
  readonly states: ReadonlyMap<string, unknown>;
  readonly owner: StateOwner;
  readonly limits: Limits;
  /** Whether the sync reports this stream for the first time, or since the reports were cleared: then none tells of the state's days (R10). */
  readonly isNew: boolean;
}

/** @throws ConnectorError `invalid_state`; see {@link decodeState} */
export function planOf(
  { name, syncMode }: ConfiguredStream,
  at: PlanInput,
  { states, owner, limits, isNew }: StoredStates,
): Plan<StreamState> {
  const stored = decodeState(states.get(name), owner, syncMode);
  const state = stored && isNew ? withUnreported(stored, toldOf(stored)) : stored;
  if (syncMode !== "incremental") {
    // A state of the reports that does not know the stream tells of no earlier refresh, so one may have died before.
    const earlierEnded = at.earlierEnded && !isNew;
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

/** The days that reports may have told of, and the windows of strays. Forgotten days are due in any case. */
function toldOf(state: StreamState): Range[] {
  const strays = state.mode === "incremental" ? state.strays : [];
  return [...knownOf(state).ranges, ...strays.map(({ window }) => window)];
}
