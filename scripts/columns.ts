/**
 * The columns of usage and costs wherever they are listed: all from schemas/. A label is a column that holds a dimension of
 * capabilities: `x_ServiceTier` holds `service_tier`, and `x_ModelId` holds `model`.
 */
import { readFileSync } from "node:fs";
import { exportWindowsSchema } from "../src/catalog/export_windows_schema.ts";
import { labelsSchema } from "../src/catalog/labels_schema.ts";

const root = new URL("..", import.meta.url);
const BANNER = "Made by `npm run generate` from schemas/. Do not edit.";
const DATASETS = ["usage", "costs"] as const;
type Dataset = (typeof DATASETS)[number];

interface Property {
  readonly description: string;
  readonly type: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
}

interface Column {
  /** As the provider sends it, such as `x_ModelId`. */
  readonly column: string;
  /** As the dbt models call it, such as `model_id`. */
  readonly name: string;
  readonly kind: "text" | "instant" | "decimal";
  readonly description: string;
  readonly isRequired: boolean;
  /** The dimension that it holds; undefined if it is no label. */
  readonly dimension: string | undefined;
}

/** The columns that the connector adds to usage and costs. */
export const ADDED_COLUMNS = {
  x_ReadingId: {
    description:
      "Identifier of the reading that returned this row; later readings sort after earlier ones. Added by the connector.",
    type: "string",
  },
  x_ProviderColumns: {
    description:
      "Columns that the interface does not name, as the provider sent them. Absent where there are none. Added by the connector.",
    type: "object",
  },
} as const;

/** The pattern of Decimal (interface section 2.1). */
export const DECIMAL = "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$";

const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

function kindOf({ format, pattern }: Property): Column["kind"] {
  if (format === "date-time") return "instant";
  return pattern === DECIMAL ? "decimal" : "text";
}

/** The dimensions of capabilities: the same for both datasets, though a dataset need not have a column for each. */
const dimensions: readonly string[] = JSON.parse(read("schemas/capabilities.json")).properties
  .datasets.properties.costs.properties.dimensions.items.enum;

function columnsOf(dataset: Dataset): Column[] {
  const schema: { properties: Record<string, Property>; required: string[] } = JSON.parse(
    read(`schemas/${dataset}.json`),
  );
  return Object.entries(schema.properties).map(([column, property]): Column => {
    const words = column.replace(/^x_/, "").replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_");
    const name = words.toLowerCase();
    return {
      column,
      name,
      kind: kindOf(property),
      description: property.description,
      isRequired: schema.required.includes(column),
      dimension: dimensions.find((one) => [one, `${one}_id`].includes(name)),
    };
  });
}

const columns = { usage: columnsOf("usage"), costs: columnsOf("costs") };
const unheld = dimensions.find(
  (one) => ![...columns.usage, ...columns.costs].some(({ dimension }) => dimension === one),
);
if (unheld !== undefined) throw new Error(`no column holds the dimension ${unheld}`);
const isLabel = ({ dimension }: Column): boolean => dimension !== undefined;
const both = columns.costs.filter(
  (label) => isLabel(label) && columns.usage.some(({ name }) => name === label.name),
);
/** The dimensions that say who used something. No price depends on them. */
const USERS: ReadonlySet<string | undefined> = new Set(["project", "workspace", "api_key"]);
const labels = {
  usage: columns.usage.filter(isLabel),
  costs: columns.costs.filter(isLabel),
  both,
  prices: both.filter(({ dimension }) => !USERS.has(dimension)),
};

/** `src/generated/labels.ts`, for conform/ and for the report. */
export function labelsModule(): string {
  const rows = ([...DATASETS, "prices"] as const).map((where) => {
    const own = labels[where].map(({ dimension, column, name }) => ({ dimension, column, name }));
    return [where, own];
  });
  return `// ${BANNER}

/**
 * The columns that hold a dimension of capabilities, with their names in the dbt models. \`prices\`: those of both datasets that make a
 * price of its own.
 */
export const labels = ${JSON.stringify(Object.fromEntries(rows), null, 2)} as const;
`;
}

/** `dbt/macros/record_columns.sql`. */
export function recordColumnsMacro(): string {
  const listed = <Key extends string>(
    keys: readonly Key[],
    made: (key: Key) => readonly string[],
  ): string => keys.map((key) => `    '${key}': [\n${made(key).join("")}    ],\n`).join("");
  const rows = (dataset: Dataset): string[] =>
    columns[dataset].map(
      ({ column, name, kind }) => `      ['${column}', '${name}', '${kind}'],\n`,
    );
  const names = (all: readonly Column[]): string[] => all.map(({ name }) => `      '${name}',\n`);
  const required = (dataset: Dataset): string[] =>
    names(columns[dataset].filter(({ kind, isRequired }) => isRequired && kind !== "text"));
  return `{# ${BANNER} #}

{# The columns of the interface's records (interface sections 2.4 to 2.6), their names in these models, and their kinds. #}
{% macro record_columns(dataset) %}
  {{ return({
${listed(DATASETS, rows)}  }[dataset]) }}
{% endmacro %}

{# The columns that hold a dimension of capabilities: in usage, in costs, or in both; \`prices\`: those of both that make a price of its own. #}
{% macro labels(where) %}
  {{ return({
${listed(["usage", "costs", "both", "prices"], (key) => names(labels[key]))}  }[where]) }}
{% endmacro %}

{# The columns without which a record cannot be counted. An empty value in another column is no fault. #}
{% macro required_columns(dataset) %}
  {{ return({
${listed(DATASETS, required)}  }[dataset]) }}
{% endmacro %}
`;
}

