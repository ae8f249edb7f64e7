/** One connection of a platform: its config, states and rows over many syncs. Checks each sync. */
import { DAY, dayOf, floorOf, HOUR, iso, nextDay } from "./calendar.ts";
import { judgeClaims } from "./claims.ts";
import { judgeProofs } from "./current.ts";
import { catalogOf, configOf, statesFile } from "./files.ts";
import { judgeSync, lastState } from "./judge.ts";
import { clear, load, type Stored } from "./loading.ts";
import { LIMITS } from "../src/core/limits.ts";
import { beganWith, lacksReports, type StateValue, Warehouse } from "./platform.ts";
import { Scheduler } from "./scheduler.ts";
import type { StreamName, Version } from "./records.ts";
import type { Step } from "./step.ts";
import { stirBy } from "./stirs.ts";
import { judgeMoves } from "./moves.ts";
import { judgeShown } from "./shown.ts";
import { sync as runSync, type SyncResult } from "./sync.ts";
import { dateBy } from "./trials.ts";
import { RefreshPromises } from "./refresh.ts";
import { Standing } from "./standing.ts";
import { StandingStrays } from "./standing_strays.ts";
import { judgeStraysOf } from "./stray_judges.ts";
import { isComplete, isUnfinished, Promises } from "./promises.ts";
import type { World } from "./world.ts";

/** The result of a life. */
export interface Report {
  readonly faults: readonly string[];
  readonly syncs: number;
  readonly requests: number;
  /** One line for each sync, for finding the cause of a failure. Two lives of one seed must have the same lines. */
  readonly log: readonly string[];
}

export class Connection {
  readonly world: World;
  readonly mode: "incremental" | "full_refresh";
  readonly scheduler: Scheduler;
  readonly warehouse = new Warehouse();
  readonly streams: readonly StreamName[];
  readonly faults: string[] = [];
  readonly log: string[] = [];
  /** The states that the platform has. */
  readonly states = new Map<string, Stored>();
  readonly versions: ReadonlyMap<string, Version>;
  readonly #promises = new Map<StreamName, Promises | RefreshPromises>();
  readonly #standing = new Map<StreamName, Standing>();
  readonly #standingStrays = new Map<StreamName, StandingStrays>();
  /** The settings of the last sync. */
  asked: Step["asked"] | null = null;
  /** The text in which the provider has shown each record last to a sync that succeeded, by id. */
  readonly shown = new Map<string, string>();
  requests = 0;
  mayLoseStrays = false;
  mayCountTwice = false;
  /** The streams that were cleared: the state knows nothing of the rows before. */
  readonly cleared = new Set<StreamName>();
  /** S8: the parts that a state has left out. */
  readonly leftOut = new Set<string>();
  /** R4: the streams whose platform gave back a STATE that is older than the last one before the rows that it kept. */
  readonly tooOld = new Set<StreamName>();
  /**
   * R4: the ids of the reports that the platform kept behind such a STATE, and of the readings whose rows it kept there: the state does not
   * know that their days are due, nor their provisional costs.
   */
  readonly tooOldFor = new Set<string>();
  /** The readings whose reports came after the last STATE that the platform kept: the state knows nothing of them. */
  readonly uncovered = new Set<string>();
  /** The readings that were reported before the state of their stream was lost. */
  readonly lostReadings = new Set<string>();
  /** W3: the latest retention floor of each stream. A charge before this floor vanishes, and may come back if retention grows. */
  readonly floors = new Map<StreamName, number>();
  /** The latest instant of the connector's clock in any sync. Days that have left retention by this instant are not followed (R2). */
  #latestDate = -Infinity;

  constructor(world: World, mode: "incremental" | "full_refresh" = "incremental") {
    this.world = world;
    this.mode = mode;
    this.scheduler = new Scheduler(world.begin);
    this.streams = world.provider.options.datasets.map(({ stream }) => stream);
    this.versions = world.provider.texts;
    for (const stream of this.streams) this.#watch(stream);
  }

