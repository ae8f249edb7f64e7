/** The subjects of kills: each draws its life from a seed. */
import type { Catalog } from "../support/protocol.ts";
import { drawAdapter } from "./adapter.ts";
import { drawRead } from "./read.ts";
import { type Report, runLife } from "./run.ts";
import { drawSync } from "./sync.ts";

/** The life of a seed, by subject. */
export const LIVES: Readonly<
  Record<"kills" | "adapters" | "syncs", (seed: number, catalog: Catalog) => Promise<Report>>
> = {
  kills: async (seed, catalog) => await runLife(await drawRead(seed, catalog)),
  adapters: async (seed, catalog) => await runLife(await drawAdapter(seed, catalog)),
  syncs: async (seed) => await runLife(await drawSync(seed)),
};
