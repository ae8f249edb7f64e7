/** REC: whether records make sense (interface sections 2.4 to 2.6). */
import type { Check, Finding, Result } from "../check.ts";
import { Missing } from "../errors.ts";
import { parseInstant } from "../instants.ts";
import { repeatedName } from "../json.ts";
import type { Seen } from "../pages.ts";
import { bucketOf } from "../samples.ts";
import type { Session } from "../session.ts";
import { kindOf } from "./records.ts";
import { eachRecord, judgedAll, nameOf, quoted, readingsSeen, recordsSeen } from "./shared.ts";

type Fault = { seen: string; expected: string } | undefined;

function every(dataset: "usage" | "costs" | "both", judge: (seen: Seen) => Fault) {
  return async (session: Session): Promise<Result> => {
    const all = await recordsSeen(session);
    const own = all.filter(({ series }) => dataset === "both" || series.dataset === dataset);
    if (own.length === 0) throw new Missing(`${dataset} records`);
    return judgedAll(eachRecord(own, judge));
  };
}

function otherGranularity({ series, value }: Seen, name: string): Fault {
  const shown = value?.["x_Granularity"];
  if ((shown !== "1h" && shown !== "1d") || shown === series.granularity) return undefined;
  const expected = `x_Granularity "${series.granularity}", as asked for`;
  return { seen: `${name} has x_Granularity ${quoted(shown)}`, expected };
}

function wrongBucket(seen: Seen): Fault {
  const { start, end, series, value } = seen;
  if (start === undefined || end === undefined) return undefined;
  if (value === undefined || value["x_Granularity"] !== series.granularity) return undefined;
  const bucket = bucketOf(series);
  if (start % bucket === 0 && end === start + bucket) return undefined;
  return {
    seen: `${nameOf(seen)} covers ${quoted(value["ChargePeriodStart"])} to ${quoted(value["ChargePeriodEnd"])}`,
    expected: `a whole UTC ${series.granularity === "1h" ? "hour" : "day"}`,
  };
}

function periods(seen: Seen): Fault {
  const { value, start, end } = seen;
  if (start !== undefined && end !== undefined && end < start)
    return {
      seen: `the charge period of ${nameOf(seen)} ends before it starts`,
      expected: "start, then end",
    };
  const first = parseInstant(value?.["BillingPeriodStart"]);
  const last = parseInstant(value?.["BillingPeriodEnd"]);
  if (first === undefined || last === undefined || first < last) return undefined;
  return {
    seen: `the billing period of ${nameOf(seen)} ends before it starts`,
    expected: "start, then end",
  };
}

function correction(seen: Seen): Fault {
  const { value } = seen;
  const corrects = value?.["x_CorrectsRecordId"];
  if (corrects !== undefined && corrects !== null && corrects === seen.id)
    return { seen: `${nameOf(seen)} corrects itself`, expected: "the id of another record" };
  if (value?.["ChargeClass"] !== "Correction" || typeof corrects === "string") return undefined;
  return {
    seen: `${nameOf(seen)} has ChargeClass "Correction" and x_CorrectsRecordId ${quoted(corrects)}`,
    expected: "the id of the record that it corrects",
  };
}

function chargeClass(seen: Seen): Fault {
  const shown = seen.value?.["ChargeClass"];
  if (typeof shown !== "string" || shown === "Correction") return undefined;
  return {
    seen: `${nameOf(seen)} has ChargeClass ${quoted(shown)}`,
    expected: 'null or "Correction"',
  };
}

const UNCLEAN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F]/;

function text(seen: Seen): Fault {
  for (const [name, value] of Object.entries(seen.value ?? {})) {
    if (typeof value !== "string" || kindOf(seen.series, name) !== "other") continue;
    // Another check judges an empty x_RecordId.
    if (value === "" && name.startsWith("x_") && name !== "x_RecordId")
      return {
        seen: `${nameOf(seen)} has an empty ${name}`,
        expected: "null if there is no value",
      };
    if (UNCLEAN.test(value) || !value.isWellFormed())
      return {
        seen: `${name} of ${nameOf(seen)} has a control character or half a surrogate pair`,
        expected: "text that every database can keep",
      };
  }
  return undefined;
}

async function units(session: Session): Promise<Result> {
  const records = (await recordsSeen(session)).filter(({ series }) => series.dataset === "usage");
  if (records.length === 0) throw new Missing("usage records");
  const firsts = new Map<string, unknown>();
  return judgedAll(
    eachRecord(records, (seen) => {
      const { SkuId, SkuMeter, x_UsageType: type, ConsumedUnit: unit } = seen.value ?? {};
      const meter = JSON.stringify([SkuId, SkuMeter, type]);
      const first = firsts.get(meter) ?? unit;
      firsts.set(meter, first);
      if (first === unit) return undefined;
      return {
        seen: `${nameOf(seen)} counts ${quoted(SkuMeter)} in ${quoted(unit)}, others in ${quoted(first)}`,
        expected: "one unit for each SkuId, SkuMeter and x_UsageType",
      };
    }),
  );
}

