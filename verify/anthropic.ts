/** Anthropic's assumptions, by the analytics API or, if it refuses the key, by the older Admin API. */
import { anthropic, COST_GROUPS, GROUPS } from "../src/adapters/anthropic.ts";
import {
  COST_GROUPS as OLDER_GROUPS,
  COST_IDENTITY as OLDER_IDENTITY,
} from "../src/adapters/anthropic_older.ts";
import { WRITES } from "../src/adapters/anthropic_rows.ts";
import type { JsonObject } from "../src/adapters/exact.ts";
import type { Dataset } from "../src/adapters/report.ts";
import { instantIn, objectIn, objectsIn, textIn } from "../src/adapters/shape.ts";
import { addDecimals } from "../src/core/decimal.ts";
import { DAY, floorTo } from "../src/core/time.ts";
import type { Account, Sums } from "./account.ts";
import type { Asker, Reply } from "./asker.ts";
import {
  confirmed,
  contradicted,
  counted,
  type Judgment,
  notSeen,
  refusedKey,
  unseen,
} from "./judgment.ts";
import { judgeRateHeaders } from "./rate_headers.ts";
import {
  addTo,
  type Amounts,
  assertWhole,
  currencyIn,
  decimalIn,
  judgeApart,
  rangeOf,
} from "./rows.ts";

const ANALYTICS = "/v1/organizations/analytics";
const USAGE = "/v1/organizations/usage_report/messages";
const COSTS = "/v1/organizations/cost_report";

/** The older reports' version, and the one that is thought to rename their members. */
const OLDER = { "anthropic-version": "2023-06-01" };
const NEWER = { "anthropic-version": "2026-10-21" };

/** Statuses after which the older API is tried. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404]);

/** The days of one request for ungrouped sums. */
const MOST_DAYS = 31;

/** The rows of a request that looks at groups, and the days that it looks at. */
const FEW_ROWS = 200;
const FEW_DAYS = 3;

const grouping = (names: readonly string[]) =>
  names.map((name): [string, string] => ["group_by[]", name]);

const BY_DAY = [
  ["time_bucket_width", "1d"],
  ["order_by", "time"],
  ["order", "asc"],
] as const;

/** Opens the account. See `OpenAccount`. */
export async function openAnthropic(asker: Asker): Promise<Account> {
  const me = await asker.get("/v1/organizations/me", []);
  const today = floorTo(DAY, me.now);
  const range = rangeOf(today - FEW_DAYS * DAY, today);
  const usage = await asker.get(`${ANALYTICS}/usage`, [
    ...range,
    ...BY_DAY,
    ["limit", String(FEW_ROWS)],
    ...grouping(GROUPS),
  ]);
  const id = me.body === undefined ? undefined : (textIn(me.body, "id") ?? undefined);
  const shared = { provider: "anthropic", now: usage.now, id, daysARequest: MOST_DAYS } as const;
  if (usage.body === undefined) return await openOlder(asker, me, usage, shared);
  const rows = objectsIn(usage.body, "data");
  return {
    ...shared,
    api: "the analytics API",
    earliest: Math.max(Date.UTC(2026, 0, 1), today - 364 * DAY),
    judges: {
      "ANT-04": () => judgeGroups(asker, range, rows),
      "ANT-10": () => judgePriority(asker, today),
      "ANT-13": () => judgeVersions(asker, today),
      "ANT-15": () => Promise.resolve(judgeRates(me, usage)),
      "ANT-18": () => Promise.resolve(judgeTokens(rows)),
    },
    sums: (dataset, start, end) => sums(asker, dataset, start, end),
    groups: async (day) => {
      const body = await costs(asker, rangeOf(day, day + DAY), 1000);
      assertWhole(body);
      const cents = (row: JsonObject): Amounts => {
        const cost = objectIn(row, "cost");
        return { [currencyIn(cost)]: decimalIn(cost, "amount", -2) };
      };
      return new Map(objectsIn(body, "data").map((row) => [keyOf(row, COST_GROUPS), cents(row)]));
    },
  };
}

