/** `close` as a process that kills itself: `victim.ts DATABASE POINT`. The process ends by SIGKILL before its point. */
import { closeOctober } from "./points.ts";

const [path = "", last = ""] = process.argv.slice(2);

await closeOctober(path, async (point) => {
  if (point === Number(last)) process.kill(process.pid, "SIGKILL");
});
