/** `record`: saves a few answers of a provider's own reports, for the maintainers of the adapters (docs/adapters.md). */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatInstant } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import { reasonOf } from "../file_faults.ts";
import type { Capabilities } from "../generated/capabilities.js";
import { type Recorder, type Recording, sample } from "./recording.ts";

/** The recorder, and facts from the capabilities. */
export interface RecordOptions {
  readonly recorder: Recorder;
  readonly provider: Recording["provider"];
  /** Whether the answers come from the provider's own address. Another address may be that of a proxy or a fake. */
  readonly isLive: boolean;
  readonly capabilities: Capabilities;
  /** The provider's clock, in milliseconds since 1970. */
  readonly now: number;
  /** This side's clock when the recording began, in milliseconds since 1970. */
  readonly localNow: number;
  /** The JSON of a page; `path` is under the base URL. */
  readonly ask: (path: string) => Promise<unknown>;
  /** The folder to write to. It is made if it does not exist. */
  readonly out: string;
}

/**
 * Asks for the pages and writes the folder.
 *
 * @returns how many answers were saved
 * @throws ConnectorError `invalid_arguments` if the folder is not empty or cannot be written
 */
export async function record(options: RecordOptions): Promise<number> {
  const { recorder, provider, isLive, capabilities, now, localNow, ask, out } = options;
  await writing(out, async () => {
    await mkdir(out, { recursive: true });
    if ((await readdir(out)).length > 0) throw unusable(out, "it is not empty");
  });
  for await (const _page of sample(capabilities, now, ask)) continue;
  const recording: Recording = {
    version: 1,
    provider,
    source: isLive
      ? "a live account"
      : "another address than the provider's own: a proxy or a fake",
    now: formatInstant(now),
    local_now: formatInstant(localNow),
    answers: recorder.answers.map(({ answer }) => answer),
  };
  await writing(out, async () => {
    for (const { answer, body } of recorder.answers) await writeFile(join(out, answer.file), body);
    await writeFile(join(out, "recording.json"), `${JSON.stringify(recording, null, 2)}\n`);
  });
  return recording.answers.length;
}

async function writing(out: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (reason) {
    if (reason instanceof ConnectorError) throw reason;
    throw unusable(out, `it cannot be written, because ${reasonOf(reason)}`);
  }
}

function unusable(out: string, why: string): ConnectorError {
  return new ConnectorError(
    "invalid_arguments",
    `The folder "${out}" cannot hold the recording: ${why}. Name an empty folder, or one that is not there yet, with --out.`,
  );
}

/** The error of a config that has no key for a provider's own reports. */
export function nothingToRecord(): ConnectorError {
  return new ConnectorError(
    "invalid_config",
    "There is nothing to record: the config has no key of Anthropic, OpenAI or OpenRouter, whose reports `record` saves.",
  );
}
