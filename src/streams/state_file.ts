/** Reads the state file of a platform into the states of the streams. */
import * as z from "zod";
import { describeIssues, issuesOf, ruleOf } from "../config/issues.ts";
import { ConnectorError } from "../errors.ts";

const stateFileSchema = z.array(
  z.looseObject({
    type: z.literal("STREAM").nullish(),
    stream: z.looseObject({
      stream_descriptor: z.looseObject({ name: z.string() }),
      // The protocol leaves it out where there is none.
      stream_state: z.unknown().optional(),
    }),
  }),
);

/**
 * The states of a state file, by stream: a JSON array of per-stream states, or nothing at all.
 *
 * @param warn gets a message for each stream with two states; the last one counts
 * @throws ConnectorError `invalid_state` if the file has anything else, such as a GLOBAL or LEGACY state
 */
export function parseStateFile(
  value: unknown,
  warn: (message: string) => void = () => undefined,
): ReadonlyMap<string, unknown> {
  const none = value === null || value === undefined;
  if (none || (typeof value === "object" && Object.keys(value).length === 0)) return new Map();
  const parsed = stateFileSchema.safeParse(value, { error: ruleOf });
  if (!parsed.success) {
    const faults = describeIssues("state", issuesOf(parsed.error));
    throw new ConnectorError(
      "invalid_state",
      `${faults}\nIt must be a list of per-stream states, as earlier STATE messages carried them.`,
    );
  }
  const states = new Map<string, unknown>();
  for (const { stream } of parsed.data) {
    const { name } = stream.stream_descriptor;
    if (states.has(name)) {
      warn(
        `The state file holds more than one state of the stream "${name}"; the last one counts. Keep the last STATE of each ` +
          "stream only.",
      );
    }
    states.set(name, stream.stream_state);
  }
  return states;
}
