/** The peers of `sync`: PyAirbyte with this connector, and dlt with the connector's lines. Each fills a DuckDB file and makes no models. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LAUNCHER } from "../bin/process.ts";
import type { World } from "./world.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** A program that reads all streams into a new DuckDB file. */
export interface Peer {
  readonly name: string;
  readonly command: readonly string[];
}

/**
 * The peers that can be installed here.
 *
 * @param read the command of the connector that reads the scene of the world
 */
export function warehousePeers(world: World, read: readonly string[]): Peer[] {
  const script = (name: string): string => fileURLToPath(new URL(`peers/${name}`, import.meta.url));
  const config = read[read.indexOf("--config") + 1] ?? "";
  const peers: Peer[] = [];
  const airbyte = installed("PyAirbyte", "integration_tests/pyairbyte/requirements.txt");
  if (airbyte !== undefined) {
    const offline = ["AIRBYTE_OFFLINE_MODE=1", "AIRBYTE_DISABLE_TELEMETRY=1", "DO_NOT_TRACK=1"];
    const files = [LAUNCHER, config, world.file("pyairbyte")];
    const command = ["env", ...offline, airbyte, script("pyairbyte_read.py"), ...files];
    peers.push({ name: "PyAirbyte", command });
  }
  const dlt = installed("dlt", "bench/peers/requirements.txt");
  if (dlt !== undefined) {
    const offline = ["RUNTIME__DLTHUB_TELEMETRY=false", "RUNTIME__LOG_LEVEL=ERROR"];
    const command = ["env", ...offline, dlt, script("dlt_read.py"), world.file("dlt"), ...read];
    peers.push({ name: "dlt", command });
  }
  return peers;
}

/** Installs packages in a virtual environment, and returns its Python; undefined if that is not possible here. */
function installed(name: string, requirements: string): string | undefined {
  const install = `. integration_tests/support/suite.sh
python_venv "$root/${requirements}" >&2 && printf %s "$venv"`;
  const { status, stdout } = spawnSync("bash", ["-c", install], { cwd: ROOT, encoding: "utf8" });
  if (status === 0) return `${stdout}/bin/python`;
  console.error(`${name} cannot be installed here: its figures are left out.`);
  return undefined;
}
