/** The data of the report. Every amount is a decimal as text; only the geometry of a chart uses numbers. */
import type { Unusables } from "../unusable_values.ts";

/** The running month of one currency, over all accounts. Dates are UTC days. */
export interface Headline {
  /** First day of the running month. */
  readonly month: string;
  /**
   * The newest day that is complete in every account that takes part in the comparisons; without any, the newest known day. All of the
   * page ends with it.
   */
  readonly throughDay: string;
  readonly hasCompleteDay: boolean;
  /** Whether the month ends with that day, and no account is behind. */
  readonly isOver: boolean;
  /** Whether every day of the month up to that day was read as a whole, in every account. If not, the costs are not all costs. */
  readonly isWhole: boolean;
  readonly toDate: string;
  /** Null if the month before was not read on any of these days. */
  readonly comparison: Comparison | null;
  readonly behind: readonly Behind[];
  readonly unread: readonly Unread[];
  readonly ahead: Ahead | null;
  /** Null where no forecast can be made. */
  readonly forecast: string | null;
  /** The range that holds the month's end in about 80 of 100 cases; null without a forecast, or with too short a history. */
  readonly range: Range | null;
  /** Empty if no account has a cost in this month. */
  readonly forecastMethod: string;
  readonly daysInMonth: number;
  /** Days of the month up to {@link throughDay}. */
  readonly daysProvisional: number;
  /** Days on which an account is not proven, without those of {@link unread}. */
  readonly daysNotProven: number;
  /** Costs of these days that are in no sum, because one of their values cannot be summed. */
  readonly unsummed: number;
  /** Null without a budget. */
  readonly budget: Budget | null;
}

/** Two amounts and all between them. */
interface Range {
  readonly low: string;
  readonly high: string;
}

/** The costs of this month and the one before, on the days of each account that were read in both. */
export interface Comparison {
  readonly billed: string;
  readonly previous: string;
  /** Whether all days of the month so far are compared, in every account that is not behind. */
  readonly isWhole: boolean;
  /** How many days are compared; null if the accounts differ in it. */
  readonly days: number | null;
  /** The number of days of the month before, if this month is longer already. */
  readonly previousDays: number | null;
}

/** An account that leaves the comparisons, because it is known for fewer days than the others. */
export interface Behind {
  readonly name: string;
  /** Null without a complete day. */
  readonly throughDay: string | null;
  /** Its costs since the first of the month before. */
  readonly billed: string;
  /** Whether none of its costs were ever read. */
  readonly isUnread: boolean;
}

/** Consecutive days of the running month that were never read of an account, although later ones were. The sums do not contain their costs. */
export interface Unread {
  /** Null if it is the only account. */
  readonly name: string | null;
  readonly from: string;
  readonly through: string;
  readonly days: number;
}

/** Costs of complete days after the day with which the page ends. */
export interface Ahead {
  /** The accounts whose newest complete day is that of the page. */
  readonly names: readonly string[];
  readonly billed: string;
}

/** Days as offsets from the first day of the page, `to` exclusive. They may lie before it. */
interface Offsets {
  readonly from: number;
  readonly to: number;
}

/** The days between the first and the last cost of an account, and the days that were read as a whole. */
export interface Reach extends Offsets {
  readonly read: readonly Offsets[];
}

/** The budget of the running month, beside the costs that count against it. */
export interface Budget {
  readonly amount: string;
  /** The number of teams whose budgets are added up; null for the budget of the whole organization. */
  readonly teams: number | null;
  /** Costs so far of the organization, or of the teams that have a budget. */
  readonly toDate: string;
  /** Null where no forecast can be made. */
  readonly forecast: string | null;
  /** Whether all costs of the headline count against it. */
  readonly isOfAll: boolean;
}

/** A team's running month beside its budget. */
export interface TeamBudget {
  readonly team: string;
  readonly billed: string;
  readonly forecast: string | null;
  readonly budget: string | null;
}

/** A label by which the costs are told apart, with the cost of each value on each day. */
export interface Dimension {
  readonly name: string;
  /** The values, those with the largest cost first. */
  readonly values: readonly string[];
  /** The billed costs of each value by day, as `dayCosts` reads them. Days without a cost are left out. */
  readonly costs: readonly string[];
}

/** Something that grew or fell from the month before, on the days that are compared. */
export interface Mover {
  /** Such as `model atlas-3`; one of each label where their amounts are the same. */
  readonly names: readonly string[];
  readonly billed: string;
  readonly previous: string;
  readonly change: string;
}

