/**
 * `npm run generate`: writes every file that is derived and committed.
 *
 * schemas/ gives src/generated/*.d.ts (types), validators.js and all_violations.js (standalone code of ajv, bundled, so
 * that ajv itself is not loaded at run time), text_rules.ts (the rules of members of text) and catalog_schemas.ts (the
 * catalog of `discover`). scripts/columns.ts gives the lists of columns and labels for conform/, warehouse/, dbt/ and docs/.
 * src/config/schema.ts gives spec.json. sql/duckdb.sql gives sql/duckdb_empty.json. conform/ gives docs/conformance-checks.md and
 * docs/conformance-faults.md. The titles of the tests give src/core/TESTS.md.
 */
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { _, Ajv, type AnySchemaObject } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import { compileFromFile } from "json-schema-to-typescript";
import { ADDED_COLUMNS, DECIMAL, labelsModule, partlyMade, recordColumnsMacro } from "./columns.ts";
import { formats } from "./formats.ts";
import { testsPage } from "./rules.ts";

const root = new URL("..", import.meta.url);
const out = new URL("src/generated/", root);
const BANNER = "Made by `npm run generate` from schemas/. Do not edit.";

/** The file names of schemas/ without their ending, e.g. `usage`. */
async function schemaNames(): Promise<string[]> {
  const files = await readdir(new URL("schemas/", root));
  return files.map((file) => file.replace(/\.json$/, "")).toSorted();
}

async function readSchema(name: string): Promise<AnySchemaObject> {
  return JSON.parse(await readFile(new URL(`schemas/${name}.json`, root), "utf8"));
}

async function writeTypes(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const source = await compileFromFile(new URL(`schemas/${name}.json`, root).pathname, {
      bannerComment: `/* ${BANNER} */`,
      additionalProperties: false,
    });
    await writeFile(new URL(`${name}.d.ts`, out), source);
  }
}

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/**
 * The schema for the validators. It has no titles and descriptions, because ajv copies schemas with enums into its code,
 * and no pattern for instants, because scripts/formats.ts checks them with their format.
 */
function forValidators(schema: AnySchemaObject): AnySchemaObject {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => {
      if ((key === "description" || key === "title") && typeof value === "string") return undefined;
      const isInstant = typeof value === "object" && value !== null && "format" in value;
      if (!isInstant || value.format !== "date-time") return value;
      return { ...value, pattern: undefined };
    }),
  );
}

/** The first broken rule is enough for the connector; the conformance check shows all. */
async function writeValidators(
  names: readonly string[],
  file: string,
  allErrors: boolean,
): Promise<void> {
  const ajv = new Ajv({
    allErrors,
    code: {
      source: true,
      esm: true,
      lines: false,
      formats: _`require("./scripts/formats.ts").formats`,
    },
    strict: true,
    allowUnionTypes: true,
    logger: false, // would only warn that ajv will drop the option `unicode`
    unicode: false, // the only length is "at least 1", which is equal in characters and in code units
    formats,
    schemas: (await Promise.all(names.map(readSchema))).map(forValidators),
  });
  const refs = Object.fromEntries(
    names.map((name) => [`validate${capitalized(name)}`, `${name}.json`]),
  );
  const bundle = await build({
    stdin: { contents: standaloneCode.default(ajv, refs), resolveDir: root.pathname },
    bundle: true,
    format: "esm",
    write: false,
    minifySyntax: true,
    // A third of the code is indentation. Names stay as they are, for stack traces.
    minifyWhitespace: true,
    legalComments: "none",
    banner: { js: `// ${BANNER}` },
  });
  const code = bundle.outputFiles[0];
  if (code === undefined) throw new Error("esbuild made no validators");
  await writeFile(new URL(`${file}.js`, out), code.text);
  const declarations = Object.keys(refs).map((fn) => `export const ${fn}: Validator;`);
  await writeFile(
    new URL(`${file}.d.ts`, out),
    `// ${BANNER}

/** One broken rule: where (a JSON pointer), which keyword, and in words. */
export interface Violation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** Says whether a value keeps its schema; \`errors\` belongs to the last call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly Violation[] | null;
}

${declarations.join("\n")}
`,
  );
}

interface Property {
  readonly description?: string;
  readonly type: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
}

/**
 * A property of the catalog. It is nullable and has no pattern and no enum, because a destination must never reject what
 * \`invalid_records: "warn"\` lets pass. Decimals are plain strings; date-times have a time zone.
 */
function catalogProperty(property: Property): object {
  const type = ["null", ...[property.type].flat().filter((name) => name !== "null")];
  const description = property.description ?? "";
  return property.format === "date-time"
    ? { description, type, format: "date-time", airbyte_type: "timestamp_with_timezone" }
    : { description, type };
}

