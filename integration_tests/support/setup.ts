/** Runs once before the integration tests and provides the catalog to all of them. */
import type { TestProject } from "vitest/node";
import { buildAndDiscover } from "./bundle.ts";
import type { Catalog } from "./protocol.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The catalog of `discover` for a provider with both datasets. */
    readonly catalog: Catalog;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  project.provide("catalog", await buildAndDiscover());
}
