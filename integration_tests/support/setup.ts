/** Runs once before the integration tests: what they all need. */
import type { TestProject } from "vitest/node";
import { buildAndDiscover } from "./bundle.ts";
import type { Catalog } from "./protocol.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** What `discover` offers where both datasets are offered. */
    readonly catalog: Catalog;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  project.provide("catalog", await buildAndDiscover());
}
