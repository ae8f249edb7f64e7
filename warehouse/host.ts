/** The edges that the commands of this folder take from the process. */
import type { InputKind } from "../src/config/json_file.ts";
import type { AskingCommand } from "../src/asking.ts";
import type { Secrets } from "../src/secrets.ts";
import type { ProgressEvent } from "../src/streams/progress_event.ts";
import type { Output } from "../src/protocol.ts";

/** A command of the engine that `sync` and `init` run. */
export type EngineCall = Extract<AskingCommand, { kind: "check" | "discover" | "read" }>;

/** The source of the input of the engine, and the listener to its progress. */
export interface EngineEdges {
  readonly readJson: (path: string, what: InputKind) => Promise<unknown>;
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
}

/** Shows the progress of a read to a person. */
export interface Watcher {
  /** Call this for each output, after the output has been written. */
  saw(output: Output): void;
  told(event: ProgressEvent): void;
  /** Shows a message at once. */
  note(text: string): void;
  end(): void;
}

export interface WarehouseHost {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves after `ms`, at most an hour; rejects when the process is to stop. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly secrets: Secrets;
  /** Runs a command of the connector, one step each time an output is taken. Returns whether all went well. */
  readonly engine: (command: EngineCall, edges: EngineEdges) => AsyncGenerator<Output, boolean>;
  readonly readJson: EngineEdges["readJson"];
  /** Writes to stdout. Rejects if nobody can read it any more. */
  readonly say: (text: string) => Promise<void>;
  /** Whether stdout is a terminal: no text of a provider may steer it. */
  readonly isTerminal: boolean;
  /** Whether stdout is a terminal that shows colors. */
  readonly hasColors: boolean;
  /** Writes to stderr. */
  readonly warn: (text: string) => void;
  /** Begins to show the progress of a read. */
  readonly watch: () => Watcher;
  /** Asks a person, and hides the answer if it is a secret. Absent if stdin or stderr is no terminal. */
  readonly ask: ((question: string, secret: boolean) => Promise<string>) | undefined;
  /** The address for notices in the environment, see NOTICE_URL. */
  readonly noticeUrl: string | undefined;
  /** Sends a JSON text by POST. Follows no redirect. Gives the status; rejects if no answer comes within half a minute. */
  readonly post: (url: URL, body: string) => Promise<number>;
  /** `DATABASE_URL` of the environment. */
  readonly databaseUrl: string | undefined;
  /** All of stdin, for a secret that a program passes. */
  readonly readInput: () => Promise<string>;
}
