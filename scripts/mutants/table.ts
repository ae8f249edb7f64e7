/**
 * The mutants: for each rule of `src/core/SPEC.md` at least one small defect that breaks it, and the test that must
 * then fail. To add one, choose a snippet that stands exactly once in its file and is likely to stay.
 */
import { BOOKS } from "./books.ts";
import { CLAUSES } from "./clauses.ts";
import { STRAYS_TO_COME } from "./coming.ts";
import { CONCURRENCY } from "./concurrency.ts";
import { CUT_LISTINGS } from "./cut_listings.ts";
import { CUT_STRAYS } from "./cut_strays.ts";
import { DOUBTED_STRAYS } from "./doubts.ts";
import { KEPT } from "./kept.ts";
import { LEFT_STRAYS } from "./left_strays.ts";
import { LIMITS } from "./limits.ts";
import { MODELS } from "./models.ts";
import type { Mutant } from "./mutant.ts";
import { DAYS } from "./days.ts";
import { DUE } from "./due.ts";
import { LISTINGS } from "./listings.ts";
import { LISTS } from "./lists.ts";
import { LOSSES } from "./losses.ts";
import { AWAITED } from "./awaited.ts";
import { PROVEN } from "./proven.ts";
import { UNREPORTED } from "./unreported.ts";
import { NAMES } from "./names.ts";
import { PROOFS_OF_STRAYS } from "./proofs.ts";
import { READINGS } from "./readings.ts";
import { RECORDS } from "./records.ts";
import { REFUSED } from "./refused.ts";
import { REPORTED } from "./reported.ts";
import { RESTATEMENT } from "./restatement.ts";
import { RESUMED } from "./resumed.ts";
import { STRAY_GROUPS } from "./stray_groups.ts";
import { STRAYS } from "./strays.ts";
import { TAKEN_STRAYS } from "./taken_strays.ts";
import { WAITING_STRAYS } from "./waiting_strays.ts";

