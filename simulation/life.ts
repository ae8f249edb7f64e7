/** A life: one connection over many syncs, until the provider is quiet and everything due must have been read. */
import { DAY, dayOf, HOUR, iso, MINUTE } from "./calendar.ts";
import { judgeCurrent } from "./current.ts";
import { judgeSync, lastState } from "./judge.ts";
import { FAIR, type Weather } from "./network.ts";
import { type StateValue, versionsByText, Warehouse } from "./platform.ts";
import type { Random } from "./random.ts";
import { Scheduler } from "./scheduler.ts";
import type { Granularity, StreamName, Version } from "./records.ts";
import { type End, sync as runSync, type SyncResult } from "./sync.ts";
import { type Asked, isComplete, Vow } from "./vow.ts";
import type { World } from "./world.ts";

/** One sync of a life. */
export interface Step {
  readonly weather: Weather;
  readonly end: End;
  readonly asked: Asked;
  readonly concurrency: number;
  readonly pageSize: number;
  readonly slowness: number;
  readonly stateInterval: number;
  /** What the platform makes of a sync that died: rows after the last state kept or dropped, an older state taken. */
  readonly keepsRows: boolean;
  readonly olderState: boolean;
}

export const CALM: Step = {
  weather: FAIR,
  end: {},
  asked: { startDate: null, lookbackDays: null, reconcileDays: null },
  concurrency: 4,
  pageSize: 5,
  slowness: 0,
  stateInterval: 0,
  keepsRows: true,
  olderState: false,
};

/** What a life came to. */
export interface Report {
  readonly faults: readonly string[];
  readonly syncs: number;
  readonly requests: number;
  /** A line a sync, for whoever looks for the cause; also what two lives of one seed are compared by. */
  readonly log: readonly string[];
}

export class Connection {
  readonly world: World;
  readonly scheduler: Scheduler;
  readonly warehouse = new Warehouse();
  readonly streams: readonly StreamName[];
  readonly faults: string[] = [];
  readonly log: string[] = [];
  /** The states that the platform has. */
  readonly states = new Map<StreamName, { readonly json: string; readonly value: StateValue }>();
  readonly versions: ReadonlyMap<string, Version>;
  readonly #vows: ReadonlyMap<StreamName, Vow>;
  requests = 0;

