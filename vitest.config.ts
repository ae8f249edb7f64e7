import { defineConfig } from "vitest/config";

// Continuous integration reads a report in place of the output for people.
const report = process.env["TEST_REPORT"];

export default defineConfig({
  test: {
    // By default one fewer than there are cores; integration tests mostly wait for processes of their own.
    maxWorkers: 2,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "{cli,src,scripts,reference_provider,conform,fake_providers,demo,bench,verify,warehouse}/**/*.test.ts",
          ],
          // Property tests, and the loading of large libraries, take long on a busy machine.
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: "simulation",
          include: ["simulation/**/*.test.ts"],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: "integration",
          include: ["integration_tests/**/*.test.ts"],
          globalSetup: "integration_tests/support/setup.ts",
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
