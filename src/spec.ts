/** What `spec` prints: spec.json as it is committed, which `npm run generate` makes of the config's schema. */
import committed from "../spec.json" with { type: "json" };
import type { JsonObject } from "./protocol.ts";

/** The ConnectorSpecification (airbyte-protocol 0.18). */
export const specification: JsonObject = committed;