  constructor(world: World) {
    this.world = world;
    this.scheduler = new Scheduler(world.begin);
    this.streams = world.provider.options.datasets.map(({ stream }) => stream);
    this.versions = versionsByText(world.lives);
    const { warehouse } = this;
    const { lives } = world;
    this.#vows = new Map(
      world.provider.options.datasets.map((rules) => [
        rules.stream,
        new Vow({ rules, lives, warehouse }),
      ]),
    );
  }

  /** Runs a sync and judges it. */
  async sync(step: Step): Promise<SyncResult> {
    const { world, scheduler, streams } = this;
    const { provider } = world;
    provider.exchanges = [];
    const stored = new Map(this.states);
    const result = await runSync({
      ...step,
      scheduler,
      provider,
      random: world.random.fork(),
      config: configOf(step, provider.rules("usage")?.granularity ?? "1d"),
      catalog: catalogOf([...streams, ...(world.reports ? ["export_windows"] : [])], "incremental"),
      states: statesFile(stored),
      skew: world.skew,
    });
    this.requests += result.requests;
    const loaded = this.#load(result, step);
    const lasting = provider.options.datasets.every(({ cursorLifetime }) => cursorLifetime >= HOUR);
    const calm =
      step.weather.passing === 0 && step.weather.final === 0 && lasting && step.slowness < 1000;
    const mustSucceed = calm && Object.keys(step.end).length === 0 && stored.size === 0;
    const prompt = step.slowness === 0; // whoever cannot write cannot end in time
    const resumes = [...stored.values()].some(({ value }) => value.pass !== undefined);
    const judged = {
      prompt,
      resumes,
      result,
      streams,
      mustSucceed,
      versions: this.versions,
      exchanges: provider.exchanges,
    };
    const faults = judgeSync({ ...judged, rulesOf: (stream) => provider.rules(stream) });
    for (const [stream, vow] of this.#vows) {
      const mayShorten = step.weather.final > 0;
      const { exchanges } = provider;
      const passage = { ...step.asked, result, exchanges, mayShorten };
      const found = vow.after({ ...passage, stored: stored.get(stream)?.value });
      faults.push(...found.map((fault) => `${stream} ${fault}`));
    }
    this.#note(result, loaded, faults);
    return result;
  }

  /** What the platform does with what arrived. */
  #load(result: SyncResult, { keepsRows, olderState }: Step): number {
    let loaded = 0;
    for (const stream of this.streams) {
      const states = result.items
        .filter((item) => item.kind === "state")
        .filter((item) => item.stream === stream);
      const died = !isComplete(result, stream);
      const wanted = died && olderState ? states[Math.floor(states.length / 2)] : states.at(-1);
      const kept =
        died && !keepsRows
          ? result.items.indexOf(wanted ?? { kind: "other" })
          : result.items.length;
      for (const item of result.items.slice(0, kept + 1)) {
        if (item.kind !== "record" || item.stream !== stream) continue;
        const version = this.versions.get(item.text);
        if (version === undefined) continue;
        this.warehouse.load(version, item.readingId);
        loaded += 1;
      }
      if (wanted !== undefined) this.states.set(stream, { json: wanted.json, value: wanted.value });
    }
    for (const item of result.items)
      if (item.kind === "report") this.warehouse.reports.push(item.row);
    return loaded;
  }

  #note(result: SyncResult, loaded: number, faults: readonly string[]): void {
    const how = result.outcome instanceof Error ? result.outcome.message : String(result.outcome);
    const positions = this.streams.map(
      (stream) => `${stream} ${lastState(result.items, stream)?.json ?? "-"}`,
    );
    this.log.push(
      `${iso(result.startedAt)} +${result.endedAt - result.startedAt} ms: ${how}, ${result.requests} requests, ` +
        `${result.items.length} lines, ${loaded} rows; ${positions.join("; ")}`,
    );
    for (const fault of faults) {
      this.faults.push(`sync ${this.log.length} at ${iso(result.startedAt)}: ${fault}`);
      this.log.push(`  BROKEN ${fault}`);
    }
  }

  report(): Report {
    const { faults, log, requests } = this;
    return { faults, log, requests, syncs: log.filter((line) => !line.startsWith(" ")).length };
  }
}

/** The config of a step as the file has it. */
export function configOf(
  { asked, concurrency, pageSize }: Step,
  granularity: Granularity,
): Record<string, unknown> & { concurrency: number } {
  return {
    base_url: "https://billing.example.com/api",
    credentials: { auth_type: "scoped_bearer_token", access_token: "sim-token-1" },
    start_date: asked.startDate === null ? null : iso(asked.startDate),
    lookback_days: asked.lookbackDays,
    reconcile_days: asked.reconcileDays,
    granularity,
    concurrency,
    page_size: pageSize,
  };
}

/** A configured catalog. */
export function catalogOf(
  streams: readonly string[],
  mode: "incremental" | "full_refresh",
): object {
  return { streams: streams.map((name) => ({ stream: { name }, sync_mode: mode })) };
}

/** A state file as the platform writes it. */
export function statesFile(states: ReadonlyMap<string, { readonly json: string }>): unknown {
  return [...states].map(([name, { json }]) => ({
    type: "STREAM",
    stream: { stream_descriptor: { name }, stream_state: JSON.parse(json) as unknown },
  }));
}

/** The life that a seed draws. */
export async function live(world: World, plain: boolean): Promise<Report> {
  const connection = new Connection(world);
  const { scheduler } = connection;
  const random = world.random.fork();
  let step = firstStep(world, random, plain);
  while (scheduler.now < world.end) {
    await connection.sync(step);
    scheduler.skipTo(scheduler.now + gap(random, world.tempo.often));
    step = nextStep(step, world, random, plain);
  }
  await quiet(connection, step);
  return connection.report();
}

