import fc from "fast-check";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { discoverCatalog, parseCatalog } from "./catalog.ts";
import { ConnectorError } from "../errors.ts";
import type { Capabilities } from "../generated/capabilities.d.ts";

const dataset = {
  endpoint: "/v1/usage",
  granularities: ["1d"],
  retention_days: 90,
  maximum_window_days: 31,
  dimensions: [],
} satisfies Capabilities["datasets"]["usage"];

const usageOnly: Capabilities = {
  profile_version: "0.1",
  focus_version: "1.4",
  provider: "Example",
  authorization_methods: ["scoped_bearer_token"],
  datasets: { usage: dataset },
};
const both: Capabilities = { ...usageOnly, datasets: { usage: dataset, costs: dataset } };

const entry = (name: unknown, sync_mode: unknown = "incremental") => ({
  stream: { name },
  sync_mode,
});

function faultOf(catalog: unknown): ConnectorError {
  try {
    parseCatalog(catalog);
  } catch (error) {
    if (error instanceof ConnectorError) return error;
    throw error;
  }
  throw new Error("the catalog was accepted");
}

test("costs are offered only if the provider has them", () => {
  expect(discoverCatalog(both, false).map(({ name }) => name)).toEqual([
    "usage",
    "costs",
    "export_windows",
  ]);
  expect(discoverCatalog(usageOnly, false).map(({ name }) => name)).toEqual([
    "usage",
    "export_windows",
  ]);
});

test("N1: names are offered only if the source has them", () => {
  expect(discoverCatalog(both, false).map(({ name }) => name)).not.toContain("labels");
  expect(discoverCatalog(both, true).map(({ name }) => name)).toEqual([
    "usage",
    "costs",
    "export_windows",
    "labels",
  ]);
});

/** Cursor, key, and a member of the streams that are no dataset of the interface. */
const OWN = {
  export_windows: { cursor: "ended_at", key: "id", member: "reading_id" },
  labels: { cursor: "read_at", key: "id", member: "name" },
};
const OF_RECORDS = { cursor: "x_ReadingId", key: "x_RecordId", member: "x_ReadingId" };

test("every stream keeps the rules of the discovery tests", () => {
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  for (const stream of discoverCatalog(both, true)) {
    const own = stream.name === "export_windows" || stream.name === "labels" ? stream.name : null;
    const { cursor, key: id, member } = own === null ? OF_RECORDS : OWN[own];
    expect(stream.supported_sync_modes).toEqual([
      ...(own === null ? ["full_refresh"] : []),
      "incremental",
    ]);
    expect(stream.source_defined_cursor).toBe(true);
    expect(stream.is_resumable).toBe(true);
    expect(stream.default_cursor_field).toEqual([cursor]);
    expect(stream.source_defined_primary_key).toEqual([[id]]);

    const schema = stream.json_schema;
    expect(ajv.validateSchema(schema)).toBe(true);
    expect(schema["$schema"]).toBe("http://json-schema.org/draft-07/schema#");
    expect(schema["additionalProperties"]).toBe(true);
    expect(JSON.stringify(schema)).not.toMatch(/"(\$ref|allOf|anyOf|oneOf|not)":/);
    const properties = schema["properties"] as Record<string, { type: unknown; format?: string }>;
    for (const [key] of [stream.default_cursor_field, ...stream.source_defined_primary_key]) {
      const property = properties[key ?? ""];
      expect(property, key).toBeDefined();
      expect(JSON.stringify(property?.type)).not.toMatch(/object|array/);
    }
    expect(properties).toHaveProperty(member);
    for (const [key, property] of Object.entries(properties)) {
      expect(property.type, key).toContain("null");
      if (property.format === undefined || property.format === "date") continue;
      expect(property, key).toMatchObject({
        format: "date-time",
        airbyte_type: "timestamp_with_timezone",
      });
    }
  }
});

