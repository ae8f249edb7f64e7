/**
 * The models that have no row while some tables are empty, and their columns: sql/duckdb_empty.json. Many accounts have no budgets, no
 * rules for shared costs and no closed months; `sync` then need not plan the models that follow from them (warehouse/empty_models.ts).
 *
 * The tables follow from the structure of a query alone, as DuckDB parses it. If the structure says nothing, the query counts as one
 * that may have rows.
 */
import { identifier, literal } from "../warehouse/columns.ts";
import { Database } from "../warehouse/database.ts";
import { allModels, inputTables, isInternal, makeTables, queryOf } from "../warehouse/models.ts";
import { prepare } from "../warehouse/store.ts";

/** Lists of tables: if all tables of one list are empty, the query has no row. Without a list, the query may always have rows. */
export type Causes = readonly (readonly string[])[];

/** The most lists of a query; the longest are left out. The query may then count as one with rows, which is never wrong. */
const MOST_CAUSES = 40;

const NEVER: Causes = [];

/** Leaves out each list that holds all tables of another list. */
function shortest(causes: Causes): Causes {
  const sorted = causes
    .map((tables) => [...new Set(tables)].toSorted())
    .toSorted((a, b) => a.length - b.length || a.join(" ").localeCompare(b.join(" ")));
  const kept: (readonly string[])[] = [];
  for (const tables of sorted) {
    if (!kept.some((shorter) => shorter.every((table) => tables.includes(table))))
      kept.push(tables);
  }
  return kept.slice(0, MOST_CAUSES);
}

const either = (one: Causes, other: Causes): Causes => shortest([...one, ...other]);

const both = (one: Causes, other: Causes): Causes =>
  shortest(one.flatMap((tables) => other.map((others) => [...tables, ...others])));

/** A part of a parsed query: objects, lists and plain values. */
type Part = unknown;

const isObject = (part: Part): part is Readonly<Record<string, Part>> =>
  typeof part === "object" && part !== null && !Array.isArray(part);

const member = (part: Part, ...path: readonly string[]): Part =>
  path.reduce((found: Part, name) => (isObject(found) ? found[name] : undefined), part);

const items = (part: Part): readonly Part[] => (Array.isArray(part) ? part : []);

type Scope = ReadonlyMap<string, Causes>;

export class Emptiness {
  readonly #aggregates: ReadonlySet<string>;

  private constructor(aggregates: ReadonlySet<string>) {
    this.#aggregates = aggregates;
  }

  static async of(database: Database): Promise<Emptiness> {
    const names = await database.query(
      "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'",
    );
    return new Emptiness(new Set(names.map(([name = ""]) => name)));
  }

  /** The causes of a query. @param tables the causes of the models that it may read; all other tables stand for themselves */
  async causes(database: Database, query: string, tables: Scope): Promise<Causes> {
    const [[text = "{}"] = []] = await database.query(
      `SELECT json_serialize_sql(${literal(query)})`,
    );
    const parsed: Part = JSON.parse(text);
    const statements = items(member(parsed, "statements"));
    if (statements.length !== 1) throw new TypeError(`not one query: ${text.slice(0, 200)}`);
    return this.#ofNode(member(statements[0], "node"), tables);
  }

  #ofNode(node: Part, outer: Scope): Causes {
    const scope = new Map(outer);
    for (const entry of items(member(node, "cte_map", "map"))) {
      scope.set(
        String(member(entry, "key")),
        this.#ofNode(member(entry, "value", "query", "node"), scope),
      );
    }
    switch (member(node, "type")) {
      case "SELECT_NODE":
        return this.#ofSelect(node, scope);
      case "SET_OPERATION_NODE": {
        const left = this.#ofNode(member(node, "left"), scope);
        if (member(node, "setop_type") === "EXCEPT") return left;
        const right = this.#ofNode(member(node, "right"), scope);
        return member(node, "setop_type") === "UNION" ? both(left, right) : either(left, right);
      }
      default:
        return NEVER;
    }
  }

  #ofSelect(node: Part, scope: Scope): Causes {
    // An aggregate without groups gives a row even for no rows. So does an empty grouping set, which is one group of all rows.
    const groups = items(member(node, "group_sets"));
    const isOfAll = groups.length === 0 || groups.some((group) => items(group).length === 0);
    const isGrouped =
      member(node, "aggregate_handling") !== "STANDARD_HANDLING" || groups.length > 0;
    if (isGrouped ? isOfAll : this.#hasAggregate(node)) return NEVER;
    return this.#ofSource(member(node, "from_table"), scope);
  }

  /** Whether an expression has an aggregate that is not computed in a query of its own. */
  #hasAggregate(part: Part): boolean {
    if (Array.isArray(part)) return part.some((each) => this.#hasAggregate(each));
    if (!isObject(part)) return false;
    if (part["class"] === "FUNCTION" && this.#aggregates.has(String(part["function_name"])))
      return true;
    return Object.entries(part).some(
      ([name, each]) => !OWN_QUERIES.has(name) && this.#hasAggregate(each),
    );
  }

  #ofSource(source: Part, scope: Scope): Causes {
    switch (member(source, "type")) {
      case "BASE_TABLE": {
        const name = String(member(source, "table_name"));
        return scope.get(name) ?? [[name]];
      }
      case "SUBQUERY":
        return this.#ofNode(member(source, "subquery", "node"), scope);
      case "JOIN":
        return this.#ofJoin(source, scope);
      default:
        return NEVER;
    }
  }

  #ofJoin(join: Part, scope: Scope): Causes {
    const left = this.#ofSource(member(join, "left"), scope);
    const right = this.#ofSource(member(join, "right"), scope);
    switch (member(join, "join_type")) {
      case "INNER":
      case "SEMI":
        return either(left, right);
      case "LEFT":
      case "ANTI":
        return left;
      case "RIGHT":
        return right;
      case "FULL":
        return both(left, right);
      default:
        return NEVER;
    }
  }
}

/** The members of a parsed query that hold queries of their own. */
const OWN_QUERIES: ReadonlySet<string> = new Set(["cte_map", "from_table", "subquery"]);

/** For each model that may be empty for a known reason: the reasons, and a query of its columns without rows. */
export async function emptyModels(): Promise<
  Readonly<Record<string, { readonly causes: Causes; readonly query: string }>>
> {
  const database = await Database.inMemory();
  const emptiness = await Emptiness.of(database);
  await prepare(database, []);
  for (const table of await inputTables()) await database.run(table);
  const scope = new Map<string, Causes>();
  const found: Record<string, { readonly causes: Causes; readonly query: string }> = {};
  for (const model of await allModels()) {
    const causes = await emptiness.causes(database, queryOf(model), scope);
    scope.set(model.name, causes);
    await makeTables(database, [model]);
    if (causes.length === 0) continue;
    const place = isInternal(model) ? "temp" : "main";
    const columns = await database.query(`DESCRIBE ${place}.${model.name}`);
    const nulls = columns.map(([name = "", type = ""]) => `NULL::${type} AS ${identifier(name)}`);
    found[model.name] = { causes, query: `SELECT ${nulls.join(", ")} WHERE false` };
  }
  database.close();
  return found;
}
