/** Prints the sums, the costs and the proofs. */
import type { Database } from "../warehouse/database.ts";
import { plain, subtract } from "../warehouse/decimals.ts";
import { proofs, removedCosts } from "../warehouse/figures.ts";
import { corrections, costByMonthAndModel } from "./figures.ts";
import { type Comparison, isReconciled, type Sum } from "./reconciliation.ts";
import * as terminal from "./terminal.ts";

const amountOf = (sum: Sum | null): string => (sum === null ? "nothing" : plain(sum.amount));

/** The billed sum in one line: of the raw table, the views and the provider. */
export function showBilled(
  comparisons: readonly Comparison[],
  { rows, billed }: { readonly rows: number; readonly billed: string },
): void {
  const aside = rows === 0 ? "all of it final" : `${plain(billed)} of it provisional`;
  for (const { measure, naive, current, provider, difference } of comparisons) {
    if (!measure.startsWith("billed ")) continue;
    const sign = difference === "0" ? "=" : "≠";
    terminal.line(
      `${measure}: naive ${amountOf(naive)}, current ${amountOf(current)} ${sign} provider ${amountOf(provider)}, ${aside}`,
    );
  }
}

export async function showCosts(database: Database): Promise<void> {
  const cells = await costByMonthAndModel(database, 4, 8);
  const months = [...new Set(cells.map(([, month = ""]) => month))];
  const order = ["earlier", ...months.filter((month) => /^\d/.test(month)).toSorted(), "total"];
  const models = [...new Set(cells.map(([model = ""]) => model))];
  const costs = terminal.atPoint(cells.map(([, , cost = "0"]) => plain(cost)));
  const rows = models.map((model) => [
    model,
    ...order.map((month) => {
      const index = cells.findIndex(([ofModel, ofMonth]) => ofModel === model && ofMonth === month);
      return costs[index] ?? "";
    }),
  ]);
  terminal.section(
    "Cost by month and model",
    "USD billed, by the month of use; from the view current_costs",
  );
  const columns = order.map((month) => ({ title: month, align: "right" as const }));
  terminal.table([{ title: "model" }, ...columns], rows);
}

/** The rows that make the naive sum wrong. */
export async function showRemoved(database: Database): Promise<void> {
  const rows = await removedCosts(database);
  const billed = terminal.atPoint(rows.map((row) => row.billed ?? "in no sum"));
  terminal.section("Gone at the provider, still in the table", "from the view removed_rows");
  terminal.table(
    [{ title: "record" }, { title: "billed USD", align: "right" }, { title: "last seen" }],
    rows.map(({ id, lastSeenAt }, index) => [
      id,
      billed[index] ?? "",
      terminal.shortInstant(lastSeenAt),
    ]),
  );
}

/** Prints the proven days. Returns whether no day is contradicted and every control total agrees. */
export async function showProof(database: Database): Promise<boolean> {
  const found = await proofs(database);
  terminal.section("Proof", "from the views completeness and reconciliation");
  terminal.table(
    [
      { title: "dataset" },
      { title: "days proven", align: "right" },
      { title: "unproven", align: "right" },
      { title: "incomplete", align: "right" },
      { title: "control totals", align: "right" },
      { title: "differing", align: "right" },
    ],
    found.map(({ dataset, proven, unproven, incomplete, compared, differing }) => [
      dataset,
      ...[proven, unproven, incomplete, compared, differing].map(String),
    ]),
  );
  return found.every(({ unproven, differing }) => unproven === 0 && differing === 0);
}

/** Rows and sums of the raw tables, the views and the provider, by measure. */
export function showSums(comparisons: readonly Comparison[]): void {
  const side = (sum: Sum | null): string[] => [String(sum?.rows ?? 0), amountOf(sum)];
  const titles = ["rows", "naive", "rows", "current", "rows", "provider", "difference"];
  terminal.table(
    [{ title: "measure" }, ...titles.map((title) => ({ title, align: "right" as const }))],
    comparisons.map(({ measure, naive, current, provider, difference }) => [
      measure,
      ...side(naive),
      ...side(current),
      ...side(provider),
      difference,
    ]),
  );
}

/** Prints the sums of the raw tables, the views and the provider. Returns whether the views equal the provider. */
export async function showReconciliation(
  database: Database,
  comparisons: readonly Comparison[],
): Promise<boolean> {
  terminal.section(
    "Reconciliation",
    "naive: the raw tables, as an upsert would leave them; current: current_costs, current_usage",
  );
  showSums(comparisons);
  const { spend, corrections: corrected } = await corrections(database);
  terminal.line(
    `Billed: ${plain(spend)} USD of real spend, ${plain(corrected)} USD by the correction of a closed period.`,
  );
  const agreed = isReconciled(comparisons);
  const billed = comparisons.find(({ measure }) => measure === "billed USD");
  const [naive, ours, theirs] = [billed?.naive, billed?.current, billed?.provider].map((sum) =>
    amountOf(sum ?? null),
  );
  const excess = subtract(billed?.naive?.amount ?? "0", billed?.provider?.amount ?? "0");
  terminal.line(`The naive sum, ${naive} USD, counts ${excess} USD that the provider took back.`);
  terminal.verdict(
    agreed,
    agreed
      ? `Reconciled: current ${ours} USD = provider ${theirs} USD, equal to the last digit.`
      : `NOT reconciled: current ${ours} USD, provider ${theirs} USD; every difference stands above.`,
  );
  return agreed;
}
