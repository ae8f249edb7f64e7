/** Draws a world from a seed: the provider's capabilities, its records, and its behavior. */
import { DAY, dayOf, HOUR, MINUTE, monthOf } from "./calendar.ts";
import type { Outage, Span } from "./outages.ts";
import { type Frontier, Provider, type Rules } from "./provider.ts";
import { Random } from "./random.ts";
import { drawTrials, NO_TRIALS, type Trial, type Trials } from "./trials.ts";
import {
  addAgain,
  addVersion,
  type Granularity,
  type Life,
  settlesFrom,
  type StreamName,
} from "./records.ts";

/** The kinds of worlds. */
export interface Temper {
  /** Records change only within the lag, frontiers are right, cursors do not expire, and there are no oddities. */
  readonly kind: "plain" | "any";
  /** The trials of the life; by default those that the seed draws. */
  readonly trials?: readonly Trial[];
}

export interface World {
  readonly random: Random;
  readonly provider: Provider;
  readonly lives: readonly Life[];
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

export function drawWorld(seed: number, { kind, trials: only = [] }: Temper): World {
  const random = new Random(seed);
  const plain = kind === "plain";
  const trials = plain ? NO_TRIALS : drawTrials(seed, only);
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
  }));
  const lives = datasets.flatMap((rules) =>
    drawLives(
      rules,
      random.fork(),
      { plain, crowded: trials.strikes, long: trials.long, restless: trials.clock },
      { start: dayOf(begin) - history * DAY, end },
    ),
  );
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
    reports: trials.strikes || random.chance(0.5),
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

/** The time after a record's period in which R1 alone finds its changes: the lag in whole days, at least one. */
export function lookbackOf(rules: Rules): number {
  return Math.max(1, Math.ceil((rules.lag ?? 0) / DAY)) * DAY;
}

/** The rules that a trial needs: a provider must not refuse a plan that follows a wrong clock. */
function rulesFor({ clock, long }: Trials, stream: StreamName): Partial<Rules> {
  return {
    ...(clock ? { refusesFuture: false, beforeRetention: "trim" } : {}),
    ...(long && stream === "costs" ? { selects: "overlap", maximumWindowDays: 2 } : {}),
  };
}

interface Crowd {
  readonly plain: boolean;
  /** Whether most days have ten records or more, so that R8 applies to an outage. */
  readonly crowded: boolean;
  /** Whether most costs are longer than a day. */
  readonly long: boolean;
  /** Whether most records change many times. */
  readonly restless: boolean;
}

function drawLives(
  rules: Rules,
  random: Random,
  { plain, crowded, long, restless }: Crowd,
  span: Span,
): Life[] {
  const lives: Life[] = [];
  const most = random.pick(plain ? [1, 1, 2, 3] : [1, 2, 3, 8, 15]);
  const isRestless = !plain && random.chance(restless ? 0.7 : 0.2);
  for (let day = span.start; day <= span.end; day += DAY) {
    const count = crowded ? random.int(8, 24) : random.int(0, most);
    for (let number = 0; number < count; number++) {
      const life = drawLife(rules, random, { plain, long }, day, `${rules.stream}-${lives.length}`);
      const changes = isRestless ? random.int(4, 12) : random.pick([1, 1, 2, 3]);
      drawVersions(life, { rules, random, plain, changes, end: span.end });
      if (life.versions.length > 0) lives.push(life);
    }
  }
  return plain ? lives : [...lives, ...drawCorrections(lives, rules, random, span.end)];
}

function drawLife(
  rules: Rules,
  random: Random,
  { plain, long }: Pick<Crowd, "plain" | "long">,
  day: number,
  id: string,
): Life {
  const { stream, granularity, selects } = rules;
  let [start, end] = [day, day + DAY];
  if (granularity === "1h") {
    start = day + random.int(0, 23) * HOUR;
    end = start + HOUR;
  } else if (
    !plain &&
    stream === "costs" &&
    selects !== "containment" &&
    random.chance(long ? 0.7 : 0.1)
  ) {
    end = Math.min(day + random.int(2, 30) * DAY, monthOf(day, -1));
  }
  return { stream, id, start, end, versions: [], withdrawnAt: Infinity };
}

