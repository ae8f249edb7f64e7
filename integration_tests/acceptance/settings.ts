/**
 * The members of acceptance-test-config.yml that connector acceptance tests 3.9.8 know. They refuse a file with any other
 * member as a whole. Source: the pydantic models of `connector_acceptance_test/config.py` in that version.
 */
import * as z from "zod";

const text = z.string().min(1);
const seconds = z.int().min(0);
const explained = z.strictObject({ name: text, bypass_reason: text.optional() });

const common = {
  config_path: text.optional(),
  timeout_seconds: seconds.optional(),
  deployment_mode: z.enum(["cloud", "oss"]).optional(),
};
const reading = { ...common, configured_catalog_path: text.optional() };

const backwardCompatibility = z.strictObject({
  previous_connector_version: text.optional(),
  disable_for_version: text.optional(),
});

/** A section has tests, or a reason why it has none. Unlike the original models, this schema allows no further member. */
function sectionOf<Test extends z.ZodType>(schema: Test) {
  return z.union([
    z.strictObject({ tests: z.array(schema).min(1) }),
    z.strictObject({ bypass_reason: text }),
  ]);
}

const spec = z.strictObject({
  ...common,
  spec_path: text.optional(),
  backward_compatibility_tests_config: backwardCompatibility.optional(),
  auth_default_method: z
    .union([
      z.strictObject({ oauth: z.literal(true) }),
      z.strictObject({ oauth: z.literal(false), bypass_reason: text }),
    ])
    .optional(),
});

const connection = z.strictObject({
  ...common,
  status: z.enum(["succeed", "failed", "exception"]).optional(),
});

const discovery = z.strictObject({
  ...common,
  backward_compatibility_tests_config: backwardCompatibility.optional(),
  validate_primary_keys_data_type: z.boolean().optional(),
});

const basicRead = z.strictObject({
  ...reading,
  empty_streams: z.array(explained).optional(),
  expect_records: z
    .union([
      z.strictObject({ path: text, exact_order: z.boolean().optional() }),
      z.strictObject({ bypass_reason: text }),
    ])
    .optional(),
  validate_schema: z.boolean().optional(),
  validate_stream_statuses: z.boolean().optional(),
  validate_state_messages: z.boolean().optional(),
  validate_primary_keys_data_type: z.boolean().optional(),
  fail_on_extra_columns: z.boolean().optional(),
  validate_data_points: z.boolean().optional(),
  expect_trace_message_on_failure: z.boolean().optional(),
});

const fullRefresh = z.strictObject({
  ...reading,
  ignored_fields: z.record(text, z.array(explained)).optional(),
});

const incremental = z.strictObject({
  ...reading,
  future_state: z
    .union([
      z.strictObject({ future_state_path: text, missing_streams: z.array(explained).optional() }),
      z.strictObject({ bypass_reason: text }),
    ])
    .optional(),
  skip_comprehensive_incremental_tests: z.boolean().optional(),
});

/** At high strictness, where every one of these sections must be there. */
export const settingsSchema = z.strictObject({
  connector_image: text,
  test_strictness_level: z.literal("high"),
  acceptance_tests: z.strictObject({
    spec: sectionOf(spec),
    connection: sectionOf(connection),
    discovery: sectionOf(discovery),
    basic_read: sectionOf(basicRead),
    full_refresh: sectionOf(fullRefresh),
    incremental: sectionOf(incremental),
  }),
});
