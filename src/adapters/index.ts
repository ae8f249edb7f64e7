/** The adapters by name. */
import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import type { ProviderName, ProviderReports } from "./report.ts";

export { type Adapter, createAdapter } from "./adapter.ts";
export { nothingToRecord, record } from "./record.ts";
export { Recorder } from "./recording.ts";
export type { Assumptions } from "./report.ts";

export const providers: Readonly<Record<ProviderName, ProviderReports>> = {
  anthropic,
  openai,
  openrouter,
};
