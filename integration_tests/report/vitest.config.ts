import { defineConfig } from "vitest/config";

// These tests have a config of their own because they need a browser, which run.sh provides.
export default defineConfig({
  test: {
    include: ["integration_tests/report/*.suite.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
