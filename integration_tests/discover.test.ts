/** The rules by which acceptance suites judge specification and catalog (connector-acceptance-test 3.9.8). */
import { Ajv } from "ajv";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { discover } from "./support/connector.ts";
import { launch } from "./support/process.ts";
import { type Served, serveRealSpend } from "./support/provider.ts";
import type { CatalogStream, Json } from "./support/protocol.ts";

let provider: Served;
let spec: Json;
let streams: readonly CatalogStream[];

beforeAll(async () => {
  provider = await serveRealSpend("2025-10-04T12:00:00Z");
  const printed = await launch("spec").done;
  spec = printed.messages[0]?.spec?.connectionSpecification ?? {};
  streams = await discovered();
});
afterAll(() => provider[Symbol.asyncDispose]());
beforeEach(() => provider.faults());

async function discovered(): Promise<readonly CatalogStream[]> {
  const run = await discover(provider.config());
  expect(run.code).toBe(0);
  expect(run.errors).toEqual([]);
  const catalogs = run.messages.flatMap(({ catalog }) => catalog ?? []);
  expect(catalogs).toHaveLength(1);
  return catalogs[0]?.streams ?? [];
}

interface Place {
  readonly key: string;
  readonly path: string;
  readonly value: unknown;
}

/** Every member of a JSON value with its path. */
function members(value: unknown, path = ""): Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => [
    { key, path: `${path}/${key}`, value: inner },
    ...members(inner, `${path}/${key}`),
  ]);
}

/** The properties of a schema at any depth, by path. */
function properties(schema: Json): { name: string; path: string; schema: Json }[] {
  return members(schema)
    .filter(({ path }) => /\/properties\/[^/]+$/.test(path))
    .map(({ key, path, value }) => ({ name: key, path, schema: value as Json }));
}

const object = (value: unknown): Json =>
  typeof value === "object" && value !== null ? (value as Json) : {};

test("the config that works keeps the specification", () => {
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(spec);
  expect(validate(provider.config()), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ base_url: provider.baseUrl })).toBe(false);
});