  /** Judges a stream from here on as if it had never been read. */
  #watch(stream: StreamName): void {
    const { world, mode, warehouse, versions } = this;
    const rules = world.provider.rules(stream);
    if (rules === undefined) return;
    const watched = { rules, lives: world.lives, warehouse };
    const isIncremental = mode === "incremental";
    if (isIncremental && world.reports) {
      this.#standing.set(stream, new Standing(rules, warehouse));
      this.#standingStrays.set(stream, new StandingStrays(rules, warehouse));
    }
    this.#promises.set(
      stream,
      isIncremental ? new Promises(watched) : new RefreshPromises(watched, versions),
    );
  }

  readonly chainOf = (stream: StreamName): string | undefined =>
    this.states.get(stream)?.value.chain;

  /** S8: whether a state has left out a part, by the first words that name it in the warning. */
  readonly #leavesOut = (part: string): boolean =>
    [...this.leftOut].some((name) => name.startsWith(part));

  get forgetsDays(): boolean {
    return this.#leavesOut("the content of days");
  }

  readonly awaitedOf = (stream: StreamName): NonNullable<StateValue["awaited"]> =>
    this.states.get(stream)?.value.awaited ?? [];

  readonly strayCountOf = (stream: StreamName): number =>
    this.states.get(stream)?.value.strays?.length ?? 0;

  readonly dueOf = (stream: StreamName): NonNullable<StateValue["due"]> =>
    this.states.get(stream)?.value.due ?? [];

  /** Runs a sync and judges it. */
  async sync(step: Step): Promise<SyncResult> {
    const { world, scheduler, streams } = this;
    const { provider } = world;
    provider.exchanges = [];
    this.asked = step.asked;
    provider.strikes = step.strikes;
    const { stirs } = world.trials;
    if (stirs !== null) provider.onPage = stirBy(stirs, provider, step.stirs);
    provider.absent = step.absent;
    provider.dateAt = dateBy(step.date);
    const reports = world.reports && step.selection.reports;
    clear(step, this);
    if (step.reset !== null) {
      this.cleared.add(step.reset.stream);
      this.#watch(step.reset.stream);
    }
    const stored = new Map(this.states);
    const selected = streams.filter((stream) => stream !== step.selection.unselected);
    const result = await runSync({
      ...step,
      scheduler,
      provider,
      random: world.random.fork(),
      limits: world.trials.limits,
      config: configOf(step, provider.rules("usage")?.granularity ?? "1d"),
      catalog: catalogOf([...selected, ...(reports ? ["export_windows"] : [])], this.mode),
      states: statesFile(stored),
      skew: world.skew,
    });
    this.requests += result.requests;
    if (result.outcome === true)
      for (const { versions } of provider.exchanges)
        for (const { record, text } of versions) this.shown.set(record.id, text);
    const warns = (text: string): boolean =>
      result.items.some((item) => item.kind === "log" && item.message.includes(text));
    this.mayLoseStrays ||= warns("start outside the windows that returned them");
    for (const item of result.items) {
      const said =
        item.kind === "log" ? /too large: it leaves out ([^;.]*)/.exec(item.message) : null;
      if (said?.[1] !== undefined) this.leftOut.add(said[1]);
    }
    // A killed process may have no time for its warning.
    const mayForget =
      warns("too many records to recognize every record") ||
      (world.trials.limits.sightings < LIMITS.sightings && result.outcome === undefined);
    this.mayCountTwice ||= mayForget;
    provider.strikes = [];
    const claims = this.mode === "incremental" ? this.#judgeClaims(result) : [];
    const loaded = load(result, step, this);
    this.warehouse.listed(provider.exchanges, result.startedAt);
    const proofs = this.mode === "incremental" ? judgeProofs(this) : [];
    // A8: windows with views of their own may show two versions of a stray at once, and each window has its version written.
    const mayRepeat = mayForget || world.trials.views?.isOfWindow === true;
    const judged = this.#judge(result, step, { stored, mayForget: mayRepeat });
    const standing = this.#judgeStanding(result, step, stored);
    const strays = judgeStraysOf(this, this.#standingStrays, result, step);
    const seen = this.#judgeSeen(result, stored);
    this.#note(result, loaded, [...claims, ...judged, ...proofs, ...standing, ...strays, ...seen]);
    return result;
  }

  #judge(
    result: SyncResult,
    step: Step,
    {
      stored,
      mayForget,
    }: { readonly stored: ReadonlyMap<string, Stored>; readonly mayForget: boolean },
  ): string[] {
    const { provider, trials } = this.world;
    const { exchanges } = provider;
    const { weather, end, slowness } = step;
    const lasting = provider.options.datasets.every(({ cursorLifetime }) => cursorLifetime >= HOUR);
    const fair = weather.passing === 0 && weather.final === 0 && weather.intercept === undefined;
    const calm = fair && lasting && slowness < 1000;
    const ahead = provider.dateAt(result.startedAt) - result.startedAt;
    // The connector's clock goes on while `Date` stands still (W4).
    const believed = { startedAt: result.startedAt + ahead, endedAt: result.endedAt + ahead };
    const isAhead = [...stored.values()].some(
      ({ value }) => Date.parse(value.position ?? "") > believed.startedAt,
    );
    this.#latestDate = Math.max(this.#latestDate, believed.endedAt);
    const faults = judgeSync({
      result,
      ahead,
      exchanges,
      streams: this.streams.filter((stream) => stream !== step.selection.unselected),
      versions: this.versions,
      rulesOf: (stream) => provider.rules(stream),
      mustSucceed: calm && Object.keys(end).length === 0 && !isAhead && step.absent === null,
      mayShorten: weather.final > 0,
      prompt: slowness === 0, // a process that waits for its reader cannot end in time
      mayForget,
      limits: trials.limits,
      mayLeaveOut: this.leftOut.size > 0,
      stored,
    });
    for (const [stream, promises] of this.#promises) {
      const passage = {
        ...step.asked,
        result,
        believed,
        latestDate: this.#latestDate,
        exchanges,
        mayShorten: weather.final > 0,
        mayLoseStrays: this.mayLoseStrays,
        mayLeaveOut: this.leftOut.size > 0,
      };
      const began = beganWith(stored, stream, this.world.reports && step.selection.reports);
      const found = promises.after({ ...passage, tooOld: this.tooOld.has(stream), stored: began });
      faults.push(...found.map((fault) => `${stream} ${fault}`));
    }
    return faults;
  }

  #judgeStanding(
    result: SyncResult,
    { asked }: Step,
    stored: ReadonlyMap<string, Stored>,
  ): string[] {
    const { provider } = this.world;
    // S8: the state then follows no cost that comes back because retention grows.
    const forgetsLeft = this.#leavesOut("provisional costs that have left retention");
    return [...this.#standing].flatMap(([stream, standing]) => {
      const retention = provider.rules(stream)?.retentionDays ?? 0;
      const state = beganWith(this.states, stream, this.world.reports);
      const latest = floorOf(Math.max(result.endedAt, this.#latestDate), retention);
      const floor = Math.max(latest, this.floors.get(stream) ?? -Infinity);
      this.floors.set(stream, floor);
      return standing.after({
        exchanges: provider.exchanges,
        endedAt: result.endedAt,
        from: Math.max(asked.startDate ?? -Infinity, floorOf(result.endedAt, retention)),
        followedFrom: forgetsLeft ? floor : floorOf(this.#latestDate, retention),
        keptFrom: floorOf(this.#latestDate, state?.longest_retention ?? retention),
        keptUntil: nextDay(provider.dateAt(result.endedAt)) + DAY,
        began: stored.get(stream)?.value,
        state,
        isComplete: isComplete(result, stream),
        keepsValues: provider.options.members !== "volatile",
        forgetsNumbers: this.cleared.has(stream) || this.#leavesOut("the numbers of records"),
        uncovered: this.uncovered,
        tooOldFor: this.tooOldFor,
      });
    });
  }

  /** Judges the complete streams of a sync by the answers that it was given. */
  #judgeSeen(result: SyncResult, stored: ReadonlyMap<string, Stored>): string[] {
    const { world, warehouse } = this;
    const { provider, lives } = world;
    const isLoose = this.mayCountTwice || provider.options.members === "volatile";
    const uncovered = this.uncovered.union(this.lostReadings);
    return [...this.#standing.keys()].flatMap((stream) => {
      const rules = provider.rules(stream);
      if (rules === undefined || this.tooOld.has(stream)) return [];
      if (!isComplete(result, stream) || isUnfinished(result, stream)) return [];
      const before = stored.get(stream)?.value;
      const state = beganWith(this.states, stream, world.reports);
      const today = dayOf(provider.dateAt(result.startedAt));
      const moves = judgeMoves(rules, { lives, warehouse, state, before, uncovered, today });
      if (isLoose || lacksReports(this.states, stream, world.reports)) return moves;
      const { exchanges } = provider;
      return [...moves, ...judgeShown(rules, { warehouse, exchanges, lives, before, state })];
    });
  }

  /** Before the lines are loaded. A STATE that was given back too old (R4), or small tables (P5), make claims false. */
  #judgeClaims({ items }: SyncResult): string[] {
    const { world, versions, warehouse } = this;
    if (world.provider.options.members === "volatile" || this.mayCountTwice) return [];
    return this.streams
      .filter((stream) => !this.tooOld.has(stream))
      .flatMap((stream) => {
        const stored = this.states.get(stream)?.value;
        return judgeClaims(stream, { items, versions, warehouse, stored });
      });
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
