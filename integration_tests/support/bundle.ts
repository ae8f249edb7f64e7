/** Builds the bundle that users run, and discovers its catalog. Every test checks its records against this catalog. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { loadRealSpend } from "../../reference_provider/data.ts";
import { createProvider } from "../../reference_provider/provider.ts";
import { bearerConfig } from "./config.ts";
import { launch } from "./process.ts";
import type { Catalog } from "./protocol.ts";

const run = promisify(execFile);

/** Builds the bundle. Resolves to the catalog of `discover` for a provider with both datasets. */
export async function buildAndDiscover(): Promise<Catalog> {
  const root = new URL("../..", import.meta.url);
  await run(process.execPath, ["scripts/build.ts"], { cwd: root });
  const provider = createProvider({ accounts: [loadRealSpend()], now: "2025-10-04T12:00:00Z" });
  try {
    const { baseUrl } = await provider.listen();
    const config = bearerConfig(baseUrl, provider.issueToken().token);
    const { messages, stdout, stderr } = await launch("discover", { config }).done;
    const catalog = messages.find(({ type }) => type === "CATALOG")?.catalog;
    if (catalog === undefined) throw new Error(`discover gives no catalog:\n${stdout}${stderr}`);
    return catalog;
  } finally {
    await provider.close();
  }
}
