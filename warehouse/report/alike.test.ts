import { expect, it } from "vitest";
import { refreshModels } from "../refresh.ts";
import { openOctober } from "../testing_costs.ts";
import { wordsOf } from "../unusable.ts";
import { Answers } from "./answers.ts";
import { reportData, screensOf } from "./data.ts";
import { overviewsOf } from "./overview.ts";

/** Two accounts with the same label, at two addresses, with the same records and keys; one record of each cannot be summed. */
const ALIKE: readonly string[] = [
  `UPDATE costs SET "x_ApiKeyId" = 'k', "BilledCost" = CASE "x_RecordId" WHEN '10-10' THEN '1.12345678901234567891' ELSE "BilledCost" END`,
  "UPDATE export_windows SET account = 'main'",
  `INSERT INTO costs BY NAME SELECT * REPLACE ('r2' AS "x_ReadingId") FROM costs`,
  `INSERT INTO export_windows BY NAME
   SELECT * REPLACE ('2' || id AS id, 'r2' AS reading_id, 'r2' AS rows_reading_id, 'd' AS chain, 'https://b.example' AS base_url)
   FROM export_windows`,
];

it("accounts with one label, one key id and the same records are told apart on the whole page", async () => {
  const { database, remove } = await openOctober();
  try {
    for (const statement of ALIKE) await database.run(statement);
    await refreshModels(database);
    const answers = await Answers.of(database);
    const screens = await screensOf(answers);
    const data = await reportData(answers, screens, "a test");
    const [overview] = await overviewsOf(answers, screens);
    const names = ["main at https://a.example", "main at https://b.example"];
    expect(data.accounts).toEqual(names);
    const proven = data.ranges.filter(
      ({ from, status }) => status === "proven" && from === "2026-10-01",
    );
    expect(proven.map(({ account, days }) => [account, days])).toEqual(
      names.map((name) => [name, 9]),
    );
    expect(data.views[0]?.headline.unsummed).toBe(2);
    expect(data.unusable.rows).toBe(2);
    const words = data.unusable.first.map(wordsOf).toSorted();
    expect(words.map((text) => text.split(" of 2026")[0])).toEqual(
      names.map((name) => `costs "10-10" of ${name}`),
    );
    expect(overview?.keys.map(({ value }) => value)).toEqual(names.map((name) => `k of ${name}`));
    const keys = data.views[0]?.dimensions.find(({ name }) => name === "Key");
    expect(keys?.values).toEqual(names.map((name) => `k of ${name}`));
  } finally {
    await remove();
  }
});
