/** Pages of whole buckets, as OpenAI's reports and Anthropic's older ones have them. */
import type { JsonObject } from "./exact.ts";
import { widthOf } from "./records.ts";
import type { Draft, Place, Query, ReportPage } from "./report.ts";
import { bucketStart, hasMore, judgeStart, objectsIn, reportFault } from "./shape.ts";

/**
 * Reads `{"data": [{…, "results": […]}], "has_more": …}`. The next page begins where the last bucket ends: the provider's
 * token would bind us to the number of buckets that was asked for first.
 *
 * @throws ConnectorError `provider_fault` if a bucket was not asked for: its rows would vanish, or count twice
 */
export function readBuckets(
  body: JsonObject,
  place: Place,
  query: Query,
  startOf: (bucket: JsonObject) => number | undefined,
  draftsOf: (row: JsonObject, start: number) => readonly Draft[],
): ReportPage {
  const width = widthOf(query);
  const buckets = objectsIn(body, "data").map((bucket) => ({
    start: judgeStart(bucketStart(startOf(bucket), width), place.start, query),
    rows: objectsIn(bucket, "results"),
  }));
  const more = hasMore(body);
  const last = buckets.reduce((latest, { start }) => Math.max(latest, start), place.start);
  if (more) judgeOrder(buckets, place, last + width >= query.end);
  return {
    drafts: buckets.flatMap(({ start, rows }) =>
      rows.flatMap((row) => draftsOf(row, start).map((draft) => ({ ...draft, row }))),
    ),
    next: more ? { start: last + width, page: null } : null,
  };
}

/**
 * Judges the buckets of a page that is not the last one. A report that shows its newest buckets first would lose the others, because
 * the next page begins behind the latest bucket.
 *
 * @param isAtEnd whether the latest bucket is the last one that was asked for
 */
function judgeOrder(
  buckets: readonly { readonly start: number }[],
  place: Place,
  isAtEnd: boolean,
): void {
  const [first] = buckets;
  if (first === undefined) throw reportFault("has_more comes without a bucket");
  const isOrdered = buckets.every(({ start }, at) => start >= (buckets[at - 1]?.start ?? start));
  if (!isOrdered || (isAtEnd && first.start > place.start))
    throw reportFault("has_more comes with buckets that are not in the order of time");
}
