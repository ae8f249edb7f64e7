/** For the tests of a stream's reader: usage that is read from a script of pages and errors. */
import { ReadingIds } from "../../core/identity.ts";
import { type Limits, LIMITS } from "../../core/limits.ts";
import { type PlanInput, planFullRefresh, planIncremental } from "../../core/plan.ts";
import type { Reading } from "../../core/reading.ts";
import type { IncrementalState, StreamState } from "../../core/state.ts";
import { DAY, formatInstant } from "../../core/time.ts";
import type { Range } from "../../core/window.ts";
import { ConnectorError } from "../../errors.ts";
import type { ProgressEvent } from "../progress_event.ts";
import { log, type LogLevel, type Output, type StateMessage } from "../../protocol.ts";
import type { ReadingReport } from "../ended_reading.ts";
import { Outlet, PageWriter, readOverLanes } from "../flow.ts";
import { StreamReader } from "../reader.ts";
import type { ReaderOptions, Run as SharedRun } from "../reader_options.ts";
import { decodeState } from "../state_codec.ts";
import type { Fields } from "../../records/fields.ts";
import type { FetchedPage, OpenPages, StreamDefinition, WindowQuery } from "../stream.ts";
import { DAY_ONE, pageOf, usageRecord } from "../testing.ts";
import { usage } from "../usage.ts";

const owner = {
  base_url: "https://a.example",
  dataset: "usage",
  granularity: "1d",
  account: null,
};
/** Two days of usage, read at noon of the third. */
export const at: PlanInput = {
  now: DAY_ONE + 2.5 * DAY,
  passBeganAt: DAY_ONE + 2.5 * DAY,
  earlierEnded: true,
  bucket: DAY,
  retentionDays: 30,
  maximumWindowDays: 1,
  startDate: DAY_ONE,
  endDate: DAY_ONE + 2 * DAY,
  lookback: DAY,
  reconcileFrom: null,
  scrubDays: 0,
  lanes: 1,
  pageSize: 1000,
  byMonth: false,
  reports: true,
  newChain: "chain",
  newestId: null,
};

/** Four days of usage in one window, each of them within the lookback. */
export const fourDays: PlanInput = {
  ...at,
  now: DAY_ONE + 4.5 * DAY,
  endDate: DAY_ONE + 4 * DAY,
  lookback: 4 * DAY,
  maximumWindowDays: 31,
};

/** The same with a window for each day. */
export const fourWindows: PlanInput = { ...fourDays, maximumWindowDays: 1 };

/** The records in the window of each day, which is counted from `DAY_ONE`. */
export type Windows = Readonly<Record<number, readonly Fields[]>>;
/** A provider that shows these records in the window of each day, whatever they start on. */
export const showing =
  (windows: Windows) =>
  ({ start }: { start: number }): FetchedPage[] => [pageOf(windows[(start - DAY_ONE) / DAY] ?? [])];

/** The same, one record on a page. */
export const onePerPage =
  (windows: Windows) =>
  ({ start }: { start: number }, cursor: string | null): FetchedPage[] =>
    pagesOf(windows[(start - DAY_ONE) / DAY] ?? [], 1).slice(
      cursor === null ? 0 : Number(cursor.slice(1)),
    );

/** The records in pages of `perPage`, one page at least. The cursor of page `n` is `pn`. */
export function pagesOf(records: readonly Fields[], perPage: number): FetchedPage[] {
  const count = Math.max(1, Math.ceil(records.length / perPage));
  return Array.from({ length: count }, (_, index) =>
    pageOf(
      records.slice(index * perPage, (index + 1) * perPage),
      index + 1 < count ? `p${index + 1}` : null,
    ),
  );
}

/** A provider of these records. It selects by the start of the charge period. */
export function provider(records: readonly Fields[], perPage = 1000) {
  return ({ start, end }: { start: number; end: number }, cursor: string | null): FetchedPage[] => {
    const own = records.filter((record) => {
      const begins = Date.parse(String(record["ChargePeriodStart"]));
      return begins >= start && begins < end;
    });
    return pagesOf(own, perPage).slice(cursor === null ? 0 : Number(cursor.slice(1)));
  };
}

/** The records, and the one with this id under another quantity. */
export const changed = (records: readonly Fields[], id: string): Fields[] =>
  records.map((record) =>
    record["x_RecordId"] === id ? { ...record, ConsumedQuantity: "99" } : record,
  );

