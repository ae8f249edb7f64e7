/**
 * `npm run build`: bundles the connector as dist/source-ai-billing.js, without any development tool. A command loads its
 * part of the bundle only when it runs: `spec` loads neither the config's schema nor the HTTP client.
 */
import { rm } from "node:fs/promises";
import { build } from "esbuild";

const root = new URL("..", import.meta.url).pathname;
const outdir = `${root}dist`;

await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: { "source-ai-billing": `${root}src/main.ts` },
  outdir,
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node24",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "eof",
  // Its main file requires its parts in a way that no bundler can follow.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  // Some dependencies are CommonJS and call require, which ES modules do not have.
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
});
