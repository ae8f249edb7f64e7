/** The adapters by name. */
import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import type { ProviderReports } from "./report.ts";

export { type Adapter, createAdapter } from "./adapter.ts";
export { nothingToRecord, record } from "./record.ts";
export { Recorder } from "./recording.ts";
export type { Assumptions } from "./report.ts";

/** Providers whose own reports the connector reads. */
export type ProviderName = "anthropic" | "openai" | "openrouter";

export const providers: Readonly<Record<ProviderName, ProviderReports>> = {
  anthropic,
  openai,
  openrouter,
};
