/**
 * `npm run soak -- --seeds N` or `--kills N`, with `--from S`: the proofs that are drawn from seeds, for seeds S to
 * S + N − 1. Every broken promise is shown with its seed; `--log` shows what happened in each.
 */
import { parseArgs } from "node:util";

/** What one seed came to. */
interface Result {
  readonly faults: readonly string[];
  readonly log: readonly string[];
  /** What is counted; of what is named `most …` the greatest is kept. */
  readonly figures: Readonly<Record<string, number>>;
}

type Proof = (seed: number) => Promise<Result>;

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    kills: { type: "string" },
    from: { type: "string", default: "1" },
    plain: { type: "boolean", default: false },
    refresh: { type: "boolean", default: false },
    log: { type: "boolean", default: false },
  },
});

/** Lives in simulated time. */
async function lives(): Promise<Proof> {
  const { live, refresh } = await import("./life.ts");
  const { drawWorld } = await import("./world.ts");
  return async (seed) => {
    const world = drawWorld(seed, { kind: values.plain ? "plain" : "any" });
    const report = await (values.refresh ? refresh(world) : live(world, values.plain));
    const { faults, log, syncs, requests } = report;
    return { faults, log, figures: { syncs, requests } };
  };
}

/** The real process, killed. */
async function kills(): Promise<Proof> {
  const { buildAndDiscover } = await import("../integration_tests/support/bundle.ts");
  const { drawSchedule } = await import("../integration_tests/kills/schedule.ts");
  const { tell } = await import("../integration_tests/kills/story.ts");
  const catalog = await buildAndDiscover();
  return (seed) => tell(drawSchedule(seed), catalog);
}

const figures = new Map<string, number>();
const began = performance.now();
const minutes = (): number => (performance.now() - began) / 60_000;
let [broken, shownAt] = [0, 0];

function add(found: Result["figures"]): void {
  for (const [name, value] of Object.entries(found)) {
    const before = figures.get(name) ?? 0;
    figures.set(name, name.startsWith("most ") ? Math.max(before, value) : before + value);
  }
}

function show(seeds: number): void {
  const counts = [...figures].map(([name, value]) => `${name}: ${value}`);
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
    add(result.figures);
    if (values.log) console.log(result.log.join("\n"));
    if (result.faults.length > 0) {
      broken += 1;
      console.log(`SEED=${seed} ${result.faults.slice(0, 3).join("\n  ")}`);
    }
    if (minutes() - shownAt >= 1) show(seed - from + 1);
  }
  show(count);
}

const proof = await (values.kills === undefined ? lives() : kills());
const count = Number(values.kills ?? values.seeds ?? 1000);
await soak(proof, Number(values.from), count);
process.exitCode = broken === 0 ? 0 : 1;
