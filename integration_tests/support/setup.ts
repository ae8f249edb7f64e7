/**
 * Runs once before the integration tests: builds the bundle that users run, and asks it for the catalog that every
 * record of every test is then checked against.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { createProvider } from "../../reference_provider/provider.ts";
import { loadRealSpend } from "../../reference_provider/data.ts";
import { bearerConfig } from "./config.ts";
import { launch } from "./process.ts";
import type { Catalog } from "./protocol.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** What `discover` offers where both datasets are offered. */
    readonly catalog: Catalog;
  }
}

const run = promisify(execFile);

export default async function setup(project: TestProject): Promise<void> {
  const root = new URL("../..", import.meta.url);
  await run(process.execPath, ["scripts/build.ts"], { cwd: root });
  const provider = createProvider({ accounts: [loadRealSpend()], now: "2025-10-04T12:00:00Z" });
  try {
    const { baseUrl } = await provider.listen();
    const config = bearerConfig(baseUrl, provider.issueToken().token);
    const { messages, stdout, stderr } = await launch("discover", { config }).done;
    const catalog = messages.find(({ type }) => type === "CATALOG")?.catalog;
    if (catalog === undefined) throw new Error(`discover gives no catalog:\n${stdout}${stderr}`);
    project.provide("catalog", catalog);
  } finally {
    await provider.close();
  }
}