async function writeCatalogSchemas(): Promise<void> {
  const schemas: Record<string, object> = {};
  for (const name of ["usage", "costs"]) {
    const schema = await readSchema(name);
    const properties: Record<string, Property> = { ...schema["properties"], ...ADDED_COLUMNS };
    schemas[name] = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      additionalProperties: true,
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, property]) => [key, catalogProperty(property)]),
      ),
    };
  }
  await writeFile(
    new URL("catalog_schemas.ts", out),
    `// ${BANNER}\n\n/** The \`json_schema\` of each record stream in the discovered catalog. */\nexport const catalogSchemas = ${JSON.stringify(schemas, null, 2)} as const;\n`,
  );
}

/** The rule of a member as src/records/plain_shape.ts checks it; `other` if the schema has a rule of another kind. */
function textRule({ description: _text, ...property }: Property): string {
  const rule = JSON.stringify(property);
  if (rule === '{"type":["string","null"]}') return "nullable";
  if (rule === '{"type":"string"}') return "text";
  if (rule === '{"type":"string","minLength":1}') return "filled";
  if (property.type === "string" && property.format === "date-time") return "instant";
  if (property.pattern !== DECIMAL) return "other";
  return property.type === "string" ? "decimal" : "nullableDecimal";
}

async function writeTextRules(): Promise<void> {
  const rules: Record<string, object> = {};
  for (const name of ["usage", "costs"]) {
    const { properties, required } = await readSchema(name);
    const all = Object.entries<Property>(properties).map(([key, value]) => [key, textRule(value)]);
    rules[name] = { required, members: Object.fromEntries(all) };
  }
  await writeFile(
    new URL("text_rules.ts", out),
    `// ${BANNER}

/** The rule of a member. \`filled\`: a text that is not empty; \`other\`: a rule that only the validators know. */
export type TextRule =
  | "nullable"
  | "text"
  | "filled"
  | "instant"
  | "decimal"
  | "nullableDecimal"
  | "other";

/** The rules of a schema, for records that hold only texts and nulls. */
export interface TextRules {
  readonly required: readonly string[];
  readonly members: Readonly<Record<string, TextRule>>;
}

export const textRules: Readonly<Record<"usage" | "costs", TextRules>> = ${JSON.stringify(rules, null, 2)};\n`,
  );
}

async function writeColumns(): Promise<void> {
  await writeFile(new URL("labels.ts", out), labelsModule());
  await writeFile(new URL("dbt/macros/record_columns.sql", root), recordColumnsMacro());
  for (const { path, text, made } of partlyMade())
    if (made !== text) await writeFile(new URL(path, root), made);
}

async function writeSpec(): Promise<void> {
  const { specification } = await import("./specification.ts");
  await writeFile(new URL("spec.json", root), `${JSON.stringify(specification(), null, 2)}\n`);
}

async function writeConformancePages(): Promise<void> {
  const { checksPage, faultsPage } = await import("./conformance_pages.ts");
  await writeFile(new URL("docs/conformance-checks.md", root), checksPage());
  await writeFile(new URL("docs/conformance-faults.md", root), faultsPage());
}

async function writeEmptyModels(): Promise<void> {
  const { emptyModels } = await import("./empty_models.ts");
  const models = Object.entries(await emptyModels()).map(
    ([name, model]) => `${JSON.stringify(name)}: ${JSON.stringify(model)}`,
  );
  await writeFile(new URL("sql/duckdb_empty.json", root), `{\n${models.join(",\n")}\n}\n`);
}

/** Removes the files of an earlier generation that this one does not make; others may read the rest meanwhile. */
async function removeStale(names: readonly string[]): Promise<void> {
  const made = new Set([
    ...names.map((name) => `${name}.d.ts`),
    ...["validators", "all_violations"].flatMap((name) => [`${name}.js`, `${name}.d.ts`]),
    "catalog_schemas.ts",
    "text_rules.ts",
    "labels.ts",
  ]);
  const stale = (await readdir(out)).filter((file) => !made.has(file));
  await Promise.all(stale.map((file) => rm(new URL(file, out))));
}

await mkdir(out, { recursive: true });
const names = await schemaNames();
await removeStale(names);
await writeTypes(names);
await writeValidators(names, "validators", false);
await writeValidators(names, "all_violations", true);
await writeCatalogSchemas();
await writeTextRules();
await writeColumns();
await writeSpec();
await writeConformancePages();
await writeEmptyModels();
await writeFile(new URL("src/core/TESTS.md", root), testsPage());
