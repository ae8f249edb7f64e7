/** Draws a world from a seed: the provider's capabilities, its records, and its behavior. */
import { DAY, dayOf, HOUR, MINUTE } from "./calendar.ts";
import type { Outage, Span } from "./outages.ts";
import { type Frontier, Provider, type Rules } from "./provider.ts";
import { Random } from "./random.ts";
import { drawTrials, NO_TRIALS, type Trial, type Trials } from "./trials.ts";
import { drawBursts } from "./bursts.ts";
import { drawLives } from "./drawn_records.ts";
import type { Granularity, Life, StreamName } from "./records.ts";

/** The kinds of worlds. */
export interface Temper {
  /** Records change only within the lag, frontiers are right, cursors do not expire, and there are no oddities. */
  readonly kind: "plain" | "any";
  /** The trials of the life; by default those that the seed draws. */
  readonly trials?: readonly Trial[];
  /** Trials that the life does not have, although the seed draws them. */
  readonly without?: readonly Trial[];
}

export interface World {
  readonly random: Random;
  readonly provider: Provider;
  readonly lives: Life[];
  /** The instants of the first sync and of the last change. */
  readonly begin: number;
  readonly end: number;
  readonly skew: number;
  /** Whether the stream export_windows is read too (R5). */
  readonly reports: boolean;
  readonly tempo: Tempo;
  readonly trials: Trials;
}

/** The course of a life: how often it syncs, how often syncs are killed, and how often the config changes. */
export interface Tempo {
  readonly often: boolean;
  readonly deaths: number;
  readonly changes: number;
}

export function drawWorld(seed: number, { kind, trials: only = [], without = [] }: Temper): World {
  const random = new Random(seed);
  const plain = kind === "plain";
  const trials = plain ? NO_TRIALS : drawTrials(seed, { only, without });
  const begin = Date.UTC(2026, 0, 1) + random.int(0, 500) * DAY + random.int(0, DAY - 1);
  const tempo: Tempo = {
    often: random.chance(0.3),
    deaths: plain ? 0 : Math.max(random.pick([0, 0.3, 0.5, 0.8]), trials.clock ? 0.5 : 0),
    changes: plain ? 0 : random.pick([0, 0.1, 0.4]),
  };
  const days = plain ? random.int(2, 6) : random.int(1, tempo.often ? 1 : 6);
  const end = begin + days * DAY;
  const drawn = random.pick([2, 4, 8, 12, 20, 70]);
  const history = trials.strikes ? Math.min(drawn, 5) : drawn;
  const streams: StreamName[] = random.chance(0.15) ? ["usage"] : ["usage", "costs"];
  const salt = random.int(0, 2 ** 31);
  const datasets = streams.map((stream) => ({
    ...drawRules(stream, random.fork(), plain, { start: begin, end }),
    ...rulesFor(trials, stream),
    still: trials.still,
    views: trials.views,
  }));
  const lives = datasets.flatMap((rules) =>
    drawLives(
      rules,
      random.fork(),
      {
        plain,
        crowded: trials.strikes,
        long: trials.long,
        restless: trials.clock,
        posted: trials.posted && rules.stream === "costs",
      },
      { start: dayOf(begin) - history * DAY, end },
    ),
  );
  if (trials.bursts !== null) lives.push(...drawBursts(datasets, trials.bursts, { begin, end }));
  const sendsDate = random.chance(0.9) || plain || trials.clock;
  const skew = sendsDate && !plain ? random.pick([0, 0, -2 * DAY, -HOUR, 3 * HOUR, 2 * DAY]) : 0;
  const provider = new Provider({
    salt,
    datasets,
    lives,
    sendsDate,
    whims: true,
    members: trials.members,
  });
  return {
    random,
    provider,
    lives,
    begin,
    end,
    skew,
    reports: trials.strikes || trials.posted || random.chance(0.5) || trials.switches !== null,
    tempo,
    trials,
  };
}

function drawRules(stream: StreamName, random: Random, plain: boolean, span: Span): Rules {
  const granularity: Granularity = stream === "usage" ? random.pick(["1d", "1h"]) : "1d";
  const lag =
    stream === "usage"
      ? random.pick([null, 0, 30 * MINUTE, 3 * HOUR, 26 * HOUR])
      : random.pick([null, 24 * HOUR, 60 * HOUR]);
  const maximumWindowDays = random.pick([1, 2, 3, 7, 31]);
  // A cost that was posted later shows in the window of its posting, and counts on the nearest day of this window. Windows of whole
  // months keep this day the same.
  const posts = stream === "costs" && maximumWindowDays === 31;
  const selects = plain
    ? "start"
    : random.pick([
        "start",
        "start",
        "overlap",
        "overlap",
        "containment",
        "inclusive",
        ...(posts ? (["posting", "posting"] as const) : []),
      ]);
  return {
    stream,
    granularity,
    retentionDays: random.pick([2, 5, 12, 30, 90]),
    maximumWindowDays,
    lag,
    selects,
    cursors: plain ? "snapshot" : random.pick(["snapshot", "snapshot", "keyset", "offset"]),
    cursorLifetime: plain ? Infinity : random.pick([Infinity, 2 * DAY, HOUR, 10_000, 1500]),
    refusesFuture: !plain && random.chance(0.25),
    beforeRetention: random.pick(["refuse", "trim"]),
    outages: plain ? [] : drawOutages(random, span),
    frontier: plain ? HONEST : drawFrontier(random, span),
    still: null,
    views: null,
  };
}

function drawOutages(random: Random, { start, end }: Span): Outage[] {
  if (!random.chance(0.15)) return [];
  const from = random.int(start, Math.max(start + 1, end));
  return [{ start: from, end: from + random.int(10 * MINUTE, 30 * HOUR), showsOneOf: 3 }];
}

/** A frontier that is always right. */
export const HONEST: Frontier = {
  kind: "honest",
  frozen: [],
  regress: 0,
  jitter: 0,
  clipped: false,
};

function drawFrontier(random: Random, { start, end }: Span): Frontier {
  const frozen: Span[] = [];
  for (let left = random.pick([0, 0, 1, 2]); left > 0; left--) {
    const from = (frozen.at(-1)?.end ?? start) + random.int(0, Math.max(1, end - start));
    frozen.push({ start: from, end: from + random.int(2 * HOUR, 5 * DAY) });
  }
  return {
    kind: random.chance(0.12) ? "ahead" : "honest",
    frozen,
    regress: random.pick([0, 0, 6 * HOUR, 3 * DAY]),
    jitter: random.pick([0, 0, 2 * HOUR, 2 * DAY]),
    clipped: random.chance(0.25),
  };
}

/** The rules that a trial needs: a provider must not refuse a plan that follows a wrong clock. */
function rulesFor({ clock, long, posted, random }: Trials, stream: StreamName): Partial<Rules> {
  const costs = stream === "costs";
  return {
    ...(clock ? { refusesFuture: false, beforeRetention: "trim" } : {}),
    ...(long && costs ? { selects: "overlap", maximumWindowDays: 2 } : {}),
    ...(posted && costs
      ? { selects: "posting", maximumWindowDays: random.pick([1, 1, 2, 3, 31]) }
      : {}),
  };
}
