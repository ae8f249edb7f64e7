/** The string formats of schemas/ as the generated validators judge them; bundled into src/generated/validators.js. */
import { fullFormats } from "ajv-formats/dist/formats.js";
import { parseInstant } from "../src/core/time.ts";

export const formats = {
  /**
   * RFC 3339 in UTC. Stricter than ajv-formats (which takes a blank for the T, and any offset) and, because every record
   * has three instants, written for speed.
   */
  "date-time": (text: string): boolean => parseInstant(text) !== undefined,
  uri: fullFormats.uri,
  "uri-reference": fullFormats["uri-reference"],
};