test("a catalog may have nulls and the platform's own keys", () => {
  const catalog = {
    streams: [
      {
        stream: { name: "costs", namespace: null, json_schema: {}, supported_sync_modes: null },
        sync_mode: "full_refresh",
        destination_sync_mode: "append",
        cursor_field: null,
        primary_key: null,
        generation_id: 3,
        sync_id: null,
      },
      { ...entry("usage"), cursor_field: ["x_RecordUpdatedAt"], include_files: null },
    ],
    more: true,
  };
  expect(parseCatalog(catalog)).toEqual({
    streams: [
      { name: "costs", syncMode: "full_refresh" },
      { name: "usage", syncMode: "incremental" },
    ],
    faults: [],
  });
});

test("the streams of discover can be configured unchanged", () => {
  const streams = discoverCatalog(both, true).map((stream) => ({
    stream,
    sync_mode: "incremental",
  }));
  expect(parseCatalog({ streams })).toMatchObject({ streams: { length: 4 }, faults: [] });
});

test("a stream that cannot be read is a fault of its own, and the others stay", () => {
  const { streams, faults } = parseCatalog({
    streams: [
      entry("invoices"),
      entry("usage", "INVALID"),
      entry("costs"),
      { stream: { name: "Usage" } },
    ],
  });
  expect(streams).toEqual([{ name: "costs", syncMode: "incremental" }]);
  expect(faults.map(({ code, stream }) => [code, stream])).toEqual([
    ["invalid_catalog", "invoices"],
    ["invalid_catalog", "usage"],
    ["invalid_catalog", "Usage"],
  ]);
  expect(faults.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /"invoices" does not exist; this source has "usage", "costs", "export_windows", "labels"/,
    ),
    expect.stringMatching(/sync_mode must be "full_refresh" or "incremental"/),
    expect.stringMatching(/"Usage" does not exist/),
  ]);
});

test("a sync mode that is missing or null is a fault of its stream", () => {
  const { faults } = parseCatalog({
    streams: [{ stream: { name: "usage" } }, entry("costs", null)],
  });
  expect(faults.map(({ stream }) => stream)).toEqual(["usage", "costs"]);
});

test("one error names all faults of the shape", () => {
  expect(faultOf({ streams: [null, {}, entry(""), entry(7), entry("usage")] }).message).toBe(
    [
      "The catalog has 4 faults:",
      "- streams[0] must be an object",
      "- streams[1].stream is required",
      "- streams[2].stream.name must not be empty",
      "- streams[3].stream.name must be text",
    ].join("\n"),
  );
});

test("a stream that is in the catalog twice is refused", () => {
  const error = faultOf({
    streams: [entry("usage"), entry("costs"), entry("usage", "full_refresh")],
  });
  expect(error.code).toBe("invalid_catalog");
  expect(error.message).toBe(
    'The catalog has a fault: streams[2] must not name "usage" a second time.',
  );
});

test.each([
  [null, "it must be an object"],
  [[], "it must be an object"],
  [{}, "streams is required"],
  [{ streams: {} }, "streams must be a list"],
])("%j is no catalog", (value, words) => {
  expect(faultOf(value).message).toBe(`The catalog has a fault: ${words}.`);
});

test("an empty catalog reads nothing", () => {
  expect(parseCatalog({ streams: [] })).toEqual({ streams: [], faults: [] });
});

test("whatever a catalog holds, each stream is read, is a fault, or the catalog is refused", () => {
  const streams = fc.array(
    fc.oneof(
      fc.record({
        stream: fc.record({ name: fc.oneof(fc.constantFrom("usage", "costs"), fc.string()) }),
        sync_mode: fc.oneof(fc.constantFrom("full_refresh", "incremental"), fc.anything()),
      }),
      fc.anything(),
    ),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(fc.oneof(fc.record({ streams }), fc.anything()), (catalog) => {
      try {
        const parsed = parseCatalog(catalog);
        const names = [...parsed.streams, ...parsed.faults].map((each) =>
          each instanceof ConnectorError ? each.stream : each.name,
        );
        expect(new Set(names).size).toBe(names.length);
        expect((catalog as { streams: unknown[] }).streams).toHaveLength(names.length);
      } catch (error) {
        expect(error).toMatchObject({ name: "ConnectorError", code: "invalid_catalog" });
      }
    }),
  );
});
