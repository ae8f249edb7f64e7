/** `npm run soak -- --seeds N [--from S]`: lives of seeds S to S + N − 1; every broken promise is shown with its seed. */
import { parseArgs } from "node:util";
import { live, refresh } from "./life.ts";
import { drawWorld } from "./world.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    plain: { type: "boolean", default: false },
    refresh: { type: "boolean", default: false },
    log: { type: "boolean", default: false },
  },
});
const [count, from] = [Number(values.seeds), Number(values.from)];
let [broken, syncs, requests] = [0, 0, 0];
const began = performance.now();
const minutes = (): number => (performance.now() - began) / 60_000;

for (let seed = from; seed < from + count; seed++) {
  const kind = values.plain ? "plain" : "any";
  try {
    const world = drawWorld(seed, { kind });
    const report = await (values.refresh ? refresh(world) : live(world, values.plain));
    syncs += report.syncs;
    requests += report.requests;
    if (values.log) console.log(report.log.join("\n"));
    if (report.faults.length > 0) {
      broken += 1;
      console.log(`SEED=${seed} ${report.faults.slice(0, 3).join("\n  ")}`);
    }
  } catch (error) {
    broken += 1;
    console.log(
      `SEED=${seed} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }
  if ((seed - from + 1) % 1000 === 0) {
    console.log(
      `${seed - from + 1} seeds, ${syncs} syncs, ${requests} requests, ${broken} broken, ${minutes().toFixed(1)} min`,
    );
  }
}
console.log(
  `${count} seeds, ${syncs} syncs, ${requests} requests, ${broken} broken, ${(count / minutes()).toFixed(0)} seeds a minute`,
);