/** The change against the month before in parts, and the values of other labels that changed most. */
export interface Moves {
  /** The label of the parts, such as `model`. */
  readonly by: string;
  /** They add up to the change of the headline. */
  readonly parts: readonly Mover[];
  readonly largest: readonly Mover[];
}

export interface Anomaly {
  /** Tells the value of the label in its account from all others. It stays if a name changes, or a further account comes. */
  readonly subject: string;
  /** Large for the account, large for the value of a label itself, or a value that is new; see the model `cost_anomalies`. */
  readonly kind: "account" | "label" | "new";
  /** The account whose costs they are; null if there is only one. */
  readonly account: string | null;
  readonly day: string;
  readonly label: string;
  readonly value: string;
  /** Unusual values of this label, account, day and kind that are not among the found ones. Only the last of those has the number. */
  readonly others: number;
  readonly billed: string;
  /** The usual cost of the weekday; for the kind `label` of the value's own days, for the kind `new` of all costs. */
  readonly usual: string;
  /** The median distance of the earlier days from the usual cost; for the kind `label` the largest cost of the value's days. */
  readonly spread: string;
  readonly daysCompared: number;
  readonly isProven: boolean;
}

/** The unusual days of the last weeks. The last three numbers count daily sums, of all costs or of one value of a label. */
export interface Anomalies {
  /** The largest ones of each day. */
  readonly found: readonly Anomaly[];
  /** How many there are, with those that are not among {@link found}. */
  readonly number: number;
  readonly judged: number;
  /** Sums with eight earlier values. Some of them still cannot be judged, because their weekday usually costs nothing. */
  readonly known: number;
  readonly all: number;
}

/** Money of earlier days that changed after it had been shown. */
export interface LateChange {
  readonly foundAt: string;
  /** late, restated, removed, corrected or reissued. */
  readonly kind: string;
  readonly day: string;
  readonly what: string;
  readonly records: number;
  readonly change: string;
}

/** The late changes of the last weeks. */
export interface LateChanges {
  /** The largest ones. */
  readonly found: readonly LateChange[];
  /** All others together; null without any. */
  readonly rest: { readonly number: number; readonly change: string } | null;
  /** The verdict of the readings of these weeks on the complete days that they read again. */
  readonly reread: "none" | "unchanged" | "rewritten";
}

/** An invoice and its costs that do not belong together. */
export interface InvoiceFinding {
  readonly issuer: string;
  /** Null for costs that name no invoice. */
  readonly id: string | null;
  /** First day of the billing period of costs that name no invoice. */
  readonly period: string | null;
  /** total differs, invoice without costs, or costs without invoice. */
  readonly finding: string;
  readonly billed: string;
  /** Null where no total of the invoice was given. */
  readonly total: string | null;
  /** Currency of the invoice, if it is not that of the screen. No cost has it, so that it has no screen of its own. */
  readonly currency: string | null;
  /** The same invoice in another currency, such as `280.00 EUR`: its total if it has costs here, its costs if it has a total here. */
  readonly elsewhere: string | null;
}

/** The invoices of issuers of which totals were given; all 0 without any. */
export interface Invoices {
  /** Those whose total is the exact or the rounded sum of their costs. */
  readonly matched: number;
  /** Those whose total is the sum of their costs, each of them rounded. */
  readonly matchedByLine: number;
  readonly open: number;
  readonly findings: number;
  /** The findings with the largest differences. */
  readonly found: readonly InvoiceFinding[];
}

/** Effective cost per million tokens of one kind in a week. */
export interface UnitCost {
  readonly week: string;
  /** The model and the kind of token, and the service tier where it is known. */
  readonly name: string;
  readonly perMillion: string;
}

/** The day from which a million tokens have another price. */
export interface PriceChange {
  readonly day: string;
  readonly name: string;
  /** The accounts that have the new price; null if there is only one account. */
  readonly accounts: string | null;
  readonly before: string;
  readonly now: string;
}

/** The newest changes of prices, and how many others there are. */
export interface PriceChanges {
  readonly found: readonly PriceChange[];
  readonly more: number;
}

