/** The strays that the state before a read knows. */
import { isKnown } from "../core/known_days.ts";
import type { Limits } from "../core/limits.ts";
import { type Plan, type PlanInput } from "../core/plan.ts";
import { leftDays, retentionFloor } from "../core/retention.ts";
import {
  type IncrementalState,
  knownOf,
  type KnownStray,
  type StreamState,
} from "../core/state.ts";
import { Strays } from "./strays.ts";

interface Options {
  readonly plan: Pick<Plan<StreamState>, "state" | "from" | "end">;
  readonly input: Pick<PlanInput, "now" | "retentionDays" | "reports">;
  readonly limits: Limits;
  readonly ledger: { readonly state: StreamState };
}

/** The strays of a read that begins with this plan. */
export function straysOf({
  plan: { state, from, end },
  input: { now, retentionDays, reports },
  limits,
  ledger,
}: Options): Strays {
  if (state.mode !== "incremental") return new Strays([], limits);
  return new Strays(standingStrays(state, from), limits, {
    bounds: { start: from, end },
    due: state.due,
    left: leftDays(now, retentionDays, state.longestRetention),
    fewer: state.fewer,
    keptFrom: retentionFloor(now, retentionDays),
    reports,
    rowsOf: (day) => knownOf(ledger.state).days.get(day)?.records ?? 0,
  });
}

/**
 * The strays of a state whose rows stand. A day that owned a stray may have lost its rows if it is not known any more: such a stray is
 * dropped. A day before the plan is never read again, so its rows stay.
 */
function standingStrays({ strays, known }: IncrementalState, from: number): KnownStray[] {
  return strays.filter(
    ({ day, readingId }) => readingId !== null || day < from || isKnown(known, day),
  );
}
