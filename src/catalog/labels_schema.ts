/** The `json_schema` of the stream `labels` (N1) as the catalog shows it. */

const text = (description: string) => ({ description, type: ["null", "string"] });

export const labelsSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  additionalProperties: true,
  properties: {
    id: text("Identifier of the row: the label and the value."),
    label: text("The dimension that the value belongs to: project, workspace or api_key."),
    value: text(
      "The id, as x_ProjectId, x_WorkspaceId and x_ApiKeyId of the records have it. Two values may have one name.",
    ),
    name: text("The name that the provider has for the id today; null if there is none."),
    is_archived: {
      description: "True if it can no longer be used: archived, expired or disabled.",
      type: ["null", "boolean"],
    },
    read_at: {
      description:
        "When the name was read, on the provider's clock. Of two rows with one id the later one is valid.",
      type: ["null", "string"],
      format: "date-time",
      airbyte_type: "timestamp_with_timezone",
    },
  },
} as const;
