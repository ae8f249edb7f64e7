import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Database } from "./database.ts";
import { query } from "./query.ts";
import { warehouse } from "./command.ts";
import { hostWith, partsOf } from "./testing.ts";

let path: string;
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), "query-")), "raw.duckdb");
});
afterEach(async () => {
  await rm(join(path, ".."), { recursive: true, force: true });
});

/** Makes a database with these statements, and queries a model of it. */
async function asked(statements: string, sql = "SELECT * FROM Current_Costs"): Promise<string> {
  const database = await Database.open(path, "write");
  await database.run(statements);
  database.close();
  return (await partsOf(query(path, sql, "text"))).join("");
}

const tablesIn = (schema: string): string =>
  ["usage", "costs", "export_windows"]
    .map((table) => `CREATE TABLE ${schema}.${table} (id VARCHAR);`)
    .join("\n");

describe("a query of a model in a database of raw tables", () => {
  it("says how to make the models", async () => {
    await expect(asked(tablesIn("main"))).rejects.toThrow(
      /raw\.duckdb" has no current_costs yet: .* Make them with: duckdb \S+raw\.duckdb < \S+sql\/duckdb\.sql$/,
    );
  });

  it("names the schema of the raw tables", async () => {
    const statements = `CREATE SCHEMA airbyte; ${tablesIn("airbyte")}`;
    const sql = "SELECT * FROM airbyte.current_costs";
    await expect(asked(statements, sql)).rejects.toThrow("duckdb -cmd 'USE \"airbyte\"' ");
  });

  it("names the sync, if its first one has not ended", async () => {
    const statements = `CREATE SCHEMA source_ai_billing; CREATE TABLE source_ai_billing.states (id VARCHAR); ${tablesIn("main")}`;
    await expect(asked(statements)).rejects.toThrow(/: run sync again\.$/);
  });

  it("leaves DuckDB its words about other tables", async () => {
    await expect(asked(tablesIn("main"), "SELECT * FROM sales")).rejects.toThrow(
      "Table with name sales does not exist",
    );
  });

  it("leaves DuckDB its words where there are no raw tables, or models elsewhere", async () => {
    await expect(asked("CREATE TABLE sales (id VARCHAR)")).rejects.toThrow(
      "Table with name Current_Costs does not exist",
    );
    const statements = `${tablesIn("main")} CREATE SCHEMA dbt; CREATE TABLE dbt.current_costs (id VARCHAR)`;
    await expect(asked(statements)).rejects.toThrow("dbt.current_costs");
  });
});

