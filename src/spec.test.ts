import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { specification as built } from "../scripts/specification.ts";
import { parseConfig, secretsOf } from "./config/config.ts";
import { specification } from "./spec.ts";

/** A node of the connection specification, with the members that the rules below read. */
interface Node {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly oneOf?: readonly Node[];
  readonly required?: readonly string[];
}

const connection = specification["connectionSpecification"] as Node;

interface Visit {
  readonly name: string;
  readonly depth: number;
  readonly node: Node;
}

/** Every schema inside a node, with the name of its property; a variant has the name of the property that contains it. */
function* walk(node: Node, name = "", depth = 0): Generator<Visit> {
  yield { name, depth, node };
  for (const [key, property] of Object.entries(node.properties ?? {})) {
    yield* walk(property, key, depth + 1);
  }
  for (const variant of node.oneOf ?? []) yield* walk(variant, name, depth + 1);
}

const nodes = [...walk(connection)];

test("spec.json equals the specification from the config's schema", async () => {
  const committed = await readFile(new URL("../spec.json", import.meta.url), "utf8");
  expect(committed).toBe(`${JSON.stringify(built(), null, 2)}\n`);
  expect(specification).toEqual(built());
});

test("the specification has the members that the protocol requires", () => {
  expect(specification["documentationUrl"]).toMatch(
    /^https:.*\/docs\/integrations\/sources\/ai-billing\.md$/,
  );
  expect(specification["supportsIncremental"]).toBe(true);
  expect(specification["protocol_version"]).toMatch(/^0\.\d+\.\d+$/);
});

test("no keyword that the acceptance tests forbid occurs", () => {
  const forbidden = [
    "not",
    "anyOf",
    "allOf",
    "if",
    "then",
    "else",
    "patternProperties",
    "prefixItems",
    "dependentSchemas",
    "dependentRequired",
    "$ref",
    "definitions",
  ];
  for (const { name, node } of nodes) {
    for (const keyword of forbidden) expect(node, name).not.toHaveProperty([keyword]);
    if ("additionalProperties" in node) expect(node["additionalProperties"], name).toBe(true);
    expect(typeof node.type, name).toBe("string");
    if (node.type === "object") expect(node.properties ?? node.oneOf, name).toBeDefined();
  }
});

test("every choice has one constant in common, no two alike, and OAuth stands first", () => {
  const choices = nodes.filter(({ node }) => node.oneOf !== undefined);
  expect(choices.map(({ name }) => name)).toEqual(["credentials"]);
  for (const { node } of choices) {
    expect(node.type).toBe("object");
    expect(["dropdown", "radio"]).toContain(node["display_type"]);
    const constants = (node.oneOf ?? []).map((variant) =>
      Object.entries(variant.properties ?? {})
        .filter(([, property]) => property.const !== undefined)
        .map(([key, property]) => [key, property.const]),
    );
    expect(constants).toEqual([
      [["auth_type", "oauth2_authorization_code"]],
      [["auth_type", "scoped_bearer_token"]],
      [["auth_type", "anthropic_admin_key"]],
      [["auth_type", "openai_admin_key"]],
      [["auth_type", "openrouter_management_key"]],
    ]);
    for (const variant of node.oneOf ?? []) expect(variant.required).toContain("auth_type");
  }
  for (const { name, node } of nodes) {
    if ("display_type" in node) expect(node.oneOf, name).toBeDefined();
  }
});

test("the sign-in button goes by OAuth credentials, and every path that it names is in the form", () => {
  const advanced = specification["advanced_auth"] as Readonly<Record<string, unknown>>;
  expect(advanced["predicate_key"]).toEqual(["credentials", "auth_type"]);
  const [oauth] = connection.properties?.["credentials"]?.oneOf ?? [];
  expect(oauth?.properties?.["auth_type"]?.const).toBe(advanced["predicate_value"]);
  const paths: string[][] = [];
  JSON.stringify(advanced, (key, value: unknown) => {
    if (key === "path_in_connector_config") paths.push(value as string[]);
    return value;
  });
  expect(paths.length).toBe(6);
  for (const path of paths) {
    expect(path[0]).toBe("credentials");
    expect(oauth?.properties).toHaveProperty([path[1] ?? ""]);
  }
});

test("the form folds away no field that the sign-in button or a typed refresh token needs", () => {
  const [oauth] = connection.properties?.["credentials"]?.oneOf ?? [];
  const open = Object.entries(oauth?.properties ?? {})
    .filter(([, node]) => node["always_show"] === true)
    .map(([name]) => name);
  expect(open).toEqual([
    "client_secret",
    "authorization_url",
    "token_url",
    "access_token",
    "token_expiry_date",
  ]);
  expect(nodes.filter(({ node }) => "airbyte_hidden" in node)).toEqual([]);
});

test("an authorization URL may have a query, and the scopes are a list and a text", () => {
  const { oauth_config_specification: flow } = specification["advanced_auth"] as {
    oauth_config_specification: {
      oauth_connector_input_specification: {
        consent_url: string;
        scope: string;
        scopes: { scope: string }[];
      };
    };
  };
  const input = flow.oauth_connector_input_specification;
  expect(input.consent_url).toContain("{{ '&' if '?' in authorization_url else '?' }}");
  expect(input.scopes.map(({ scope }) => scope).join(" ")).toBe(input.scope);
});