interface VersionsDraw {
  readonly rules: Rules;
  readonly random: Random;
  readonly plain: boolean;
  /** How often the record changes within the lookback, its first version included. */
  readonly changes: number;
  readonly end: number;
}

function drawVersions(life: Life, { rules, random, plain, changes, end }: VersionsDraw): void {
  const settled = settlesFrom(life, rules.selects === "overlap");
  const lookback = lookbackOf(rules);
  const times = Array.from({ length: changes }, () => {
    const within = random.int(
      life.start + MINUTE,
      settled + Math.round(lookback * random.pick([0, 0.1, 1])),
    );
    return postponed(within, rules.frontier.frozen, random, end);
  });
  const honest = rules.frontier.kind === "honest";
  const drawn = times.map((at) => ({ at, due: honest || at <= settled + lookback }));
  const late = !plain && random.chance(0.12);
  if (late) drawn.push({ at: settled + lookback + random.int(1, 25 * DAY), due: false });
  const sorted = drawn.toSorted((a, b) => a.at - b.at).filter(({ at }) => at <= end);
  const cost = life.stream === "costs";
  const becomesFinal = random.chance(0.7);
  let amount = random.int(-2_000_000, 90_000_000);
  for (const [index, { at, due }] of sorted.entries()) {
    const last = index === sorted.length - 1;
    addVersion(life, {
      at: Math.max(at, (life.versions.at(-1)?.at ?? -Infinity) + 1),
      due,
      status: cost ? (last && becomesFinal ? "final" : "provisional") : null,
      amount,
      currency: random.chance(0.8) ? "USD" : "EUR",
      extra: random.chance(0.1)
        ? `"x_Ratio":${random.int(1, 9)}.10,"x_Big":12345678901234567890.10`
        : "",
      granularity: rules.granularity,
    });
    amount += random.int(-1_000_000, 1_000_000);
  }
  const [first] = life.versions;
  const lastAt = life.versions.at(-1)?.at ?? end;
  if (!plain && first !== undefined && life.versions.length > 1 && random.chance(0.15)) {
    const at = lastAt + random.int(MINUTE, 3 * DAY);
    if (at <= end) addAgain(life, first, at);
  }
  if (!plain && random.chance(0.04)) {
    life.withdrawnAt = Math.min(settled + random.int(0, lookback), end);
  }
}

/** A change during an outage appears after it, shortly before the frontier moves again. */
function postponed(at: number, frozen: readonly Span[], random: Random, end: number): number {
  const span = frozen.find(({ start, end: until }) => at >= start && at < until);
  if (span === undefined) return at;
  return Math.min(span.end - random.int(1, HOUR), Math.max(at, end));
}

/** New records that correct old ones. They keep the old charge period (R2). */
function drawCorrections(
  lives: readonly Life[],
  rules: Rules,
  random: Random,
  end: number,
): Life[] {
  if (rules.stream !== "costs") return [];
  const corrections: Life[] = [];
  for (const corrected of lives) {
    if (!random.chance(0.06)) continue;
    const at = corrected.end + random.int(5, 60) * DAY;
    if (at > end) continue;
    const id = `fix-${corrected.id}`;
    const life: Life = { ...corrected, id, versions: [], withdrawnAt: Infinity };
    const amount = random.int(-500_000, 0);
    const facts = {
      at,
      due: false,
      status: "final",
      amount,
      currency: "USD",
      extra: "",
      granularity: rules.granularity,
    } as const;
    addVersion(life, { ...facts, corrects: corrected.id });
    corrections.push(life);
  }
  return corrections;
}
