/** A stored state, as it is cleared: by a person, and for the rows of an earlier loader. */
import * as z from "zod";
import { clearedState } from "../src/streams/cleared_state.ts";

const storedSchema = z.looseObject({
  stream: z.looseObject({
    stream_descriptor: z.looseObject({ name: z.string() }),
    stream_state: z.unknown(),
  }),
});

/** The stream of a stored state, and the state that has it read from the beginning; undefined for what is no state. */
export function clearedEntry(
  entry: unknown,
): { readonly stream: string; readonly state: string } | undefined {
  const { data } = storedSchema.safeParse(entry);
  if (data === undefined) return undefined;
  const stream_state = clearedState(data.stream.stream_state);
  const state = { ...data, stream: { ...data.stream, stream_state } };
  return { stream: data.stream.stream_descriptor.name, state: JSON.stringify(state) };
}
