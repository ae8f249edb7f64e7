// Runs before `npm install` of the package, by whatever Node npm has: an older one could not run what is installed.
// This script is plain JavaScript because that older Node runs it.
const wanted = 24;
const found = process.versions.node;
if (Number.parseInt(found, 10) < wanted) {
  process.stderr.write(
    `source-ai-billing needs Node.js ${wanted} or newer, and this is ${found}: install a newer Node.js, then run npm install again.\n`,
  );
  process.exitCode = 1;
}
