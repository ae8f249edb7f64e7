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
    id: text(
      "Identifier of the row: the reading, the day, and for strays the reading that wrote them.",
    ),
    reading_id: text(
      "Identifier of the reading that this row reports. Later readings sort after earlier ones. A row that takes back the proofs of a killed sync has an identifier of its own.",
    ),
    chain: text(
      "The end of all reading ids of one state of the stream. A stream that was cleared gets another chain.",
    ),
    rows_reading_id: text(
      "Whose rows stand for the day: the rows with this x_ReadingId. An earlier reading's, if the day has not changed since.",
    ),
    rows: whole("How many rows stand for the day."),
    dataset: text("The dataset that was read: usage or costs."),
    granularity: text("Width of the requested buckets: 1h or 1d. Costs are 1d."),
    account: text("The account label of the configuration."),
    base_url: text("Address of the provider."),
    window_start: instant("Start of the requested window, inclusive."),
    window_end: instant("End of the requested window, exclusive."),
    day: {
      description: "The UTC day of charge period that this row is about.",
      type: ["null", "string"],
      format: "date",
    },
    inside_window: truth(
      "False for a row about records whose charge period starts outside the window that returned them.",
    ),
    whole_window: truth(
      "False for a reading that speaks only for the days and the strays that it names: a second reading, one that looks for the owners of strays, a row that takes proofs back, and one that says how many strays of an earlier reading are left.",
    ),
    covered_from: instant(
      "Start of the part of the day for which the reading is complete; null if it proves nothing. Not within a day of the retention floor.",
    ),
    covered_through: instant(
      "End of the part of the day for which the reading is complete; null if it proves nothing. Not beyond available_through.",
    ),
    began_at: instant("When the reading began, on the provider's clock."),
    ended_at: instant("When the last page of the reading came, on the provider's clock."),
    pass_began_at: instant(
      "When the pass that this reading is a part of was planned, on the provider's clock. A sync that goes on with an interrupted pass keeps its instant.",
    ),
    earlier_ended: truth(
      "True if the connector knows that the pass before this one has ended, so that each row which that pass has shown is written. A pass does not count if it died before a state or a report named one of its windows. False behind a pass that was given up, and in the first pass of a state.",
    ),
    resumed: truth("True if an earlier sync began the reading."),
    first_as_of: instant("as_of of the reading's first page."),
    last_as_of: instant("as_of of the reading's last page."),
    moved: truth(
      "True if as_of changed during the reading: a row that is absent may have been skipped.",
    ),
    confirmed: truth(
      "True if the listing stood still during the reading, or if two readings in a row agree on the day. False if an interrupted reading may have left other rows.",
    ),
    shrunk: truth(
      "True if the reading showed less than half of the day's rows. It may be an outage: the earlier rows keep standing.",
    ),
    records: whole("How many records of the day the reading returned."),
    totals: {
      description:
        "Control totals of the returned records: exact decimals, one group for each unit or currency that may be summed. Null if they cannot be added up exactly.",
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
