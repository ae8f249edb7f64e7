import { describe, expect, it } from "vitest";
import { connectionString } from "./postgres.ts";
import { matchedColumns, matchedTables, WANTED } from "./raw_tables.ts";

describe("raw tables of any database", () => {
  it("are found whatever the case of their names", () => {
    const found = matchedTables(
      [
        { name: "COSTS", columns: ["billedcost", "X_RECORDID", "more"] },
        { name: "export_windows", columns: ["id"] },
      ],
      "It",
    );
    const [costs, held] = [...found].find(([{ name }]) => name === "costs") ?? [];
    expect(held?.name).toBe("COSTS");
    const columns = costs === undefined || held === undefined ? [] : matchedColumns(costs, held);
    expect(columns.filter(({ from }) => from !== null)).toEqual([
      { as: "x_RecordId", from: "X_RECORDID" },
      { as: "BilledCost", from: "billedcost" },
    ]);
    expect(WANTED.map(({ name }) => name)).toContain("ai_billing_budgets");
  });

  it("that are missing are named all at once, with those that are there", () => {
    expect(() => matchedTables([{ name: "sales", columns: [] }], 'The schema "public"')).toThrow(
      'The schema "public" has no table costs and no table export_windows. It has sales.',
    );
  });
});

describe("the address of PostgreSQL", () => {
  it("comes from DATABASE_URL, or from the variables of PostgreSQL", () => {
    expect(connectionString("postgresql://", "postgres://me:pa55@db/x")).toBe(
      "postgres://me:pa55@db/x",
    );
    expect(connectionString("postgresql:", undefined)).toBeUndefined();
    expect(connectionString("postgresql://me@db/x", "postgres://other/y")).toBe(
      "postgresql://me@db/x",
    );
  });
});
