/** Damaged state files, and the states and plans that the connector makes from them. */
import type { PlanInput, Plan } from "../../src/core/plan.ts";
import { planFullRefresh, planIncremental } from "../../src/core/plan.ts";
import type { StateOwner, StreamState } from "../../src/core/state.ts";
import { DAY } from "../../src/core/time.ts";
import { decodeState, encodeState } from "../../src/streams/state_codec.ts";
import { parseStateFile } from "../../src/streams/state_file.ts";
import type { Random } from "../random.ts";
import { type Json, treeOf } from "./json.ts";
import { Mutator } from "./mutate.ts";

type Mode = "incremental" | "full_refresh";

export const MARK = "S3CR3T-0123456789";

export interface StateInput {
  readonly file: Uint8Array;
  readonly mode: Mode;
  readonly at: PlanInput;
}

const OWNERS: Readonly<Record<"usage" | "costs", StateOwner>> = {
  usage: {
    base_url: "https://billing.example.com",
    dataset: "usage",
    granularity: "1h",
    account: null,
  },
  costs: {
    base_url: "https://billing.example.com",
    dataset: "costs",
    granularity: "1d",
    account: "production",
  },
};

const NOW = Date.UTC(2026, 2, 20, 6);

export function drawStates(random: Random): StateInput {
  const mode: Mode = random.pick(["incremental", "full_refresh"]);
  const mutator = new Mutator(random, MARK);
  const entries = (["usage", "costs"] as const).map((name) => ({
    type: "STREAM",
    stream: {
      stream_descriptor: { name, namespace: null },
      stream_state: drawState(random, mode, OWNERS[name]),
    },
    sourceStats: { recordCount: 3 },
  }));
  const tree = treeOf(random.chance(0.9) ? entries : entries.slice(1));
  return {
    file: damaged(random, mutator, tree),
    mode,
    at: {
      now: NOW,
      passBeganAt: NOW,
      earlierEnded: true,
      bucket: DAY,
      retentionDays: random.pick([1, 30, 400]),
      maximumWindowDays: random.pick([1, 7, 31]),
      startDate: random.pick([null, NOW - 40 * DAY, NOW + DAY]),
      endDate: random.pick([null, null, NOW - 3 * DAY]),
      lookback: random.pick([0, DAY, 5 * DAY]),
      reconcileFrom: random.pick([null, NOW - 7 * DAY, NOW - 60 * DAY]),
      scrubDays: random.pick([0, 1, 30]),
      lanes: random.pick([1, 4, 16]),
      pageSize: random.pick([1, 1000]),
      byMonth: random.chance(0.5),
      newChain: "drawn",
      reports: true,
      newestId: null,
    },
  };
}

/** A file of a tree with some changes; most of them keep it JSON. */
export function damaged(random: Random, mutator: Mutator, tree: Json): Uint8Array {
  if (random.chance(0.01)) return mutator.noise();
  const text = mutator.text(mutator.tree(tree));
  const bytes = Buffer.from(text);
  return random.chance(0.05) ? mutator.bytes(bytes) : bytes;
}

const iso = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");
const day = (back: number): number => Date.UTC(2026, 2, 20) - back * DAY;
const ID = "0mmk3abcd12345";

type Provisional = readonly (readonly [day: string, records: number, billed: object])[];

function drawReading(random: Random, version: number, provisional: Provisional): object {
  const digest = ["2026-03-17", 17, "AbCd_-0123456789"];
  const known = {
    rewrites: random.pick([null, [digest]]),
    digests: [digest, ["2026-03-16", 2, "AAAAAAAAAAAAAAAA"]],
    incomplete: random.pick([[], ["2026-03-17"]]),
    hasStrays: random.chance(0.5),
    standing: [{ day: "2026-03-01", rowsReadingId: ID, records: 1 }],
  };
  return {
    start: iso(day(4)),
    end: iso(day(2)),
    id: ID,
    limit: 1000,
    cursor: `cursor ${MARK}`,
    through: iso(day(2)),
    beganAt: iso(NOW - 1234),
    firstAsOf: "2026-03-20T06:00:00Z",
    lastAsOf: "2026-03-20T06:00:00+00:00",
    moved: random.chance(0.5),
    records: 17,
    provisional,
    totals: random.chance(0.3)
      ? null
      : [
          {
            day: "2026-03-17",
            inside: true,
            records: 17,
            groups: random.pick([
              null,
              [{ labels: { currency: "USD" }, amounts: { billed: "12.50" }, records: 17 }],
            ]),
          },
        ],
    ...(version === 2 ? known : {}),
  };
}

