/** The protocol's rules about a whole run: the rules between messages. Every run of every test is checked. */
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { Finished } from "./process.ts";
import type { Catalog, Message } from "./protocol.ts";

export interface Expectations {
  /** Names of the configured streams; absent if the command is not `read`. */
  readonly streams?: readonly string[] | undefined;
  /** The catalog whose schemas the records must match; absent if a test allows broken records. */
  readonly catalog?: Catalog | undefined;
  readonly secrets: readonly string[];
  /** Whether SIGKILL ended the process, so that its messages may stop anywhere. */
  readonly cut?: boolean | undefined;
}

/** The broken rules of a run; empty if all rules hold. */
export function faultsOf(run: Finished, expected: Expectations): string[] {
  const faults = [...leaksOf(run, expected.secrets), ...endFaults(run, expected)];
  const { streams } = expected;
  if (streams !== undefined) {
    const named = run.messages.flatMap((message) => streamOf(message) ?? []);
    const unknown = [...new Set(named)].filter((name) => !streams.includes(name));
    faults.push(...unknown.map((name) => `messages of ${name}, which is not configured`));
    // Unreadable input ends a run before any stream begins.
    const began = run.code === 0 || named.length > 0;
    for (const name of began ? streams : []) {
      const own = run.messages.filter((message) => streamOf(message) === name);
      const rules = [...orderFaults(own, expected), ...stateFaults(own, expected.cut === true)];
      faults.push(...rules.map((fault) => `${name}: ${fault}`));
    }
  }
  if (expected.catalog !== undefined) faults.push(...recordFaults(run, expected.catalog));
  return faults;
}

/** The stream of a message; undefined for an error, whose stream the messages around it show. */
function streamOf({ record, state, trace }: Message): string | undefined {
  return (
    record?.stream ??
    state?.stream.stream_descriptor.name ??
    trace?.stream_status?.stream_descriptor.name ??
    trace?.estimate?.name
  );
}

/** A secret in any form that a reader could decode. */
function leaksOf({ stdout, stderr }: Finished, secrets: readonly string[]): string[] {
  const forms = secrets.flatMap((secret) => [
    secret,
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
    Buffer.from(secret).toString("base64url"),
    encodeURIComponent(secret),
  ]);
  return [...new Set(forms)].flatMap((form) =>
    [stdout, stderr]
      .map((text) => text.indexOf(form))
      .filter((at) => at >= 0)
      .map((at) => `a secret is shown at offset ${at}`),
  );
}

/** The exit code shows success; every failure has an error trace. */
function endFaults({ code, signal, messages, stderr }: Finished, expected: Expectations): string[] {
  if (expected.cut === true) return [];
  const faults: string[] = [];
  const errors = messages.filter(({ trace }) => trace?.type === "ERROR");
  const incomplete = messages.some(({ trace }) => trace?.stream_status?.status === "INCOMPLETE");
  if (code === 0 && incomplete) faults.push("exit code 0 with an INCOMPLETE stream");
  if (code === 0 && errors.length > 0) faults.push("exit code 0 with an error trace");
  if (code !== 0 && signal === null && errors.length === 0)
    faults.push(`exit code ${code} without an error trace`);
  if (stderr !== "") faults.push(`stderr: ${stderr.slice(0, 500)}`);
  return faults;
}

/** STARTED, then RUNNING with the data, then COMPLETE or INCOMPLETE and nothing more. */
function orderFaults(own: readonly Message[], { cut }: Expectations): string[] {
  const statuses = own.flatMap(({ trace }) => trace?.stream_status?.status ?? []);
  const faults: string[] = [];
  const [last] = statuses.slice(-1);
  const isOver = last === "COMPLETE" || last === "INCOMPLETE";
  const inner = statuses.slice(1, isOver ? -1 : undefined);
  if (cut !== true && !isOver) faults.push(`the last status is ${last ?? "none"}`);
  if (statuses.length > 0 && statuses[0] !== "STARTED")
    faults.push(`the first status is ${statuses[0]}`);
  if (inner.some((status) => status !== "RUNNING")) faults.push(`statuses ${statuses.join(", ")}`);
  if (last === "COMPLETE" && inner.length === 0) faults.push("no RUNNING before COMPLETE");
  const ends = [own[0], ...(isOver ? own.slice(-1) : [])];
  if (ends.some((message) => message !== undefined && message.trace?.stream_status === undefined)) {
    faults.push("messages before STARTED or after the last status");
  }
  return faults;
}

/** Each STATE counts the records since the previous one. No two STATEs are equal with records between them. */
function stateFaults(own: readonly Message[], cut: boolean): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  let [since, states, total] = [0, 0, 0];
  for (const { record, state } of own) {
    if (record !== undefined) since += 1;
    if (state === undefined) continue;
    states += 1;
    total += since;
    const { recordCount } = state.sourceStats;
    if (recordCount !== since)
      faults.push(`STATE ${states} counts ${recordCount} records, there were ${since}`);
    const text = JSON.stringify(state.stream.stream_state);
    // The platform identifies a state by its hash, so that an equal state later would confuse it too.
    // Before the first record, nothing depends on which of the two is kept (S6).
    if (seen.has(text) && total > 0) faults.push(`STATE ${states} was there before`);
    seen.add(text);
    since = 0;
  }
  const wasRead = own.some(({ trace }) => trace?.stream_status?.status === "RUNNING");
  if (!cut && wasRead && states === 0) faults.push("no STATE");
  if (!cut && since > 0) faults.push(`${since} records after the last STATE`);
  return faults;
}

const validators = new WeakMap<Catalog, ReadonlyMap<string, ValidateFunction>>();

function validatorsOf(catalog: Catalog): ReadonlyMap<string, ValidateFunction> {
  const known = validators.get(catalog);
  if (known !== undefined) return known;
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  const made = new Map(
    catalog.streams.map(({ name, json_schema: schema }) => [name, ajv.compile(schema)]),
  );
  validators.set(catalog, made);
  return made;
}

/** Records match the schema of `discover`. */
function recordFaults({ messages }: Finished, catalog: Catalog): string[] {
  const compiled = validatorsOf(catalog);
  for (const { record } of messages) {
    if (record === undefined) continue;
    const validate = compiled.get(record.stream);
    if (validate === undefined)
      return [`a record of ${record.stream}, which is not in the catalog`];
    if (validate(record.data)) continue;
    const [first] = validate.errors ?? [];
    return [
      `a record of ${record.stream} breaks its schema: ${first?.instancePath} ${first?.message}`,
    ];
  }
  return [];
}