/** The money that caching saved in a month, less the cost of writing to the cache. */
export interface Savings {
  /** Its first day. */
  readonly month: string;
  /** Without those that have prices in other currencies. */
  readonly cachedTokens: string;
  readonly hasOthers: boolean;
  /** The cached tokens that have a price. {@link saved} is about these tokens only. */
  readonly pricedTokens: string;
  readonly saved: string;
  /** The most that caching the other input tokens would have saved; null without a price. */
  readonly possible: string | null;
}

/** The first screen of one currency, on the page and at the end of a sync. Currencies are never added. */
export interface Screen {
  readonly currency: string;
  readonly headline: Headline;
  readonly moves: Moves | null;
  readonly anomalies: Anomalies;
  readonly changes: LateChanges;
  readonly teams: readonly TeamBudget[];
  readonly invoices: Invoices;
}

/** A month of the summary. */
export interface MonthSum {
  /** Its first day. */
  readonly month: string;
  /** In the running month, through the day of the page. */
  readonly billed: string;
  /** Whether each account with costs was read on all days of the month; `none` if no account was read on any of them. */
  readonly read: "whole" | "part" | "none";
}

/** A value of a label, and its cost in the running month. */
export interface Largest {
  readonly value: string;
  readonly billed: string;
}

/** The screen of one currency, with the figures that the page has in its charts and tables. */
export interface Overview extends Screen {
  /** The claim of the page, as a sentence. */
  readonly claim: string;
  /** The running month and the two before it, the newest first. */
  readonly months: readonly MonthSum[];
  /** All costs, also those of {@link later}, and the day of the first one. */
  readonly all: { readonly since: string | null; readonly billed: string };
  /** Costs of days after the day with which the page ends. */
  readonly later: string;
  readonly models: readonly Largest[];
  readonly keys: readonly Largest[];
}

/** A budget in the reporting currency, against which costs of all currencies count. */
export interface ReportingBudget {
  /** Whose costs count, such as `team Search`. */
  readonly name: string;
  readonly budget: string;
  readonly billed: string;
  /** Null where no forecast can be made. */
  readonly forecast: string | null;
}

/** The costs of all currencies in the one that the user named, each at the rate of its day. */
export interface Reporting {
  readonly currency: string;
  /** The running month, up to the day of the page. */
  readonly toDate: string;
  /** The days of the month after that. The budgets count them, too. */
  readonly later: string;
  readonly all: string;
  /** The budgets of the running month, those that are spent most first. */
  readonly budgets: readonly ReportingBudget[];
  /** The costs that are in neither sum, because no rate is given for them. */
  readonly missing: readonly {
    readonly currency: string;
    readonly billed: string;
    readonly firstDay: string;
    readonly lastDay: string;
  }[];
}

/** All figures of one currency. */
export interface View extends Screen {
  /** Consecutive days, from the first one with a cost. */
  readonly days: readonly string[];
  readonly dimensions: readonly Dimension[];
  readonly reaches: readonly Reach[];
  readonly units: readonly UnitCost[];
  readonly priceChanges: PriceChanges;
  /** Null if no token was cached. */
  readonly savings: Savings | null;
  /** The billed total of the newest version of each row, as an upsert would keep it, and of the rows that count. */
  readonly naive: string;
  readonly current: string;
  readonly provisional: string;
}

export type Status = "proven" | "unproven" | "incomplete";

/** Consecutive days with the same entries. */
export interface ProofRange {
  readonly dataset: string;
  readonly account: string;
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
  /** Null if the amount is in no sum. */
  readonly billed: string | null;
  readonly lastSeenAt: string;
  readonly currency: string;
}

export interface ReportData {
  readonly providers: readonly string[];
  /** Addresses and account labels, where there are several. */
  readonly accounts: readonly string[];
  /** Instant of the newest reading, on the provider's clock; empty without one. */
  readonly asOf: string;
  /** One for each currency; the one with the most records first. */
  readonly views: readonly View[];
  /** Null without a reporting currency, and where all costs are in it. */
  readonly reporting: Reporting | null;
  readonly ranges: readonly ProofRange[];
  /** Accounts of which no costs are known, and which no figure contains. */
  readonly withoutCosts: readonly string[];
  readonly removed: readonly RemovedRow[];
  /** Rows of inputs that the models cannot use, and budgets against which no cost can count. */
  readonly faults: readonly string[];
  /** Places where inputs and costs do not go together, in words. */
  readonly findings: readonly string[];
  /** Values that are in no sum, with their rows. */
  readonly unusable: Unusables;
  /** The command that made the report. */
  readonly madeBy: string;
}
