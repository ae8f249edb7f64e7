/**
 * The state of a stream as JSON: version 1, instants as RFC 3339 text, so that a person can read where a sync stands.
 */
import * as z from "zod";
import {
  type StateOwner,
  joinReads,
  type SyncPass,
  type ProvisionalDay,
  type Reading,
  type StreamState,
} from "../core/state.ts";
import { formatDay, formatInstant, parseDate, parseInstant } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import { describeIssues, issuesOf, ruleOf } from "../config/issues.ts";
import type { JsonObject, SyncMode } from "../protocol.ts";

const VERSION = 1;

/** The JSON of a state; what {@link decodeState} reads. */
export function encodeState(state: StreamState, fingerprint: StateOwner): JsonObject {
  const head = { version: VERSION, belongs_to: fingerprint, mode: state.mode };
  const pass = state.pass === null ? {} : { pass: encodePass(state.pass) };
  return state.mode === "full_refresh"
    ? {
        ...head,
        start: formatInstant(state.start),
        end: formatInstant(state.end),
        done: state.done,
        ...pass,
      }
    : {
        ...head,
        start: formatInstant(state.start),
        position: formatInstant(state.position),
        reconciled_on: state.reconciledOn,
        provisional: state.provisional.map(encodeProvisional),
        ...pass,
      };
}

function encodePass(pass: SyncPass): JsonObject {
  return {
    day: pass.day,
    reads: joinReads(pass).map(({ start, end, availableThrough }) => ({
      start: formatInstant(start),
      end: formatInstant(end),
      available_through: formatInstant(availableThrough),
    })),
    open: pass.open.map(({ resumed: _resumed, availableThrough, ...reading }) => ({
      ...reading,
      start: formatInstant(reading.start),
      end: formatInstant(reading.end),
      through: formatInstant(availableThrough),
      beganAt: formatInstant(reading.beganAt),
      provisional: reading.provisional.map(encodeProvisional),
      totals: reading.totals?.map((total) => ({ ...total, day: formatDay(total.day) })) ?? null,
    })),
  };
}

/** Short, because there may be one for each day of two months: `["2026-01-31", 12, {"USD": "1.5"}]`. */
function encodeProvisional({ day, records, billed }: ProvisionalDay): unknown {
  return [formatDay(day), records, billed];
}

const instant = z.string().transform((text, context) => {
  const ms = parseInstant(text);
  if (ms === undefined) context.addIssue({ code: "custom", message: "must be an instant in UTC" });
  return ms ?? 0;
});
const day = z.string().transform((text, context) => {
  const ms = parseDate(text);
  if (ms === undefined) context.addIssue({ code: "custom", message: "must be a day" });
  return ms ?? 0;
});
const count = z.int().min(0);
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/, "must be a decimal");
const provisional = z.array(
  z
    .tuple([day, count, z.record(z.string(), decimal)])
    .transform(([at, records, billed]): ProvisionalDay => ({ day: at, records, billed })),
);
const totals = z.array(
  z.object({
    day,
    inside: z.boolean(),
    records: count,
    groups: z
      .array(
        z.object({
          labels: z.record(z.string(), z.string()),
          amounts: z.record(z.string(), decimal),
          records: count,
        }),
      )
      .nullable(),
  }),
);
const readingSchema = z
  .object({
    start: instant,
    end: instant,
    id: z.string().regex(/^[0-9a-z]{1,40}$/, "must be a reading's id"),
    limit: z.int().min(1),
    cursor: z.string().min(1),
    through: instant,
    beganAt: instant,
    firstAsOf: z.string(),
    lastAsOf: z.string(),
    moved: z.boolean(),
    records: count,
    provisional,
    totals: totals.nullable(),
  })
  .transform(({ through: availableThrough, ...reading }): Reading => ({
    ...reading,
    availableThrough,
    resumed: true,
  }));
const passSchema = z.object({
  day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day"),
  reads: z.array(
    z
      .object({ start: instant, end: instant, available_through: instant })
      .transform(({ start, end, available_through: availableThrough }) => ({
        start,
        end,
        availableThrough,
      })),
  ),
  open: z.array(readingSchema),
});
const pass = passSchema
  .nullish()
  .transform((found): SyncPass | null =>
    found == null ? null : { ...found, frontier: -Infinity },
  );
