/** OpenAI's assumptions. */
import type { JsonObject } from "../src/adapters/exact.ts";
import { COST_GROUPS, openai, PLACE, RETENTION_DAYS } from "../src/adapters/openai.ts";
import type { Dataset } from "../src/adapters/report.ts";
import { objectIn, objectsIn, reportFault, textIn } from "../src/adapters/shape.ts";
import { addDecimals } from "../src/core/decimal.ts";
import { DAY, floorTo, HOUR, monthStart } from "../src/core/time.ts";
import type { Account, Sums } from "./account.ts";
import { type Asker, refusedWith } from "./asker.ts";
import {
  confirmed,
  contradicted,
  counted,
  type Judgment,
  notSeen,
  refusedKey,
} from "./judgment.ts";
import { addTo, type Amounts, assertWhole, currencyIn, decimalIn } from "./rows.ts";

const COSTS = "/v1/organization/costs";
const USAGE = "/v1/organization/usage";

/** The most buckets of a usage report. One request for sums reads as many days. */
const MOST_DAYS = 31;

type Parameters = readonly (readonly [string, string])[];

const rangeOf = (start: number, end: number, limit: number): Parameters => [
  ["start_time", String(Math.floor(start / 1000))],
  ["end_time", String(Math.floor(end / 1000))],
  ["limit", String(limit)],
];
const grouping = (names: readonly string[]): Parameters =>
  names.map((name) => ["group_by[]", name] as const);

