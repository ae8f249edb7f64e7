/**
 * The models that cannot have a row, because the tables that they follow from are empty: most accounts have no budgets, no rules for
 * shared costs and no closed months. Such a model is made of a query without any table: DuckDB takes milliseconds to plan a model, and
 * a refresh of few rows does little else.
 */
import * as z from "zod";
import type { Database } from "./database.ts";
import { emptyModels } from "./files.ts";

/**
 * By the name of a model. `causes`: lists of tables; if all tables of one list are empty, the model has no row. `query`: has the
 * columns of the model, and no row.
 */
const emptySchema = z.record(
  z.string(),
  z.object({ causes: z.array(z.array(z.string())), query: z.string() }),
);

/**
 * The models. A model that cannot have a row gets the query that has none.
 *
 * @param only the tables that may count as empty; all of them where it is absent
 */
export async function withoutEmpty<M extends { readonly name: string; readonly body: string }>(
  database: Database,
  models: readonly M[],
  only?: readonly string[],
): Promise<readonly M[]> {
  const known = emptySchema.parse(JSON.parse(await emptyModels()));
  const named = new Set(Object.values(known).flatMap(({ causes }) => causes.flat()));
  const tables = only?.filter((table) => named.has(table)) ?? [...named];
  const found = await database.query(
    tables
      .map((table) => `SELECT '${table}' WHERE NOT EXISTS (FROM main.${table})`)
      .join(" UNION ALL "),
  );
  const empty = new Set(found.flat());
  return models.map((model) => {
    const { causes = [], query: body = "" } = known[model.name] ?? {};
    const isEmpty = causes.some((cause) => cause.every((table) => empty.has(table)));
    return isEmpty ? { ...model, body } : model;
  });
}
