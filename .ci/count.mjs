// Adds up the reports of the suites in a folder. NAME.exit holds a suite's exit code. NAME.json (vitest's JSON) or NAME.xml
// (JUnit XML) holds its report, if the suite wrote one. Plain JavaScript, because the machine's Node may be old.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2] ?? ".cache/reports";

function reportOf(name) {
  try {
    return JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  } catch {
    return junitReportOf(name);
  }
}

/** The counts of all its test suites, under the names of vitest's JSON. */
function junitReportOf(name) {
  const report = { success: true, numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 };
  try {
    const xml = readFileSync(join(folder, `${name}.xml`), "utf8");
    for (const [suite] of xml.matchAll(/<testsuite [^>]*>/g)) {
      const count = (attribute) =>
        Number(new RegExp(` ${attribute}="(\\d+)"`).exec(suite)?.[1] ?? 0);
      const failed = count("failures") + count("errors");
      report.numFailedTests += failed;
      report.numPendingTests += count("skipped");
      report.numPassedTests += count("tests") - failed - count("skipped");
    }
    return report;
  } catch {
    return {};
  }
}

let passed = 0;
let failed = 0;
let skipped = 0;
const suites = readdirSync(folder).filter((file) => file.endsWith(".exit"));
for (const file of suites) {
  const report = reportOf(file.slice(0, -".exit".length));
  const own = report.numFailedTests ?? 0;
  const code = Number(readFileSync(join(folder, file), "utf8"));
  passed += report.numPassedTests ?? 0;
  skipped += (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0);
  // A failed installation, a file that cannot be loaded, or an error outside of all tests fails no single test.
  const untold = own === 0 && (code !== 0 || report.success !== true);
  failed += own + (untold ? 1 : 0);
}
if (suites.length === 0) failed += 1;
console.log(`\n${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`);
process.exitCode = failed === 0 ? 0 : 1;
