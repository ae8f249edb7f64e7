import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RecordFingerprint } from "../core/identity.ts";
import { textRules } from "../generated/text_rules.ts";
import { type Validator, validateCosts, validateUsage } from "../generated/validators.js";
import { MemberRules, type PlainShape } from "./plain_shape.ts";
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
  rules: MemberRules,
  visit: (record: Fields, shape: PlainShape) => void,
): void {
  const body = Buffer.from(JSON.stringify({ data: records }));
  const page = scanPage(body, () => undefined);
  expect(page).not.toBeNull();
  page?.records.each(rules, (index, _start, _end, shape) => visit(records[index] ?? {}, shape));
}

describe.each(["usage", "costs"] as const)("plain records of %s", (name) => {
  const validate = VALIDATORS[name];

  test("V1: a record that is surely valid is valid for the validator, and nearly every valid one is sure", () => {
    const rules = new MemberRules(textRules[name]);
    let [sure, valids] = [0, 0];
    fc.assert(
      fc.property(changed(valid[name]), (records) => {
        walk(records, rules, (record, shape) => {
          const isValid = validate(record);
          if (shape.isValid) expect(validate.errors).toBeNull();
          if (shape.isValid) sure += 1;
          else if (isValid) shape.accept();
          if (isValid) valids += 1;
        });
      }),
      { numRuns: 3000 },
    );
    expect(valids).toBeGreaterThan(1000);
    expect(sure / valids).toBeGreaterThan(0.9);
  });

  test("V1: one invalid member makes every record doubtful that still has it", () => {
    const rules = new MemberRules(textRules[name]);
    const first = valid[name];
    const bad = { ...first, x_RecordUpdatedAt: "no instant" };
    const sure: boolean[] = [];
    walk([first, first, bad, { ...bad, x_RecordId: "b" }, first], rules, (record, shape) => {
      if (!shape.isValid && validate(record)) shape.accept();
      sure.push(shape.isValid);
    });
    expect(sure).toEqual([true, true, false, false, true]);
  });

  test("P5: a version and the start of the charge period are those of the members", () => {
    const rules = new MemberRules(textRules[name]);
    const [ours, theirs] = [new RecordFingerprint(), new RecordFingerprint()];
    fc.assert(
      fc.property(changed(valid[name]), (records) => {
        walk(records, rules, (record, shape) => {
          const { x_RecordId: id, x_RecordUpdatedAt: updatedAt, ChargePeriodStart: start } = record;
          expect(shape.members).toEqual(record);
          const areTexts = typeof id === "string" && typeof updatedAt === "string";
          expect(shape.versionInto(ours)).toBe(areTexts);
          if (areTexts) {
            theirs.setVersion(id, updatedAt);
            expect(ours.version).toEqual(theirs.version);
          }
          if (start === "2026-01-01T00:00:00Z") {
            expect(shape.chargeStart).toBe(Date.UTC(2026, 0, 1));
          }
        });
      }),
    );
  });
});

test("L1: a shape with names of many characters is not kept", () => {
  const rules = new MemberRules(textRules.usage);
  const long = ["x".repeat(5000)];
  expect(rules.shapeOf(long)).not.toBe(rules.shapeOf(long));
  expect(rules.shapeOf(["a"])).toBe(rules.shapeOf(["a"]));
});
