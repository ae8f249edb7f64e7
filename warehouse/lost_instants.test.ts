import { afterEach, beforeEach, expect, it } from "vitest";
import { Database } from "./database.ts";
import { prepare, storedStates, storeState } from "./store.ts";

const ACCOUNTS = ["one", "two"].map((name) => ({
  name,
  base_url: `https://${name}.example`,
  account: "",
  granularity: "1d",
}));

let database: Database;
beforeEach(async () => {
  database = await Database.inMemory();
  await prepare(database, ACCOUNTS);
  for (const owner of ACCOUNTS) {
    for (const stream of ["costs", "usage"]) {
      const stream_state = { chain: `${owner.name}00`, position: "2026-01-01T00:00:00Z" };
      const state = {
        type: "STREAM",
        stream: { stream_descriptor: { name: stream }, stream_state },
      };
      await storeState(database, owner, stream, JSON.stringify(state));
    }
  }
});
afterEach(() => database.close());

/** A row of a reading, of which a value is null. */
const lose = (table: string, chain: string, column: string) =>
  database
    .run(`
    INSERT INTO ${table} BY NAME
    SELECT 'a' AS "x_RecordId", 'm00000000${chain}' AS "x_ReadingId",
           TIMESTAMP '2026-01-01' AS "ChargePeriodStart", TIMESTAMP '2026-01-02' AS "ChargePeriodEnd"`)
    .then(() => database.run(`UPDATE ${table} SET "${column}" = NULL`));

const earlier = () => database.run("DROP TABLE source_ai_billing.lost_instants");

/** The accounts and streams that the next sync reads from the beginning. */
async function cleared(): Promise<string[]> {
  await prepare(database, ACCOUNTS);
  const found: string[] = [];
  for (const owner of ACCOUNTS) {
    for (const entry of await storedStates(database, owner)) {
      const text = JSON.stringify(entry);
      const stream = text.includes('"name":"costs"') ? "costs" : "usage";
      const state = `"stream_state":{"cleared":{"chain":"${owner.name}00","newest_reading_id":null}}`;
      if (text.includes(state)) found.push(`${owner.name} ${stream}`);
    }
  }
  return found;
}

it.each(["ChargePeriodStart", "ChargePeriodEnd"])(
  "an account is read again that lost its %s",
  async (column) => {
    await lose("costs", "two00", column);
    await earlier();
    expect(await cleared()).toEqual(["two costs"]);
  },
);

it("usage is read again, too", async () => {
  await lose("usage", "one00", "ChargePeriodStart");
  await earlier();
  expect(await cleared()).toEqual(["one usage"]);
});

it("all accounts are read again if no state tells whose row it is", async () => {
  await lose("costs", "old00", "ChargePeriodStart");
  await earlier();
  expect(await cleared()).toEqual(["one costs", "two costs"]);
});

it("nothing is read again if no other instant than those of the charge is missing", async () => {
  await lose("costs", "two00", "x_RecordUpdatedAt");
  await earlier();
  expect(await cleared()).toEqual([]);
});

it("rows of this version are not read again, nor those of an earlier one a second time", async () => {
  await lose("costs", "two00", "ChargePeriodStart");
  expect(await cleared()).toEqual([]);
});