const stateSchema = z.discriminatedUnion("mode", [
  z.object({
    mode: z.literal("incremental"),
    start: instant,
    position: instant,
    reconciled_on: z.string().nullish(),
    provisional,
    pass,
  }),
  z.object({
    mode: z.literal("full_refresh"),
    start: instant,
    end: instant,
    done: z.boolean(),
    pass,
  }),
]);
const headSchema = z.object({
  version: z.literal(VERSION),
  belongs_to: z.object({
    base_url: z.string(),
    dataset: z.string(),
    granularity: z.string(),
    account: z.string().nullish(),
  }),
});

/**
 * Reads a stream's state. `null`, `undefined` and `{}` are no state; so is the state of the other sync mode (S7).
 *
 * @returns null where there is no state to go on from
 * @throws ConnectorError `invalid_state` where it cannot be understood, is of an unknown version, or belongs to
 *   something else than is configured now (S5)
 */
export function decodeState(
  value: unknown,
  expected: StateOwner,
  mode: SyncMode,
): StreamState | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "object" && Object.keys(value).length === 0) return null;
  const stream = expected.dataset;
  const head = headSchema.safeParse(value, { error: ruleOf });
  if (!head.success) throw unreadable(stream, head.error);
  assertSame(head.data.belongs_to, expected);
  const parsed = stateSchema.safeParse(value, { error: ruleOf });
  if (!parsed.success) throw unreadable(stream, parsed.error);
  const { data } = parsed;
  if (data.mode !== mode) return null;
  if (data.mode === "full_refresh") return data;
  const { reconciled_on: reconciledOn, ...rest } = data;
  return { ...rest, reconciledOn: reconciledOn ?? null };
}

const REMEDY = "Clear the stream's data in the platform (or leave out its state) to read it anew.";

function unreadable(stream: string, error: z.ZodError): ConnectorError {
  const faults = describeIssues(`state of stream "${stream}"`, issuesOf(error));
  return new ConnectorError("invalid_state", `${faults}\n${REMEDY}`, { stream });
}

function assertSame(found: z.output<typeof headSchema>["belongs_to"], expected: StateOwner): void {
  const names = {
    base_url: "the base URL",
    dataset: "the dataset",
    granularity: "the granularity",
    account: "the account label",
  } as const satisfies Record<keyof StateOwner, string>;
  const keys = ["base_url", "dataset", "granularity", "account"] as const;
  const shown = (value: string | null | undefined): string =>
    value == null ? "none" : `"${value}"`;
  const changes = keys
    .filter((key) => (found[key] ?? null) !== expected[key])
    .map((key) => `${names[key]} was ${shown(found[key])} and is ${shown(expected[key])}`);
  if (changes.length === 0) return;
  throw new ConnectorError(
    "invalid_state",
    `Stream "${expected.dataset}": its state belongs to something else: ${changes.join("; ")}. Going on would count the ` +
      `same usage twice in one table. Change it back, or clear the stream's data to read it anew.`,
    { stream: expected.dataset },
  );
}

const stateFileSchema = z.array(
  z.looseObject({
    type: z.literal("STREAM").nullish(),
    stream: z.looseObject({
      stream_descriptor: z.looseObject({ name: z.string() }),
      // The protocol leaves it out where there is none.
      stream_state: z.unknown().optional(),
    }),
  }),
);

/**
 * The states of a state file, by stream: a JSON array of per-stream states, or nothing at all.
 *
 * @param warn gets a message for each stream with two states; the last one counts
 * @throws ConnectorError `invalid_state` where it is something else, such as a GLOBAL or LEGACY state
 */
export function parseStateFile(
  value: unknown,
  warn: (message: string) => void = () => undefined,
): ReadonlyMap<string, unknown> {
  const none = value === null || value === undefined;
  if (none || (typeof value === "object" && Object.keys(value).length === 0)) return new Map();
  const parsed = stateFileSchema.safeParse(value, { error: ruleOf });
  if (!parsed.success) {
    const faults = describeIssues("state", issuesOf(parsed.error));
    throw new ConnectorError(
      "invalid_state",
      `${faults}\nIt must be a list of per-stream states, as earlier STATE messages carried them.`,
    );
  }
  const states = new Map<string, unknown>();
  for (const { stream } of parsed.data) {
    const { name } = stream.stream_descriptor;
    if (states.has(name)) {
      warn(
        `The state file holds more than one state of the stream "${name}"; the last one counts. Keep the last STATE of each ` +
          "stream only.",
      );
    }
    states.set(name, stream.stream_state);
  }
  return states;
}
