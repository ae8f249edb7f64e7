// Builds the bundle after `npm ci`. Does nothing if the development tools are absent (`npm ci --omit=dev`).
// This script is plain JavaScript because an older Node, which cannot run TypeScript, may run it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const root = new URL("..", import.meta.url);
const node = new URL("node_modules/.bin/node", root);
if (existsSync(node) && existsSync(new URL("node_modules/esbuild", root))) {
  const { status } = spawnSync(node.pathname, ["scripts/build.ts"], {
    cwd: root.pathname,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}
