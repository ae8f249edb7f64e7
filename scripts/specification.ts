/**
 * The ConnectorSpecification (airbyte-protocol 0.18) that `spec` prints. `npm run generate` makes it from the config's zod
 * schema and writes it to spec.json, so that `spec` loads neither this file nor zod.
 */
import * as z from "zod";
import packageJson from "../package.json" with { type: "json" };
import { configSchema } from "../src/config/schema.ts";
import type { JsonObject } from "../src/protocol.ts";
import { advancedAuth } from "./advanced_auth.ts";

/** The cards of the platform's form. Each must have a key of the config in it. */
const GROUPS = [
  { id: "connection", title: "Connection" },
  { id: "range", title: "What to Read" },
  { id: "advanced", title: "Advanced" },
];

export function specification(): JsonObject {
  return {
    documentationUrl: packageJson.homepage,
    protocol_version: "0.2.0",
    supportsIncremental: true,
    connectionSpecification: connectionSpecification(),
    advanced_auth: advancedAuth(),
  };
}

function connectionSpecification(): JsonObject {
  const schema = z.toJSONSchema(configSchema, {
    target: "draft-7",
    io: "input",
    override: ({ jsonSchema }) => {
      // zod writes `{}` for "any"; the acceptance tests want `true`.
      if (jsonSchema.type === "object") jsonSchema.additionalProperties = true;
      // zod limits integers to those that a double holds exactly. In a form this limit would only puzzle the reader.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // A form shows the choices of a container only if its type is "object".
      if (jsonSchema.oneOf !== undefined) jsonSchema.type = "object";
    },
  });
  return { ...schema, groups: GROUPS };
}
