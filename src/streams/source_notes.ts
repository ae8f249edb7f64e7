/** The notes that a source keeps in the states of its streams (R11). */
import type { ReaderOptions } from "./reader_options.ts";
import type { SourceNotes, StreamDefinition } from "./stream.ts";

/**
 * The notes of the source on a stream. First the source gets its own note from the stored state: by this note it says from when on the
 * dataset changes.
 */
export function notesOf(
  notes: SourceNotes | undefined,
  stream: StreamDefinition["name"],
  states: ReadonlyMap<string, unknown>,
): Pick<ReaderOptions["source"], "note" | "unprovenBefore" | "lacking"> {
  if (notes === undefined) return {};
  notes.recall(stream, noteOf(states.get(stream)));
  return {
    note: () => notes.note(stream),
    unprovenBefore: () => notes.unprovenBefore(stream),
    lacking: notes.lacking(stream),
  };
}

/** The note of the source in a stored state (R11); an empty text if there is none. */
function noteOf(stored: unknown): string {
  const note: unknown = Reflect.get(Object(stored), "source_note");
  return typeof note === "string" ? note : "";
}
