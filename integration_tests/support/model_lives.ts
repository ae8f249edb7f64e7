/** Lives of which the models that ship judge the rows and the reports, on the way and at the end. */
import { date, DAY, dayOf, floorOf, nextDay } from "../../simulation/calendar.ts";
import type { Connection, Report } from "../../simulation/connection.ts";
import { awaitsInVain } from "../../simulation/awaiting.ts";
import { judgeDay, newestReports, readsAllDue } from "../../simulation/current.ts";
import { seenSince } from "../../simulation/moving.ts";
import { live } from "../../simulation/life.ts";
import { isHidden } from "../../simulation/outages.ts";
import type { Rules } from "../../simulation/provider.ts";
import { type Version, visible } from "../../simulation/records.ts";
import type { World } from "../../simulation/world.ts";
import {
  FORMS,
  judgedDays,
  type JudgedDay,
  type Snapshot,
  snapshotOf,
} from "./simulated_models.ts";

/** A reason that SPEC R10 allows: the old day of a row has gained another row, so that the connector cannot see the loss. */
const MAY_HAVE_MOVED = "a row that was found missing on another day";

/**
 * A life, the rows of days that are proven after every sixth sync, and each day at its end: no row is wrong, and each right day is proven.
 * The trials `stirs` and `views` leave days unproven on purpose.
 */
export async function modelLife(seed: number, drawn: World): Promise<Report> {
  const world = { ...drawn, reports: true };
  const snapshots: Snapshot[] = [];
  let last: Connection | null = null;
  let syncs = 0;
  const report = await live(world, false, (connection) => {
    last = connection;
    if (++syncs % 6 === 0) snapshots.push(snapshotOf(seed, connection));
  });
  if (last === null) return report;
  const end = snapshotOf(seed, last);
  const days = await judgedDays([...snapshots, end]);
  const proven = days.filter(({ status }) => status === "proven");
  return {
    ...report,
    faults: [...report.faults, ...proven.flatMap(faultsOf), ...atEnd(end, days)],
  };
}

/** The faults of a day that the models call proven. */
export function faultsOf({ snapshot, form, stream, day, readingId, rows }: JudgedDay): string[] {
  const { connection, reports, seed } = snapshot;
  const { provider, lives } = connection.world;
  const rules = provider.rules(stream);
  const report = reports.findLast(
    (row) =>
      row.dataset === stream &&
      row.day === day &&
      row.reading_id === readingId &&
      row.inside_window,
  );
  if (rules === undefined || report === undefined) return [`SEED=${seed} ${day} has no report`];
  // Strays have rules of their own (strays.ts).
  const versions = rows.filter(({ isStray }) => !isStray).map(({ version }) => version);
  const since = seenSince(rules, report, connection.warehouse);
  const wrong = rows.filter(({ version, amount }) => version.amount !== amount);
  return [
    ...judgeDay(rules, { report, since }, { table: form, versions }, lives),
    ...wrong.map(({ version, amount }) => `${version.record.id} counts ${amount}`),
  ].map((fault) => `SEED=${seed} ${fault}`);
}

function atEnd(end: Snapshot, days: readonly JudgedDay[]): string[] {
  const { connection } = end;
  const { world, mayCountTwice, mayLoseStrays, forgetsDays } = connection;
  const { datasets, members } = world.provider.options;
  if (mayCountTwice || mayLoseStrays || forgetsDays || members === "volatile") return [];
  if (!readsAllDue(world)) return [];
  return datasets.flatMap((rules) =>
    daysOf(connection, rules).flatMap((day) =>
      FORMS.filter((form) => form === "append" || !connection.tooOld.has(rules.stream)).flatMap(
        (form) => {
          const judged = days.find(
            (one) =>
              one.snapshot === end &&
              one.form === form &&
              one.stream === rules.stream &&
              one.day === date(day),
          );
          const fault = judgeLast(connection, rules, day, judged);
          return fault === null
            ? []
            : [`R10: at the end, ${rules.stream} ${date(day)} in ${form}: ${fault}`];
        },
      ),
    ),
  );
}

/** The whole days that the last sync was allowed to read. */
function daysOf({ scheduler: { now }, asked }: Connection, { retentionDays }: Rules): number[] {
  const start = Math.max(asked?.startDate ?? -Infinity, floorOf(now, retentionDays) + DAY);
  const end = Math.min(now, nextDay(asked?.endDate ?? now));
  const count = Math.max(0, Math.floor((end - start) / DAY));
  return Array.from({ length: count }, (_, index) => start + index * DAY);
}

function judgeLast(
  connection: Connection,
  rules: Rules,
  day: number,
  judged: JudgedDay | undefined,
): string | null {
  const { world, asked, shown, warehouse, chainOf } = connection;
  const { now } = connection.scheduler;
  const truth = world.lives
    .filter(({ stream, start }) => stream === rules.stream && date(start) === date(day))
    .flatMap((life) => visible(life, now) ?? []);
  const end = nextDay(asked?.endDate ?? now);
  // A late change (A3), and a record that an outage has hidden, wait for the deep re-read or the scrub. No window reaches a later posting.
  const lacking = truth.find(
    ({ text, due, record }) =>
      due &&
      shown.get(record.id) === text &&
      record.postedAt < end &&
      !rules.outages.some(({ start }) => isHidden(rules, record, start)) &&
      judged?.rows.some(({ version }) => version.text === text) !== true,
  );
  if (lacking !== undefined)
    return `${judged?.status} without ${lacking.record.id}, which was shown`;
  if (judged === undefined || judged.status === "proven" || !isSame(judged, truth)) return null;
  const { stirs, views } = world.trials;
  if (stirs !== null || views !== null || judged.why.startsWith(MAY_HAVE_MOVED)) return null;
  if (awaitsInVain(connection, rules.stream, dayOf(day))) return null;
  // No reading covers a day behind the available data.
  const isCovered = newestReports(rules.stream, warehouse.reports, chainOf(rules.stream)).has(
    date(day),
  );
  return isCovered ? `is right, and ${judged.status}: ${judged.why}` : null;
}

const isSame = ({ rows }: JudgedDay, truth: readonly Version[]): boolean =>
  rows.length === truth.length &&
  truth.every(({ text }) => rows.some(({ version }) => version.text === text));
