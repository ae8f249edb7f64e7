import { costs } from "./costs.ts";
import type { StreamDefinition } from "./stream.ts";
import { usage } from "./usage.ts";

/** Every stream, in the order in which they are offered and read. */
export const streams: readonly StreamDefinition[] = [usage, costs];
