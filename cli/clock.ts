/** The clock of the process. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../src/edges.ts";

/**
 * The time of the machine at the start of the process, and the time that has passed since. So a machine's clock that is set during
 * a run moves no instant: set back by two days, it would keep a pause after a 429 for two days.
 */
export const clock: Clock = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  computed: () => performance.eventLoopUtilization().active,
  sleep: async (ms, signal) => {
    signal.throwIfAborted();
    try {
      await sleep(ms, undefined, { signal });
    } catch (reason) {
      signal.throwIfAborted();
      throw reason;
    }
  },
};
