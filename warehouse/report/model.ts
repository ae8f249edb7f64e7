/** The data of the report. Every amount is a decimal as text; only the geometry of a chart uses numbers. */

/** Billed cost of one model on one day. */
export interface ModelCost {
  readonly model: string;
  readonly cost: string;
}

export interface DayCost {
  readonly day: string;
  readonly total: string;
  /** The largest first. */
  readonly models: readonly ModelCost[];
}

export interface ProjectCost {
  readonly project: string;
  readonly cost: string;
  /** The number of models that the project used. */
  readonly models: number;
}

/** The bill of the current billing period after a sync. */
export interface SyncBill {
  readonly at: string;
  /** Empty if the sync has none. */
  readonly title: string;
  readonly provisional: string;
  readonly final: string;
  /** The sum of the raw table. */
  readonly naive: string;
}

export type Status = "proven" | "unproven" | "incomplete";

/** The status and the number of rows of each dataset on a day. */
export interface DayProof {
  readonly day: string;
  readonly costs: Status;
  readonly costRows: number;
  readonly usage: Status;
  readonly usageRows: number;
}

/** Consecutive days with the same entries. */
export interface ProofRange {
  readonly dataset: string;
  readonly from: string;
  readonly through: string;
  readonly days: number;
  readonly rows: number;
  readonly status: Status;
  readonly why: string;
}

/** A row that the table holds although the provider no longer shows it. */
export interface RemovedRow {
  readonly id: string;
  readonly billed: string;
  readonly lastSeenAt: string;
}

export interface ReportData {
  readonly provider: string;
  /** Instant of the last sync, on the provider's clock. */
  readonly asOf: string;
  readonly currency: string;
  /** The billed total of the raw table, and of the views. */
  readonly naive: string;
  readonly current: string;
  /** The billed total by the provider's own account; null if it is not known. */
  readonly truth: string | null;
  /** Naive minus truth, or minus current where the truth is not known. */
  readonly excess: string;
  readonly provisional: string;
  readonly final: string;
  /** The most expensive models, the largest first. All others are one series. */
  readonly largestModels: readonly ModelCost[];
  readonly otherModels: { readonly count: number; readonly cost: string };
  readonly days: readonly DayCost[];
  readonly projects: readonly ProjectCost[];
  /** Start of the billing period of {@link SyncBill}, a date; empty without costs. */
  readonly billingPeriod: string;
  readonly syncs: readonly SyncBill[];
  readonly completeness: readonly DayProof[];
  readonly ranges: readonly ProofRange[];
  readonly removed: readonly RemovedRow[];
  /** The command that made the report. */
  readonly madeBy: string;
}
