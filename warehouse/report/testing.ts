/** For tests: all that a page says. */
import type { Database } from "../database.ts";
import { Answers } from "./answers.ts";
import { reportData, screensOf } from "./data.ts";
import { overviewsOf } from "./overview.ts";

/** Makes a page as a sync does, and keeps its answers. */
export async function pageOf(database: Database): Promise<unknown> {
  const answers = await Answers.of(database);
  const screens = await screensOf(answers);
  const data = await reportData(answers, screens, "a test");
  const overviews = await overviewsOf(answers, screens);
  await answers.keep();
  return { data, overviews };
}