type Step = FetchedPage | ConnectorError;
export interface Run {
  readonly outputs: Output[];
  readonly queries: (WindowQuery & { cursor: string | null })[];
  readonly states: StateMessage[];
  /** When they were written. */
  readonly statesAt: number[];
  readonly succeeded: boolean;
  /** The readings of the reports, and the reports. */
  readonly reports: Reading[];
  readonly said: ReadingReport[];
  readonly events: ProgressEvent[];
  /** The windows that the run had to read. It may have read others for their sake. */
  readonly planned: readonly Range[];
}

interface Options {
  /** Usage if there is none. */
  readonly stream?: StreamDefinition;
  readonly stored?: StreamState | null;
  readonly input?: PlanInput;
  readonly mode?: "incremental" | "full_refresh";
  readonly stop?: AbortSignal;
  readonly lanes?: number;
  readonly stateInterval?: number;
  readonly knownId?: string;
  readonly providerNow?: () => number;
  readonly now?: () => number;
  readonly consumed?: (output: Output) => void;
  readonly limits?: Partial<Limits>;
  /** See `SourceNotes` in stream.ts. */
  readonly unprovenBefore?: () => number | null;
  /** Whether the output shows where reports would stand, as a DEBUG line `report`. */
  readonly marksReports?: boolean;
}

export const refused = (code: "cursor_refused" | "bad_request"): ConnectorError =>
  new ConnectorError(code, "The provider refuses it.");

/** For each query in turn, its pages, or an error in their place; or a function of the query, whose pages may have no end. */
type Script =
  | readonly (readonly Step[])[]
  | ((query: WindowQuery, cursor: string | null) => Iterable<Step>);

/** Answers queries from a script, and keeps them. */
function answersOf(script: Script): Pick<Run, "queries"> & { readonly openPages: OpenPages } {
  const queries: Run["queries"] = [];
  const steps = typeof script === "function" ? [] : [...script];
  const openPages: OpenPages = (query, cursor, signal) => {
    queries.push({ ...query, cursor });
    const own = typeof script === "function" ? script(query, cursor) : steps.shift();
    const left = (own ?? [pageOf([])])[Symbol.iterator]();
    return {
      next: async () => {
        await Promise.resolve();
        signal.throwIfAborted();
        const { value: step, done } = left.next();
        if (done === true) throw new Error("the script is over");
        if (step instanceof ConnectorError) throw step;
        return step;
      },
      wrote: (broken, { nextCursor }) => {
        if (nextCursor !== null && broken !== null)
          throw new ConnectorError("provider_fault", broken);
      },
    };
  };
  return { queries, openPages };
}

/** The shared parts of a run, on clocks that stand still unless the options move them. */
function runOf(options: Options, now: number, events: ProgressEvent[]): SharedRun {
  const outlet = new Outlet<Output>();
  const ids = new ReadingIds(now);
  ids.follow(options.knownId ?? "");
  const clock = { now: options.now ?? (() => 0), sleep: async () => undefined };
  const nextTurn = (): Promise<void> => Promise.resolve();
  const stop = options.stop ?? new AbortController().signal;
  return {
    edges: { clock, random: () => 0.5, nextTurn, stop },
    limits: { ...LIMITS, ...options.limits },
    outlet,
    writer: new PageWriter(outlet, nextTurn),
    ids,
    providerNow: options.providerNow ?? (() => now),
    onProgress: (event) => void events.push(event),
  };
}

/** All that is written while `work` goes on. */
async function outputsOf(
  outlet: Outlet<Output>,
  { now, consumed }: Options,
  work: Promise<unknown>,
): Promise<Pick<Run, "outputs" | "statesAt">> {
  const outputs: Output[] = [];
  // The memory of lines is recycled once they are consumed.
  const statesAt: number[] = [];
  for await (const output of outlet) {
    outputs.push(structuredClone(output));
    if (output.type === "STATE") statesAt.push(now?.() ?? 0);
    consumed?.(output);
  }
  await work;
  return { outputs, statesAt };
}

