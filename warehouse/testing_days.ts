/** For tests: rows and reports of single days, as SQL. */
import type { Dataset } from "./kept.ts";

/** A day of October of 2026; a number beyond 31 is a day after it. */
const dayAt = (day: number): string => `(DATE '2026-10-01' + ${day - 1})`;
export const at = (day: number): string => `${dayAt(day)}::TIMESTAMP`;

/** Columns and their values, as SQL. */
export type Values = Readonly<Record<string, string>>;

const insert = (table: string, values: Values): string => {
  const columns = Object.entries(values).map(([name, value]) => `${value} AS "${name}"`);
  return `INSERT INTO ${table} BY NAME SELECT ${columns.join(", ")}`;
};

interface Report {
  /** The day that is reported. */
  readonly on?: number;
  /** The first day of the window, and the day after the last one; the reported day where it is absent. */
  readonly window?: readonly [first: number, end: number];
  /** The number of the reading whose rows stand; the reading itself where it is absent. */
  readonly of?: number;
  /** The number of rows that stand. */
  readonly rows?: number;
  readonly others?: Values;
}

interface Row {
  readonly on?: number;
  /** The day after the last one of the charge period. */
  readonly end?: number;
  readonly others?: Values;
}

const ROW: Values = {
  x_Granularity: "'1d'",
  ServiceProviderName: "'A'",
  ServiceCategory: "'AI and Machine Learning'",
  ServiceName: "'Inference'",
};
const USAGE: Values = { ...ROW, ConsumedUnit: "'tokens'", x_UsageType: "'input'" };
const COSTS: Values = {
  ...ROW,
  BillingPeriodStart: at(1),
  BillingPeriodEnd: at(32),
  InvoiceIssuerName: "'A'",
  ChargeCategory: "'Usage'",
  ChargeDescription: "'tokens'",
  BillingCurrency: "'USD'",
  x_CostStatus: "'final'",
};

/** The report of a reading that proves its days. */
const PROVING: Values = {
  granularity: "'1d'",
  base_url: "'https://a.example'",
  inside_window: "true",
  whole_window: "true",
  confirmed: "true",
  resumed: "false",
  moved: "false",
  shrunk: "false",
  totals: "'[]'::JSON",
};

/** Such a report proves nothing, and no row is judged by it. */
export const UNCONFIRMED: Values = { confirmed: "false", moved: "true" };
export const STRAY: Values = { inside_window: "false" };

/** A change of all reports of a reading. */
export const reported = (reading: string, change: string): string =>
  `UPDATE export_windows SET ${change} WHERE reading_id = ${reading}`;

/** The statements before a refresh, and those between it and the next one. */
export interface Phases {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The time of a reading. */
const readAt = (reading: number): string => at(40 + reading);

const reportedAt = (reading: number): Values => ({
  began_at: readAt(reading),
  ended_at: readAt(reading),
  pass_began_at: readAt(reading),
  first_as_of: readAt(reading),
  last_as_of: readAt(reading),
  _airbyte_extracted_at: readAt(reading),
});

const reportedOf = (first: number, end: number): Values => ({
  window_start: at(first),
  window_end: at(end),
  covered_from: at(first),
  covered_through: at(end),
});

/** The statements about a day of an account. Its readings and records are its own. Readings have numbers; the first is of November 10. */
export interface Day {
  /** The id of a reading. */
  readonly reading: (number: number) => string;
  /** The id of a record. */
  readonly record: (name: string) => string;
  /** Inserts a report, which confirms its day. */
  readonly report: (reading: number, report?: Report) => string;
  /** Inserts a row. Its amount is the number of the reading. */
  readonly row: (name: string, reading: number, row?: Row) => string;
}

export function dayOf(dataset: Dataset, day: number, account = "x"): Day {
  const reading = (number: number): string => `'r${number} of ${day} ${account}'`;
  const record = (name: string): string => `'${name} of ${day} ${account}'`;
  return {
    reading,
    record,
    report: (
      number,
      { on = day, window: [first, end] = [on, on + 1], of = number, rows = 0, others } = {},
    ) =>
      insert("export_windows", {
        id: `'${dataset} ${number} ${on} ${day} ${account}'`,
        reading_id: reading(number),
        rows_reading_id: reading(of),
        dataset: `'${dataset}'`,
        account: `'${account}'`,
        chain: `'${account}'`,
        day: dayAt(on),
        ...reportedAt(number),
        ...reportedOf(first, end),
        records: String(rows),
        rows: String(rows),
        ...PROVING,
        ...others,
      }),
    row: (name, number, { on = day, end = on + 1, others } = {}) =>
      insert(dataset, {
        x_RecordId: record(name),
        x_ReadingId: reading(number),
        x_RecordUpdatedAt: readAt(number),
        ChargePeriodStart: at(on),
        ChargePeriodEnd: at(end),
        _airbyte_extracted_at: readAt(number),
        ...(dataset === "usage"
          ? { ...USAGE, ConsumedQuantity: `'${number}'` }
          : { ...COSTS, BilledCost: `'${number}'`, EffectiveCost: `'${number}'` }),
        ...others,
      }),
  };
}