async function openOlder(
  asker: Asker,
  me: Reply,
  { status }: Reply,
  shared: Pick<Account, "provider" | "now" | "id" | "daysARequest">,
): Promise<Account> {
  if (!REFUSED.has(status)) throw unseen(`the analytics API answers HTTP ${status}`);
  const today = floorTo(DAY, shared.now);
  const parameters = [...rangeOf(today - DAY, today), ["limit", "1"]] as const;
  const probe = await asker.get(USAGE, parameters, OLDER);
  if (probe.body === undefined) throw refusedKey(probe.status, anthropic);
  const none = (): Promise<Judgment> =>
    Promise.resolve(notSeen(`the analytics API refuses this key with HTTP ${status}`));
  return {
    ...shared,
    api: "the older Admin API",
    earliest: today - 364 * DAY,
    judges: {
      "ANT-04": none,
      "ANT-10": none,
      "ANT-13": () => judgeVersions(asker, today),
      "ANT-15": () => Promise.resolve(judgeRates(me, probe)),
      "ANT-18": none,
    },
    sums: (dataset, start, end) => olderSums(asker, dataset, start, end),
    groups: async (day) => {
      const range = [...rangeOf(day, day + DAY), ["limit", "1"]] as const;
      const body = await asker.body(COSTS, [...range, ...grouping(OLDER_GROUPS)], OLDER);
      const rows = objectsIn(body, "data").flatMap((bucket) => objectsIn(bucket, "results"));
      return new Map(
        rows.map((row) => [
          JSON.stringify(OLDER_IDENTITY.map((name) => textIn(row, name))),
          { [currencyIn(row)]: decimalIn(row, "amount", -2) },
        ]),
      );
    },
  };
}

/** The headers of a report decide, unless the first answer of the run has these headers, and they show a wrong period. */
function judgeRates(first: Reply, report: Reply): Judgment {
  const early = judgeRateHeaders(first.headers, first.now);
  const has = first.headers["anthropic-ratelimit-requests-limit"] !== undefined;
  return has && early.verdict === "contradicted"
    ? early
    : judgeRateHeaders(report.headers, report.now);
}

const costs = (
  asker: Asker,
  range: readonly (readonly [string, string])[],
  limit: number,
): Promise<JsonObject> =>
  asker.body(`${ANALYTICS}/cost`, [
    ...range,
    ...BY_DAY,
    ["limit", String(limit)],
    ...grouping(COST_GROUPS),
  ]);

const keyOf = (row: JsonObject, names: readonly string[]): string => {
  const group = objectIn(row, "group");
  return JSON.stringify([
    textIn(row, "starting_at"),
    names.map((name) => textIn(group, name)),
    textIn(objectIn(row, "cost"), "currency"),
  ]);
};

async function judgeGroups(
  asker: Asker,
  range: readonly (readonly [string, string])[],
  usage: readonly JsonObject[],
): Promise<Judgment> {
  const charged = objectsIn(await costs(asker, range, FEW_ROWS), "data");
  const [first, second] = [
    judgeApart(
      usage.map((row) => keyOf(row, GROUPS)),
      "usage",
    ),
    judgeApart(
      charged.map((row) => keyOf(row, COST_GROUPS)),
      "costs",
    ),
  ];
  if (first.verdict === "contradicted") return first;
  return second.verdict === "contradicted" || first.verdict === "not seen here" ? second : first;
}

/** Compares the tiers that were used with those that cost something, over a month. */
async function judgePriority(asker: Asker, today: number): Promise<Judgment> {
  const parameters = [
    // Costs come later than usage.
    ...rangeOf(today - MOST_DAYS * DAY, today - FEW_DAYS * DAY),
    ["limit", "20"] as const,
    ...grouping(["service_tier"]),
  ];
  const tiers = async (report: string, member: string, amount: string): Promise<string[]> => {
    const body = await asker.body(`${ANALYTICS}/${report}`, parameters);
    return objectsIn(body, "data").flatMap((row) => {
      const isNone = Number(decimalIn(objectIn(row, member), amount)) === 0;
      return isNone ? [] : (textIn(objectIn(row, "group"), "service_tier") ?? []);
    });
  };
  const isPriority = (tier: string): boolean => tier.startsWith("priority");
  const used = (await tiers("usage", "usage", "total_tokens")).filter(isPriority);
  if (used.length === 0) return notSeen(`no priority tier was used in the last month`);
  const paid = new Set(await tiers("cost", "cost", "amount"));
  const missing = used.filter((tier) => !paid.has(tier));
  return missing.length > 0
    ? contradicted(`${counted(missing.length, "priority tier")} that was used has no costs`)
    : confirmed(`${counted(used.length, "priority tier")} that was used has costs`);
}