export const MUTANTS: readonly Mutant[] = [
  {
    rule: "W1",
    file: "src/core/window.ts",
    from: "Math.min(range.end, nextMonthStart(start))",
    to: "range.end",
    test: "src/core/window.test.ts: W1 W2: windows tile any range, on whole days, inside a month, none too long",
  },
  {
    rule: "W2",
    file: "src/core/window.ts",
    from: "Math.min(maximumDays, Math.floor(days / atLeast))",
    to: "Math.floor(days / atLeast)",
    test: "src/core/window.test.ts: W1 W2: windows tile any range, on whole days, inside a month, none too long",
  },
  {
    rule: "W2",
    file: "src/core/plan_windows.ts",
    from: "start: monthStart(range.start),",
    to: "start: range.start,",
    test: "src/core/plan.test.ts: W2: costs are read by whole calendar months within the bounds, where a window of 31 days is allowed",
  },
  {
    rule: "W3",
    file: "src/core/retention.ts",
    from: "retentionEdge(now, retentionDays) + HOUR",
    to: "retentionEdge(now, retentionDays)",
    test: "src/core/plan.test.ts: W3: the floor is the first whole day at least an hour inside retention",
  },
  {
    rule: "W4",
    file: "src/streams/job.ts",
    from: "rewrites: job.rewrites?.filter(isInside) ?? null",
    to: "",
    test: "src/streams/reader.test.ts: W4: a second reading whose window is shortened says nothing of the days that were cut off",
  },
  {
    rule: "W4",
    file: "src/core/plan_bounds.ts",
    from: "const today = ceilTo(at.bucket, at.now);",
    to: "const today = at.now;",
    test: "src/core/plan.test.ts: W4: the end is now rounded up to a whole bucket, or the end date rounded up to a whole day",
  },
  {
    rule: "W4",
    file: "src/core/plan.ts",
    from: "if (window.end <= at.now) return null;",
    to: "",
    test: "src/core/plan.test.ts: W4: only a window that reaches past now is shortened",
  },
  {
    rule: "W4",
    file: "src/interface/capabilities.ts",
    from: "answer.dateMs + answer.ageMs",
    to: "answer.dateMs",
    test: "src/interface/capabilities.test.ts: W4: an answer from a cache gives the present time by its Age, here %s",
  },
  {
    rule: "W5",
    file: "src/interface/endpoint.ts",
    from: "PLAIN_PATH.test(endpoint)",
    to: "true",
    test: "src/interface/capabilities.test.ts: W5: an endpoint is a plain path under the base URL > refuses %j",
  },
  {
    rule: "S1",
    file: "src/core/state.ts",
    from: "floorTo(bucket, Math.min(reached, earliest))",
    to: "floorTo(bucket, reached)",
    test: "src/core/plan.test.ts: S1: what an earlier attempt read holds the position back to where its data went",
  },
  {
    rule: "S2",
    file: "src/streams/ledger.ts",
    from: "if (text === this.#last) return;",
    to: "",
    test: "src/streams/ledger.test.ts: S2: a state that has not changed is not sent again, and its records count for the next STATE",
  },
  {
    rule: "S2",
    file: "src/streams/export_windows.ts",
    from: "if (last !== null && this.#named.has(last)) this.#reserve(last);",
    to: "",
    test: "src/streams/export_windows.test.ts: S2: a reading that is reported in parts, with another one between, gives no two equal STATEs",
  },
  {
    rule: "S3",
    file: "src/core/plan.ts",
    from: "{ start: from, end: state.start }",
    to: "{ start: state.start, end: state.start }",
    test: "src/core/plan.test.ts: S3: a start date moved to earlier plans the gap; to later, what was read counts from there",
  },
  {
    rule: "S4",
    file: "src/streams/reader.ts",
    from: "job.restarts < MAXIMUM_RESTARTS",
    to: "job.restarts <= MAXIMUM_RESTARTS",
    test: "src/streams/reader.test.ts: S4: a cursor that is always refused ends the stream after two restarts",
  },
  {
    rule: "S5",
    file: "src/streams/state_codec.ts",
    from: "if (changes.length === 0) return;",
    to: "if (changes.length >= 0) return;",
    test: "src/streams/state_codec.test.ts: S5: what has changed is named with what to do: %j",
  },
  {
    rule: "S6",
    file: "src/core/state.ts",
    from: "reconciledOn ?? state.reconciledOn",
    to: "reconciledOn",
    test: "src/core/plan.test.ts: R1 S6: idle syncs leave the state as it is: lookback is subtracted in the plan only",
  },
  {
    rule: "S7",
    file: "src/streams/state_codec.ts",
    from: "return data.mode === mode ? data : null;",
    to: "return data;",
    test: "src/streams/state_codec.test.ts: S7: the state of one sync mode is no state for the other",
  },
  {
    rule: "S7",
    file: "src/core/plan.ts",
    from: "const missing = state.done ? [] :",
    to: "const missing =",
    test: "src/streams/reader.test.ts: S7: a full refresh goes on between attempts and, once done, emits nothing",
  },
  ...REFUSED,
  ...REPORTED,
  ...RESTATEMENT,
  ...READINGS,
  ...RECORDS,
  ...STRAYS,
  ...TAKEN_STRAYS,
  ...WAITING_STRAYS,
  ...STRAY_GROUPS,
  ...RESUMED,
  ...DAYS,
  ...DUE,
  ...LISTINGS,
  ...LISTS,
  ...PROOFS_OF_STRAYS,
  ...CUT_LISTINGS,
  ...LOSSES,
  ...UNREPORTED,
  ...AWAITED,
  ...PROVEN,
  ...MODELS,
  {
    rule: "W2",
    file: "src/core/shares.ts",
    from: "Math.ceil(left / (SHARES * lanes))",
    to: "left",
    test: "src/core/shares.test.ts: W2: a lane takes a part of the days that are left, and at the end single days",
  },
  {
    rule: "S8",
    file: "src/streams/bounded_state.ts",
    from: "Buffer.byteLength(text) <= limits.stateBytes",
    to: "text.length > 0",
    test: "src/streams/ledger.test.ts: S8: a state that would grow too large drops proofs, sums and finished windows, with warnings, and no cursor",
  },
  {
    rule: "S8",
    file: "src/streams/stray_groups.ts",
    from: "if (strays.length <= most) return strays;",
    to: "if (strays.length > 0) return strays;",
    test: "src/streams/strays.test.ts: S8: the state remembers 2,000 strays: the newest that were written, then those that their days own",
  },
  {
    rule: "S4",
    file: "src/streams/job.ts",
    from: "    restarts: job.restarts,",
    to: "",
    test: "src/streams/reader.test.ts: S4: restarts are counted also where a window has lost a part to retention",
  },
  {
    rule: "S4",
    file: "src/streams/job.ts",
    from: "job.memory ?? job.replaced",
    to: "job.memory",
    test: "src/streams/reader.test.ts: P5 S4: a window that loses days to retention twice, at its restart and before it is asked for, repeats nothing",
  },
  {
    rule: "S8",
    file: "src/streams/bounded_state.ts",
    from: "groupsOf(bounded) <= limits.stateGroups",
    to: "groupsOf(bounded) >= 0",
    test: "src/streams/ledger.test.ts: S8: a state of too many groups of control totals leaves them out, before it is made",
  },
  {
    rule: "S4",
    file: "src/streams/reader.ts",
    from: "if (error.isOfContent || isStuck)",
    to: "if (error.isOfContent)",
    test: "src/streams/reader.test.ts: S4: a cursor that no page comes for in the next process either leaves the state, and the window begins again",
  },
  {
    rule: "W1",
    file: "src/core/packing.ts",
    from: "last.end === slot.start",
    to: "last.end > 0",
    test: "src/core/packing.test.ts: W1: known days with a gap between them share no window",
  },
  {
    rule: "W2",
    file: "src/core/packing.ts",
    from: "daysIn({ start: last.start, end: slot.end }) <= maximumDays",
    to: "true",
    test: "src/core/packing.test.ts: W1 W2: windows tile the ranges and are never too long; windows of unknown days cross no month",
  },
  {
    rule: "W2",
    file: "src/core/packing.ts",
    from: "return forgotten.most;",
    to: "return Number.NaN;",
    test: "src/core/packing.test.ts: W2: a forgotten day counts with its number of records, and a day long after the known ones with none",
  },
  ...CLAUSES,
  ...STRAYS_TO_COME,
  ...CONCURRENCY,
  ...CUT_STRAYS,
  ...DOUBTED_STRAYS,
  ...KEPT,
  ...LEFT_STRAYS,
  ...LIMITS,
  ...NAMES,
  ...BOOKS,
];
