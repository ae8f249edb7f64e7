/**
 * Draws one input from a seed and gives it to its reader: a damaged page, state, config or catalog. The result must be
 * a clear error or exactly the content of the input; never another error, a crash, or a silent loss.
 */
import { parseCatalog } from "../../src/catalog/catalog.ts";
import { parseConfig, secretsOf } from "../../src/config/config.ts";
import type { ErrorCode } from "../../src/errors.ts";
import { type InputKind, parseJsonFile } from "../../src/config/json_file.ts";
import { Random } from "../random.ts";
import { drawCatalog, drawConfig } from "./configs.ts";
import { deliver } from "./deliver.ts";
import { errorFaults } from "./errors.ts";
import { hasNameTwice, readJson, TooDeep } from "./json.ts";
import { drawPages } from "./pages.ts";
import { judgeCatalog, judgeConfig } from "./right_configs.ts";
import { judgePages } from "./right_pages.ts";
import { judgePlan } from "./right_states.ts";
import { drawStates, MARK, takeState } from "./states.ts";

/** The result of one input. */
export interface Fed {
  readonly faults: readonly string[];
  /** The input, for finding the cause of a failure. */
  readonly log: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

/** Milliseconds. No input needs a thousandth of this time, so a longer time counts as a hang. */
const PATIENCE = 5000;

export async function feed(seed: number): Promise<Fed> {
  const random = new Random(seed);
  const began = performance.now();
  const fed = await fedTo(random);
  const took = performance.now() - began;
  return took < PATIENCE ? fed : { ...fed, faults: [...fed.faults, `it took ${took} ms`] };
}

async function fedTo(random: Random): Promise<Fed> {
  switch (random.int(0, 9)) {
    case 0:
    case 1:
      return await feedState(random);
    case 2:
    case 3:
      return await feedConfig(drawConfig(random));
    case 4:
      return await feedCatalog(drawCatalog(random));
    default:
      return await feedPages(random);
  }
}

async function feedPages(random: Random): Promise<Fed> {
  const input = drawPages(random);
  const delivered = await deliver(input);
  const outcome = delivered.error === null ? "pages read" : "pages refused";
  const log = input.answers.map(({ status, headers, body }) =>
    [status, JSON.stringify(headers), Buffer.from(body).toString()].join(" "),
  );
  return {
    faults: judgePages(input, delivered),
    log: [JSON.stringify({ ...input, answers: undefined }), ...log],
    figures: { [outcome]: 1 },
  };
}

/** A file as JSON, or the error of reading it. */
type Opened =
  | { readonly isJson: true; readonly value: unknown }
  | { readonly isJson: false; readonly error: unknown };

async function opened(bytes: Uint8Array, what: InputKind): Promise<Opened> {
  try {
    return { isJson: true, value: await parseJsonFile(bytes, `${what}.json`, what) };
  } catch (error) {
    return { isJson: false, error };
  }
}

/**
 * The fault if only one of the connector and the JSON reader of this folder takes the file for JSON; else none. A config that has a
 * name twice is none for both.
 */
function fileFaults(bytes: Uint8Array, file: Opened, what: InputKind): string[] {
  let isJson = false;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const tree = readJson(text);
    isJson =
      tree === undefined
        ? what === "state" && text.trim() === ""
        : what !== "config" || !hasNameTwice(tree);
  } catch (error) {
    if (error instanceof TooDeep) return [];
  }
  return isJson === file.isJson ? [] : [`JSON: ${isJson}, taken for JSON: ${file.isJson}`];
}

function refusal(error: unknown, code: ErrorCode): string[] {
  // States and catalogs hold no secret. Errors may name the owner of a state and the streams.
  const secret = code === "invalid_config" ? MARK : null;
  return errorFaults(error, { codes: new Set([code]), secret, masked: false });
}

async function feedState(random: Random): Promise<Fed> {
  const input = drawStates(random);
  const log = [JSON.stringify({ ...input, file: undefined }), Buffer.from(input.file).toString()];
  const file = await opened(input.file, "state");
  const faults = fileFaults(input.file, file, "state");
  if (!file.isJson) {
    faults.push(...refusal(file.error, "invalid_state"));
    return { faults, log, figures: { "states refused": 1 } };
  }
  let refused = 0;
  for (const stream of ["usage", "costs"] as const) {
    try {
      faults.push(...judgePlan(takeState(file.value, stream, input), input));
    } catch (error) {
      refused = 1;
      faults.push(...refusal(error, "invalid_state"));
    }
  }
  return { faults, log, figures: { [refused === 0 ? "states read" : "states refused"]: 1 } };
}

/** Reads a file with one function. Its result is checked; an error counts as a refusal. */
async function feedFile<Taken>(
  bytes: Uint8Array,
  what: "config" | "catalog",
  read: (value: unknown) => Taken,
  judge: (value: unknown, taken: Taken | null) => string[],
): Promise<Fed> {
  const code = what === "config" ? "invalid_config" : "invalid_catalog";
  const log = [Buffer.from(bytes).toString()];
  const file = await opened(bytes, what);
  const faults = fileFaults(bytes, file, what);
  if (!file.isJson) {
    faults.push(...refusal(file.error, code));
    return { faults, log, figures: { [`${what}s refused`]: 1 } };
  }
  try {
    faults.push(...judge(file.value, read(file.value)));
    return { faults, log, figures: { [`${what}s read`]: 1 } };
  } catch (error) {
    faults.push(...refusal(error, code), ...judge(file.value, null));
    return { faults, log, figures: { [`${what}s refused`]: 1 } };
  }
}

async function feedConfig(bytes: Uint8Array): Promise<Fed> {
  return await feedFile(bytes, "config", parseConfig, (value, taken) =>
    judgeConfig(value, taken, secretsOf(value)),
  );
}

async function feedCatalog(bytes: Uint8Array): Promise<Fed> {
  return await feedFile(bytes, "catalog", parseCatalog, judgeCatalog);
}
