/** The output of `spec`: the committed spec.json, which `npm run generate` makes from the config's schema. */
import committed from "../spec.json" with { type: "json" };
import type { JsonObject } from "./protocol.ts";

/** The ConnectorSpecification (airbyte-protocol 0.18). */
export const specification: JsonObject = committed;