function gap(random: Random, often: boolean): number {
  if (often && random.chance(0.8)) return random.int(2, 300) * MINUTE;
  const [least, most] = random.pick([
    [2, 60],
    [60, 600],
    [720, 1440],
    [1440, 1440],
    [2880, 7200],
  ]);
  return random.int(least, most) * MINUTE + random.int(0, MINUTE);
}

function firstStep(world: World, random: Random, plain: boolean): Step {
  return nextStep(
    { ...CALM, asked: drawAsked(CALM.asked, world, random, plain) },
    world,
    random,
    plain,
  );
}

function drawAsked(before: Asked, world: World, random: Random, plain: boolean): Asked {
  const startDate = random.pick([null, dayOf(world.begin) - random.int(0, 20) * DAY]);
  if (plain) return { ...before, startDate };
  return {
    startDate,
    lookbackDays: random.pick([null, null, null, 0, 1, 5]),
    reconcileDays: random.pick([null, null, null, 0, 2, 20]),
  };
}

function nextStep(before: Step, world: World, random: Random, plain: boolean): Step {
  const rough = !plain && random.chance(0.5);
  return {
    weather: {
      passing: rough ? random.pick([0.02, 0.1, 0.3]) : 0,
      final: rough ? random.pick([0, 0, 0.01, 0.05]) : 0,
      latency: random.pick([1, 20, 300, 3000]),
    },
    end: random.chance(world.tempo.deaths) ? drawEnd(random) : {},
    asked: random.chance(world.tempo.changes)
      ? drawAsked(before.asked, world, random, plain)
      : before.asked,
    concurrency:
      random.chance(0.2) || before === CALM ? random.int(1, plain ? 4 : 16) : before.concurrency,
    pageSize: random.chance(0.3) ? random.pick([1, 2, 3, 7, 1000]) : before.pageSize,
    slowness: plain ? 0 : random.pick([0, 0, 50, 500]),
    stateInterval: random.pick([0, 0, 1000, 5000]),
    keepsRows: random.chance(0.5),
    olderState: random.chance(0.2),
  };
}

function drawEnd(random: Random): End {
  switch (random.int(0, 6)) {
    case 0:
      return { stopAfter: random.int(1, 3000) };
    case 1:
    case 2:
      return { killAfter: random.int(1, 3000) };
    default:
      return { killAfterLines: random.int(1, random.pick([10, 40, 120])) };
  }
}

/** The provider is quiet and the network fair: after these syncs everything due must be there, and nothing moves (S6). */
async function quiet(connection: Connection, last: Step): Promise<void> {
  const { scheduler, world } = connection;
  for (const rules of world.provider.options.datasets) {
    rules.cursorLifetime = Infinity;
    rules.frontier = { ...rules.frontier, regress: 0, jitter: 0 };
  }
  const thaw = Math.max(
    scheduler.now,
    ...world.provider.options.datasets.flatMap(({ frontier }) =>
      frontier.frozen.map(({ end }) => end),
    ),
  );
  const step: Step = {
    ...CALM,
    asked: last.asked,
    concurrency: last.concurrency,
    pageSize: last.pageSize,
  };
  const day = dayOf(thaw) + DAY;
  // Five past an hour, so that no hour turns between the two syncs that are compared.
  const settle = async (at: number): Promise<void> => {
    scheduler.skipTo(at + 5 * MINUTE);
    const { outcome } = await connection.sync(step);
    if (outcome !== true)
      connection.faults.push(`live: the last syncs must succeed: ${String(outcome)}`);
  };
  await settle(day + 10 * HOUR);
  await settle(day + 11 * HOUR);
  await settle(day + DAY + 11 * HOUR);
  connection.faults.push(...judgeCurrent(connection));
  const before = new Map(connection.states);
  await settle(scheduler.now);
  for (const [stream, { json }] of connection.states) {
    const was = before.get(stream)?.json;
    if (was === json) continue;
    connection.faults.push(
      `S6: an idle sync changed the state of ${stream}: ${String(was)} -> ${json}`,
    );
  }
}
