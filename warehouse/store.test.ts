import { expect, it } from "vitest";
import { addReading, usageOf } from "./testing_costs.ts";
import { openEmpty } from "./testing_refresh.ts";
import { prepare, storedStates, storeState } from "./store.ts";

const own = (...labels: readonly string[]) =>
  labels.map((account) => ({
    name: account === "" ? "main" : account,
    base_url: "https://a.example",
    account,
    granularity: "1d",
  }));

it("an account without a label may get one while only other accounts of its address have rows", async () => {
  const { database, remove } = await openEmpty("b");
  try {
    await prepare(database, own("", "b"));
    const days = { first: "2026-10-01", end: "2026-10-02" };
    const reading = { id: "r", at: "2026-10-02", ...days, records: usageOf(days.first, days.end) };
    await addReading(database, { ...reading, account: "b" });
    await prepare(database, own("a", "b"));
    const names = "SELECT name FROM source_ai_billing.accounts";
    expect(await database.query(names)).toEqual([["a"], ["b"]]);
    // Its rows have the id that the provider gives, so a label would begin a second account.
    await prepare(database, own("", "b"));
    await addReading(database, { ...reading, id: "r2", account: "org-1" });
    await expect(prepare(database, own("a", "b"))).rejects.toThrow("that no config names");
  } finally {
    await remove();
  }
});

it("a column that a later version or a person has added is no fault", async () => {
  const { database, remove } = await openEmpty("b");
  try {
    for (const table of ["accounts", "states"])
      await database.run(`ALTER TABLE source_ai_billing.${table} ADD COLUMN remark VARCHAR`);
    const [owner] = own("b");
    if (owner === undefined) throw new Error("no owner");
    await prepare(database, [owner]);
    await storeState(database, owner, "usage", '{"version":3}');
    expect(await storedStates(database, owner)).toEqual([{ version: 3 }]);
  } finally {
    await remove();
  }
});
