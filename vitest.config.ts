import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";

// Continuous integration reads a report in place of the output for people.
const report = process.env["TEST_REPORT"];

// The processes of the tests, and those that they start, keep compiled code, as the launcher does: it halves the time of a start.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(
  new URL("node_modules/.cache/compiled", import.meta.url),
);

/** Unit tests that replace modules, or Node's HTTP by nock. All others share a process, because each would load the same modules again. */
const ISOLATED = [
  "src/config/json_file_access.test.ts",
  "src/http/client.test.ts",
  "src/http/transport.test.ts",
  "src/oauth/token_endpoint.test.ts",
];

// Property tests, and the loading of large libraries, take long on a busy machine.
const UNIT_LIMITS = { testTimeout: 120_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    // One more than the cores of a small machine: some tests wait for retries, limits of time and processes, while others work.
    maxWorkers: 3,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "{cli,src,scripts,reference_provider,conform,fake_providers,demo,bench,verify,warehouse}/**/*.test.ts",
          ],
          exclude: [...configDefaults.exclude, ...ISOLATED],
          isolate: false,
          ...UNIT_LIMITS,
        },
      },
      { test: { name: "isolated", include: ISOLATED, ...UNIT_LIMITS } },
      {
        test: {
          name: "simulation",
          include: ["simulation/**/*.test.ts"],
          isolate: false,
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: "integration",
          include: ["integration_tests/**/*.test.ts"],
          isolate: false,
          globalSetup: "integration_tests/support/setup.ts",
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // A process may take longer to start than the second that is the default.
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
  },
});