/** The columns of a block of a model's documentation, by the name of the block. */
const BLOCKS: Readonly<Record<string, readonly Column[]>> = {
  "columns of usage": columns.usage,
  "columns of costs": columns.costs,
  "labels of costs": labels.costs,
  "labels of usage and costs": labels.both,
  "labels of prices": labels.prices,
  "labels of costs as the provider sends them": labels.costs,
};

/**
 * The documentation of models with its generated blocks made again. A block leaves out the columns that the same model
 * documents by hand.
 */
function withBlocks(text: string): string {
  const models = text.split(/(?=^ {2}- name: )/m);
  const block =
    /^( *# Made by `npm run generate`: ([^\n]*)\.\n)[^]*?^( *# End of these columns\.\n)/gm;
  const made = models.map((model) => {
    const byHand = new Set(
      [...model.replace(block, "").matchAll(/^ {6}- name: (.*)$/gm)].map(([, name]) => name),
    );
    return model.replace(block, (_all, first: string, title: string, last: string) => {
      const isRaw = title.endsWith("as the provider sends them");
      const listed = BLOCKS[title];
      if (listed === undefined) throw new Error(`no block of columns is called "${title}"`);
      const rows = listed.filter(({ name }) => !byHand.has(name));
      const lines = rows.map(({ column, name, description }) =>
        isRaw
          ? `      - name: ${column}\n        quote: true\n        description: ${JSON.stringify(description)}\n`
          : `      - name: ${name}\n        description: ${JSON.stringify(`${column}: ${description}`)}\n`,
      );
      return `${first}${lines.join("")}${last}`;
    });
  });
  return made.join("");
}

const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;

/** The columns of usage and costs, each once where both datasets describe it alike. */
function recordTable(): string {
  const added = Object.entries(ADDED_COLUMNS).map(([column, { description, type }]) =>
    row(`\`${column}\``, type === "string" ? "text" : type, "both", description),
  );
  const rowsOf = (dataset: Dataset, inDatasets: string, others: readonly Column[]): string[] =>
    columns[dataset]
      .filter((own) => others.some((other) => isAlike(own, other)) === (inDatasets === "both"))
      .map(({ column, kind, description }) => row(`\`${column}\``, kind, inDatasets, description));
  return [
    row("column", "type", "in", "meaning"),
    "|---|---|---|---|\n",
    ...rowsOf("usage", "both", columns.costs),
    ...added,
    ...rowsOf("usage", "usage", columns.costs),
    ...rowsOf("costs", "costs", columns.usage),
  ].join("");
}

function isAlike(one: Column, other: Column): boolean {
  return one.column === other.column && one.description === other.description;
}

/** The columns of a stream that is no dataset of the interface. */
function ownTable({ properties }: { readonly properties: Readonly<Record<string, Property>> }) {
  const rows = Object.entries(properties).map(([column, property]) => {
    const type = property.type[1] ?? "";
    const shown = property.format === "date" ? "date" : type === "string" ? "text" : type;
    const kind = property.format === "date-time" ? "instant" : shown;
    return row(`\`${column}\``, kind, property.description);
  });
  return [row("column", "type", "meaning"), "|---|---|---|\n", ...rows].join("");
}

const TABLES: Readonly<Record<string, () => string>> = {
  records: recordTable,
  export_windows: () => ownTable(exportWindowsSchema),
  labels: () => ownTable(labelsSchema),
};

/** `docs/columns.md` with its tables made again. */
function withTables(text: string): string {
  return text.replace(
    /(<!-- Made by `npm run generate`: (\w+) -->\n)[^]*?(<!-- end -->)/g,
    (_all, first: string, name: string, last: string) =>
      `${first}\n${TABLES[name]?.() ?? ""}\n${last}`,
  );
}

const DOCUMENTED = [
  "marts/schema.yml",
  "marts/focus_cost_and_usage.yml",
  "finance/unit_costs.yml",
  "finance/prices.yml",
  "finance/converted_costs.yml",
];

/** The files that are partly made: path, text as it is, text as it should be. */
export function partlyMade(): { path: string; text: string; made: string }[] {
  const models = DOCUMENTED.map((name) => {
    const path = `dbt/models/${name}`;
    const text = read(path);
    return { path, text, made: withBlocks(text) };
  });
  const path = "docs/columns.md";
  return [...models, { path, text: read(path), made: withTables(read(path)) }];
}
