/**
 * A life: one connection over many syncs, until the provider no longer changes and all due data must have been read.
 */
import { DAY, dayOf, floorOf, HOUR, MINUTE, nextDay, SECOND } from "./calendar.ts";
import { Connection, type Report } from "./connection.ts";
import { drawBlindness } from "./bursts.ts";
import { CALM, type Step } from "./step.ts";
import { judgeCurrent, judgeProven, readsAllDue } from "./current.ts";
import type { Span } from "./outages.ts";
import { judgeIdle } from "./idle.ts";
import type { Item } from "./platform.ts";
import type { Rules } from "./provider.ts";
import type { Random } from "./random.ts";
import type { StreamName } from "./records.ts";
import { drawStirs as stirsOf } from "./stirs.ts";
import type { End } from "./sync.ts";
import {
  changeRules,
  drawDate,
  drawReset,
  drawSelection,
  drawStrikes as strikesOf,
} from "./trials.ts";
import type { Asked } from "./promises.ts";
import type { World } from "./world.ts";

/** The parameters for drawing steps. */
interface Draw {
  readonly world: World;
  readonly random: Random;
  readonly plain: boolean;
  readonly now: number;
  /** The instant that the last header `Date` named. */
  readonly lastDate: number;
}

/**
 * The life that a seed draws.
 *
 * @param after is called after each sync, before the provider's quiet time
 */
export async function live(
  world: World,
  plain: boolean,
  after: (connection: Connection) => void = () => undefined,
): Promise<Report> {
  const connection = new Connection(world);
  const { scheduler } = connection;
  const draw = { world, random: world.random.fork(), plain };
  const { datasets } = world.provider.options;
  const longest = new Map(datasets.map((rules) => [rules, rules.maximumWindowDays]));
  let step = firstStep({ ...draw, now: scheduler.now, lastDate: scheduler.now });
  while (scheduler.now < world.end) {
    const { outcome } = await connection.sync(step);
    after(connection);
    // Most platforms try again at once.
    const isRetry = !plain && outcome !== true && draw.random.chance(0.6);
    const wait = isRetry ? retryAfter(draw) : gap(draw.random, world.tempo.often);
    const lastDate = world.provider.dateAt(scheduler.now);
    scheduler.skipTo(scheduler.now + wait);
    const next = { ...draw, now: scheduler.now, lastDate };
    step = nextStep(step, next);
    changeLimits(next, longest);
  }
  await quiet(connection, step);
  return connection.report();
}

/** Most platforms wait for minutes; some start a process again at once, within the second of the last one. */
function retryAfter({ world: { trials }, random }: Pick<Draw, "world" | "random">): number {
  const wait = random.int(SECOND, 20 * MINUTE);
  return trials.clock && trials.random.chance(0.4) ? trials.random.int(1, SECOND) : wait;
}

/**
 * A provider may allow shorter windows from now on, so that an open window is too long (S4).
 *
 * @param longest the days that each dataset has allowed at first
 */
function changeLimits({ world, random }: Draw, longest: ReadonlyMap<Rules, number>): void {
  for (const rules of world.provider.options.datasets) {
    const { retentionDays, selects } = rules;
    if (world.trials.changes) changeRules(world.trials.random, rules, world.lives);
    if (rules.retentionDays !== retentionDays || rules.selects !== selects)
      world.provider.expireCursors(rules.stream);
    if (rules.selects === "posting") {
      changeWindows(world, rules, longest.get(rules) ?? 1);
      continue;
    }
    if (random.chance(world.tempo.changes / 4))
      rules.maximumWindowDays = random.pick([1, 2, 5, 31]);
  }
}

/** P5: the windows of strays may become shorter, and longer again. A6: no window may hold both a record and its posting. */
function changeWindows({ trials }: World, rules: Rules, longest: number): void {
  const { bursts } = trials;
  if (bursts === null || !bursts.chance(0.1)) return;
  // Records of a provider whose windows may be whole months may be posted on the next day.
  const shorter = longest < 31 ? [1, 2, 5].filter((days) => days < longest) : [1];
  rules.maximumWindowDays = bursts.pick([longest, ...shorter]);
}