/** The members of version 2 that tell which days are known, and which strays were written. */
function drawKnown(random: Random): object {
  return {
    known: [
      ["2026-02-20", "2026-03-10"],
      ["2026-03-10", "2026-03-12"],
      ["2026-03-15", "2026-03-16"],
    ],
    days: [
      [ID, [["2026-03-01", 12, "AAAAAAAAAAAAAAAB"]]],
      [
        "0mmk4abcdchain",
        [
          ["2026-03-02", 1, "zzzzzzzzzzzzzzz_"],
          ["2026-03-13", 5, "AAAAAAAAAAAAAAAC"], // in no known range
        ],
      ],
    ],
    unconfirmed: random.pick([null, [], ["2026-03-02"]]),
    shrunk: random.pick([[], [["2026-03-01", 3, "AAAAAAAAAAAAAAAD", iso(NOW - DAY)]]]),
    strays: random.pick([null, [["AAAAAAAAAAAAAAAE", "2026-02-28", ID, iso(day(9)), iso(day(4))]]]),
    scrub: random.pick([null, { began: "2026-03-18", through: iso(day(25)) }]),
  };
}

function drawState(random: Random, mode: Mode, belongs_to: StateOwner): object {
  const version = random.pick([1, 2, 2]);
  const provisional: Provisional = random.chance(0.5)
    ? [["2026-03-01", 2, { USD: "1.10", EUR: "-3" }]]
    : [];
  const pass = {
    day: random.pick(["2026-03-20", "2026-03-19"]),
    ...(version === 2 ? { began_at: iso(NOW - DAY / 2) } : {}),
    reads: [
      { start: iso(day(9)), end: iso(day(4)), available_through: iso(day(4)) },
      { start: iso(day(2)), end: iso(day(1)), available_through: iso(day(2)) },
    ].slice(random.int(0, 2)),
    open: random.chance(0.5) ? [drawReading(random, version, provisional)] : [],
  };
  const head = { version, belongs_to, mode, ...(version === 2 ? { chain: "chain" } : {}) };
  const tail = random.chance(0.8) ? { pass } : {};
  return mode === "incremental"
    ? {
        ...head,
        start: iso(day(30)),
        position: iso(day(random.int(0, 9))),
        reconciled_on: random.pick([null, "2026-03-19", "2026-03-20"]),
        provisional,
        ...(version === 2 ? drawKnown(random) : {}),
        ...tail,
      }
    : { ...head, start: iso(day(30)), end: iso(day(0)), done: random.chance(0.2), ...tail };
}

/** The result of one stream's state. */
export interface Taken {
  readonly state: StreamState | null;
  readonly plan: Plan<StreamState>;
  /** The state that the sync would write before its first request, read back. */
  readonly again: StreamState | null;
}

/** Runs a state file through the connector's own code, for one stream. */
export function takeState(value: unknown, stream: "usage" | "costs", input: StateInput): Taken {
  const { mode, at } = input;
  const owner = OWNERS[stream];
  const state = decodeState(parseStateFile(value).get(stream), owner, mode);
  const plan: Plan<StreamState> =
    mode === "incremental"
      ? planIncremental(state?.mode === "incremental" ? state : null, at)
      : planFullRefresh(state?.mode === "full_refresh" ? state : null, at);
  const written: unknown = JSON.parse(JSON.stringify(encodeState(plan.state, owner)));
  return { state, plan, again: decodeState(written, owner, mode) };
}
