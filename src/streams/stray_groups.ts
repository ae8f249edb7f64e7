/** The strays that one reading wrote on one day are a group (P5): reports only count them, so the models know a group as a whole. */
import type { KnownStray } from "../core/state.ts";
import type { WrittenStray } from "./stray_listings.ts";

export const isWritten = (stray: KnownStray): stray is WrittenStray => stray.readingId !== null;

/** The name of a written stray's group. */
export const groupOf = ({ day, readingId }: Pick<WrittenStray, "day" | "readingId">): string =>
  `${day} ${readingId}`;
