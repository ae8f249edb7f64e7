/** A provider of the interface: the cheap checks of `conform`, and the costs of a month for an invoice. */
import { Missing } from "../conform/errors.ts";
import { CHEAP_CHECKS } from "../conform/registry.ts";
import { read } from "../conform/reading.ts";
import { runChecks } from "../conform/run.ts";
import { announced, seriesOf } from "../conform/samples.ts";
import { Session } from "../conform/session.ts";
import type { SessionOptions } from "../conform/session.ts";
import { addDecimals, isSummable } from "../src/core/decimal.ts";
import { DAY, parseInstant } from "../src/core/time.ts";
import { compareInvoice, type Invoice, type InvoiceResult, notCompared } from "./invoice.ts";
import { confirmed, contradicted, type Judgment, notSeen } from "./judgment.ts";
import type { Amounts } from "./rows.ts";

/** A check of `conform` with its verdict. Only texts of the check itself: findings quote the provider. */
export interface Checked extends Judgment {
  readonly id: string;
  readonly text: string;
}

/** Runs the checks and compares the invoices. Throws `CannotRun` if the provider cannot be reached or refuses the token. */
export async function verifyInterface(
  options: SessionOptions,
  invoices: readonly Invoice[],
  say: (checked: Checked) => Promise<void>,
): Promise<{
  readonly checks: readonly Checked[];
  readonly invoices: readonly InvoiceResult[];
  readonly requests: number;
  readonly now: number;
}> {
  const session = new Session(options);
  const checks: Checked[] = [];
  for (const check of CHEAP_CHECKS) {
    // One by one, so that each verdict is said at once. The session keeps what they share.
    const { outcomes } = await runChecks([check], session);
    const verdict = outcomes[0]?.verdict;
    const { id, title: text, clause } = check;
    const more = `\`conform --only ${id}\` shows it`;
    const judgment =
      verdict === "passed"
        ? confirmed(clause)
        : verdict === "not verified"
          ? notSeen(`${clause}; the account or the provider lacks what the check needs: ${more}`)
          : contradicted(`${clause}; ${more}`);
    const checked = { id, text, ...judgment };
    checks.push(checked);
    await say(checked);
  }
  const now = await session.now();
  const results: InvoiceResult[] = [];
  for (const invoice of invoices) {
    const sums = await sumsOf(session, invoice);
    const compared = { provider: "interface", isOlder: false, now } as const;
    results.push(
      typeof sums === "string"
        ? notCompared(invoice, sums)
        : compareInvoice(invoice, sums, compared),
    );
  }
  return { checks, invoices: results, requests: session.log.length, now };
}

/** The costs of a billing period, without charges of other months; a sentence if they cannot be read. */
async function sumsOf(session: Session, { start, end }: Invoice): Promise<Amounts | string> {
  try {
    const costs = (await seriesOf(session)).find(({ dataset }) => dataset === "costs");
    if (costs === undefined) return "This account is not offered costs.";
    const longest = ((await announced(session, "costs", "maximum_window_days")) ?? 1) * DAY;
    // The last version of a record counts.
    const records = new Map<string, Readonly<Record<string, unknown>>>();
    for (let from = start; from < end; from += longest) {
      const window = { start: from, end: Math.min(end, from + longest) };
      const reading = await read(session, costs, window);
      if (reading.end === "too long")
        return "The month has too many records for a quick look: compare it with `query` after a sync.";
      if (reading.end !== "last") return "The costs of this month could not be read to their end.";
      for (const { id, value } of reading.records)
        if (id !== undefined && value !== undefined) records.set(id, value);
    }
    const sums: Record<string, string> = {};
    for (const record of records.values()) {
      const period = record["BillingPeriodStart"];
      if (typeof period !== "string" || parseInstant(period) !== start) continue;
      const { BillingCurrency: currency, BilledCost: cost } = record;
      if (typeof currency !== "string" || !/^[A-Z]{3}$/.test(currency) || !isSummable(cost))
        return "A record of this month has no amount that can be summed.";
      sums[currency] = addDecimals(sums[currency] ?? "0", cost);
    }
    return sums;
  } catch (reason) {
    if (reason instanceof Missing) return "The limits of this command leave no room for the month.";
    throw reason;
  }
}
