/** REC: each record against its schema (interface sections 2.1, 2.4 to 2.6). */
import { validateCosts, validateUsage } from "../../src/generated/all_violations.js";
import type { Violation } from "../../src/generated/all_violations.js";
import type { Check, Result } from "../check.ts";
import type { Seen } from "../pages.ts";
import type { Session } from "../session.ts";
import { eachRecord, judgedAll, nameOf, recordsSeen } from "./shared.ts";
import { fieldOf, findingOf, violationsOf } from "./violations.ts";

type Kind = "decimal" | "instant" | "enumeration" | "currency" | "other";

export const KINDS: Readonly<Record<string, Kind>> = {
  ConsumedQuantity: "decimal",
  BilledCost: "decimal",
  EffectiveCost: "decimal",
  PricingCurrencyBilledCost: "decimal",
  x_RecordUpdatedAt: "instant",
  ChargePeriodStart: "instant",
  ChargePeriodEnd: "instant",
  BillingPeriodStart: "instant",
  BillingPeriodEnd: "instant",
  BillingCurrency: "currency",
  PricingCurrency: "currency",
  x_Granularity: "enumeration",
  ServiceCategory: "enumeration",
  ChargeCategory: "enumeration",
  x_CostStatus: "enumeration",
  x_UsageType: "enumeration",
};

function kindOf(violation: Violation): Kind {
  return violation.keyword === "required" ? "other" : (KINDS[fieldOf(violation)] ?? "other");
}

/** At most one finding for a record: further faults show once this one is mended. */
async function violations(session: Session, kind: Kind): Promise<Result> {
  const fault = (seen: Seen) => {
    const validate = seen.series.dataset === "usage" ? validateUsage : validateCosts;
    const value = seen.value ?? null;
    const first = violationsOf(validate, value).find((one) => kindOf(one) === kind);
    return first && findingOf(nameOf(seen), value, first);
  };
  return judgedAll(eachRecord(await recordsSeen(session), fault));
}

export const recordChecks: readonly Check[] = [
  {
    id: "REC-01",
    level: "must",
    clause: "2.4-2.6",
    title: "Records have every required member, with its type.",
    protects: "A record that cannot be read is usage or money that is not counted.",
    mend: "Compare the record with the tables of sections 2.4 to 2.6, member by member.",
    run: (session) => violations(session, "other"),
  },
  {
    id: "REC-02",
    level: "must",
    clause: "2.1, 2.5, 2.6",
    title: "Quantities and amounts are decimal numbers as text, without an exponent.",
    protects:
      "A JSON number loses digits on its way through a double; sums no longer match the invoice.",
    mend: 'Write amounts as strings from an exact decimal type: "0.0000015", not 1.5e-6.',
    run: (session) => violations(session, "decimal"),
  },
  {
    id: "REC-03",
    level: "must",
    clause: "2",
    title: "Instants are RFC 3339 in UTC.",
    protects: "A charge with a local time lands in the wrong hour, day or month.",
    mend: "Write instants like 2026-01-31T00:00:00Z.",
    run: (session) => violations(session, "instant"),
  },
  {
    id: "REC-04",
    level: "must",
    clause: "2.1, 2.4-2.6",
    title: "Enumerated members have known values.",
    protects: "Reports group by these values; an unknown one falls out of every group.",
    mend: "Use the values of section 2.1; a usage type of your own begins with x_.",
    run: (session) => violations(session, "enumeration"),
  },
  {
    id: "REC-05",
    level: "must",
    clause: "2.1, 2.6",
    title: "Currencies are three capital letters.",
    protects: '"usd" and "USD" become two currencies in every sum.',
    mend: "Write ISO 4217 codes in capitals.",
    run: (session) => violations(session, "currency"),
  },
];
