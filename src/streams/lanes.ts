import type { Job, StreamReader } from "./reader.ts";

/**
 * Reads all streams side by side over `lanes` lanes (C1). A lane has one request under way at a time, so that there are
 * never more requests than lanes, and at most two pages a lane in memory (C3). The streams take turns.
 */
export async function readOverLanes(
  readers: readonly StreamReader[],
  lanes: number,
): Promise<void> {
  let turn = 0;
  const take = (): { reader: StreamReader; job: Job } | undefined => {
    for (let tried = 0; tried < readers.length; tried++) {
      const reader = readers[turn++ % readers.length];
      const job = reader?.take();
      if (reader !== undefined && job !== undefined) return { reader, job };
    }
    return undefined;
  };
  const lane = async (): Promise<void> => {
    for (let next = take(); next !== undefined; next = take()) await next.reader.read(next.job);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
