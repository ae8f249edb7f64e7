/** R5: the control totals of a report, as the models compare them with the rows of its day. */
import type { ReportRow } from "./platform.ts";
import type { Version } from "./records.ts";

const amountIn = (dataset: string): string =>
  dataset === "usage" ? "ConsumedQuantity" : "BilledCost";

/** An amount in millionths; more digits are zeros. */
function millionths(text: string): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(`${whole}${fraction.slice(0, 6).padEnd(6, "0")}`);
}

const sum = (amounts: readonly string[]): bigint =>
  amounts.reduce((total, amount) => total + millionths(amount), 0n);

/** Whether the rows add up to the control totals. A report that names the rows of an earlier reading has none. */
export function addUp(
  { totals, dataset }: Pick<ReportRow, "totals" | "dataset">,
  versions: readonly Pick<Version, "text">[],
): boolean {
  if (totals === null) return true;
  const told = totals.map(({ quantity, billed }) => quantity ?? billed ?? "0");
  const member = amountIn(dataset);
  const found = versions.map(({ text }) => String(JSON.parse(text)[member]));
  return sum(told) === sum(found);
}
