// Runs before the npm scripts that a newcomer starts. Names the cause if Node is too old to run TypeScript.
// This script is plain JavaScript because that older Node runs it.
const wanted = 24;
const found = process.versions.node;
if (Number.parseInt(found, 10) < wanted) {
  process.stderr.write(
    `Node.js ${wanted} or newer is needed, and this is ${found}. \`npm ci\` installs a Node.js of its own for these scripts, ` +
      "but not with --omit: run `npm ci` again without it.\n",
  );
  process.exitCode = 1;
}
