/** REC: each record against its schema (interface sections 2.1, 2.4 to 2.6). */
import { validateCosts, validateUsage } from "../../src/generated/all_violations.js";
import { textRules } from "../../src/generated/text_rules.ts";
import type { Check, Result } from "../check.ts";
import type { Seen, Series } from "../pages.ts";
import type { Session } from "../session.ts";
import { eachRecord, judgedAll, nameOf, recordsSeen } from "./shared.ts";
import { fieldOf, findingOf, violationsOf } from "./violations.ts";

type Kind = "decimal" | "instant" | "enumeration" | "currency" | "other";

/** The kind of a member. A rule that text_rules.ts calls `other` is the form of a currency, or a list of values. */
export function kindOf({ dataset }: Series, name: string): Kind {
  const rule = textRules[dataset].members[name];
  if (rule === "decimal" || rule === "nullableDecimal") return "decimal";
  if (rule === "instant") return "instant";
  if (rule !== "other") return "other";
  return name.endsWith("Currency") ? "currency" : "enumeration";
}

/** At most one finding for a record: further faults show once this one is mended. */
async function violations(session: Session, kind: Kind): Promise<Result> {
  const fault = (seen: Seen) => {
    const validate = seen.series.dataset === "usage" ? validateUsage : validateCosts;
    const value = seen.value ?? null;
    const first = violationsOf(validate, value).find(
      (one) => (one.keyword === "required" ? "other" : kindOf(seen.series, fieldOf(one))) === kind,
    );
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
