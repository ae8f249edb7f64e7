/**
 * `npm run soak -- --seeds N`, `--models N`, `--kills N`, `--syncs N`, `--adapters N` or `--inputs N`, with `--from S`: runs the tests that
 * are drawn from seeds, for the seeds S to S + N − 1. It prints every broken rule with its seed; `--log` prints each step of each seed.
 * With `--seeds`, `--trials A,B` gives every life these trials, `--plain` gives it a plain world, and `--refresh` makes it full refreshes.
 * `--models` lets the models that ship judge these lives, too.
 */
import { parseArgs } from "node:util";
import type { Report as Life } from "../simulation/connection.ts";
import type { World } from "../simulation/world.ts";
import { Figures, type Report } from "./kills/run.ts";

type Proof = (seed: number) => Promise<Report>;

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    models: { type: "string" },
    kills: { type: "string" },
    syncs: { type: "string" },
    adapters: { type: "string" },
    inputs: { type: "string" },
    from: { type: "string", default: "1" },
    plain: { type: "boolean", default: false },
    refresh: { type: "boolean", default: false },
    log: { type: "boolean", default: false },
    trials: { type: "string" },
  },
});

/** Many syncs of one connection in simulated time. */
async function lives(): Promise<Proof> {
  const { live, refresh } = await import("../simulation/life.ts");
  const { drawWorld } = await import("../simulation/world.ts");
  const { isTrial } = await import("../simulation/trials.ts");
  const names = values.trials?.split(",") ?? [];
  const trials = names.filter(isTrial);
  if (trials.length < names.length)
    throw new RangeError("--trials names a trial that there is not");
  // Only the models need a database.
  const models = values.models === undefined ? null : await import("./support/model_lives.ts");
  const lifeOf = (seed: number, world: World): Promise<Life> => {
    if (models !== null) return models.modelLife(seed, world);
    return values.refresh ? refresh(world) : live(world, values.plain);
  };
  return async (seed) => {
    const report = await lifeOf(
      seed,
      drawWorld(seed, { kind: values.plain ? "plain" : "any", trials }),
    );
    const { faults, log, syncs, requests } = report;
    return { faults, log, figures: { syncs, requests } };
  };
}

/** Real processes, killed at random points. */
async function processes(subject: "kills" | "syncs" | "adapters"): Promise<Proof> {
  const { buildAndDiscover } = await import("./support/bundle.ts");
  const { LIVES } = await import("./kills/subjects.ts");
  const catalog = await buildAndDiscover();
  return (seed) => LIVES[subject](seed, catalog);
}

/** Damaged pages, states, configs and catalogs. */
async function inputs(): Promise<Proof> {
  const { feed } = await import("../simulation/inputs/feed.ts");
  return feed;
}

function chosen(): Promise<Proof> {
  for (const subject of ["kills", "syncs", "adapters"] as const) {
    if (values[subject] !== undefined) return processes(subject);
  }
  return values.inputs === undefined ? lives() : inputs();
}

const figures = new Figures();
const began = performance.now();
const minutes = (): number => (performance.now() - began) / 60_000;
let [broken, shownAt] = [0, 0];

function show(seeds: number): void {
  const counts = Object.entries(figures.all).map(([name, value]) => `${name}: ${value}`);
  const head = `${seeds} seeds, ${broken} broken, ${minutes().toFixed(1)} min`;
  console.log([head, ...counts].join(", "));
  shownAt = minutes();
}

async function soak(proof: Proof, from: number, count: number): Promise<void> {
  for (let seed = from; seed < from + count; seed++) {
    const result = await proof(seed).catch((error: unknown) => ({
      faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      log: [],
      figures: {},
    }));
    figures.add(result.figures);
    if (values.log) console.log(result.log.join("\n"));
    if (result.faults.length > 0) {
      broken += 1;
      console.log(`SEED=${seed} ${result.faults.slice(0, 3).join("\n  ")}`);
    }
    if (minutes() - shownAt >= 1) show(seed - from + 1);
  }
  show(count);
}

const proof = await chosen();
const { kills: killed, syncs, adapters, inputs: fed, models, seeds } = values;
const count = Number(killed ?? syncs ?? adapters ?? fed ?? models ?? seeds ?? 1000);
const from = Number(values.from);
// Otherwise a misspelled number would run no seed, and end as if all rules held.
if (!(count > 0) || !Number.isSafeInteger(from))
  throw new RangeError("the number of seeds, and --from, must be whole numbers");
await soak(proof, from, count);
process.exitCode = broken === 0 ? 0 : 1;
