/** Planted faults that a second look finds: stability, availability, granularities. */
import { costs, usage, restless, simple, SECOND_RUN } from "./plant.ts";
import type { Plant } from "./plant.ts";

export const ofStability: readonly Plant[] = [
  simple("id-twice", "a record is twice on a page", "IDS-01", {
    kind: "duplicate",
    on: "same_page",
    when: costs,
  }),
  restless("id-drawn", "a record comes back under another id", "IDS-02", {
    set: { x_RecordId: "drawn" },
  }),
  {
    name: "id-shared",
    what: "a day of usage has the id of an hour",
    finds: ["IDS-03"],
    faults: ({ day, hour }) => [
      {
        kind: "record",
        record_id: day,
        set: { x_RecordId: hour },
        when: { ...usage, granularity: "1d" },
      },
    ],
  },
  restless("restated-silently", "an amount changes, x_RecordUpdatedAt does not", "STB-01", {
    set: { BilledCost: "999.5" },
  }),
  restless(
    "member-volatile",
    "a member that the interface does not name differs in each answer",
    "STB-01",
    { set: { x_ServedBy: "another machine" } },
  ),
  restless("updated-back", "x_RecordUpdatedAt goes back", "STB-02", {
    set: { x_RecordUpdatedAt: "2025-09-01T00:00:00Z" },
  }),
  restless("record-flickers", "a record is not there a moment later", "STB-03", { omit: true }),
  {
    name: "restated-later",
    what: `${SECOND_RUN}an amount changes, x_RecordUpdatedAt does not`,
    finds: ["STB-04"],
    later: (provider, { cost: id }) => {
      provider.fault({ kind: "record", record_id: id, set: { BilledCost: "999.5" }, when: costs });
    },
  },
  {
    name: "final-reopened",
    what: `${SECOND_RUN}a final cost becomes provisional`,
    finds: ["STB-05"],
    later: (provider, { cost: id }) => {
      const set = { x_CostStatus: "provisional", x_RecordUpdatedAt: "2025-10-20T06:00:00Z" };
      provider.fault({ kind: "record", record_id: id, set, when: costs });
    },
  },
  {
    name: "record-withdrawn",
    what: `${SECOND_RUN}a record vanishes`,
    finds: ["STB-06"],
    later: (provider, { cost: id }) => {
      provider.fault({ kind: "record", record_id: id, omit: true, when: costs });
    },
  },
  simple("available-future", "available_through is in the future", "AVL-01", {
    kind: "available_through",
    instant: "2026-01-01T00:00:00Z",
  }),
  simple("as-of-future", "as_of is in the future", "AVL-02", {
    kind: "page",
    set: { as_of: "2026-01-01T00:00:00Z" },
    when: costs,
  }),
  {
    name: "available-back",
    what: "available_through goes back from one request to the next",
    finds: ["AVL-03"],
    faults: ({ costsFrom: start }) => [
      { kind: "available_through", shift: -86_400, when: { ...costs, start, after: 1 } },
    ],
  },
  simple("available-late", "usage is older than its announced lag", "AVL-04", {
    kind: "available_through",
    shift: -5 * 86_400,
    when: usage,
  }),
  {
    name: "record-late",
    what: `${SECOND_RUN}a record appears before available_through`,
    finds: ["AVL-05"],
    faults: ({ cost: id }) => [
      { kind: "record", id: "late", record_id: id, omit: true, when: costs },
    ],
    later: (provider) => provider.faults.clear("late"),
  },
  {
    name: "available-back-later",
    what: `${SECOND_RUN}available_through goes back`,
    finds: ["AVL-06"],
    later: (provider) => {
      provider.fault({ kind: "available_through", shift: -86_400, when: costs });
    },
  },
  {
    name: "hours-differ",
    what: "the hours of a day add up to more than the day",
    finds: ["GRN-01"],
    faults: ({ hour }) => [
      { kind: "record", record_id: hour, set: { ConsumedQuantity: "987654321" }, when: usage },
    ],
  },
];
