/**
 * The assumptions of docs/adapters.md that `verify` can decide. A test compares them with the table there: id, words, and
 * what decides them.
 */
import type { ProviderName } from "../src/adapters/report.ts";

export interface Assumption {
  /** Stable: the files that owners of accounts send name it. */
  readonly id: string;
  readonly text: string;
  /** One run decides; or a second run a day later or more; or only an invoice. */
  readonly decidedBy: "one run" | "a second run" | "an invoice";
}

const made =
  (decidedBy: Assumption["decidedBy"]) =>
  (id: string, text: string): Assumption => ({ id, text, decidedBy });
const once = made("one run");
const later = made("a second run");
const invoiced = made("an invoice");

const OF_ALL = later(
  "ALL-01",
  "a record's group never changes its identity, so that a corrected amount is the same record",
);

export const ASSUMPTIONS: Readonly<Record<ProviderName, readonly Assumption[]>> = {
  anthropic: [
    invoiced("ANT-01", "amounts are fractional cents, as text"),
    once("ANT-04", "the five groups tell all rows of a bucket apart"),
    later("ANT-08", "all data before data_refreshed_at is complete"),
    once("ANT-10", "the costs of the analytics API include the priority tier"),
    once(
      "ANT-13",
      "anthropic-version: 2026-10-21 renames members of the older reports, so it is not sent to them",
    ),
    once(
      "ANT-15",
      "anthropic-ratelimit-requests-* headers come with reports; a limit whose reset is over a minute away counts by the hour",
    ),
    once(
      "ANT-18",
      "input, cache reads, cache writes by duration and output are disjoint; others under cache_creation would be, too",
    ),
    OF_ALL,
  ],
  openai: [
    invoiced("OAI-01", "amounts are dollars, as a number or a text"),
    once(
      "OAI-06",
      "buckets begin at whole UTC days or hours, and none lies outside the range that was asked for",
    ),
    later("OAI-07", "usage is complete after 4 hours, costs after 24"),
    later("OAI-08", "costs are final five days after the month"),
    once("OAI-09", "nothing names how far back reports go: 730 days"),
    once("OAI-12", "completions may count web search requests and image requests, too"),
    once("OAI-14", "the amounts are before credits and tax"),
    once("NAM-03", "the key that reads OpenAI's reports may list projects and keys"),
    OF_ALL,
  ],
  openrouter: [
    once("ORT-03", "workspace, model, provider and endpoint_id tell all rows of a day apart"),
    once(
      "NAM-05",
      "OpenRouter lists keys of the default workspace only, unless workspace_id names another; a page has 100",
    ),
    later(
      "ORT-04",
      "the usage of a day is complete 4 hours after it, its costs 24 hours, and the costs are final five days after it",
    ),
    OF_ALL,
  ],
};
