/** Packages that the product uses where they are installed: DuckDB for the database of `sync`, pg for reports from PostgreSQL. */
export const OPTIONAL = ["@duckdb/node-api", "pg"] as const;
