/** The message of a sync at its end. */
import type { Change } from "./bills.ts";
import type { Proof } from "./figures.ts";
import type { Counts } from "./loader.ts";
import { count, decimal, month } from "./report/format.ts";
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

const signed = (amount: string): string =>
  amount.startsWith("-") ? decimal(amount) : `+${decimal(amount)}`;

/** The summary for people, line by line. */
export function summaryLines({ ok, streams, bills, proofs, notices, report }: Summary): string[] {
  return [
    ...streams.map(streamLine),
    ...billLines(bills),
    ...proofs.map(proofLine),
    ...notices.map((notice) => `Note    ${notice}`),
    ...(report === null ? [] : [`Report  ${report}`]),
    ...(ok ? [] : ["Not everything was read: the next sync goes on where this one ended."]),
  ];
}

function streamLine({ name, read, added, changed, position }: StreamSummary): string {
  const through =
    position === null ? "" : `; complete through ${position.slice(0, 16).replace("T", " ")} UTC`;
  return `${name.padEnd(6)}  ${number(read)} rows read, ${number(added)} new, ${number(changed)} changed${through}`;
}

/** The newest billing period in full, and the others only if the sync changed them. */
function billLines(bills: readonly Change[]): string[] {
  const newest = bills[0]?.month;
  return bills.flatMap(({ month: period, currency, billed, provisional, change, unsummed }) => {
    const isChanged = change !== null && change !== "0";
    if (period !== newest && !isChanged && unsummed === 0) return [];
    const open = provisional === "0" ? "" : `, ${decimal(provisional)} of it provisional`;
    const since = isChanged ? `; ${signed(change)} since the last sync` : "";
    const without =
      unsummed === 0 ? "" : `, without ${count(unsummed, "cost")} that cannot be summed`;
    return [`Billed  ${month(period)}: ${decimal(billed)} ${currency}${without}${open}${since}`];
  });
}

function proofLine({ dataset, proven, unproven, incomplete, differing }: Proof): string {
  const rest = [
    `${number(incomplete)} in progress or not covered as a whole`,
    ...(unproven === 0 ? [] : [`${number(unproven)} unproven`]),
    ...(differing === 0 ? [] : [`${number(differing)} control totals differ`]),
  ];
  const all = number(proven + unproven + incomplete);
  return `Proven  ${dataset}: ${number(proven)} of ${all} days; ${rest.join(", ")}`;
}
