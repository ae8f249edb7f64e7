/**
 * Runs the connector as a platform does: as a process that reads files and writes messages, one JSON object a line.
 * RECORD lines go to disk unchanged, so that this program never rewrites a digit.
 */
import { once } from "node:events";
import { createWriteStream, existsSync, type WriteStream } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { LAUNCHER, linesOf, start } from "../bin/process.ts";

const BUNDLE = fileURLToPath(new URL("../dist/source-ai-billing.js", import.meta.url));

const streamSchema = z.looseObject({
  name: z.string(),
  json_schema: z.looseObject({
    properties: z.record(
      z.string(),
      z.looseObject({ type: z.array(z.string()), format: z.string().optional() }),
    ),
  }),
  supported_sync_modes: z.array(z.string()),
  default_cursor_field: z.array(z.string()),
  source_defined_primary_key: z.array(z.array(z.string())),
});

/** A stream as `discover` offers it. */
export type Stream = z.output<typeof streamSchema>;

/** Whether a newer version of a row replaces it. A stream without full refresh is only appended to. */
export const isDeduplicated = (stream: Stream): boolean =>
  stream.supported_sync_modes.includes("full_refresh");

const specSchema = z.looseObject({
  connectionSpecification: z.looseObject({
    properties: z.record(z.string(), z.unknown()),
    required: z.array(z.string()),
  }),
});

// The other members of the message, such as counts of records, belong to the run and not to the state.
const stateSchema = z.object({
  type: z.literal("STREAM"),
  stream: z.object({
    stream_descriptor: z.object({ name: z.string() }),
    stream_state: z.record(z.string(), z.unknown()),
  }),
});

/** The state of one stream. Opaque, except for `position`: the instant up to which the stream is complete. */
export type State = z.output<typeof stateSchema>;

const messageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("RECORD"), record: z.object({ stream: z.string() }) }),
  z.object({ type: z.literal("STATE"), state: stateSchema }),
  z.object({
    type: z.literal("LOG"),
    log: z.object({ level: z.string(), message: z.string() }),
  }),
  z.object({
    type: z.literal("TRACE"),
    trace: z.object({ error: z.object({ message: z.string() }).optional() }),
  }),
  z.object({ type: z.literal("SPEC"), spec: specSchema }),
  z.object({
    type: z.literal("CONNECTION_STATUS"),
    connectionStatus: z.object({ status: z.string(), message: z.string().optional() }),
  }),
  z.object({ type: z.literal("CATALOG"), catalog: z.object({ streams: z.array(streamSchema) }) }),
]);

type Message = z.output<typeof messageSchema>;

/** The result of a read. */
export interface Delivery {
  /** RECORD lines by stream, in the order in which they came. */
  readonly files: ReadonlyMap<string, string>;
  /** Pass them to {@link Connector.keep} after the records have been stored. */
  readonly states: readonly State[];
  readonly warnings: readonly string[];
}

/** The connector and its files: config, catalog and state. */
export class Connector {
  readonly #directory: string;

  /** @param directory the folder of the files; must exist */
  constructor(directory: string) {
    if (!existsSync(BUNDLE))
      throw new Error("the connector has not been built: run npm ci, without --ignore-scripts");
    this.#directory = directory;
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }

