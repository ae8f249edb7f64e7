/**
 * `npm run drift`: generates every derived file again and fails if one differs from the committed (or staged) file. So
 * nobody can edit a derived file by hand, or forget to generate it.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { withTable } from "../bench/speed_page.ts";
import { partlyMade } from "./columns.ts";

const GENERATED = [
  "src/generated",
  "spec.json",
  "dbt/macros/record_columns.sql",
  "docs/conformance-checks.md",
  "docs/conformance-faults.md",
  "src/core/TESTS.md",
  "sql/duckdb_empty.json",
];
const root = new URL("..", import.meta.url);

// People also write in these files, so a change in git proves nothing: their generated parts are compared.
const outdated = partlyMade().filter(({ text, made }) => text !== made);

await import("./generate.ts");
const status = execFileSync("git", ["status", "--porcelain", "--", ...GENERATED], {
  cwd: root,
  encoding: "utf8",
});
// The first column of git's status is the staged change, the second the unstaged one: only the second is drift.
const drifted = status.split("\n").filter((line) => line !== "" && line[1] !== " ");
drifted.push(...outdated.map(({ path }) => ` M ${path}`));
if (drifted.length > 0) {
  console.error(`Derived files differ from what is committed:\n${drifted.join("\n")}`);
  console.error("Run `npm run generate` and commit its result.");
  process.exitCode = 1;
}

const text = (path: string): string => readFileSync(new URL(path, root), "utf8");
const page = text("docs/speed.md");
for (const file of ["RESULTS.md", "REWRITES.md", "WAREHOUSE.md"]) {
  if (withTable(page, file, text(`bench/${file}`)) === page) continue;
  console.error(
    `The table of docs/speed.md differs from bench/${file}. \`npm run bench\` writes both.`,
  );
  process.exitCode = 1;
}