test("specification and catalog use no keyword that suites and platforms refuse", () => {
  const refused = new Set([
    ..."$ref not anyOf patternProperties prefixItems allOf if then else".split(" "),
    ..."dependentSchemas dependentRequired".split(" "),
  ]);
  for (const schema of [spec, ...streams.map((stream) => stream.json_schema)]) {
    const found = members(schema).filter(
      ({ key, path }) => refused.has(key) && !/\/properties\/[^/]+$/.test(path),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  }
});

test("additionalProperties is true wherever it is set", () => {
  for (const schema of [spec, ...streams.map((stream) => stream.json_schema)]) {
    const set = members(schema).filter(({ key }) => key === "additionalProperties");
    expect(new Set(set.map(({ value }) => value))).toEqual(new Set([true]));
  }
});

test("enums are unique, objects have properties, no type is a list", () => {
  for (const { key, path, value } of members(spec)) {
    if (key === "enum" && Array.isArray(value))
      expect(new Set(value).size, path).toBe(value.length);
    if (key === "type" && !path.endsWith("properties/type"))
      expect(typeof value, path).toBe("string");
    const { type, properties: inner, oneOf } = object(value);
    if (type === "object" && oneOf === undefined)
      expect(Object.keys(object(inner)), path).not.toEqual([]);
  }
});

test("secrets are marked as such, and nothing else is", () => {
  const names = new Set(
    "client_token access_token api_token api_key token secret client_secret password key service_account_info service_account tenant_id certificate jwt credentials app_id appid refresh_token".split(
      " ",
    ),
  );
  const marked = properties(spec).filter(({ schema }) => schema["type"] !== "object");
  for (const { name, path, schema } of marked) {
    expect(schema["airbyte_secret"] ?? false, path).toBe(
      names.has(name) && schema["const"] === undefined,
    );
  }
  expect(marked.filter(({ schema }) => schema["airbyte_secret"] === true).length).toBeGreaterThan(
    2,
  );
});

test("every oneOf is an object whose variants differ in one constant, with OAuth first", () => {
  const unions = members({ spec }).filter(({ value }) => Array.isArray(object(value)["oneOf"]));
  expect(unions.map(({ key }) => key)).toEqual(["credentials"]);
  for (const { value } of unions) {
    expect(object(value)["type"]).toBe("object");
    const variants = object(value)["oneOf"] as Json[];
    const constants = variants.map((variant) =>
      Object.entries(object(variant["properties"])).filter(([, inner]) => "const" in object(inner)),
    );
    for (const own of constants) {
      expect(own.map(([name]) => name)).toEqual(["auth_type"]);
      const schema = object(own[0]?.[1]);
      expect([schema["const"], undefined]).toContain(schema["default"]);
      if (Array.isArray(schema["enum"])) expect(schema["enum"]).toEqual([schema["const"]]);
    }
    expect(object(constants[0]?.[0]?.[1])["const"]).toBe("oauth2_authorization_code");
  }
});

test("no order occurs twice in an object and group, and groups stand at the top only", () => {
  const all = [{ path: "", value: spec as unknown }, ...members(spec)];
  for (const { path, value } of all) {
    const inner = Object.values(object(object(value)["properties"])).map(object);
    const orders = inner.flatMap(({ order, group }) =>
      order === undefined ? [] : [JSON.stringify([group, order])],
    );
    expect(new Set(orders).size, path).toBe(orders.length);
    if (path !== "" && path !== "/properties") {
      expect(inner.filter((schema) => typeof schema["group"] === "string")).toEqual([]);
    }
  }
});

test("the catalog has the streams by unique names, resumable, in both sync modes", () => {
  expect(streams.map(({ name }) => name).slice(0, 2)).toEqual(["usage", "costs"]);
  expect(new Set(streams.map(({ name }) => name)).size).toBe(streams.length);
  for (const stream of streams.slice(0, 2)) {
    expect(stream).toMatchObject({
      supported_sync_modes: ["full_refresh", "incremental"],
      source_defined_cursor: true,
      default_cursor_field: ["x_ReadingId"],
      source_defined_primary_key: [["x_RecordId"]],
      is_resumable: true,
    });
  }
});

test("every json_schema is a draft-07 schema, with cursor and key among its scalar fields", () => {
  for (const stream of streams) {
    expect(
      new Ajv({ strict: false, validateFormats: false }).validateSchema(stream.json_schema),
    ).toBe(true);
    const fields = stream.json_schema.properties;
    const named = [stream.default_cursor_field ?? [], ...(stream.source_defined_primary_key ?? [])];
    for (const [field = ""] of named) {
      expect(Object.keys(fields)).toContain(field);
      const types = [fields[field]?.["type"]].flat();
      expect(types.filter((type) => type === "object" || type === "array")).toEqual([]);
    }
  }
});

test("decimals stay strings and instants are timestamps with a time zone", () => {
  const [usage, costs] = streams.map((stream) => stream.json_schema.properties);
  for (const field of [
    usage?.["ConsumedQuantity"],
    costs?.["BilledCost"],
    costs?.["EffectiveCost"],
  ]) {
    expect(field).toMatchObject({ type: ["null", "string"] });
    expect(field).not.toHaveProperty("airbyte_type");
  }
  for (const field of [usage?.["ChargePeriodStart"], costs?.["x_RecordUpdatedAt"]]) {
    expect(field).toMatchObject({ format: "date-time", airbyte_type: "timestamp_with_timezone" });
  }
});

test("costs that the provider does not offer are no stream", async () => {
  await provider.faults({ kind: "capabilities", drop: ["/datasets/costs"] });
  const names = (await discovered()).map(({ name }) => name);
  expect(names).toContain("usage");
  expect(names).not.toContain("costs");
});