interface Bucket {
  /** Bounds in milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly rows: readonly JsonObject[];
}

function bucketsIn(body: JsonObject): Bucket[] {
  return objectsIn(body, "data").map((bucket) => ({
    start: secondsIn(bucket, "start_time"),
    end: secondsIn(bucket, "end_time"),
    rows: objectsIn(bucket, "results"),
  }));
}

function secondsIn(bucket: JsonObject, name: string): number {
  const text = textIn(bucket, name) ?? "";
  if (!/^\d{1,12}$/.test(text)) throw reportFault(`a bucket has no ${name}`);
  return Number(text) * 1000;
}

/** Opens the account. See `OpenAccount`. */
export async function openOpenAi(asker: Asker): Promise<Account> {
  // This answer only gives the provider's clock, and shows whether the key is accepted.
  const probe = await asker.get(COSTS, [
    ["start_time", String(Math.floor(asker.localNow / DAY) * (DAY / 1000) - 7 * (DAY / 1000))],
    ["limit", "1"],
  ]);
  if (probe.status === 401 || probe.status === 403) throw refusedKey(probe.status, openai);
  const { now } = probe;
  // A local clock that is wrong may have asked for days that are yet to come.
  const isAhead = asker.localNow - now > DAY / 2;
  if (probe.body === undefined && !(probe.status === 400 && isAhead))
    throw refusedWith(probe.status);
  const today = floorTo(DAY, now);
  return {
    provider: "openai",
    api: "the organization's usage and costs",
    now,
    id: undefined,
    earliest: today - RETENTION_DAYS * DAY,
    daysARequest: MOST_DAYS,
    judges: {
      "OAI-06": () => judgeBuckets(asker, now),
      "OAI-09": () => judgeRetention(asker, today),
      "OAI-12": () => judgeCountedTwice(asker, today),
      "OAI-14": () => judgeCredits(asker, now),
      "NAM-03": () => judgeNames(asker),
    },
    sums: (dataset, start, end) => sums(asker, dataset, start, end),
    groups: async (day) => {
      const range = rangeOf(day, day + DAY, 1);
      const body = await asker.body(COSTS, [...range, ...grouping(COST_GROUPS)]);
      assertWhole(body);
      const buckets = bucketsIn(body);
      return new Map(
        buckets.flatMap(({ rows }) => rows.map((row) => [keyOf(row, COST_GROUPS), costOf(row)])),
      );
    },
  };
}

const keyOf = (row: JsonObject, names: readonly string[]): string =>
  JSON.stringify(names.map((name) => textIn(row, name)));

function costOf(row: JsonObject): Amounts {
  const amount = objectIn(row, "amount");
  return { [currencyIn(amount)]: decimalIn(amount, "value") };
}

/** Asks for hours and days of a range that ends now. */
async function judgeBuckets(asker: Asker, now: number): Promise<Judgment> {
  let seen = 0;
  for (const { path, width, name, back } of [
    { path: `${USAGE}/completions`, width: HOUR, name: "1h", back: 5 * HOUR },
    { path: COSTS, width: DAY, name: "1d", back: 2 * DAY },
  ] as const) {
    const start = floorTo(width, now) - back;
    const parameters = [...rangeOf(start, now, 24), ["bucket_width", name]] as const;
    const buckets = bucketsIn(await asker.body(path, parameters));
    const isWhole = (bucket: Bucket): boolean =>
      bucket.start % width === 0 && bucket.end - bucket.start <= width;
    const cut = buckets.filter((bucket) => !isWhole(bucket)).length;
    const beyond = buckets.filter((bucket) => bucket.start < start || bucket.start >= now).length;
    const all = counted(buckets.length, "bucket");
    if (cut > 0)
      return contradicted(`${cut} of ${all} of ${name} are not whole, in a range that ends now`);
    if (beyond > 0) return contradicted(`${beyond} of ${all} of ${name} lie outside of the range`);
    seen += buckets.length;
  }
  return seen === 0
    ? notSeen("a range that ends now has no bucket")
    : confirmed(`all ${seen} buckets of two ranges that end now are whole and inside`);
}

/** Asks for the oldest days that the adapter reads. */
async function judgeRetention(asker: Asker, today: number): Promise<Judgment> {
  const start = today - (RETENTION_DAYS - 1) * DAY;
  const { status, body } = await asker.get(COSTS, rangeOf(start, start + MOST_DAYS * DAY, 31));
  const asked = `a range that begins ${RETENTION_DAYS - 1} days ago`;
  if (body === undefined) return contradicted(`${asked} is refused with HTTP ${status}`);
  const rows = bucketsIn(body).reduce((sum, bucket) => sum + bucket.rows.length, 0);
  return rows === 0
    ? notSeen(`${asked} is accepted and has no rows: the account may be younger`)
    : confirmed(`${asked} has rows`);
}

/** Requests by bucket and group. */
type Requests = ReadonlyMap<string, string>;

async function requestsOf(asker: Asker, report: string, range: Parameters): Promise<Requests> {
  const body = await asker.body(`${USAGE}/${report}`, [...range, ...grouping(PLACE)]);
  const found = new Map<string, string>();
  for (const { start, rows } of bucketsIn(body)) {
    for (const row of rows) {
      const key = `${start} ${keyOf(row, PLACE)}`;
      found.set(key, addDecimals(found.get(key) ?? "0", decimalIn(row, "num_model_requests")));
    }
  }
  return found;
}

/** Compares the requests of other reports with those of completions, on days that are long over. */
async function judgeCountedTwice(asker: Asker, today: number): Promise<Judgment> {
  const range = rangeOf(today - 12 * DAY, today - 5 * DAY, 7);
  const completions = await requestsOf(asker, "completions", range);
  let groups = 0;
  let equal = 0;
  for (const [report, words] of [
    ["web_search_calls", "web search"],
    ["images", "images"],
  ] as const) {
    const found = [...(await requestsOf(asker, report, range))].filter(([, n]) => Number(n) > 0);
    const countedIn = (key: string): string => completions.get(key) ?? "0";
    const fewer = found.filter(([key, n]) => Number(countedIn(key)) < Number(n)).length;
    if (fewer > 0)
      return contradicted(
        `completions have fewer requests in ${fewer} of ${counted(found.length, "group")} of ${words}`,
      );
    groups += found.length;
    equal += found.filter(([key, n]) => countedIn(key) === n).length;
  }
  if (groups === 0) return notSeen("there is no web search and no image on seven days");
  return equal === 0
    ? notSeen(`completions have more requests in each of ${counted(groups, "group")}`)
    : confirmed(`completions have the very same requests in ${equal} of ${groups} groups`);
}

/** Words of a line item that is no use of a service. */
const NO_USE = /\b(?:credits?|tax(?:es)?|vat|gst|discounts?|refunds?|promotion(?:al)?)\b/i;

/** Looks for credits and tax among the line items of the month before. */
async function judgeCredits(asker: Asker, now: number): Promise<Judgment> {
  const range = rangeOf(monthStart(now, 1), monthStart(now), 31);
  const buckets = bucketsIn(await asker.body(COSTS, [...range, ...grouping(["line_item"])]));
  const rows = buckets.flatMap((bucket) => bucket.rows);
  const other = rows.filter((row) => NO_USE.test((textIn(row, "line_item") ?? "").slice(0, 500)));
  if (other.length > 0)
    return contradicted(
      `${other.length} of ${counted(rows.length, "row")} of the last month name a credit, a tax or a discount`,
    );
  const negative = rows.filter((row) =>
    Object.values(costOf(row)).some((amount) => amount.startsWith("-")),
  ).length;
  const all = counted(rows.length, "row");
  return negative > 0
    ? notSeen(`${negative} of ${all} of the last month are negative, and none names a credit`)
    : notSeen(`no row of ${all} of the last month is negative or names a credit: an invoice tells`);
}

/** Asks for one project and one of its keys. */
async function judgeNames(asker: Asker): Promise<Judgment> {
  const PROJECTS = "/v1/organization/projects";
  const one = [
    ["limit", "1"],
    ["include_archived", "true"],
  ] as const;
  const projects = await asker.get(PROJECTS, one);
  const refused = (what: string, status: number): Judgment =>
    contradicted(`this key may not list ${what}: HTTP ${status}`);
  if (projects.body === undefined) return refused("projects", projects.status);
  const id = objectsIn(projects.body, "data").map((project) => textIn(project, "id"))[0] ?? null;
  if (id === null || !/^[\w-]{1,100}$/.test(id))
    return notSeen("projects may be listed, and there is none whose keys could be");
  const keys = await asker.get(`${PROJECTS}/${id}/api_keys`, [["limit", "1"]]);
  if (keys.body === undefined) return refused("the keys of a project", keys.status);
  return confirmed("this key lists projects and the keys of a project");
}

async function sums(asker: Asker, dataset: Dataset, start: number, end: number): Promise<Sums> {
  const range = [...rangeOf(start, end, MOST_DAYS), ["bucket_width", "1d"]] as const;
  const path = dataset === "costs" ? COSTS : `${USAGE}/completions`;
  const days = new Map<number, Amounts>();
  const body = await asker.body(path, range);
  assertWhole(body);
  const buckets = bucketsIn(body);
  if (new Set(buckets.map((bucket) => bucket.start)).size < buckets.length)
    throw reportFault("a bucket comes twice");
  for (const bucket of buckets) {
    for (const row of bucket.rows) {
      if (dataset === "usage") {
        const tokens = addDecimals(decimalIn(row, "input_tokens"), decimalIn(row, "output_tokens"));
        addTo(days, bucket.start, "tokens", tokens);
      } else {
        for (const [unit, amount] of Object.entries(costOf(row)))
          addTo(days, bucket.start, unit, amount);
      }
    }
  }
  return { days, completeBefore: undefined };
}
