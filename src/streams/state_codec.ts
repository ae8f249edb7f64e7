/** The state of a stream as JSON: instants as RFC 3339 text, so that a person can read where a sync stands. */
import * as z from "zod";
import { dueOfOlderState } from "../core/due.ts";
import { NOTHING_KNOWN } from "../core/known_days.ts";
import {
  type FullRefreshState,
  type IncrementalState,
  type StateOwner,
  type StreamState,
} from "../core/state.ts";
import { formatDay, formatInstant } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import { describeIssues, issuesOf, ruleOf } from "../config/issues.ts";
import type { JsonObject, SyncMode } from "../protocol.ts";
import { lineageOf } from "./cleared_state.ts";
import { encodePass, passSchema } from "./pass_codec.ts";
import {
  awaitedStrays,
  count,
  day,
  dayRanges,
  decodeKnownDays,
  encodeAwaited,
  encodeKnownDays,
  encodeProvisional,
  encodeScrub,
  encodeStray,
  instant,
  knownDaysMembers,
  provisional,
  readingId,
  stray,
  strayGroup,
} from "./state_members.ts";

/** The version that is written; version 1 (0.1.0), which knew no days, is read too. */
const VERSION = 2;

/**
 * The JSON of a state; {@link decodeState} reads it. A member that may be empty again is null, never left out, because some
 * hosts merge states (S6). For the same reason a value that is replaced as a whole is a list: hosts do not merge lists.
 */
export function encodeState(state: StreamState, owner: StateOwner): JsonObject {
  const head = {
    version: VERSION,
    belongs_to: owner,
    mode: state.mode,
    chain: state.chain,
    newest_reading_id: state.newestId,
    start: formatInstant(state.start),
  };
  const pass = state.pass === null ? null : encodePass(state.pass);
  if (state.mode === "full_refresh") {
    return { ...head, end: formatInstant(state.end), done: state.done, pass };
  }
  return {
    ...head,
    position: formatInstant(state.position),
    reconciled_on: state.reconciledOn,
    provisional: state.provisional.map(encodeProvisional),
    ...encodeKnownDays(state.known),
    due: state.due.map(({ start, end }) => [formatDay(start), formatDay(end)]),
    unreported: state.unreported.map(({ start, end }) => [formatDay(start), formatDay(end)]),
    longest_retention: state.longestRetention,
    left: state.left.map(encodeProvisional),
    strays: state.strays.map(encodeStray),
    fewer: state.fewer.map(({ day: start, readingId: id }) => [formatDay(start), id]),
    awaited: state.awaited.map(encodeAwaited),
    scrub: encodeScrub(state.scrub),
    pass,
  };
}

const chain = z.string().regex(/^[0-9a-z]{5}$/, "must be a chain of reading ids");
/** Absent in a state of 0.2.0. */
const newestId = readingId.nullish();
const stateSchema = z.discriminatedUnion("mode", [
  z
    .object({
      mode: z.literal("incremental"),
      chain,
      newest_reading_id: newestId,
      start: instant,
      position: instant,
      reconciled_on: z.string().nullish(),
      provisional,
      ...knownDaysMembers,
      due: dayRanges.nullish(),
      unreported: dayRanges.nullish(),
      longest_retention: count.nullish(),
      left: provisional.nullish(),
      strays: z.array(stray).nullish(),
      fewer: z.array(strayGroup).nullish(),
      awaited: z.array(awaitedStrays).nullish(),
      scrub: z.object({ began: day, through: instant }).nullish(),
      pass: passSchema,
    })
    .transform(
      ({
        reconciled_on: reconciledOn,
        strays,
        fewer,
        awaited,
        scrub,
        ...state
      }): IncrementalState => {
        const { known, days, unconfirmed, shrunk, former, forgotten, in_part, ...others } = state;
        const { newest_reading_id: newest, due, unreported, left, ...more } = others;
        const { longest_retention: longestRetention, ...rest } = more;
        const isOld = former == null; // a state of 0.2.0
        const members = { known, days, unconfirmed, shrunk, former, forgotten, in_part };
        const decoded = decodeKnownDays(members);
        return {
          ...rest,
          newestId: newest ?? null,
          reconciledOn: reconciledOn ?? null,
          known: decoded,
          due: due ?? dueOfOlderState(decoded),
          unreported: unreported ?? [],
          longestRetention: longestRetention ?? 0,
          left: left ?? [],
          strays: (strays ?? []).map((each) => (isOld ? { ...each, isFormer: true } : each)),
          fewer: fewer ?? [],
          awaited: awaited ?? [],
          scrub: scrub ?? null,
        };
      },
    ),
  z
    .object({
      mode: z.literal("full_refresh"),
      chain,
      newest_reading_id: newestId,
      start: instant,
      end: instant,
      done: z.boolean(),
      pass: passSchema,
    })
    .transform(({ newest_reading_id: newest, ...state }): FullRefreshState => ({
      ...state,
      newestId: newest ?? null,
    })),
]);
/** The state of 0.1.0. A pass under way begins again, because a state of 0.1.0 knows no days. */
const firstStateSchema = z.discriminatedUnion("mode", [
  z
    .object({
      mode: z.literal("incremental"),
      start: instant,
      position: instant,
      reconciled_on: z.string().nullish(),
      provisional,
    })
    .transform(({ reconciled_on: reconciledOn, ...state }): IncrementalState => ({
      ...state,
      chain: "",
      newestId: null,
      reconciledOn: reconciledOn ?? null,
      known: NOTHING_KNOWN,
      due: [],
      unreported: [],
      longestRetention: 0,
      left: [],
      strays: [],
      fewer: [],
      awaited: [],
      scrub: null,
      pass: null,
    })),
  z
    .object({ mode: z.literal("full_refresh"), start: instant, end: instant, done: z.boolean() })
    .transform((state): FullRefreshState => ({ ...state, chain: "", newestId: null, pass: null })),
]);
const headSchema = z.object({
  version: z.literal([1, VERSION]),
  belongs_to: z.object({
    base_url: z.string(),
    dataset: z.string(),
    granularity: z.string(),
    account: z.string().nullish(),
  }),
});

/**
 * Reads a stream's state. `null`, `undefined` and `{}` are no state; so are a cleared state, and the state of the other sync mode (S7).
 *
 * @returns null if there is no state to continue
 * @throws ConnectorError `invalid_state` if the state breaks its schema, has an unknown version, or belongs to another owner than
 *   the one that is configured now (S5)
 */
export function decodeState(
  value: unknown,
  expected: StateOwner,
  mode: SyncMode,
): StreamState | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "object" && Object.keys(value).length === 0) return null;
  if (lineageOf(value) !== null) return null;
  const stream = expected.dataset;
  const head = headSchema.safeParse(value, { error: ruleOf });
  if (!head.success) throw unreadable(stream, head.error);
  assertSame(head.data.belongs_to, expected);
  const schema = head.data.version === 1 ? firstStateSchema : stateSchema;
  const parsed = schema.safeParse(value, { error: ruleOf });
  if (!parsed.success) throw unreadable(stream, parsed.error);
  const { data } = parsed;
  return data.mode === mode ? data : null;
}

const REMEDY =
  "Clear the stream's data in the platform (sync: --reset; read: leave out its state) to read it from the beginning.";

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
      `same usage twice in one table. Change it back, or clear the stream's data to read it from the beginning (sync: name another file with --database).`,
    { stream: expected.dataset },
  );
}