/** Asks the older reports with both versions, and compares the names of the members. */
async function judgeVersions(asker: Asker, today: number): Promise<Judgment> {
  const parameters = [...rangeOf(today - 7 * DAY, today), ["limit", "7"]] as const;
  const facts: string[] = [];
  for (const [path, groups] of [
    [USAGE, ["model"]],
    [COSTS, OLDER_GROUPS],
  ] as const) {
    const asked = [...parameters, ...grouping(groups)];
    const older = await asker.get(path, asked, OLDER);
    if (older.body === undefined)
      return notSeen(`the older reports refuse this key with HTTP ${older.status}`);
    const newer = await asker.get(path, asked, NEWER);
    if (newer.body === undefined)
      return confirmed(`the older reports refuse that version with HTTP ${newer.status}`);
    const [before, after] = [membersOf(older.body), membersOf(newer.body)];
    if (before.size === 0 || after.size === 0) continue;
    const changed = before.symmetricDifference(after).size;
    if (changed > 0) return confirmed(`${counted(changed, "member")} of rows differ`);
    facts.push(`${before.size} members`);
  }
  return facts.length === 0
    ? notSeen("the older reports have no rows in the last seven days")
    : contradicted(`rows have the same names in both versions (${facts.join(", ")})`);
}

/** Names of the members of rows, of inner objects too. */
function membersOf(body: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  for (const bucket of objectsIn(body, "data")) {
    for (const row of objectsIn(bucket, "results").slice(0, FEW_ROWS)) {
      for (const [name, value] of Object.entries(row)) {
        names.add(name);
        if (typeof value === "object" && value !== null)
          for (const inner of Object.keys(value)) names.add(`${name}.${inner}`);
      }
    }
  }
  return names;
}

const PARTS = ["uncached_input_tokens", "output_tokens", "cache_read_input_tokens"];

/** Compares the parts of each row with its `total_tokens`. */
function judgeTokens(rows: readonly JsonObject[]): Judgment {
  let others = 0;
  let wrong = 0;
  for (const row of rows) {
    const usage = objectIn(row, "usage");
    const writes = objectIn(usage, "cache_creation");
    const names = Object.keys(writes);
    const parts = [
      ...PARTS.map((name) => decimalIn(usage, name)),
      ...names.map((name) => decimalIn(writes, name)),
    ];
    const sum = parts.reduce((total, part) => addDecimals(total, part), "0");
    if (sum !== addDecimals(decimalIn(usage, "total_tokens"), "0")) wrong += 1;
    if (names.some((name) => !WRITES.has(name) && Number(decimalIn(writes, name)) > 0)) others += 1;
  }
  const all = counted(rows.length, "row");
  if (wrong > 0)
    return contradicted(`in ${wrong} of ${all} the parts do not add up to total_tokens`);
  if (others === 0) return notSeen(`no cache write of another duration is in ${all}`);
  return confirmed(
    `the parts of ${all} add up to total_tokens, ${others} of them with another duration`,
  );
}

async function sums(asker: Asker, dataset: Dataset, start: number, end: number): Promise<Sums> {
  const report = dataset === "usage" ? "usage" : "cost";
  const body = await asker.body(`${ANALYTICS}/${report}`, [
    ...rangeOf(start, end),
    ...BY_DAY,
    ["limit", "1000"],
  ]);
  assertWhole(body);
  const days = new Map<number, Amounts>();
  for (const row of objectsIn(body, "data")) {
    const inner = objectIn(row, report);
    const at = instantIn(row, "starting_at");
    if (dataset === "usage") addTo(days, at, "tokens", decimalIn(inner, "total_tokens"));
    else addTo(days, at, currencyIn(inner), decimalIn(inner, "amount", -2));
  }
  return { days, completeBefore: instantIn(body, "data_refreshed_at") };
}

async function olderSums(
  asker: Asker,
  dataset: Dataset,
  start: number,
  end: number,
): Promise<Sums> {
  const path = dataset === "usage" ? USAGE : COSTS;
  const parameters = [...rangeOf(start, end), ["limit", String(MOST_DAYS)]] as const;
  const body = await asker.body(path, parameters, OLDER);
  assertWhole(body);
  const days = new Map<number, Amounts>();
  for (const bucket of objectsIn(body, "data")) {
    const at = instantIn(bucket, "starting_at");
    for (const row of objectsIn(bucket, "results")) {
      if (dataset === "costs") addTo(days, at, currencyIn(row), decimalIn(row, "amount", -2));
      else for (const name of PARTS) addTo(days, at, "tokens", decimalIn(row, name));
    }
  }
  return { days, completeBefore: undefined };
}
