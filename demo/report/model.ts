/** What the report is made of. Every amount is a decimal as text: only the geometry of a chart is ever a number. */

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
  /** How many models it used. */
  readonly models: number;
}

/** The bill of the current billing period as it stood after a sync. */
export interface SyncBill {
  readonly at: string;
  readonly title: string;
  readonly provisional: string;
  readonly final: string;
  /** What the raw table would make of it. */
  readonly naive: string;
}

export type Status = "proven" | "unproven" | "incomplete";

/** What is known of a day: of each dataset its status and how many rows it has. */
export interface DayProof {
  readonly day: string;
  readonly costs: Status;
  readonly costRows: number;
  readonly usage: Status;
  readonly usageRows: number;
}

/** Days in a row of which the same is known. */
export interface ProofRange {
  readonly dataset: string;
  readonly from: string;
  readonly through: string;
  readonly days: number;
  readonly rows: number;
  readonly status: Status;
  readonly why: string;
}

/** A row that the table holds and the provider no longer shows. */
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
  /** What was billed in all, as each side tells it. */
  readonly naive: string;
  readonly current: string;
  readonly truth: string;
  /** Naive less truth. */
  readonly excess: string;
  readonly provisional: string;
  readonly final: string;
  /** The models that cost most, the largest first; all others are one series. */
  readonly largestModels: readonly ModelCost[];
  readonly otherModels: { readonly count: number; readonly cost: string };
  readonly days: readonly DayCost[];
  readonly projects: readonly ProjectCost[];
  /** Start of the billing period of {@link SyncBill}, a date. */
  readonly billingPeriod: string;
  readonly syncs: readonly SyncBill[];
  readonly completeness: readonly DayProof[];
  readonly ranges: readonly ProofRange[];
  readonly removed: readonly RemovedRow[];
}