  /** Writes the configuration. Only its owner can read it, because it holds a token. */
  async configure(config: unknown): Promise<void> {
    await rm(this.#path("state.json"), { force: true });
    await writeJson(this.#path("config.json"), config, 0o600);
  }

  async spec(): Promise<z.output<typeof specSchema>> {
    const [message] = await this.#ask(["spec"]);
    if (message?.type === "SPEC") return message.spec;
    throw new Error("spec printed no specification");
  }

  async check(): Promise<string> {
    const messages = await this.#ask(["check", "--config", this.#path("config.json")]);
    const answer = messages.find((message) => message.type === "CONNECTION_STATUS");
    if (answer === undefined) throw new Error("check gave no answer");
    const { status, message = "" } = answer.connectionStatus;
    return `${status}  ${message}`;
  }

  async discover(): Promise<readonly Stream[]> {
    const messages = await this.#ask(["discover", "--config", this.#path("config.json")]);
    const answer = messages.find((message) => message.type === "CATALOG");
    if (answer === undefined) throw new Error("discover gave no catalog");
    return answer.catalog.streams;
  }

  /** Selects the streams to read: incrementally, and deduplicated if the stream allows. */
  async choose(streams: readonly Stream[]): Promise<void> {
    const chosen = streams.map((stream) => ({
      stream,
      sync_mode: "incremental",
      destination_sync_mode: isDeduplicated(stream) ? "append_dedup" : "append",
      cursor_field: stream.default_cursor_field,
      primary_key: stream.source_defined_primary_key,
    }));
    await writeJson(this.#path("catalog.json"), { streams: chosen });
  }

  /**
   * Reads from the last state that was kept, or from the beginning without one.
   *
   * @throws Error with the connector's own message if it does not exit with 0
   */
  async read(onRecord: (records: number) => void): Promise<Delivery> {
    const files = new Map<string, WriteStream>();
    const states = new Map<string, State>();
    const warnings: string[] = [];
    let records = 0;
    const args = ["read", "--config", this.#path("config.json")];
    args.push("--catalog", this.#path("catalog.json"));
    const kept = this.#path("state.json");
    if (existsSync(kept)) args.push("--state", kept);
    await run(args, (message, text) => {
      if (message.type === "RECORD") {
        const { stream } = message.record;
        const file = files.get(stream) ?? createWriteStream(this.#path(`${stream}.jsonl`));
        files.set(stream, file);
        file.write(`${text}\n`);
        records += 1;
        onRecord(records);
      } else if (message.type === "STATE") {
        states.set(message.state.stream.stream_descriptor.name, message.state);
      } else if (message.type === "LOG" && message.log.level === "WARN") {
        warnings.push(message.log.message);
      }
    });
    await Promise.all([...files.values()].map((file) => once(file.end(), "close")));
    const paths = new Map([...files].map(([stream, { path }]) => [stream, String(path)]));
    return { files: paths, states: [...states.values()], warnings };
  }

  /** Keeps the states for the next read. Store the records first: the connector does not read them again. */
  async keep(states: readonly State[]): Promise<void> {
    const path = this.#path("state.json");
    const kept = existsSync(path)
      ? z.array(stateSchema).parse(JSON.parse(await readFile(path, "utf8")))
      : [];
    const nameOf = ({ stream }: State): string => stream.stream_descriptor.name;
    const newer = new Set(states.map(nameOf));
    await writeJson(path, [...kept.filter((state) => !newer.has(nameOf(state))), ...states]);
  }

  async #ask(args: readonly string[]): Promise<Message[]> {
    const messages: Message[] = [];
    await run(args, (message) => messages.push(message));
    return messages;
  }
}

async function writeJson(path: string, value: unknown, mode = 0o644): Promise<void> {
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`, { mode });
}

/** Runs a command of the connector. @throws Error with its message if it does not exit with 0 */
async function run(
  args: readonly string[],
  onMessage: (message: Message, line: string) => void,
): Promise<void> {
  const { child, ended } = start([LAUNCHER, ...args]);
  const errors: string[] = [];
  for await (const line of linesOf(child)) {
    const message = messageSchema.parse(JSON.parse(line));
    if (message.type === "TRACE" && message.trace.error !== undefined) {
      errors.push(message.trace.error.message);
    }
    onMessage(message, line);
  }
  const { code, signal } = await ended;
  if (code === 0) return;
  const what = `source-ai-billing ${args[0]} ended with ${String(code ?? signal)}`;
  throw new Error([`${what}:`, ...errors].join("\n"));
}
