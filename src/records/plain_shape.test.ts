import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RecordFingerprint } from "../core/identity.ts";
import { textRules } from "../generated/text_rules.ts";
import { type Validator, validateCosts, validateUsage } from "../generated/validators.js";
import { textOf } from "./fields.ts";
import type { PageRecord } from "./page_record.ts";
import { RecordSchema } from "./record_schema.ts";
import { scanPage } from "./scan.ts";

type Fields = Record<string, string | null>;

const VALIDATORS: Readonly<Record<"usage" | "costs", Validator>> = {
  usage: validateUsage,
  costs: validateCosts,
};

/** Values that keep a rule, values that nearly keep it, and arbitrary values. */
const values = fc.oneof(
  fc.constantFrom("", "1h", "1d", "AI and Machine Learning", "USD", "Usage", "final", "x_own"),
  fc.constantFrom("input_tokens", "provisional", "usd", "x_", "Tax", null),
  fc.constantFrom("0", "-1.50", "00", "1.", ".5", "-", "1e3", "+1", "0.0", "01", "1.2.3", "-0"),
  fc.constantFrom("2026-01-31T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-31T00:00:60Z"),
  fc.constantFrom("2026-01-31T23:59:59+00:00", "2026-01-31T00:00:00.5Z", "2026-01-31t00:00:00z"),
  fc.constantFrom("2026-01-31T24:00:00Z", "2026-01-31 00:00:00Z", "2026-1-031T00:00:00Z"),
  fc.constantFrom("2026-01-31T00:00:00+02:00", "2026-01-31"),
  fc.string({ unit: fc.constantFrom("a", "9", "-", ".", "é", "東") }),
);

/** The members that usage and costs share. */
const common = {
  x_RecordId: "a",
  x_RecordUpdatedAt: "2026-01-02T00:00:00Z",
  x_Granularity: "1d",
  ChargePeriodStart: "2026-01-01T00:00:00Z",
  ChargePeriodEnd: "2026-01-02T00:00:00Z",
  ServiceProviderName: "Provider",
  ServiceCategory: "AI and Machine Learning",
  ServiceName: "Chat",
};

/** A record that keeps its schema. */
const valid: Readonly<Record<"usage" | "costs", Fields>> = {
  usage: {
    ...common,
    SkuId: "sku",
    SkuMeter: "Input Tokens",
    x_WorkspaceId: null,
    ConsumedQuantity: "12.50",
    ConsumedUnit: "Tokens",
    x_UsageType: "input_tokens",
    x_Foreign: null,
  },
  costs: {
    ...common,
    BillingPeriodStart: "2026-01-01T00:00:00Z",
    BillingPeriodEnd: "2026-02-01T00:00:00Z",
    InvoiceIssuerName: "Provider",
    ChargeCategory: "Usage",
    ChargeDescription: "",
    BillingCurrency: "USD",
    BilledCost: "1.10",
    EffectiveCost: "1.10",
    PricingCurrency: null,
    PricingCurrencyBilledCost: null,
    x_CostStatus: "provisional",
  },
};

/** Pages of records that are changes of a valid one: other values, and members that are missing. */
const changed = (record: Fields): fc.Arbitrary<Fields[]> => {
  const name = fc.constantFrom(...Object.keys(record));
  const change = fc.dictionary(name, fc.oneof(values, fc.constant(undefined)), { maxKeys: 2 });
  return fc.array(
    change.map((more) =>
      Object.fromEntries(
        Object.entries({ ...record, ...more }).flatMap(([key, value]) =>
          value === undefined ? [] : [[key, value]],
        ),
      ),
    ),
    { minLength: 1, maxLength: 8 },
  );
};

/** Calls `visit` for each record of a plain page. */
function walk(
  records: readonly Fields[],
  schema: RecordSchema,
  visit: (record: Fields, present: PageRecord) => void,
): void {
  const body = Buffer.from(JSON.stringify({ data: records }));
  const page = scanPage(body, () => undefined);
  expect(page).not.toBeNull();
  const warn = (): never => expect.unreachable();
  page?.records.each(schema, (present, index) => visit(records[index] ?? {}, present), warn);
}

/** A schema that counts how often the validator was asked. */
function counting(name: "usage" | "costs") {
  const counted = { asked: 0 };
  const validate = (value: unknown): boolean => {
    counted.asked += 1;
    return VALIDATORS[name](value);
  };
  return { counted, schema: new RecordSchema(validate, textRules[name]) };
}

describe.each(["usage", "costs"] as const)("plain records of %s", (name) => {
  const validate = VALIDATORS[name];

  test("V1: a record is valid as the validator says, which is hardly ever asked about a valid one", () => {
    const { counted, schema } = counting(name);
    let [unasked, valids] = [0, 0];
    fc.assert(
      fc.property(changed(valid[name]), (records) => {
        walk(records, schema, (record, present) => {
          const { asked } = counted;
          const isValid = present.isValid();
          expect(isValid).toBe(validate(record));
          if (isValid) valids += 1;
          if (counted.asked === asked) unasked += 1;
        });
      }),
      { numRuns: 3000 },
    );
    expect(valids).toBeGreaterThan(1000);
    expect(unasked / valids).toBeGreaterThan(0.9);
  });

  test("V1: one invalid member makes every record invalid that still has it", () => {
    const { counted, schema } = counting(name);
    const first = valid[name];
    const bad = { ...first, x_RecordUpdatedAt: "no instant" };
    walk([first], schema, (_record, present) => present.isValid()); // its values are known from here
    counted.asked = 0;
    const valids: boolean[] = [];
    walk([first, first, bad, { ...bad, x_RecordId: "b" }, first], schema, (_record, present) =>
      valids.push(present.isValid()),
    );
    expect(valids).toEqual([true, true, false, false, true]);
    expect(counted.asked).toBe(2);
  });

  test("P5: a version and the start of the charge period are those of the members", () => {
    const { schema } = counting(name);
    const [ours, theirs] = [new RecordFingerprint(), new RecordFingerprint()];
    fc.assert(
      fc.property(changed(valid[name]), (records) => {
        walk(records, schema, (record, present) => {
          const { x_RecordId: id, x_RecordUpdatedAt: updatedAt, ChargePeriodStart: start } = record;
          expect(present.value).toEqual(record);
          present.hashInto(ours, false);
          theirs.setVersion(textOf(id), textOf(updatedAt));
          expect(ours.version).toEqual(theirs.version);
          if (start === "2026-01-01T00:00:00Z") {
            expect(present.chargeStart).toBe(Date.UTC(2026, 0, 1));
          }
        });
      }),
    );
  });
});

test("L1: a shape with names of many characters is not kept", () => {
  const { schema } = counting("usage");
  const long = ["x".repeat(5000)];
  expect(schema.shapeOf(long)).not.toBe(schema.shapeOf(long));
  expect(schema.shapeOf(["a"])).toBe(schema.shapeOf(["a"]));
});
