import { defineConfig } from "vitest/config";

// These tests have a config of their own because they need a browser, which run.sh provides.
export default defineConfig({
  test: {
    include: ["integration_tests/report/*.suite.ts"],
    testTimeout: 60_000,
    // The hook runs the whole demo, which takes minutes on a busy machine.
    hookTimeout: 300_000,
  },
});
