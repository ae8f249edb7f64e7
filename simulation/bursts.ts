/**
 * Draws bursts: many records of one day that are posted on one later day, so that one window shows all of them as strays of one day, and
 * outages over syncs that read this window again (R8, P5).
 */
import { DAY, dayOf, HOUR, MINUTE } from "./calendar.ts";
import { drawVersions } from "./drawn_records.ts";
import type { Strike } from "./outages.ts";
import type { Rules } from "./provider.ts";
import type { Random } from "./random.ts";
import type { Life } from "./records.ts";

interface Course {
  /** The instants of the first sync and of the last change. */
  readonly begin: number;
  readonly end: number;
}

/** The records of the bursts of all datasets that select by posting. Most of these datasets get outages, too. */
export function drawBursts(datasets: readonly Rules[], random: Random, course: Course): Life[] {
  const lives: Life[] = [];
  for (const rules of datasets.filter(({ selects }) => selects === "posting")) {
    // Else most of the bursts would be too old to be read.
    if (random.chance(0.8)) rules.retentionDays = Math.max(rules.retentionDays, 30);
    const bursts = random.int(1, 2);
    for (let number = 0; number < bursts; number++)
      lives.push(...drawBurst(rules, random, `${rules.stream}-burst${number}`, course));
    const outages = random.pick([0, 1, 1, 2]);
    for (let number = 0; number < outages; number++) {
      const start = random.int(course.begin + HOUR, course.end);
      const end = start + random.int(HOUR, 36 * HOUR);
      rules.outages.push({ start, end, showsOneOf: random.pick([Infinity, 3, 10]) });
    }
  }
  return lives;
}

/** An outage that begins early in a sync, and hides what its later pages would show. Most syncs meet none. */
export function drawBlindness(random: Random): Strike[] {
  if (random.chance(0.7)) return [];
  const [counts, after] = [random.pick(["pages", "windows"]), random.int(1, random.pick([2, 6]))];
  const lasts = random.int(5, random.pick([50, 300])) * MINUTE;
  return [{ stream: "costs", counts, after, lasts, showsOneOf: random.pick([Infinity, 3, 10]) }];
}

/** Ten records or more that are posted on one of the days before the first sync. */
function drawBurst(
  rules: Rules,
  random: Random,
  name: string,
  { begin, end: until }: Course,
): Life[] {
  const { stream, granularity, maximumWindowDays, retentionDays } = rules;
  // Windows of whole months hold both days if both are of one month.
  const delay = maximumWindowDays < 31 ? maximumWindowDays + random.int(0, 3) : random.int(10, 40);
  const room = Math.min(8, Math.max(1, retentionDays - delay - 3));
  const postedAt = dayOf(begin) - random.int(1, room) * DAY;
  const start = postedAt - delay * DAY;
  const lives: Life[] = [];
  for (let left = random.int(11, 14); left > 0; left--) {
    const id = `${name}-${left}`;
    const end = start + (granularity === "1h" ? HOUR : DAY);
    const life: Life = { stream, id, start, end, postedAt, versions: [], withdrawnAt: Infinity };
    const changes = random.pick([1, 1, 1, 2]);
    const draw = { rules, random, plain: false, changes, delay: delay * DAY, end: until };
    drawVersions(life, draw);
    if (life.versions.length > 0) lives.push(life);
  }
  return lives;
}
