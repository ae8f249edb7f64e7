/**
 * `npm pack` publishes the bundle. Everything that it needs is inside it, so the published package.json lists no dependency
 * but two optional ones: DuckDB, which only the commands of a database use, and pg for reports from PostgreSQL. Its one script lets
 * an installation fail where Node is too old. `prepack` puts this package.json in place of the repository's, and
 * `postpack` puts the repository's back.
 */
import { existsSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { OPTIONAL } from "./optional.ts";

const root = new URL("..", import.meta.url);
const file = new URL("package.json", root);
const kept = new URL("package.json.kept", root);

/** The members of the repository's package.json that are published. */
const PUBLISHED = [
  "name",
  "version",
  "description",
  "keywords",
  "homepage",
  "repository",
  "license",
  "type",
  "engines",
  "bin",
  "files",
];

/** npm only warns if Node is older than `engines` allows, and the command would refuse to run later. So the installation fails. */
const PREINSTALL = "node bin/needs_node.mjs";

async function replace(): Promise<void> {
  if (!existsSync(new URL("dist/source-ai-billing.js", root))) {
    throw new Error("there is no bundle: run npm run build first");
  }
  const text = await readFile(file, "utf8");
  const own: Record<string, unknown> & { readonly devDependencies: Record<string, string> } =
    JSON.parse(text);
  const published = Object.fromEntries(PUBLISHED.map((name) => [name, own[name]]));
  const optionalDependencies = Object.fromEntries(
    OPTIONAL.map((name) => [name, own.devDependencies[name]]),
  );
  // An interrupted `npm pack` leaves the repository's file under the other name, and it must win.
  if (!existsSync(kept)) await writeFile(kept, text, { flag: "wx" });
  const shown = { ...published, scripts: { preinstall: PREINSTALL }, optionalDependencies };
  await writeFile(file, `${JSON.stringify(shown, null, 2)}\n`);
}

async function restore(): Promise<void> {
  if (!existsSync(kept)) return;
  await rm(file);
  await rename(kept, file);
}

await (process.argv[2] === "restore" ? restore() : replace());
