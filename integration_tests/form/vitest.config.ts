import { defineConfig } from "vitest/config";

// These tests have a config of their own because they need a browser and a form library, which run.sh provides.
export default defineConfig({
  test: {
    include: ["integration_tests/form/*.suite.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
