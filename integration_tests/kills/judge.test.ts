/** The judge of kills finds each kind of damage. Rows of two syncs are damaged by hand; the models or the provider show it. */
import { beforeAll, expect, test } from "vitest";
import { createProvider, type Provider } from "../../reference_provider/provider.ts";
import { DAY } from "../../reference_provider/instants.ts";
import { bearerConfig, catalogOf } from "../support/config.ts";
import { readInProcess } from "../support/in_process.ts";
import { cost, daily, usage, world } from "../support/world.ts";
import {
  judgeCalm,
  judgeChains,
  judgeDoubles,
  judgeExactly,
  judgeProofs,
  judgeTables,
  makeJudges,
} from "./judge.ts";
import { Platform } from "./platform.ts";
import { addDeduped, DEDUPED, type KeptRow, tablesOf } from "./tables.ts";
import { sumsOf, Truth } from "./truth.ts";

const RESTATED = {
  restated: [{ at: "2026-03-11T12:00:00Z", changes: { BilledCost: "7.75", EffectiveCost: "7.5" } }],
};

const account = world({
  usage: daily(usage, "usage", "2026-03-01", 9),
  costs: [
    ...daily(cost, "cost", "2026-03-01", 9),
    cost("changing", "2026-03-05", "5.25", RESTATED),
    cost("stale", "2026-03-06", "5.25", RESTATED),
  ],
});

let provider: Provider;
let rows: readonly KeptRow[] = [];

beforeAll(async () => {
  provider = createProvider({ accounts: [account], now: "2026-03-11T06:00:00Z" });
  const { baseUrl } = await provider.listen();
  const token = provider.issueToken().token;
  const config = bearerConfig(baseUrl, token, { start_date: "2026-03-01", reconcile_days: 60 });
  const catalog = catalogOf("incremental", ["usage", "costs", "export_windows"]);
  const platform = new Platform();
  for (const pause of [0, DAY, DAY]) {
    provider.clock.advance(pause);
    const run = await readInProcess({ config, catalog, state: platform.states });
    expect(run.code).toBe(0);
    expect(platform.take(run, { keepsRows: true })).toEqual([]);
  }
  rows = platform.rows;
  return () => provider.close();
});

async function judge(damaged: readonly KeptRow[], isShuffled = false): Promise<string> {
  const side = { truth: new Truth(account, "1d"), sums: sumsOf(provider.totals(), "1d") };
  const sides = { "": side, [DEDUPED]: side };
  const database = await tablesOf(damaged);
  try {
    await addDeduped(database);
    await makeJudges(database);
    const faults = [
      ...(await judgeTables(database)),
      ...(await judgeChains(database)),
      ...(await judgeDoubles(database)),
      ...(await judgeExactly(database, sides, provider.clock.now())),
      ...(await judgeProofs(database, sides, isShuffled)),
      ...(await judgeCalm(database)),
    ];
    return faults.join("\n");
  } finally {
    database.close();
  }
}

type Data = Readonly<Record<string, unknown>>;

const isCost = (data: Data, id: string): boolean => data["x_RecordId"] === id;

/** The second version of a record that has changed. */
const isNewer = (data: Data, id: string): boolean =>
  isCost(data, id) && data["BilledCost"] === "7.75";

interface Damage {
  readonly name: string;
  /** The rows that replace a row; undefined leaves the row as it is. */
  readonly change: (data: Data, stream: string) => readonly Data[] | undefined;
  /** The faults that the judge must find. */
  readonly found: readonly RegExp[];
}

