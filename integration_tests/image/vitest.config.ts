import { defineConfig } from "vitest/config";

// These tests have a config of their own because they need an engine and an image, which run.sh provides.
export default defineConfig({
  test: {
    include: ["integration_tests/image/*.suite.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
