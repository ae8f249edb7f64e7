/** Planted faults of pages, cursors and windows. */
import {
  costs,
  usage,
  capability,
  cost,
  simple,
  granted,
  afterFirst,
  SECOND_RUN,
} from "./plant.ts";
import type { Plant } from "./plant.ts";

export const ofPages: readonly Plant[] = [
  simple("as-of-missing", "pages have no as_of", "PAG-01", {
    kind: "page",
    drop: ["as_of"],
    when: costs,
  }),
  simple("cursor-missing", "pages have no next_cursor", "PAG-01", {
    kind: "next_cursor",
    value: "missing",
    when: costs,
  }),
  simple("cursor-empty", "next_cursor is an empty text", "PAG-01", {
    kind: "next_cursor",
    value: "empty",
    when: costs,
  }),
  simple("page-open", "pages have a member of their own", "PAG-02", {
    kind: "page",
    set: { total: 5 },
    when: costs,
  }),
  simple("page-long", "pages have a record too many", "PAG-03", { kind: "long_page", when: costs }),
  simple("cursor-same", "a page leads to itself", "PAG-04", {
    kind: "next_cursor",
    value: "same",
    when: afterFirst,
  }),
  simple("cursor-cycle", "pages lead back in a circle", "PAG-04", {
    kind: "next_cursor",
    value: "cycle",
    when: { operation: "costs", page: [3, 99] },
  }),
  simple("page-loses", "each page but the first loses its first record", "PAG-05", {
    kind: "record",
    which: "first",
    omit: true,
    when: afterFirst,
  }),
  simple("page-repeats", "each page begins with the last record of the page before", "PAG-05", {
    kind: "duplicate",
    on: "next_page",
    when: costs,
  }),
  simple("page-shuffles", "the order changes from page to page", "PAG-05", {
    kind: "moving_listing",
    shuffle: true,
    when: costs,
  }),
  simple("as-of-moves", "as_of changes from page to page", "PAG-06", {
    kind: "page",
    set: { as_of: "2025-10-20T05:59:00Z" },
    when: afterFirst,
  }),
  simple("available-moves", "available_through changes from page to page", "PAG-07", {
    kind: "available_through",
    shift: -86_400,
    when: afterFirst,
  }),
  simple("page-empty", "a page in the middle is empty", "PAG-08", {
    kind: "empty_page",
    when: { operation: "costs", page: 2 },
  }),
  simple("cursor-once", "a cursor can be sent once", "PAG-09", {
    kind: "cursor_once",
    when: costs,
  }),
  granted("cursor-loose", "a cursor of another query is taken", "PAG-10", "cursor-mismatch"),
  granted("cursor-forged", "a forged cursor ends the window", "PAG-11", "cursor-invalid"),
  simple("cursor-crash", "a forged cursor is a 500", "PAG-11", {
    kind: "refusal",
    of: ["cursor-invalid"],
    status: 500,
  }),
  granted("cursor-blank", "an empty cursor is taken", "PAG-12", "invalid-parameter", "cursor must"),
  granted(
    "limit-bent",
    "a limit out of range is taken",
    "PAG-13",
    "invalid-parameter",
    "limit must",
  ),
  simple("cursor-type", "refused cursors have the type of refused parameters", "PAG-14", {
    kind: "refusal",
    of: ["cursor-invalid"],
    set: { type: "/problems/invalid-parameter" },
  }),
  {
    name: "cursor-old",
    what: `${SECOND_RUN}an old cursor becomes a 500`,
    finds: ["PAG-15"],
    faults: () => [{ kind: "refusal", of: ["cursor-expired"], status: 500 }],
    later: (provider) => provider.clock.advance(3_600_000),
  },
  simple("limit-small", "a limit above 500 is refused", "PAG-16", { kind: "refuse_limits" }),
];

export const ofWindows: readonly Plant[] = [
  cost("record-stray", "a record lies outside every window that shows it", "WIN-01", {
    set: { ChargePeriodStart: "2025-11-09T00:00:00Z", ChargePeriodEnd: "2025-11-10T00:00:00Z" },
  }),
  simple("window-closed", "a window has the records at its end too", "WIN-02", {
    kind: "selection",
    by: "closed",
    when: usage,
  }),
  {
    name: "part-loses",
    what: "a part of a window lacks a record that the whole has",
    finds: ["WIN-03"],
    faults: ({ part }) => [
      { kind: "record", record_id: part.cost, omit: true, when: { ...costs, start: part.from } },
    ],
  },
  {
    name: "part-differs",
    what: "an amount depends on the window",
    finds: ["WIN-03"],
    faults: ({ part }) => [
      {
        kind: "record",
        record_id: part.cost,
        set: { BilledCost: "0.01" },
        when: { ...costs, start: part.from },
      },
    ],
  },
  simple("window-open", "a window lacks the records at its start", ["WIN-03", "WIN-04"], {
    kind: "selection",
    by: "open",
    when: costs,
  }),
  simple("window-overlap", "a monthly charge is in every window of its month", "WIN-04", {
    kind: "selection",
    by: "overlap",
    when: costs,
  }),
  simple("window-contains", "a monthly charge is in no window but its month's", "WIN-04", {
    kind: "selection",
    by: "containment",
    when: costs,
  }),
  granted("window-reversed", "a reversed window is answered", "WIN-05", "invalid-window"),
  simple("window-point", "a window without length has a record", ["WIN-05", "WIN-12"], {
    kind: "refusal",
    of: ["invalid-window"],
    body: "page",
    set: { data: [{}] },
  }),
  simple("maximum-exclusive", "a window of exactly the maximum is refused", "WIN-06", {
    kind: "maximum_exclusive",
  }),
  granted("window-large", "a window over the maximum is answered", "WIN-07", "window-too-large"),
  capability("retention-short", "retention is shorter than announced", "WIN-08", {
    "/datasets/costs/retention_days": 500,
  }),
  simple("retention-trimmed", "what lies before retention is left out in silence", "WIN-09", {
    kind: "retention_trim",
  }),
  simple("forms-refused", "only one way to write an instant is taken", "WIN-10", {
    kind: "refuse_forms",
  }),
  simple("future-refused", "a window that ends after now is refused", "WIN-11", {
    kind: "refuse_future",
  }),
  granted(
    "start-default",
    "start may be left out",
    "WIN-13",
    "invalid-parameter",
    "start is required",
  ),
  granted(
    "instants-bent",
    "malformed instants are taken",
    "WIN-14",
    "invalid-parameter",
    "RFC 3339",
  ),
  granted(
    "granularity-default",
    "any granularity is taken",
    "WIN-15",
    "invalid-parameter",
    "granularity",
  ),
  {
    name: "window-samples",
    what: "the largest window lacks a record",
    finds: ["WIN-16"],
    faults: ({ cost: id, widestFrom: start }) => [
      { kind: "record", record_id: id, omit: true, when: { ...costs, start } },
    ],
    deep: true,
  },
];
