/**
 * The ConnectorSpecification (airbyte-protocol 0.18) that `spec` prints, made of the config's zod schema when
 * `npm run generate` writes spec.json: at run time nothing of it, and so nothing of zod, is loaded for `spec`.
 */
import * as z from "zod";
import { configSchema } from "../src/config/schema.ts";
import type { JsonObject } from "../src/protocol.ts";
import { advancedAuth } from "./advanced_auth.ts";

/** The cards of the platform's form; a group that no key names is a defect. */
const GROUPS = [
  { id: "connection", title: "Connection" },
  { id: "range", title: "What to Read" },
  { id: "advanced", title: "Advanced" },
];

export function specification(): JsonObject {
  return {
    documentationUrl: "https://docs.airbyte.com/integrations/sources/ai-billing",
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
      // zod writes `{}` for "any"; the acceptance tests want the word.
      if (jsonSchema.type === "object") jsonSchema.additionalProperties = true;
      // zod bounds integers by what a double holds exactly, which would only puzzle the reader of a form.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // A form finds its choices only where the container says that it is an object.
      if (jsonSchema.oneOf !== undefined) jsonSchema.type = "object";
    },
  });
  return { ...schema, groups: GROUPS };
}