/** Attempts of a full refresh until one succeeds, and one more that must read nothing. */
export async function refresh(world: World): Promise<Report> {
  const connection = new Connection(world, "full_refresh");
  const { scheduler } = connection;
  const draw = {
    world,
    random: world.random.fork(),
    plain: false,
    now: scheduler.now,
    lastDate: scheduler.now,
  };
  let step: Step = { ...firstStep(draw), olderState: false };
  const { asked, pageSize } = step;
  for (let attempt = 0; attempt < 30; attempt++) {
    const { outcome } = await connection.sync(step);
    if (outcome === true) break;
    scheduler.skipTo(scheduler.now + draw.random.int(1, 120) * MINUTE);
    const next = attempt > 20 ? CALM : nextStep(step, draw);
    step = { ...next, asked, pageSize, olderState: false };
  }
  await connection.sync({ ...CALM, asked, pageSize });
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

function firstStep(draw: Draw): Step {
  const { random, plain } = draw;
  const concurrency = random.pick([1, null, 4, plain ? 4 : null]);
  // The first sync writes most rows: small pages let it be killed within a window.
  const pageSize = random.pick(plain ? [5] : [1, 2, 3, 5]);
  return nextStep({ ...CALM, concurrency, pageSize, asked: drawAsked(draw) }, draw);
}

function drawAsked({ world: { trials }, now, random, plain }: Draw): Asked {
  const startDate = random.pick([null, dayOf(now) - random.int(0, random.pick([3, 20])) * DAY]);
  if (plain) return { ...CALM.asked, startDate };
  const lastDay = Math.max(dayOf(now) - random.int(-2, 4) * DAY, startDate ?? 0);
  return {
    startDate,
    lookbackDays: random.pick([null, null, null, 0, 1, 5]),
    reconcileDays: random.pick([null, null, null, 0, 2, 20]),
    scrubDays: trials.strikes && trials.random.chance(0.3) ? 0 : null,
    endDate: random.chance(0.1) ? lastDay + 1 : null,
  };
}

/** Lost reports are found by the state alone if no deep re-read and no scrub reads their days. */
const unaided = (asked: Asked, { trials }: World): Asked =>
  trials.apart === null ? asked : { ...asked, reconcileDays: 0, scrubDays: 0 };

function nextStep(before: Step, draw: Draw): Step {
  const { world, random, plain } = draw;
  const rough = !plain && random.chance(0.5);
  const step: Step = {
    weather: {
      passing: rough ? random.pick([0.02, 0.1, 0.3]) : 0,
      final: rough ? random.pick([0, 0, 0.01, 0.05]) : 0,
      latency: random.pick([1, 20, 300, 3000]),
    },
    end: random.chance(world.tempo.deaths) ? drawEnd(random) : {},
    asked: unaided(random.chance(world.tempo.changes) ? drawAsked(draw) : before.asked, world),
    concurrency: random.chance(0.2) ? drawConcurrency(draw) : before.concurrency,
    pageSize: random.chance(0.3) ? random.pick([1, 2, 3, 7, 1000]) : before.pageSize,
    slowness: plain ? 0 : random.pick([0, 0, 50, 500]),
    stateInterval: random.pick([0, 0, 1000, 5000]),
    keepsRows: random.chance(0.5),
    olderState: random.chance(0.2),
    reportsKept: world.trials.apart?.pick([0, 0.5, 0.9, 1]) ?? 1,
    strikes: drawStrikes(draw),
    stirs: drawStirs(draw),
    date: world.trials.clock ? drawDate(world.trials.random, draw.now, draw.lastDate) : CALM.date,
    absent: world.trials.changes && world.trials.random.chance(0.2) ? "costs" : null,
    selection: drawStreams(draw),
    reset: drawClearing(draw),
  };
  const { clock, reports, slow } = world.trials;
  const paced = slow?.chance(0.7) ? slowly(step, slow) : step;
  if (!plain && reports?.chance(0.5)) return untilReport(paced, reports);
  return clock ? withoutStates(paced, world.trials.random) : paced;
}

/** A sync of hours: the provider answers late, or the destination takes its time. */
function slowly(step: Step, random: Random): Step {
  const latency = random.pick([step.weather.latency, 20_000]);
  const slowness = random.pick([step.slowness, 2 * MINUTE, 20 * MINUTE]);
  return { ...step, weather: { ...step.weather, latency }, slowness };
}

/** The process dies just after a report of a day. A STATE may have covered the day's rows or not. */
function untilReport(step: Step, random: Random): Step {
  let left = random.int(0, random.pick([2, 15]));
  const killWhen = ({ kind }: Item): boolean => kind === "report" && --left < 0;
  return { ...step, end: { killWhen }, stateInterval: random.pick([0, 1000, 60_000]) };
}

/** In lives with an unsteady clock most kills leave the platform rows that no STATE covers. */
function withoutStates(step: Step, random: Random): Step {
  if (!random.chance(0.6)) return step;
  let left = random.chance(0.7) ? random.int(1, 25) : Infinity;
  const killWhen = ({ kind }: Item): boolean => kind === "record" && --left < 0;
  return { ...step, end: { killWhen }, stateInterval: 60_000, keepsRows: true };
}

/** A number, or null in a third of the lives: the connector finds the number. */
function drawConcurrency({ random, plain }: Draw): number | null {
  const drawn = random.int(1, plain ? 4 : 24);
  return drawn > 16 ? null : drawn;
}

/** The outages that begin during a sync. */
function drawStrikes({ world: { trials, provider } }: Draw): Step["strikes"] {
  const { bursts, random } = trials;
  const strikes = trials.strikes ? strikesOf(random, streamsOf(provider)) : [];
  const mayHide = provider.options.datasets.some(({ selects }) => selects === "posting");
  return bursts !== null && mayHide ? [...strikes, ...drawBlindness(bursts)] : strikes;
}

const streamsOf = ({ options }: World["provider"]): StreamName[] =>
  options.datasets.map(({ stream }) => stream);

/** The streams of a sync's catalog. */
function drawStreams({ world: { trials, provider } }: Draw): Step["selection"] {
  if (trials.switches === null) return CALM.selection;
  return drawSelection(trials.switches, streamsOf(provider));
}

/** The stream that is cleared before a sync. */
function drawClearing({ world: { trials, provider } }: Draw): Step["reset"] {
  if (trials.resets === null) return null;
  return drawReset(trials.resets, streamsOf(provider));
}

/** The changes of records during a sync. */
function drawStirs({ world: { trials, provider } }: Draw): Step["stirs"] {
  if (trials.stirs === null) return [];
  return stirsOf(trials.stirs, streamsOf(provider));
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

/** The last syncs, without changes and faults. After them all due data must be there, and the state must not change any more (S6). */
export async function quiet(connection: Connection, last: Step): Promise<void> {
  const { scheduler, world } = connection;
  for (const rules of world.provider.options.datasets) {
    rules.cursorLifetime = Infinity;
    rules.views = null;
    rules.frontier = { ...rules.frontier, regress: 0, jitter: 0 };
  }
  const thaw = Math.max(
    scheduler.now,
    ...world.provider.options.datasets.flatMap(({ frontier, outages }) =>
      [...frontier.frozen, ...outages].map(({ end }) => end),
    ),
  );
  const step: Step = {
    ...CALM,
    asked: last.asked,
    concurrency: last.concurrency,
    pageSize: last.pageSize,
  };
  const day = dayOf(thaw) + DAY;
  // At five minutes past an hour, so that no hour ends between the two syncs whose states are compared.
  const settle = async (at: number): Promise<readonly Item[]> => {
    scheduler.skipTo(at + 5 * MINUTE);
    const { outcome, items } = await connection.sync(step);
    if (outcome !== true)
      connection.faults.push(`live: the last syncs must succeed: ${String(outcome)}`);
    return items;
  };
  await settle(day + 10 * HOUR);
  // R10: a sync that goes on with a pass reads no due day once more.
  const goesOn = [...connection.states.values()].some(({ value }) => (value.pass ?? null) !== null);
  await settle(day + 11 * HOUR);
  if (goesOn) await settle(day + 12 * HOUR);
  const began = new Map(connection.states);
  const pass = await settle(day + DAY + 11 * HOUR);
  connection.faults.push(...judgeCurrent(connection, pass, began));
  const before = new Map(connection.states);
  const items = await settle(scheduler.now);
  // Judged after the last sync. The sync before it may be the first that read its day whole, and a listing that moved needs a second
  // reading (P6).
  if (world.trials.proven && readsAllDue(world)) {
    const { startDate, endDate } = step.asked;
    const range = ({ retentionDays }: { readonly retentionDays: number }): Span => ({
      start: Math.max(startDate ?? -Infinity, floorOf(scheduler.now, retentionDays) + DAY),
      end: Math.min(scheduler.now, nextDay(endDate ?? scheduler.now)),
    });
    connection.faults.push(...judgeProven(connection, range));
  }
  connection.faults.push(...judgeIdle(connection, before, items));
}
