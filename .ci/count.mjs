// Adds up the reports of the suites in a folder, and names the tests that failed. NAME.exit holds a suite's exit code. NAME.json (vitest's
// JSON) or NAME.xml (JUnit XML) holds its report, if the suite wrote one. Plain JavaScript, because the machine's Node may be old.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const folder = process.argv[2] ?? ".cache/reports";

/** The counts of a suite, and its failed tests with the first line of each error; no counts if there is no report. */
function reportOf(name) {
  try {
    return vitestReport(JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")));
  } catch {
    return junitReport(name);
  }
}

function vitestReport(json) {
  const faults = json.testResults.flatMap(({ name, assertionResults, message }) => {
    const failed = assertionResults.filter(({ status }) => status === "failed");
    // A file that cannot be loaded has a message of its own.
    const ofFile = message ? [`${basename(name)}: ${firstLine(message)}`] : [];
    return [
      ...ofFile,
      ...failed.map(
        ({ fullName, failureMessages }) =>
          `${basename(name)}: ${fullName}: ${firstLine(failureMessages[0])}`,
      ),
    ];
  });
  return {
    isComplete: json.success === true,
    passed: json.numPassedTests,
    failed: json.numFailedTests,
    skipped: json.numPendingTests + json.numTodoTests,
    faults,
  };
}

function junitReport(name) {
  const report = { isComplete: true, passed: 0, failed: 0, skipped: 0, faults: [] };
  try {
    const xml = readFileSync(join(folder, `${name}.xml`), "utf8");
    for (const [suite] of xml.matchAll(/<testsuite [^>]*>/g)) {
      const count = (attribute) => Number(attributeOf(suite, attribute) ?? 0);
      const failed = count("failures") + count("errors");
      report.failed += failed;
      report.skipped += count("skipped");
      report.passed += count("tests") - failed - count("skipped");
    }
    const fault = /<testcase ((?:[^>"]|"[^"]*")*)>\s*<(?:failure|error) ((?:[^>"]|"[^"]*")*)>/g;
    for (const [, test, failure] of xml.matchAll(fault)) {
      const title = attributeOf(` ${test}`, "name");
      report.faults.push(`${title}: ${firstLine(attributeOf(` ${failure}`, "message"))}`);
    }
    return report;
  } catch {
    return { ...report, isComplete: false };
  }
}

const ENTITIES = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&#10;": "\n",
  "&amp;": "&",
};

function attributeOf(tag, name) {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
  return value?.replaceAll(/&[a-z0-9#]+;/g, (entity) => ENTITIES[entity] ?? entity);
}

function firstLine(message = "") {
  return message.trim().split("\n")[0];
}

let passed = 0;
let failed = 0;
let skipped = 0;
const suites = readdirSync(folder).filter((file) => file.endsWith(".exit"));
for (const file of suites) {
  const name = file.slice(0, -".exit".length);
  const report = reportOf(name);
  const code = Number(readFileSync(join(folder, file), "utf8"));
  passed += report.passed;
  skipped += report.skipped;
  for (const fault of report.faults) console.log(`failed in ${name}: ${fault}`);
  // A failed installation, a file that cannot be loaded, or an error outside of all tests fails no single test.
  const isUntold = report.failed === 0 && (code !== 0 || !report.isComplete);
  failed += report.failed + (isUntold ? 1 : 0);
  if (isUntold) console.log(`failed: ${name}, with exit code ${code}; see its output`);
}
if (suites.length === 0) failed += 1;
console.log(`\n${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`);
process.exitCode = failed === 0 ? 0 : 1;
