/** Records that break their schema (V1): the message about them, and whether they may pass. */
import { foreignText } from "../core/foreign_text.ts";
import { formatInstant } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import { describeViolation } from "../interface/strictness.ts";
import { type Fields, isFields } from "../records/fields.ts";
import type { PageRecord } from "../records/page_record.ts";
import type { Warn } from "../records/page_records.ts";
import type { Granularity, StreamDefinition } from "./stream.ts";

/** How the records of a stream are checked. */
export interface RecordRules {
  readonly stream: StreamDefinition;
  /** The granularity of the query, which each record must have; null if the query has none. */
  readonly granularity: Granularity | null;
  readonly invalidRecords: "fail" | "warn";
  /** Receives a warning of a kind; the first few of each kind are logged, the others are counted. */
  readonly warn: Warn;
}

/**
 * Checks a record (V1). Returns it if it may be emitted: it keeps its schema, or `invalid_records: "warn"` lets it pass.
 *
 * @param index its place in the page, from 0
 * @throws ConnectorError `invalid_record` if the record may not be emitted
 */
export function checked(
  record: PageRecord,
  index: number,
  window: Range,
  rules: RecordRules,
): Fields {
  const isValid = record.isValid();
  const { value } = record;
  if (isValid && isFields(value)) return asAsked(value, index, window, rules);
  return tolerated(value, index, describeViolation(rules.stream.schema.violation), window, rules);
}

/** Checks the granularity of a record that keeps its schema. */
function asAsked(value: Fields, index: number, window: Range, rules: RecordRules): Fields {
  const { granularity } = rules;
  if (granularity === null || value["x_Granularity"] === granularity) return value;
  const rule = `x_Granularity must be "${granularity}", which was asked for`;
  return tolerated(value, index, rule, window, rules);
}

function tolerated(
  value: unknown,
  index: number,
  rule: string,
  window: Range,
  { invalidRecords, warn }: RecordRules,
): Fields {
  const id = isFields(value) ? value["x_RecordId"] : undefined;
  const isNamed = typeof id === "string" && id !== "";
  const name = isNamed ? `"${foreignText(id)}"` : `number ${index + 1} of its page`;
  const range = `${formatInstant(window.start)} to ${formatInstant(window.end)}`;
  const what = `record ${name} of the window ${range} breaks the interface: ${rule}`;
  const isIdentified =
    isNamed &&
    isFields(value) &&
    ["ChargePeriodStart", "ChargePeriodEnd"].every((key) => typeof value[key] === "string");
  if (isIdentified && invalidRecords === "warn") {
    warn("invalid record", `${what}. It is passed on as it came.`);
    return value;
  }
  throw new ConnectorError(
    "invalid_record",
    `The provider's ${what}. Nothing was dropped: the position stays before it. Report it to the provider` +
      (isIdentified
        ? `, or set invalid_records to "warn" to pass such records on as they come.`
        : "; a record without an identifier and a charge period cannot be passed on."),
    { detail: what },
  );
}
