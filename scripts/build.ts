/**
 * `npm run build`: bundles the connector as dist/source-ai-billing.js, without any development tool. A command loads its
 * part of the bundle only when it runs: `spec` loads neither the config's schema nor the HTTP client.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { build, type Plugin } from "esbuild";
import { OPTIONAL } from "./optional.ts";
import { sbomOf } from "./sbom.ts";

const root = new URL("..", import.meta.url).pathname;
const outdir = `${root}dist`;
/** The image is built without this folder. */
const hasWarehouse = existsSync(`${root}warehouse`);

/**
 * Replaces imports of node:process by the global `process`. The module reads all members of `process` when it is imported, and
 * so opens stdout as a stream, which sets a pipe to non-blocking mode (cli/stdout.ts).
 */
const globalProcess: Plugin = {
  name: "global process",
  setup: (bundle) => {
    const found = { path: "process", namespace: "global" };
    bundle.onResolve({ filter: /^node:process$/ }, () => found);
    bundle.onLoad({ filter: /./, namespace: "global" }, () => ({
      contents: "export default process;",
    }));
  },
};

const read = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(`${root}${name}`, "utf8"));

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  metafile: true,
  write: false,
  entryPoints: { "source-ai-billing": `${root}cli/main.ts` },
  outdir,
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node24",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "eof",
  plugins: [globalProcess],
  // DuckDB has binaries. DuckDB and pg are only loaded where they are installed and needed.
  external: [...OPTIONAL, ...(hasWarehouse ? [] : ["../warehouse/*"])],
  // The main file of jsonc-parser requires its parts in a way that no bundler can follow.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  // Some dependencies are CommonJS and call require, which ES modules do not have.
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
});

const files = Object.keys(metafile.inputs);
const made = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));

if (hasWarehouse) {
  const page = await build({
    absWorkingDir: root,
    metafile: true,
    write: false,
    entryPoints: {
      report: `${root}warehouse/report/page/main.ts`,
      "report-style": `${root}warehouse/report/page/page.css`,
    },
    outdir,
    bundle: true,
    minify: true,
    platform: "browser",
    format: "iife",
    target: "es2022",
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  files.push(...Object.keys(page.metafile.inputs));
  for (const { path, contents } of page.outputFiles) made.set(basename(path), contents);
}

const sbom = sbomOf(await read("package.json"), {
  files,
  optional: hasWarehouse ? OPTIONAL : [],
  lock: await read("package-lock.json"),
});
made.set("sbom.cdx.json", Buffer.from(`${JSON.stringify(sbom, null, 2)}\n`));

// A connector may run meanwhile, so no file that it needs is missing at any moment: each is replaced whole, and old ones go last.
const written = await mkdtemp(`${root}node_modules/.build-`);
await mkdir(outdir, { recursive: true });
for (const [name, contents] of made) {
  await writeFile(`${written}/${name}`, contents);
  await rename(`${written}/${name}`, `${outdir}/${name}`);
}
await rm(written, { recursive: true });
for (const name of await readdir(outdir))
  if (!made.has(name)) await rm(`${outdir}/${name}`, { recursive: true, force: true });
