/** Pages of whole buckets, as OpenAI's reports and Anthropic's older ones have them. */
import type { JsonObject } from "./exact.ts";
import { widthOf } from "./records.ts";
import type { Draft, Query, ReportPage } from "./report.ts";
import { bucketStart, hasMore, objectsIn, reportFault } from "./shape.ts";

/**
 * Reads `{"data": [{…, "results": […]}], "has_more": …}`. The next page begins where the last bucket ends: the provider's
 * token would bind us to the number of buckets that was asked for first.
 */
export function readBuckets(
  body: JsonObject,
  query: Query,
  startOf: (bucket: JsonObject) => number | undefined,
  draftsOf: (row: JsonObject, start: number) => readonly Draft[],
): ReportPage {
  const width = widthOf(query);
  const buckets = objectsIn(body, "data").map((bucket) => ({
    start: bucketStart(startOf(bucket), width),
    rows: objectsIn(bucket, "results"),
  }));
  const more = hasMore(body);
  const last = Math.max(...buckets.map(({ start }) => start));
  if (more && buckets.length === 0) throw reportFault("has_more comes without a bucket");
  return {
    drafts: buckets.flatMap(({ start, rows }) => rows.flatMap((row) => draftsOf(row, start))),
    next: more ? { start: last + width, page: null } : null,
  };
}