describe("a result", () => {
  it("of many rows shows the first hundred to a person, and all of them to a program", async () => {
    const text = await asked("CREATE TABLE many AS FROM range(5000)", "FROM many");
    expect(text.trim().split("\n")).toHaveLength(102);
    expect(text).toContain(
      "These are the first 100 of 5,000 rows. --csv and --json give all of them.",
    );
    const parts = await partsOf(query(path, "FROM many", "json"));
    expect(parts.length).toBeGreaterThan(2);
    expect(JSON.parse(parts.join(""))).toHaveLength(5000);
  });

  it("does not steer a terminal", async () => {
    const text = await asked(
      "SELECT 1",
      "SELECT 'a' || chr(27) || '[2J' || chr(8238) || 'b\nc' AS label",
    );
    expect(text).toBe("label\na [2J b c\n");
  });

  it("does not steer a terminal by an error that a view of a foreign database raises", async () => {
    const view = `CREATE VIEW daily_costs AS SELECT error('a' || chr(27) || '[2J' || chr(155) || chr(8238) || 'b' || chr(10) || repeat('c', 50000))`;
    const error: unknown = await asked(view, "FROM daily_costs").catch((reason: unknown) => reason);
    const message = error instanceof Error ? error.message : "";
    expect(message).toMatch(/^Invalid Input Error: a \[2J b\nc+…$/);
    expect(message.length).toBeLessThan(11_000);
  });

  it("as JSON has such characters escaped, and means the same", async () => {
    const made =
      "CREATE TABLE keys AS SELECT chr(155) || '2J' || chr(8238) || chr(8232) AS \"a\u202e\"";
    await asked(made, "FROM keys");
    const json = (await partsOf(query(path, "FROM keys", "json"))).join("");
    expect(json).toBe('[\n{"a\\u202e":"\\u009b2J\\u202e\\u2028"}\n]\n');
    expect(JSON.parse(json)).toEqual([{ "a\u202e": "\u009b2J\u202e\u2028" }]);
  });

  it("does not steer a terminal by a title that a pivot made of a value", async () => {
    const made = "CREATE TABLE keys AS SELECT chr(27) || '[2Jci' AS name, 7 AS cost";
    const text = await asked(made, "PIVOT keys ON name USING sum(cost)");
    expect(text.split("\n")[0]).toBe("[2Jci".padStart(6));
  });

  it("has columns under each other, also where characters are wide or a name is none", async () => {
    const sql =
      "SELECT unnest(['検索', 'e\u0301te', 'ci 🚀']) AS name, unnest(['a', 'b', 'c']) AS more";
    expect(await asked("SELECT 1", sql)).toBe("name   more\n検索   a\ne\u0301te    b\nci 🚀  c\n");
  });

  it("is that of the last statement, which others may prepare", async () => {
    const prepared =
      "SET VARIABLE least = 2; CREATE TEMP TABLE few AS FROM range(4); INSERT INTO few VALUES (9); " +
      "SELECT sum(range) AS total FROM few WHERE range > getvariable('least');; -- the end";
    expect(await asked("SELECT 1", prepared)).toBe("total\n   12\n");
  });

  it("that would not be shown is an error, and nothing is printed", async () => {
    await asked("SELECT 1", "SELECT 1");
    for (const format of ["text", "json", "csv"] as const) {
      const parts = query(path, "SELECT 1; SET VARIABLE a = 1; SELECT 2", format);
      await expect(parts.next()).rejects.toMatchObject({
        code: "invalid_arguments",
        message:
          "A statement before the last one returns rows, and only the rows of the last one would be shown. Run `query` once for each of them.",
      });
    }
  });

  it("of an empty statement is a sentence", async () => {
    for (const sql of [" ", ";", "/* no statement */ ;"]) {
      await expect(asked("SELECT 1", sql)).rejects.toThrow("The statement is empty.");
    }
  });
});

describe("other forms", () => {
  it("CSV has all rows, all digits, and quotes only where they must be", async () => {
    await asked("SELECT 1", "SELECT 1");
    const sql =
      "SELECT 'a,\"b\"' AS label, 0.10::DECIMAL(38,18) AS cost, NULL AS nothing, 7::BIGINT AS n UNION ALL SELECT 'ok', -1, NULL, 8";
    expect((await partsOf(query(path, sql, "csv"))).join("")).toBe(
      'label,cost,nothing,n\r\n"a,""b""",0.1,,7\r\nok,-1,,8\r\n',
    );
    const rows = (await partsOf(query(path, "FROM range(300)", "csv"))).join("");
    expect(rows.trim().split("\r\n")).toHaveLength(301);
  });

  it.each([
    [true, 'label\n"a [2Jb c\nd"\n'],
    [false, 'label\r\n"a\u001B[2Jb\rc\nd"\r\n'],
  ])("CSV steers no terminal, and a program gets it as it is: %j", async (isTerminal, expected) => {
    await asked("SELECT 1", "SELECT 1");
    const sql = "SELECT 'a' || chr(27) || '[2Jb' || chr(13) || 'c' || chr(10) || 'd' AS label";
    const said: string[] = [];
    const host = hostWith({ isTerminal, say: async (text) => void said.push(text) });
    const options = { database: path, sql, format: "csv" } as const;
    await warehouse({ kind: "query", options }, host);
    expect(said.join("")).toBe(expected);
  });

  it("JSON has each of two columns with one name", async () => {
    await asked("SELECT 1", "SELECT 1");
    const sql = "SELECT 1 AS cost, 2 AS cost, 3 AS cost_1, 4 AS cost FROM range(1)";
    expect(JSON.parse((await partsOf(query(path, sql, "json"))).join(""))).toEqual([
      { cost: 1, cost_2: 2, cost_1: 3, cost_3: 4 },
    ]);
  });

  it("the plan of EXPLAIN is drawn in many lines", async () => {
    const plan = await asked("CREATE TABLE costs AS FROM range(9)", "EXPLAIN FROM costs");
    expect(plan.split("\n").length).toBeGreaterThan(5);
    expect(plan).toMatch(/^┌─+┐\n│ +SEQ_SCAN +│\n/m);
  });
});
