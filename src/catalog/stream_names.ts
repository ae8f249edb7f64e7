/** The streams of this source, in the order in which they are offered. */
export const STREAM_NAMES = ["usage", "costs", "export_windows", "labels"] as const;
export type StreamName = (typeof STREAM_NAMES)[number];
