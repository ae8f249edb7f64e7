/** The `json_schema` of the stream `export_windows` (R5) as the catalog shows it. */

const text = (description: string) => ({ description, type: ["null", "string"] });
const truth = (description: string) => ({ description, type: ["null", "boolean"] });
const whole = (description: string) => ({ description, type: ["null", "integer"] });
const instant = (description: string) => ({
  description,
  type: ["null", "string"],
  format: "date-time",
  airbyte_type: "timestamp_with_timezone",
});

export const exportWindowsSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  additionalProperties: true,
  properties: {
    reading_id: text(
      "The reading; the same as x_ReadingId in the rows that it returned. Later readings sort after earlier ones.",
    ),
    dataset: text("What was read: usage or costs."),
    granularity: text("Width of the buckets that were asked for: 1h or 1d. Costs are 1d."),
    account: text("The account label of the configuration."),
    base_url: text("Address of the provider."),
    window_start: instant("Start of the window that was asked for, inclusive."),
    window_end: instant("End of the window that was asked for, exclusive."),
    day: {
      description: "The UTC day of charge period that this row is about.",
      type: ["null", "string"],
      format: "date",
    },
    inside_window: truth(
      "False for a row about records that were returned although their charge period starts outside the window.",
    ),
    covered_from: instant(
      "From where the reading is complete within the day; null where it proves nothing. Not within a day of the retention floor.",
    ),
    covered_through: instant(
      "Up to where the reading is complete within the day; null where it proves nothing. Not beyond available_through.",
    ),
    began_at: instant("When the reading began, on the provider's clock."),
    ended_at: instant("When the reading ended, on the provider's clock."),
    resumed: truth("Whether the reading was begun by an earlier sync."),
    first_as_of: instant("as_of of the reading's first page."),
    last_as_of: instant("as_of of the reading's last page."),
    moved: truth(
      "Whether as_of changed while the reading went on: what is absent may have been skipped.",
    ),
    records: whole("Records of the day that carry this reading's id."),
    totals: {
      description: "Control totals of these records: exact decimals, by what may be summed.",
      type: ["null", "array"],
      items: {
        type: ["null", "object"],
        additionalProperties: true,
        properties: {
          records: whole("Records of the group."),
          usage_type: text("Usage: x_UsageType."),
          unit: text("Usage: ConsumedUnit."),
          quantity: text("Usage: sum of ConsumedQuantity."),
          currency: text("Costs: BillingCurrency."),
          charge_category: text("Costs: ChargeCategory."),
          cost_status: text("Costs: x_CostStatus."),
          billed: text("Costs: sum of BilledCost."),
          effective: text("Costs: sum of EffectiveCost. Never to be added to billed."),
        },
      },
    },
  },
} as const;
