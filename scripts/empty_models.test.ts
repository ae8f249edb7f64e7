import { afterAll, beforeAll, expect, it } from "vitest";
import { Database } from "../warehouse/database.ts";
import { Emptiness, type Causes } from "./empty_models.ts";

const TABLES = ["a", "b", "c"];

let database: Database;
let emptiness: Emptiness;

beforeAll(async () => {
  database = await Database.inMemory();
  emptiness = await Emptiness.of(database);
});
afterAll(() => database.close());

/** Whether a query has rows if some tables are empty, and all others have a row. */
async function hasRows(query: string, empty: readonly string[]): Promise<boolean> {
  for (const name of TABLES) {
    const rows = empty.includes(name) ? "WHERE false" : "";
    await database.run(`CREATE OR REPLACE TEMP TABLE ${name} AS SELECT 1 AS x, 1 AS y ${rows}`);
  }
  return (await database.query(query)).length > 0;
}

const QUERIES: readonly (readonly [query: string, causes: Causes])[] = [
  ["SELECT * FROM a", [["a"]]],
  ["SELECT a.x FROM a JOIN b USING (x) CROSS JOIN c", [["a"], ["b"], ["c"]]],
  ["SELECT a.x FROM a, b", [["a"], ["b"]]],
  ["SELECT a.x FROM a LEFT JOIN b USING (x)", [["a"]]],
  ["SELECT b.x FROM a RIGHT JOIN b USING (x)", [["b"]]],
  ["SELECT x FROM a FULL JOIN b USING (x)", [["a", "b"]]],
  ["SELECT x FROM a SEMI JOIN b USING (x)", [["a"], ["b"]]],
  ["SELECT x FROM a ANTI JOIN (FROM b WHERE x > 1) AS b USING (x)", [["a"]]],
  ["SELECT x FROM a UNION ALL SELECT x FROM b", [["a", "b"]]],
  ["SELECT x FROM a UNION SELECT 1", []],
  ["SELECT x FROM a EXCEPT SELECT x + 1 FROM b", [["a"]]],
  ["SELECT x FROM a INTERSECT SELECT x FROM b", [["a"], ["b"]]],
  [
    "(SELECT x FROM a UNION ALL SELECT x FROM b) UNION ALL SELECT c.x FROM c JOIN a USING (x)",
    [["a", "b"]],
  ],
  // An aggregate over no rows gives one row, unless the query has groups.
  ["SELECT count(*) FROM a", []],
  ["SELECT 1 FROM a HAVING count(*) = 0 OR true", []],
  ["SELECT coalesce(max(x), 0) + 1 FROM a", []],
  ["SELECT max(x) FROM a GROUP BY y", [["a"]]],
  ["SELECT max(x) FROM a GROUP BY GROUPING SETS ((), (y))", []],
  ["SELECT max(x) FROM a GROUP BY ALL", []],
  ["SELECT count(*) OVER () FROM a", [["a"]]],
  ["SELECT x, (SELECT count(*) FROM b) FROM a", [["a"]]],
  ["SELECT 1", []],
  ["SELECT * FROM (SELECT 1 AS one) AS nothing CROSS JOIN a", [["a"]]],
  ["SELECT * FROM range(3)", []],
  ["SELECT * FROM (VALUES (1)) AS given", []],
  // A name means the nearest query of a WITH of this name. Inside that query, the same name means the table.
  [
    "WITH a AS (SELECT * FROM a), d AS (SELECT x FROM a JOIN b USING (x)) SELECT * FROM d",
    [["a"], ["b"]],
  ],
  ["WITH a AS (SELECT 1) SELECT * FROM a", []],
  [
    "WITH d AS (SELECT * FROM a) SELECT * FROM (WITH d AS (SELECT * FROM b) SELECT * FROM d) AS inner_",
    [["b"]],
  ],
  ["WITH d AS (SELECT * FROM a) (SELECT * FROM d UNION ALL SELECT * FROM b)", [["a", "b"]]],
  ["WITH RECURSIVE d AS (SELECT x FROM a UNION SELECT x FROM d) SELECT * FROM d", []],
];

it.each(QUERIES)("%s", async (query, causes) => {
  expect(await emptiness.causes(database, query, new Map())).toEqual(causes);
  expect(await hasRows(query, [])).toBe(true);
  for (const tables of causes) expect(await hasRows(query, tables)).toBe(false);
});

it("a model counts as its own causes", async () => {
  const models = new Map<string, Causes>([
    ["b", [["c"]]],
    ["never", []],
  ]);
  const of = (query: string) => emptiness.causes(database, query, models);
  expect(await of("SELECT * FROM a LEFT JOIN never ON true")).toEqual([["a"]]);
  expect(await of("SELECT * FROM a JOIN b USING (x)")).toEqual([["a"], ["c"]]);
  expect(await of("SELECT * FROM never")).toEqual([]);
});
