/** The delivery of `sync` as a process to be killed: `victim.ts DATABASE CONFIG`. */
import { deliverTo } from "./delivery.ts";

const [path = "", config = ""] = process.argv.slice(2);
const errors = await deliverTo(path, config);
if (errors !== undefined) {
  process.stderr.write(errors);
  process.exitCode = 1;
}