test("all secrets are marked, and no other field", () => {
  const names = new Set(["access_token", "api_key", "client_secret", "refresh_token"]);
  for (const { name, node } of nodes.filter((each) => each.node.type !== "object")) {
    expect(node["airbyte_secret"] ?? false, name).toBe(names.has(name));
  }
});

test("a value at any path that the specification calls secret is masked", () => {
  for (const variant of connection.properties?.["credentials"]?.oneOf ?? []) {
    const properties = Object.entries(variant.properties ?? {});
    const credentials = Object.fromEntries(properties.map(([key]) => [key, `value of ${key}`]));
    const secret = properties
      .filter(([, node]) => node["airbyte_secret"] === true)
      .map(([key]) => `value of ${key}`);
    expect(secretsOf({ credentials }).toSorted()).toEqual(secret.toSorted());
  }
});

test("orders are unique within an object, groups stand at the top only and are titled", () => {
  for (const { node, name } of nodes) {
    const orders = Object.values(node.properties ?? {}).map((property) => property["order"]);
    expect(new Set(orders).size, name).toBe(orders.length);
    expect(
      orders.every((order) => typeof order === "number"),
      name,
    ).toBe(true);
  }
  for (const { name, depth, node } of nodes) {
    expect("group" in node, name).toBe(depth === 1);
  }
  const used = Object.values(connection.properties ?? {}).map((property) => property["group"]);
  const groups = connection["groups"] as readonly { id: string; title: string }[];
  expect(new Set(used)).toEqual(new Set(groups.map(({ id }) => id)));
  expect(groups.every(({ title }) => title !== "")).toBe(true);
});

test("every field has a title in title case and a description", () => {
  for (const { name, node } of nodes) {
    if (node.const !== undefined || name === "") continue;
    expect(node["title"], name).toMatch(/^[A-Z]/);
    expect(node["description"], name).toMatch(/\.$/);
  }
});

test("every pattern is explained, and the examples keep the rules", () => {
  const minimal = {
    base_url: "https://billing.example.com",
    credentials: { auth_type: "scoped_bearer_token", access_token: "t" },
  };
  for (const { name, depth, node } of nodes) {
    if ("pattern" in node) expect(node["pattern_descriptor"], name).toBeTypeOf("string");
    for (const example of (node["examples"] ?? []) as unknown[]) {
      if ("pattern" in node) expect(example).toMatch(new RegExp(String(node["pattern"])));
      if (depth === 1) expect(() => parseConfig({ ...minimal, [name]: example })).not.toThrow();
    }
  }
});

/** The check of the form: draft-07 with formats, as on the platform. It must accept no config that the connector refuses. */
const ajv = new Ajv({ strict: false });
addFormats.default(ajv);
const validate = ajv.compile(connection);

test.each([
  { base_url: "https://billing.example.com" },
  { base_url: "https://billing.example.com:8443/export/" },
  { base_url: "http://localhost:8080" },
  { base_url: "http://127.0.0.1:8080/a" },
  { base_url: "http://[::1]:8080" },
  { start_date: "2026-01-31" },
  { end_date: "2026-02-28" },
  { granularity: "1h", concurrency: 16, page_size: 1, lookback_days: 0, reconcile_days: 0 },
  { credentials: { auth_type: "oauth2_authorization_code", client_id: "c", refresh_token: "r" } },
  { something: "of the platform's own" },
])("the form and the connector both take %j", (part) => {
  const config = {
    base_url: "https://billing.example.com",
    credentials: { auth_type: "scoped_bearer_token", access_token: "t", more: 1 },
    ...part,
  };
  expect(validate(config), JSON.stringify(validate.errors)).toBe(true);
  expect(() => parseConfig(config)).not.toThrow();
});

test.each([{ start_date: "2026-01-31T00:00:00Z" }, { end_date: "2026-01-31T00:00:00.123+00:00" }])(
  "the form offers dates only, and the connector takes the instant of %j too",
  (part) => {
    const config = {
      base_url: "https://billing.example.com",
      credentials: { auth_type: "scoped_bearer_token", access_token: "t" },
      ...part,
    };
    expect(validate(config)).toBe(false);
    expect(() => parseConfig(config)).not.toThrow();
  },
);

test.each([
  { base_url: "http://example.com" },
  { base_url: "billing.example.com" },
  { base_url: "https://u:p@example.com" },
  { start_date: "2026-1-1" },
  { end_date: "2026-01-31T00:00:00+02:00" },
  { concurrency: 17 },
  { concurrency: 1.5 },
  { page_size: 0 },
  { granularity: "1w" },
  { invalid_records: "skip" },
  { credentials: { auth_type: "scoped_bearer_token" } },
  { credentials: { auth_type: "oauth2_authorization_code", client_id: "c" } },
])("the form and the connector both refuse %j", (part) => {
  const config = {
    base_url: "https://billing.example.com",
    credentials: { auth_type: "scoped_bearer_token", access_token: "t" },
    ...part,
  };
  expect(validate(JSON.parse(JSON.stringify(config)))).toBe(false);
  expect(() => parseConfig(config)).toThrow();
});