/** Each damage is on a day of its own. */
const DAMAGES: readonly Damage[] = [
  {
    name: "a row is lost",
    change: (data) => (isCost(data, "cost-3") ? [] : undefined),
    found: [
      /costs, : lost cost-3 .* there is nothing/,
      /costs, dedup: lost cost-3 .* there is nothing/,
      /missing sum 2026-03-03 USD final 1 3.03/,
      /P6: unproven: costs {2}2026-03-03 rows of the reading are missing/,
    ],
  },
  {
    name: "a row is there twice",
    change: (data) => (isCost(data, "cost-1") ? [data, data] : undefined),
    found: [/there twice: costs cost-1/],
  },
  {
    name: "the newest version is lost, and the one before it stands",
    change: (data) => (isNewer(data, "changing") ? [] : undefined),
    found: [
      /costs, : lost changing .* there is of 2026-03-05, changed at 2026-03-06/,
      /costs, dedup: not shown by the provider: changing /,
      /wrong sum 2026-03-05 USD final 2 10.3 10.3/,
      /P6: unproven: costs dedup 2026-03-05 rows of the reading are missing/,
    ],
  },
  {
    name: "the content of the version before stands as the newest",
    change: (data) => (isNewer(data, "stale") ? [{ ...data, BilledCost: "5.25" }] : undefined),
    found: [
      /wrong sum 2026-03-06 USD final 2 11.31 /,
      /costs dedup 2026-03-06 the rows do not add up to the control totals/,
    ],
  },
  {
    name: "the last digit of an amount is another one",
    change: (data) => (isCost(data, "cost-9") ? [{ ...data, BilledCost: "9.08" }] : undefined),
    found: [/costs, : wrong sum 2026-03-09 USD final 1 9.08 9.09/],
  },
  {
    name: "an incomplete day is reported as if it were proven",
    change: (data, stream) => {
      const day = "2026-03-04";
      if (isCost(data, "cost-4")) return [];
      const isReport = stream === "export_windows" && data["dataset"] === "costs";
      return isReport && data["day"] === day
        ? [{ ...data, rows: 0, records: 0, totals: [] }]
        : undefined;
    },
    found: [
      /R4: costs 2026-03-04, , reading \w+: lost cost-4/,
      /R4: costs 2026-03-04, dedup, reading \w+: lost cost-4/,
    ],
  },
  {
    name: "a day that was read again is not confirmed",
    change: (data, stream) =>
      stream === "export_windows" && data["day"] === "2026-03-02"
        ? [{ ...data, confirmed: false }]
        : undefined,
    found: [/P6: unproven: usage {2}2026-03-02/, /P6: unproven: costs dedup 2026-03-02/],
  },
  {
    name: "a row has a chain that no report has",
    change: (data) =>
      data["x_RecordId"] === "usage-7"
        ? [{ ...data, x_ReadingId: `${String(data["x_ReadingId"]).slice(0, 9)}other` }]
        : undefined,
    found: [/R9: rows of a chain that no report has: usage other/],
  },
  {
    name: "a quantity is no decimal",
    change: (data) =>
      data["x_RecordId"] === "usage-8" ? [{ ...data, ConsumedQuantity: "8,08" }] : undefined,
    found: [/a value cannot be used: usage usage-8 ConsumedQuantity 8,08/],
  },
];

test("rows without damage have no fault", async () => {
  expect(await judge(rows)).toBe("");
});

test("each kind of damage is found, in both kinds of table", async () => {
  const damaged = rows.flatMap((row) => {
    const damage = DAMAGES.find(({ change }) => change(row.data, row.stream) !== undefined);
    const made = damage?.change(row.data, row.stream) ?? [row.data];
    return made.map((data) => ({ ...row, data }));
  });
  const faults = await judge(damaged);
  const missed = DAMAGES.flatMap(({ name, found }) =>
    found.filter((fault) => !fault.test(faults)).map((fault) => `${name}: ${String(fault)}`),
  );
  expect(missed, faults).toEqual([]);
});

test.each(["moved", "resumed"])(
  "P6: readings that %s may agree on a day that lacks a record, where listings come in random orders",
  async (how) => {
    const moved = rows.flatMap((row) => {
      const { data, stream } = row;
      if (isCost(data, "cost-4")) return [];
      const isReport = stream === "export_windows" && data["dataset"] === "costs";
      const lacks = isReport && data["day"] === "2026-03-04";
      return [
        { ...row, data: lacks ? { ...data, rows: 0, records: 0, totals: [], [how]: true } : data },
      ];
    });
    expect(await judge(moved)).toContain("R4: costs 2026-03-04");
    expect(await judge(moved, true)).not.toContain("R4: ");
  },
);

test.each([
  ["a report lists a stray of the day", true],
  ["no report lists a stray of the day", false],
])(
  "P5: a second reading may have missed a stray, so that a proven day awaits the next sync: %s",
  async (_, hasStray) => {
    const day = rows.findLast(
      ({ data }) => data["dataset"] === "costs" && data["day"] === "2026-03-02",
    );
    if (day === undefined) throw new Error("no report of the day");
    const { data } = day;
    const id = String(data["reading_id"]);
    const doubt = {
      ...data,
      id: "doubt",
      reading_id: `z${id.slice(1)}`,
      whole_window: false,
      confirmed: false,
    };
    const none = { inside_window: false, rows: 0, records: 0, totals: [] };
    const list = { ...data, ...none, id: "list", rows_reading_id: `0${id.slice(1)}` };
    const added = [doubt, ...(hasStray ? [list] : [])].map((own) => ({ ...day, data: own }));
    const faults = await judge([...rows, ...added]);
    expect(faults.includes("unproven: costs  2026-03-02")).toBe(!hasStray);
  },
);