/** Reads usage from a script. */
export async function readScript(script: Script, options: Options = {}): Promise<Run> {
  const { stream = usage, stored = null, mode = "incremental", lanes = 1 } = options;
  const asked = options.input ?? at;
  const input = { ...asked, passBeganAt: asked.now };
  const limits = { ...LIMITS, ...options.limits };
  const said: ReadingReport[] = [];
  const events: ProgressEvent[] = [];
  const { queries, openPages } = answersOf(script);
  const plan =
    mode === "incremental"
      ? planIncremental(stored?.mode === "incremental" ? stored : null, input, limits)
      : planFullRefresh(stored?.mode === "full_refresh" ? stored : null, input);
  const run = runOf(options, input.now, events);
  const { stateInterval = 0 } = options;
  const receiver: ReaderOptions["reports"] = {
    send: async (report) => {
      said.push(report);
      if (options.marksReports === true) await run.outlet.send(log("DEBUG", "report"));
    },
    keep: async () => undefined,
    passEnded: () => undefined,
  };
  const reader = new StreamReader({
    stream,
    source: { owner, openPages, unprovenBefore: () => options.unprovenBefore?.() ?? null },
    input,
    plan,
    policy: {
      granularity: stream.granularityOf("1d"),
      pageSize: 1000,
      lanes,
      invalidRecords: "fail",
      stateInterval,
    },
    run,
    reported: () => null,
    reports: input.reports ? receiver : null,
    onEnd: () => undefined,
  });
  const work = reader
    .start()
    .then(() => readOverLanes([reader], () => lanes))
    .finally(() => run.outlet.close());
  const { outputs, statesAt } = await outputsOf(run.outlet, options, work);
  const states = outputs.filter((output) => output.type === "STATE");
  const reports = said.map(({ reading }) => reading);
  const { succeeded } = reader;
  return {
    outputs,
    queries,
    states,
    statesAt,
    succeeded,
    reports,
    said,
    events,
    planned: [...plan.resumed, ...plan.windows],
  };
}

export const lastState = ({ states }: Run, mode: "incremental" | "full_refresh" = "incremental") =>
  decodeState(states.at(-1)?.state.stream.stream_state, owner, mode);
/** The last state of an incremental run. @throws Error if there is none */
export function stateOf(run: Run): IncrementalState {
  const state = lastState(run);
  if (state?.mode !== "incremental") throw new Error("no state");
  return state;
}
export const dataOf = ({ outputs }: Pick<Run, "outputs">): Fields[] =>
  outputs
    .filter((output) => output.type === "RECORD_LINES")
    .flatMap(({ bytes }) => Buffer.from(bytes).toString().trim().split("\n"))
    .map((line) => JSON.parse(line).record.data);
export const idsOf = (run: Run): string[] =>
  dataOf(run).map((record) => String(record["x_RecordId"]));
/** The days on which the windows of a run's queries begin, by their numbers from 0. */
export const startsOf = (run: Run): number[] =>
  run.queries.map(({ start }) => (start - DAY_ONE) / DAY);
export const statusesOf = ({ outputs }: Run): string[] =>
  outputs.flatMap((output) =>
    output.type === "TRACE" && output.trace.type === "STREAM_STATUS"
      ? [output.trace.stream_status.status]
      : [],
  );
/** A record of a day, by its number from 0; `changes` replace or add members. */
export const recordOf = (id: string, day: number, changes: Fields = {}): Fields =>
  usageRecord(id, {
    ChargePeriodStart: formatInstant(DAY_ONE + day * DAY),
    ChargePeriodEnd: formatInstant(DAY_ONE + (day + 1) * DAY),
    ...changes,
  });
export const errorsOf = ({ outputs }: Run) =>
  outputs.flatMap((output) =>
    output.type === "TRACE" && output.trace.type === "ERROR" ? [output.trace.error] : [],
  );
export const saidOf = ({ outputs }: Run, level: LogLevel): string =>
  outputs
    .flatMap((output) =>
      output.type === "LOG" && output.log.level === level ? [output.log.message] : [],
    )
    .join("\n");

/** Whether an output stands for a report, in a run that marks its reports. */
export const isReport = (output: Output): boolean =>
  output.type === "LOG" && output.log.message === "report";

/** The last state before the given report. */
export function stateBefore(run: Run, number: number): IncrementalState {
  const report = run.outputs.filter(isReport)[number];
  if (report === undefined) throw new Error("no report");
  return stateWithin(run, run.outputs.indexOf(report));
}

/** The last state among so many first outputs. */
export function stateWithin(run: Run, length: number): IncrementalState {
  const before = run.outputs.slice(0, length);
  const states = before.flatMap((output) => (output.type === "STATE" ? [output] : []));
  return stateOf({ ...run, states });
}
