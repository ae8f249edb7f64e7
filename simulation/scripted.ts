/** Worlds that a test writes by hand, for schedules that must not depend on a seed. */
import { type Limits, LIMITS } from "../src/core/limits.ts";
import { DAY, dayOf } from "./calendar.ts";
import { Connection } from "./connection.ts";
import type { StateValue } from "./platform.ts";
import { type Frontier, lookbackOf, Provider, type Rules } from "./provider.ts";
import { Random } from "./random.ts";
import { addVersion, type Life, type StreamName } from "./records.ts";
import type { Step } from "./step.ts";
import { NO_TRIALS } from "./trials.ts";
import { HONEST, type World } from "./world.ts";

/** Rules without oddities; a test changes those that its schedule needs. */
export function plainRules(stream: StreamName, changes: Partial<Rules> = {}): Rules {
  return {
    stream,
    granularity: "1d",
    retentionDays: 30,
    maximumWindowDays: 1,
    lag: null,
    selects: "start",
    outages: [],
    cursors: "snapshot",
    cursorLifetime: Infinity,
    refusesFuture: false,
    beforeRetention: "refuse",
    frontier: HONEST,
    still: null,
    views: null,
    ...changes,
  };
}

/** A frontier that stays at an instant. */
export const standing = (said: number): Frontier => ({ ...HONEST, said });

interface Told {
  readonly at: number;
  readonly status?: "provisional" | "final";
  /** Whether R1 alone guarantees that syncs find the version. Default: true if the version appears within the lookback. */
  readonly due?: boolean;
}

/** A record of one UTC day and its later changes. */
export function lifeOf(rules: Rules, id: string, day: number, ...told: readonly Told[]): Life {
  const { stream, granularity } = rules;
  const life: Life = {
    stream,
    id,
    start: dayOf(day),
    end: dayOf(day) + DAY,
    postedAt: dayOf(day),
    versions: [],
    withdrawnAt: Infinity,
  };
  for (const [index, { at, status = "final", due }] of told.entries()) {
    addVersion(life, {
      at,
      status: stream === "costs" ? status : null,
      due: due ?? at <= life.end + lookbackOf(rules),
      amount: 1_000_000 * (index + 1),
      currency: "USD",
      extra: "",
      granularity,
    });
  }
  return life;
}

/** From here on, the syncs of a scripted world have these bounds, and all others as they are. */
export function limit({ world }: Connection, limits: Partial<Limits>): void {
  Object.assign(world, { trials: { ...NO_TRIALS, limits: { ...LIMITS, ...limits } } });
}

/** A connection to a world whose first sync begins at `begin`. */
export function scripted(
  begin: number,
  datasets: readonly Rules[],
  lives: Life[],
  mode: "incremental" | "full_refresh" = "incremental",
): Connection {
  const provider = new Provider({ salt: 0, datasets, lives, sendsDate: true, whims: false });
  const end = Math.max(begin, ...lives.flatMap(({ versions }) => versions.map(({ at }) => at)));
  const tempo = { often: false, deaths: 0, changes: 0 };
  const world: World = {
    random: new Random(1),
    provider,
    lives,
    begin,
    end,
    skew: 0,
    reports: true,
    tempo,
    trials: NO_TRIALS,
  };
  return new Connection(world, mode);
}

/** Kills the process at the first matching STATE of a stream. */
export const killAt = (
  stream: StreamName,
  fits: (value: StateValue) => boolean,
): NonNullable<Step["end"]> => ({
  killWhen: (item) => item.kind === "state" && item.stream === stream && fits(item.value),
});
