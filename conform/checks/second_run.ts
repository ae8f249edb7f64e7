/** STB, AVL: what stays as it is from one run to the next (interface sections 2.4, 2.6.1 and 3). */
import type { Check, Finding } from "../check.ts";
import { Missing } from "../errors.ts";
import { formatInstant, parseInstant } from "../instants.ts";
import { hashOf } from "../memory.ts";
import type { Memory } from "../memory.ts";
import { read, whole } from "../reading.ts";
import type { Reading, Series } from "../pages.ts";
import { Once } from "../session.ts";
import type { Session } from "../session.ts";
import { each, nameOf, quoted } from "./shared.ts";
import { updatedOf } from "./stability.ts";

const readings = new Once<Reading>();

/** The window of an earlier run, as it was and as it is. */
async function earlier(session: Session, series: Series) {
  const before = session.options.earlier?.series[series.name];
  if (before === undefined)
    throw new Missing("an earlier run with the same --state FILE, hours or days ago");
  const now = await readings.of(session, series.name, async () =>
    whole(await read(session, series, { start: before.start, end: before.end })),
  );
  return { before, now };
}

function keptRecords(before: Memory["series"][string]) {
  return new Map(Object.entries(before.records));
}

async function appeared(session: Session, series: Series): Promise<Finding[]> {
  const { before, now } = await earlier(session, series);
  const through = before.available_through;
  if (through === null) throw new Missing("available_through of the earlier run");
  const known = keptRecords(before);
  return now.records
    .filter(({ id, end, value }) => {
      if (id === undefined || end === undefined || known.has(id) || end > through) return false;
      return typeof value?.["x_CorrectsRecordId"] !== "string";
    })
    .map((seen) => ({
      seen: `${nameOf(seen)} is new, though the earlier run was told that all before ${formatInstant(through)} was available`,
      expected: "nothing new before available_through, but for corrections",
      exchange: seen.exchange,
    }));
}

async function throughLater(session: Session, series: Series): Promise<Finding[]> {
  const { before, now } = await earlier(session, series);
  const through = parseInstant(now.pages[0]?.envelope?.["available_through"]);
  if (through === undefined || before.available_through === null)
    throw new Missing("available_through");
  if (through >= before.available_through) return [];
  const seen = `available_through was ${formatInstant(before.available_through)} and is ${formatInstant(through)}`;
  return [{ seen, expected: "an instant that never goes back", exchange: now.pages[0]?.exchange }];
}

async function changedLater(session: Session, series: Series): Promise<Finding[]> {
  const { before, now } = await earlier(session, series);
  const known = keptRecords(before);
  return now.records.flatMap((seen) => {
    const old = known.get(seen.id ?? "");
    const updated = updatedOf(seen);
    const last = parseInstant(old?.updated);
    if (old === undefined || updated === undefined || last === undefined) return [];
    if (old.hash === hashOf(seen.text) || updated > last) return [];
    const what = `${nameOf(seen)} changed, and x_RecordUpdatedAt is ${formatInstant(updated)} after ${formatInstant(last)}`;
    return [
      {
        seen: what,
        expected: "a later x_RecordUpdatedAt with each change",
        exchange: seen.exchange,
      },
    ];
  });
}

async function reopened(session: Session, series: Series): Promise<Finding[]> {
  const { before, now } = await earlier(session, series);
  const known = keptRecords(before);
  return now.records.flatMap((seen) => {
    const isBack =
      known.get(seen.id ?? "")?.status === "final" &&
      seen.value?.["x_CostStatus"] === "provisional";
    if (!isBack) return [];
    return [
      {
        seen: `${nameOf(seen)} was final and is provisional`,
        expected: "final stays final",
        exchange: seen.exchange,
      },
    ];
  });
}

async function goneLater(session: Session, series: Series): Promise<Finding[]> {
  const { before, now } = await earlier(session, series);
  const ids = new Set(now.records.map(({ id }) => id));
  const lost = [...keptRecords(before).keys()].filter((id) => !ids.has(id));
  if (lost.length === 0) return [];
  const seen = `${lost.length} records of ${series.name} that an earlier run saw are gone, such as ${quoted(lost[0])}`;
  return [
    {
      seen,
      expected: "ids that stay, from provisional to final",
      exchange: now.pages[0]?.exchange,
    },
  ];
}

export const secondRunChecks: readonly Check[] = [
  {
    id: "STB-04",
    level: "should",
    clause: "2.4",
    title: "Between two runs, a record that changed got a later `x_RecordUpdatedAt`.",
    protects: "A restatement that cannot be seen leaves the old amount in every report.",
    mend: "Set x_RecordUpdatedAt in the same transaction as the change.",
    run: each(changedLater),
  },
  {
    id: "STB-05",
    level: "should",
    clause: "3",
    title: "Between two runs, no cost went from final back to provisional.",
    protects: "Months that were closed on final costs would have to be opened again.",
    mend: "Correct a final cost with a record that names it in x_CorrectsRecordId.",
    run: each(reopened, "costs"),
  },
  {
    id: "STB-06",
    level: "should",
    clause: "2.4, 3",
    title: "Between two runs, no record vanished.",
    protects:
      "The interface has no sign for a withdrawn record: the old row stays in the customer's table and counts.",
    mend: "Keep ids from provisional to final; take a charge back with a correction.",
    run: each(goneLater),
  },
  {
    id: "AVL-05",
    level: "should",
    clause: "2.6.1",
    title: "Between two runs, nothing appeared before `available_through`.",
    protects: "A client does not read again what was said to be complete.",
    mend: "Hold available_through back until late records are in.",
    run: each(appeared),
  },
  {
    id: "AVL-06",
    level: "should",
    clause: "2.6.1",
    title: "Between two runs, `available_through` did not go back.",
    protects: "A client does not read again what was complete before.",
    mend: "Store the highest value that was ever sent, and send no lower one.",
    run: each(throughLater),
  },
];
