/** Draws the records of a dataset: their charge periods, and their changes over time. */
import { DAY, dayOf, HOUR, MINUTE, monthOf } from "./calendar.ts";
import type { Span } from "./outages.ts";
import { lookbackOf, type Rules } from "./provider.ts";
import type { Random } from "./random.ts";
import { addAgain, addVersion, type Life, settlesFrom } from "./records.ts";

export interface Crowd {
  readonly plain: boolean;
  /** Whether most days have ten records or more, so that R8 applies to an outage. */
  readonly crowded: boolean;
  /** Whether most costs are longer than a day. */
  readonly long: boolean;
  /** Whether most records change many times. */
  readonly restless: boolean;
  /** Whether most records are posted some days after their start. */
  readonly posted: boolean;
}

export function drawLives(
  rules: Rules,
  random: Random,
  { plain, crowded, long, restless, posted }: Crowd,
  span: Span,
): Life[] {
  const lives: Life[] = [];
  const most = random.pick(plain || posted ? [1, 1, 2, 3] : [1, 2, 3, 8, 15]);
  const isRestless = !plain && random.chance(restless ? 0.7 : 0.2);
  for (let day = span.start; day <= span.end; day += DAY) {
    const count = crowded ? random.int(8, 24) : random.int(0, most);
    for (let number = 0; number < count; number++) {
      const id = `${rules.stream}-${lives.length}`;
      const life = drawLife(rules, random, { plain, long, posted }, day, id);
      const changes = isRestless ? random.int(4, 12) : random.pick([1, 1, 2, 3]);
      const delay = posted ? life.postedAt - life.start : 0;
      drawVersions(life, { rules, random, plain, changes, delay, end: span.end });
      if (life.versions.length > 0) lives.push(life);
    }
  }
  return plain
    ? lives
    : [...lives, ...drawCorrections(lives, rules, random, { posted, end: span.end })];
}

function drawLife(
  rules: Rules,
  random: Random,
  { plain, long, posted }: Pick<Crowd, "plain" | "long" | "posted">,
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
  const postedAt = start + delayOf(rules, random, posted, id) * DAY;
  return { stream, id, start, end, postedAt, versions: [], withdrawnAt: Infinity };
}

/** A6: the days from a charge to its posting. No window holds both. Windows of whole months hold both whenever they hold one. */
function delayOf(
  { maximumWindowDays }: Rules,
  random: Random,
  posted: boolean,
  id: string,
): number {
  if (!posted) return id.endsWith("7") ? 3 : 0;
  if (random.chance(0.4)) return 0;
  return maximumWindowDays < 31 ? maximumWindowDays + random.int(0, 8) : random.int(1, 40);
}

interface VersionsDraw {
  readonly rules: Rules;
  readonly random: Random;
  readonly plain: boolean;
  /** How often the record changes within the lookback, its first version included. */
  readonly changes: number;
  /** The time from the start of the record to the earliest instant of its first version, in milliseconds. */
  readonly delay: number;
  readonly end: number;
}

export function drawVersions(
  life: Life,
  { rules, random, plain, changes, delay, end }: VersionsDraw,
): void {
  const settled = settlesFrom(life, rules.selects === "overlap") + delay;
  const lookback = lookbackOf(rules);
  const times = Array.from({ length: changes }, () => {
    const within = random.int(
      life.start + delay + MINUTE,
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
  { posted, end }: Pick<Crowd, "posted"> & { readonly end: number },
): Life[] {
  if (rules.stream !== "costs") return [];
  const corrections: Life[] = [];
  for (const corrected of lives) {
    if (!random.chance(0.06)) continue;
    const at = corrected.end + random.int(5, 60) * DAY;
    if (at > end) continue;
    const id = `fix-${corrected.id}`;
    const postedAt = posted ? dayOf(at) : corrected.postedAt;
    const life: Life = { ...corrected, id, postedAt, versions: [], withdrawnAt: Infinity };
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
