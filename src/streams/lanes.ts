import type { Job } from "./job.ts";
import type { StreamReader } from "./reader.ts";

/**
 * Reads all streams side by side over `lanes` lanes (C1). A lane asks for the first page of its next window as soon as the
 * last page of one has come, and writes that page while the answer is under way. It never has more than one request under
 * way, nor more than two pages in memory that are not made lines of yet (C3). The streams take turns.
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
    let before = Promise.resolve(); // the window whose last page may still be on its way out
    for (let next = take(); next !== undefined; next = take()) {
      const lastPage = Promise.withResolvers<void>();
      const work = next.reader.read(next.job, { before, onLastPage: lastPage.resolve });
      await before;
      await Promise.race([lastPage.promise, work]);
      before = work;
    }
    await before;
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
