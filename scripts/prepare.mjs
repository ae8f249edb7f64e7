// Builds the bundle after `npm ci`; does nothing where the development tools are left out (`npm ci --omit=dev`).
// Plain JavaScript: it is the one script that may meet an older Node, which cannot run TypeScript.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const root = new URL("..", import.meta.url);
const node = new URL("node_modules/node/bin/node", root);
if (existsSync(node) && existsSync(new URL("node_modules/esbuild", root))) {
  const { status } = spawnSync(node.pathname, ["scripts/build.ts"], {
    cwd: root.pathname,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}
