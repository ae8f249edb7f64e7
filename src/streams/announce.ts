/**
 * R10: a report that takes the proof from days, or from strays, goes out behind a STATE that names these days, or the windows of the
 * strays, as due, and that tells until when rows were missing. Else the process might die behind the report, and no later sync would know
 * that the days are unproven.
 */
import type { StreamState } from "../core/state.ts";
import type { Range } from "../core/window.ts";
import type { AwaitedDays } from "./awaited_days.ts";
import type { DueWindows } from "./due_windows.ts";
import type { Ledger } from "./ledger.ts";

/** The ranges that a report takes the proof from. */
interface Doubted {
  readonly unproven: readonly Range[];
  /** The days that await strays (P5). */
  readonly awaited: Pick<AwaitedDays, "namedIn">;
  /** The windows that have still to list their strays. */
  readonly unlisted: readonly Range[];
}

const lostUntil = ({ pass }: StreamState): number | null => pass?.lostUntil ?? null;

/** P5: whether one STATE names the days that await strays as another does. */
function isAwaitedAlike(one: StreamState, other: StreamState): boolean {
  const [entries, others] = [one, other].map((state) =>
    JSON.stringify(state.mode === "incremental" ? state.awaited : []),
  );
  return entries === others;
}

/** Whether the last STATE names these days as due, and the days that await strays. */
export const isNamed = (
  { state, sent }: Pick<Ledger, "state" | "sent">,
  due: DueWindows,
  days: readonly Range[],
): boolean => due.areNamed(days, sent) && isAwaitedAlike(state, sent);

/** To be called before the report. The state names all of this from here on. Queues a STATE, unless the last one names it already. */
export function announce(
  ledger: Pick<Ledger, "state" | "sent" | "update" | "sendAhead">,
  due: DueWindows,
  { unproven, unlisted, awaited }: Doubted,
): void {
  const { sent } = ledger;
  const state = awaited.namedIn(ledger.state);
  if (state.mode !== "incremental") return;
  const areNamed = due.areNamed([...unproven, ...unlisted], sent);
  // The last STATE may name these days for another reason, such as a window that waits. They stay due once this reason is gone.
  ledger.update(due.list(due.mark(state, unproven), unlisted));
  if (areNamed && isAwaitedAlike(state, sent) && lostUntil(state) === lostUntil(sent)) return;
  // This STATE may count more windows as read than the STATE before.
  void ledger.sendAhead();
}
