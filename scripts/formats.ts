/** The string formats of schemas/ as the generated validators judge them; bundled into src/generated/validators.js. */
import { fullFormats } from "ajv-formats/dist/formats.js";
import { parseInstant } from "../src/core/time.ts";

/**
 * Instants that were found valid, each where its last digits of day, hour, minute and second put it: most records share
 * two of their three instants with those before them, and to compare is far cheaper than to parse.
 */
const valid: string[] = Array.from({ length: 16 }, () => "1970-01-01T00:00:00Z");

function isInstant(text: string): boolean {
  const place =
    (text.charCodeAt(9) +
      3 * text.charCodeAt(12) +
      5 * text.charCodeAt(15) +
      7 * text.charCodeAt(18)) &
    15;
  if (valid[place] === text) return true;
  if (parseInstant(text) === undefined) return false;
  valid[place] = text;
  return true;
}

export const formats = {
  /**
   * RFC 3339 in UTC. Stricter than ajv-formats (which takes a blank for the T, and any offset) and, because every record
   * has three instants, quick.
   */
  "date-time": isInstant,
  uri: fullFormats.uri,
  "uri-reference": fullFormats["uri-reference"],
};
