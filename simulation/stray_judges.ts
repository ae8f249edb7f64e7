/** Calls the judges of strays with the facts of a sync: the one of strays that no longer stand (R8), and the one of complete syncs (R10). */
import { dayOf } from "./calendar.ts";
import type { Stored } from "./loading.ts";
import { lacksReports, type Warehouse } from "./platform.ts";
import { isComplete, isUnfinished } from "./promises.ts";
import type { StreamName } from "./records.ts";
import type { StandingStrays } from "./standing_strays.ts";
import type { Step } from "./step.ts";
import { judgeStrays, remembersStrays } from "./strays.ts";
import type { SyncResult } from "./sync.ts";
import type { World } from "./world.ts";

/** The members of a connection that the judges depend on. */
interface Judged {
  readonly world: World;
  readonly warehouse: Warehouse;
  readonly states: ReadonlyMap<string, Stored>;
  readonly mayLoseStrays: boolean;
  readonly mayCountTwice: boolean;
  readonly leftOut: ReadonlySet<string>;
  readonly cleared: ReadonlySet<StreamName>;
  readonly tooOld: ReadonlySet<StreamName>;
  readonly tooOldFor: ReadonlySet<string>;
  readonly uncovered: ReadonlySet<string>;
  readonly floors: ReadonlyMap<StreamName, number>;
}

/** Call it once the retention floors of the sync are known. */
export function judgeStraysOf(
  connection: Judged,
  standing: ReadonlyMap<StreamName, StandingStrays>,
  result: SyncResult,
  step: Step,
): string[] {
  const { world, mayCountTwice, mayLoseStrays } = connection;
  // P5, L1: a stray may be forgotten, or come twice.
  if (mayCountTwice || mayLoseStrays || !remembersStrays(world)) return [];
  return [...standing].flatMap(([stream, own]) =>
    [
      ...judgeStanding(connection, own, stream, result, step),
      ...judgeComplete(connection, stream, result, step),
    ].map((fault) => `${stream} ${fault}`),
  );
}

/** The instants that the config and retention let a sync read. */
function askedBy(
  { world, floors }: Judged,
  stream: StreamName,
  { startedAt }: SyncResult,
  { asked: { startDate, endDate } }: Step,
): { readonly start: number; readonly end: number } {
  const now = world.provider.dateAt(startedAt);
  return {
    start: Math.max(startDate ?? -Infinity, floors.get(stream) ?? -Infinity),
    end: Math.min(now, endDate ?? Infinity),
  };
}

function judgeStanding(
  connection: Judged,
  standing: StandingStrays,
  stream: StreamName,
  result: SyncResult,
  step: Step,
): string[] {
  const { world, states, leftOut, cleared, tooOld, tooOldFor, uncovered } = connection;
  const { provider, reports, trials } = world;
  // S8, R4: the state does not know all strays that stand.
  if (leftOut.size > 0 || cleared.has(stream) || tooOld.has(stream)) return [];
  // If a dataset begins to select in another way, its strays vanish.
  if (trials.changes && provider.rules(stream)?.selects !== "posting") return [];
  return standing.after({
    exchanges: provider.exchanges,
    endedAt: result.endedAt,
    asked: askedBy(connection, stream, result, step),
    state: states.get(stream)?.value,
    isComplete: isComplete(result, stream) && !isUnfinished(result, stream),
    lacksReports: lacksReports(states, stream, reports),
    uncovered,
    tooOldFor,
  });
}

function judgeComplete(
  connection: Judged,
  stream: StreamName,
  result: SyncResult,
  step: Step,
): string[] {
  const { world, warehouse, states, tooOld, tooOldFor, floors } = connection;
  const { provider, reports, trials } = world;
  const rules = provider.rules(stream);
  if (rules === undefined || !isComplete(result, stream)) return [];
  if (stream === step.absent || tooOld.has(stream) || isUnfinished(result, stream)) return [];
  if (lacksReports(states, stream, reports)) return [];
  return judgeStrays(rules, {
    warehouse,
    reports: result.items.flatMap((item) => (item.kind === "report" ? [item.row] : [])),
    state: states.get(stream)?.value,
    tooOldFor,
    mayReselect: trials.changes,
    startedAt: result.startedAt,
    endedAt: result.endedAt,
    asked: askedBy(connection, stream, result, step),
    keptFrom: floors.get(stream) ?? -Infinity,
    today: dayOf(provider.dateAt(result.startedAt)),
  });
}
