/** PyAirbyte with this connector and a DuckDB cache, as a peer of `sync`. It makes no models. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LAUNCHER } from "../bin/process.ts";
import type { World } from "./world.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Installs PyAirbyte as its suite does, and prints the folder of its virtual environment. */
const INSTALL = `. integration_tests/support/suite.sh
python_venv "$root/integration_tests/pyairbyte/requirements.txt" >&2 && printf %s "$venv"`;

/**
 * The command that reads all streams into a new DuckDB file through PyAirbyte.
 *
 * @param read the command of the connector that reads the scene of the world
 * @returns undefined if PyAirbyte cannot be installed here
 */
export function pyAirbyteCommand(
  world: World,
  read: readonly string[],
): readonly string[] | undefined {
  const { status, stdout } = spawnSync("bash", ["-c", INSTALL], { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) {
    console.error("PyAirbyte cannot be installed here: its figures are left out.");
    return undefined;
  }
  const config = read[read.indexOf("--config") + 1] ?? "";
  const script = fileURLToPath(new URL("peers/pyairbyte_read.py", import.meta.url));
  const offline = ["AIRBYTE_OFFLINE_MODE=1", "AIRBYTE_DISABLE_TELEMETRY=1", "DO_NOT_TRACK=1"];
  return ["env", ...offline, `${stdout}/bin/python`, script, LAUNCHER, config, world.file("peer")];
}
