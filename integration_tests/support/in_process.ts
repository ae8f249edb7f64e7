/**
 * Commands of the engine in the process of the test, because a process for each takes four times as long. The result has the form of
 * a process's, so that the same rules judge it.
 */
import { rmSync } from "node:fs";
import { Writable } from "node:stream";
import { readJsonFile } from "../../src/config/json_file.ts";
import { Emitter } from "../../src/emit.ts";
import { ConnectorError } from "../../src/errors.ts";
import { Secrets } from "../../src/secrets.ts";
import { hostOf, perform } from "../../src/testing_host.ts";
import { type Finished, type Inputs, writeInputs } from "./process.ts";
import { parseMessage } from "./protocol.ts";

export const readInProcess = (inputs: Inputs): Promise<Finished> => inProcess("read", inputs);

/** @param debug as `--debug` */
export async function inProcess(
  kind: "check" | "discover" | "read",
  inputs: Inputs,
  debug = false,
): Promise<Finished> {
  const { folder, paths } = writeInputs(inputs);
  const { config = "", catalog = "", state } = paths;
  const chunks: Buffer[] = [];
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk)); // the engine uses the memory of a chunk again
      done();
    },
  });
  const [secrets, stop] = [new Secrets(), new AbortController()];
  const host = hostOf({}, { readJson: readJsonFile, secrets, stop: stop.signal });
  try {
    const files = { config, writeConfig: false, debug };
    const command = kind === "read" ? { kind, ...files, catalog, state } : { kind, ...files };
    const outcome = await perform(command, host, new Emitter(stdout, secrets, debug));
    const text = Buffer.concat(chunks).toString();
    return {
      code: outcome === true ? 0 : 1,
      signal: null,
      stdout: text,
      stderr: "",
      messages: text.split("\n").slice(0, -1).map(parseMessage),
    };
  } finally {
    stop.abort(new ConnectorError("aborted", "The run is over."));
    rmSync(folder, { recursive: true });
  }
}
