/** The message of a sync at its end. */
import type { Change } from "./bills.ts";
import type { Proof } from "./figures.ts";
import type { Counts } from "./loader.ts";
import { count, decimal, month, signedMoney } from "./report/format.ts";
import type { Overview } from "./report/model.ts";
import { screenLines } from "./summary_screen.ts";
import type { Paint } from "./text.ts";
import type { Unusables } from "./unusable_values.ts";

export interface StreamSummary extends Counts {
  readonly name: string;
  /** The instant before which everything was read; null before the first one. */
  readonly position: string | null;
}

/** `--json` prints it as it is. Amounts are decimals as text. */
export interface Summary {
  readonly ok: boolean;
  readonly streams: readonly StreamSummary[];
  /** The figures of the report's first screen, and the months before; the currency with the most records first. */
  readonly currencies: readonly Overview[];
  /** The bill of each billing period and currency, the newest first. */
  readonly bills: readonly Change[];
  readonly proofs: readonly Proof[];
  /** Values that are in no sum, with their rows. */
  readonly unusable: Unusables;
  /** Facts about the provider and its data, such as the assumptions of an adapter. */
  readonly notices: readonly string[];
  readonly report: string | null;
  readonly database: string;
}

const number = (rows: number): string => decimal(String(rows));

/** The summary for people, line by line. */
export function summaryLines(
  { ok, streams, currencies, bills, proofs, notices, report }: Summary,
  paint: Paint,
): string[] {
  return [
    ...streams.map(streamLine),
    ...screenLines(currencies, paint),
    ...changeLine(bills),
    ...proofs.map((proof) => proofLine(proof, paint)),
    ...notices.map((notice) => `Note    ${notice}`),
    ...(report === null ? [] : [`Report  ${report}`]),
    ...(ok
      ? []
      : [paint("red", "Not everything was read: the next sync goes on where this one ended.")]),
  ];
}

function streamLine({ name, read, added, changed, position }: StreamSummary): string {
  const through =
    position === null ? "" : `; complete through ${position.slice(0, 16).replace("T", " ")} UTC`;
  return `${name.padEnd(6)}  ${number(read)} rows read, ${number(added)} new, ${number(changed)} changed${through}`;
}

/** Billing periods that the line of changes names. */
const PERIODS = 3;

/** How the bills differ from those after the sync before, and the costs that are in none. The first sync changes nothing. */
function changeLine(bills: readonly Change[]): string[] {
  const changed = bills.filter(({ change }) => change !== null && change !== "0");
  const named = changed
    .slice(0, PERIODS)
    .map(
      ({ month: period, currency, change }) =>
        `${month(period)} ${signedMoney(change ?? "0", 2)} ${currency}`,
    );
  const more = changed.length > PERIODS ? [`${changed.length - PERIODS} more billing periods`] : [];
  const since =
    named.length === 0 ? [] : [`Since   the last sync: ${[...named, ...more].join(", ")}`];
  const unsummed = bills
    .filter((bill) => bill.unsummed > 0)
    .map((bill) => `${month(bill.month)}: ${count(bill.unsummed, "cost")}`);
  return unsummed.length === 0
    ? since
    : [
        ...since,
        `In no sum, because a value cannot be summed: ${unsummed.slice(0, PERIODS).join(", ")}`,
      ];
}

function proofLine(
  { dataset, proven, unproven, incomplete, differing }: Proof,
  paint: Paint,
): string {
  const rest = [
    `${number(incomplete)} in progress or not covered as a whole`,
    ...(unproven === 0 ? [] : [`${number(unproven)} unproven`]),
    ...(differing === 0 ? [] : [`${number(differing)} control totals differ`]),
  ];
  const all = number(proven + unproven + incomplete);
  const line = `Proven  ${dataset}: ${number(proven)} of ${all} days; ${rest.join(", ")}`;
  return unproven + differing === 0 ? line : paint("red", line);
}
