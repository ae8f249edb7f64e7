/** Names in the database and on the page of `sync`: over an adapter, because only adapters have names. */
import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createFake, serve } from "../fake_providers/index.ts";
import { DAY, TYPES } from "../src/adapters/testing.ts";
import { Shell } from "./support/shell.ts";

/** The values of a label on the page, as a script of the page reads them. */
async function shownBy(shell: Shell, label: string): Promise<readonly string[]> {
  const page = await readFile(shell.path("report.html"), "utf8");
  const data = JSON.parse(/id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? "{}") as {
    readonly views: readonly {
      readonly dimensions: readonly { readonly name: string; readonly values: readonly string[] }[];
    }[];
  };
  const [view] = data.views;
  return view?.dimensions.find(({ name }) => name === label)?.values ?? [];
}

test("N1: the page and daily_costs show names, two keys of one name as two, and a new name writes no cost", async () => {
  const now = Date.UTC(2026, 9, 20, 9);
  const fake = createFake("openai", { now, seed: 11 });
  await using served = await serve(fake, 0, false);
  await using shell = await Shell.open();
  const config = {
    base_url: served.baseUrl,
    credentials: { auth_type: TYPES.openai, api_key: fake.api.key },
    start_date: "2026-09-25",
    // A day that is read again is written only if it has changed.
    reconcile_days: 0,
  };
  await writeFile(shell.path("config.json"), JSON.stringify(config));
  const sync = async (): Promise<void> => {
    const said = await shell.here(["sync", "--config", "config.json", "--report", "report.html"]);
    expect(said).toMatchObject({ end: 0 });
  };
  await sync();
  const keys =
    "SELECT DISTINCT api_key_id, api_key_name FROM daily_costs WHERE api_key_id IN ('key_a1', 'key_b2', 'key_c3') ORDER BY 1";
  expect(await shell.query(keys)).toEqual([
    { api_key_id: "key_a1", api_key_name: "ci (key_a1)" },
    { api_key_id: "key_b2", api_key_name: "Notebooks" },
    { api_key_id: "key_c3", api_key_name: "ci (key_c3)" },
  ]);
  expect(await shownBy(shell, "Key")).toEqual(
    expect.arrayContaining(["ci (key_a1)", "ci (key_c3)", "Notebooks"]),
  );
  expect(await shownBy(shell, "Project")).toEqual(
    expect.arrayContaining(["Research", "Support (closed)"]),
  );
  const settled =
    "SELECT count(*) AS rows, max(x_ReadingId) AS newest FROM costs WHERE ChargePeriodStart < '2026-10-10'";
  const before = await shell.query(settled);

  fake.rename("key_c3", "Nightly");
  fake.clock.advance(DAY);
  await sync();
  expect(await shell.query(settled)).toEqual(before);
  expect(await shell.query(keys)).toEqual([
    { api_key_id: "key_a1", api_key_name: "ci" },
    { api_key_id: "key_b2", api_key_name: "Notebooks" },
    { api_key_id: "key_c3", api_key_name: "Nightly" },
  ]);
  expect(await shownBy(shell, "Key")).toEqual(expect.arrayContaining(["ci", "Nightly"]));
  expect(
    await shell.query(
      "SELECT first_seen IS NOT NULL AS seen FROM label_names WHERE value = 'key_c3'",
    ),
  ).toEqual([{ seen: true }]);
});