async function names(session: Session): Promise<Result> {
  const findings: Finding[] = [];
  const pages = (await readingsSeen(session)).flatMap((reading) => reading.pages);
  for (const { exchange, envelope } of pages) {
    const name = envelope === undefined ? undefined : repeatedName(exchange.text);
    if (name === undefined) continue;
    const seen = `an object of the page has ${quoted(name)} twice`;
    findings.push({ seen, expected: "each name once in an object (RFC 8259 section 4)", exchange });
  }
  return judgedAll(findings);
}

async function ordered(session: Session): Promise<Result> {
  const findings: Finding[] = [];
  for (const { pages } of await readingsSeen(session)) {
    for (const { envelope, records } of pages) {
      const asOf = parseInstant(envelope?.["as_of"]);
      if (asOf === undefined) continue;
      findings.push(
        ...eachRecord(records, (seen) => {
          const updated = parseInstant(seen.value?.["x_RecordUpdatedAt"]);
          if (updated === undefined || updated <= asOf) return undefined;
          return {
            seen: `${nameOf(seen)} was updated at ${quoted(seen.value?.["x_RecordUpdatedAt"])}, after as_of`,
            expected: "an x_RecordUpdatedAt that is not after the page's as_of",
          };
        }),
      );
    }
  }
  return judgedAll(findings);
}

export const recordSenseChecks: readonly Check[] = [
  {
    id: "REC-06",
    level: "must",
    clause: "4.2",
    title: "Usage records have the granularity that was asked for.",
    protects: "Hours and days of the same usage in one table count it twice.",
    mend: "Filter usage by the parameter granularity.",
    run: every("usage", (seen) => otherGranularity(seen, nameOf(seen))),
  },
  {
    id: "REC-07",
    level: "should",
    clause: "4.2",
    title: "A usage record covers exactly one hour or one day, in UTC.",
    protects: "A bucket that is cut elsewhere falls into two days, or into none.",
    mend: "Begin charge periods of usage on whole UTC hours or days, and end them one bucket later.",
    run: every("usage", wrongBucket),
  },
  {
    id: "REC-08",
    level: "should",
    clause: "2.4, 2.6",
    title: "No charge period or billing period ends before it starts.",
    protects: "Such a record is in no window and no month.",
    mend: "Swap the two, or find out why the end is missing.",
    run: every("both", periods),
  },
  {
    id: "REC-09",
    level: "should",
    clause: "2.6, 3",
    title: "A correction names the record that it corrects, which is another one.",
    protects: "A report cannot tell a correction from a second charge.",
    mend: "Set x_CorrectsRecordId to the x_RecordId of the corrected record.",
    run: every("costs", correction),
  },
  {
    id: "REC-10",
    level: "should",
    clause: "2.6 (FOCUS ChargeClass)",
    title: "`ChargeClass` is null or `Correction`.",
    protects: "Queries that leave corrections out leave the wrong rows out.",
    mend: "Send null, or Correction for a change to a closed billing period.",
    run: every("costs", chargeClass),
  },
  {
    id: "REC-11",
    level: "should",
    clause: "2.4 (FOCUS NullHandling)",
    title: "Missing values are null, and texts hold nothing that a database refuses.",
    protects:
      "An empty project is one more project in every report; a NUL stops a load into PostgreSQL.",
    mend: "Send null in place of empty text, and strip control characters.",
    run: every("both", text),
  },
  {
    id: "REC-12",
    level: "should",
    clause: "2.5 (FOCUS ConsumedUnit)",
    title: "A meter counts in one unit.",
    protects:
      "Tokens added to thousands of tokens give a sum that is wrong by a factor of a thousand.",
    mend: "Choose one ConsumedUnit for each SkuId and SkuMeter.",
    run: units,
  },
  {
    id: "REC-13",
    level: "should",
    clause: "RFC 8259 section 4",
    title: "No name stands twice in one JSON object.",
    protects: "One reader takes the first value and another the last: two amounts for one record.",
    mend: "Build each object from a map, not by putting texts together.",
    run: names,
  },
  {
    id: "REC-14",
    level: "should",
    clause: "2.4, 2.6.1",
    title: "No record was updated after the `as_of` of its page.",
    protects:
      "The newer of two versions is chosen by x_RecordUpdatedAt; one from the future stays the newest for ever.",
    mend: "Set x_RecordUpdatedAt when the record changes, from the clock that as_of comes from.",
    run: ordered,
  },
];
