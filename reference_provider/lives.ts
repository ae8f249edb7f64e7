import { formatInstant, parseInstant, requireInstant } from "./instants.ts";
import type { Instant } from "./instants.ts";
import { costRecord, isObject, usageRecord } from "./model.ts";
import type { BillingRecord, DatasetName } from "./model.ts";

/** A change of a record: from `at` on, its fields have the values in `changes`. */
export interface Change {
  readonly at: Instant;
  readonly changes: Readonly<Record<string, unknown>>;
}

/**
 * A record and its later changes.
 *
 * A change may set `x_RecordId` (the record is issued again under another id) or `ChargePeriodStart` (the record
 * moves). `x_RecordUpdatedAt` is the instant of the latest step, unless the record or a change sets it itself.
 */
export interface Life {
  readonly record: Readonly<Record<string, unknown>>;
  /** First instant at which an export shows the record. */
  readonly visibleFrom: Instant;
  /** Sorted by time. */
  readonly changes: readonly Change[];
  /** First instant at which an export no longer shows it. */
  readonly withdrawnAt?: Instant;
}

/** One state of a record, shown by exports from `from` (inclusive) to `until` (exclusive). */
export interface Version {
  readonly from: Instant;
  readonly until: Instant;
  /** End of the charge period in this version. */
  readonly end: Instant;
  readonly record: BillingRecord;
}

/** All versions of a record under one key. The key is (start of the charge period, id). */
export interface Row {
  readonly start: Instant;
  readonly id: string;
  readonly versions: readonly Version[];
}

function instantOf(value: unknown, what: string): Instant {
  const instant = typeof value === "string" ? parseInstant(value) : undefined;
  if (instant === undefined) throw new TypeError(`${what} must be an RFC 3339 instant in UTC`);
  return instant;
}

function changeOf(value: unknown, what: string, extra: Readonly<Record<string, unknown>>): Change {
  if (!isObject(value)) throw new TypeError(`${what} must be an object with "at" and "changes"`);
  const changes = value["changes"] ?? {};
  if (!isObject(changes)) throw new TypeError(`${what}.changes must be an object`);
  return { at: instantOf(value["at"], `${what}.at`), changes: { ...extra, ...changes } };
}

const LIFE_KEYS = new Set([
  "dataset",
  "record",
  "visible_from",
  "restated",
  "finalized",
  "withdrawn_at",
]);

/**
 * Reads a life as the data files and `POST /control/records` write it:
 * `{"record": {…}, "visible_from": I, "restated": [{"at": I, "changes": {…}}], "finalized": {"at": I, "changes": {…}},
 * "withdrawn_at": I}`. Only `record` is required; `visible_from` defaults to the record's `x_RecordUpdatedAt`;
 * `finalized` sets `x_CostStatus` to `final`. Throws a TypeError that names the offending part.
 */
export function parseLife(value: unknown): Life {
  if (!isObject(value) || !isObject(value["record"]))
    throw new TypeError('a life is an object with a "record"');
  const unknown = Object.keys(value).find((key) => !LIFE_KEYS.has(key));
  if (unknown !== undefined) throw new TypeError(`a life has no "${unknown}"`);
  const record = value["record"];
  const restated = value["restated"] ?? [];
  if (!Array.isArray(restated)) throw new TypeError("restated must be an array");
  const changes = restated.map((item: unknown, index) => changeOf(item, `restated[${index}]`, {}));
  if (value["finalized"] !== undefined) {
    changes.push(changeOf(value["finalized"], "finalized", { x_CostStatus: "final" }));
  }
  return {
    record,
    visibleFrom: instantOf(value["visible_from"] ?? record["x_RecordUpdatedAt"], "visible_from"),
    changes: changes.toSorted((a, b) => a.at - b.at),
    ...(value["withdrawn_at"] === undefined
      ? {}
      : { withdrawnAt: instantOf(value["withdrawn_at"], "withdrawn_at") }),
  };
}

/** Writes a life in the form that `parseLife` reads. */
export function formatLife(life: Life): Record<string, unknown> {
  return {
    record: life.record,
    visible_from: formatInstant(life.visibleFrom),
    restated: life.changes.map(({ at, changes }) => ({ at: formatInstant(at), changes })),
    ...(life.withdrawnAt === undefined ? {} : { withdrawn_at: formatInstant(life.withdrawnAt) }),
  };
}

function versionsOf(dataset: DatasetName, life: Life): Version[] {
  const check = dataset === "usage" ? usageRecord : costRecord;
  const end = life.withdrawnAt ?? Number.POSITIVE_INFINITY;
  const steps: Change[] = [{ at: life.visibleFrom, changes: life.record }, ...life.changes];
  const versions: Version[] = [];
  let fields: Record<string, unknown> = {};
  steps.forEach((step, index) => {
    const from = Math.max(step.at, life.visibleFrom);
    const until = Math.min(steps[index + 1]?.at ?? Number.POSITIVE_INFINITY, end);
    fields = {
      ...fields,
      ...step.changes,
      x_RecordUpdatedAt: step.changes["x_RecordUpdatedAt"] ?? formatInstant(from),
    };
    if (from >= until) return;
    const record = check(fields);
    versions.push({ from, until, end: requireInstant(record.ChargePeriodEnd), record });
  });
  return versions;
}

/** The rows of a life: one for each key that the record ever has. Throws if a version is invalid. */
export function rowsOfLife(dataset: DatasetName, life: Life): Row[] {
  const rows = new Map<string, { start: Instant; id: string; versions: Version[] }>();
  for (const version of versionsOf(dataset, life)) {
    const { x_RecordId: id, ChargePeriodStart } = version.record;
    const start = requireInstant(ChargePeriodStart);
    const key = `${start} ${id}`;
    const row = rows.get(key);
    if (row === undefined) rows.set(key, { start, id, versions: [version] });
    else row.versions.push(version);
  }
  return [...rows.values()];
}

/** The version that an export shows at an instant, if any. */
export function versionAt(row: Row, at: Instant): Version | undefined {
  return row.versions.find((version) => version.from <= at && at < version.until);
}
