/**
 * Counts the rows that syncs write for each row that changed (R6). The real engine runs in this process against the reference
 * provider. The provider's clock stands still during a sync and is moved between two syncs, so that the figures are the same
 * on every machine.
 */
import { createProvider, type Provider } from "../reference_provider/provider.ts";
import { generateAccount } from "../reference_provider/generator/index.ts";
import type { GeneratorOptions } from "../reference_provider/generator/options.ts";
import {
  DAY,
  HOUR,
  floorTo,
  formatInstant,
  requireInstant,
} from "../reference_provider/instants.ts";
import { Changes, type Changed } from "./changes.ts";
import { Customer, type Dataset, datasets } from "./customer.ts";
import type { Row } from "./cases.ts";

/** The first sync of every case. Nothing depends on today's date. */
const FIRST_SYNC = "2026-05-12T06:10:00Z";

/** 50 rows of each dataset a day, for two years. */
const TWO_YEARS = { usage: 36_500, costs: 36_500, days: 730 };

/** Two rows of each dataset a day, and the retention that the generator has by default. */
const SMALL = { usage: 560, costs: 560, days: 280, retention: 400 };

/** The same with more history. */
const SMALL_AND_OLD = { usage: 1460, costs: 1460, days: 730 };

/** Days between the last record of a settled export and the first sync: longer than any record of the generator changes. */
const SETTLED_DAYS = 120;

/** Rows of one dataset over all syncs but the first one. */
interface Counts extends Changed {
  readonly written: number;
}

/** All syncs of a case but the first one. */
interface Outcome {
  readonly counts: Readonly<Record<Dataset, Counts>>;
  /** The highest number of requests of a sync, and the average. */
  readonly requests: number;
  readonly mean: number;
  /** The size of all states together after the last sync, in bytes of JSON. */
  readonly stateBytes: number;
}

interface Case {
  readonly data: Omit<GeneratorOptions, "now">;
  /** Days between the first sync and the day after the last record: negative where the records go on. */
  readonly endedDaysAgo: number;
  /** Number of syncs after the first one, and the time between two syncs in milliseconds. */
  readonly syncs: number;
  readonly every: number;
}

interface Setting {
  readonly provider: Provider;
  readonly customer: Customer;
  readonly changes: Changes;
}

/** The rows of the table. */
export async function rewrites(): Promise<Row[]> {
  const running = { data: TWO_YEARS, endedDaysAgo: -40 };
  const daily = await outcomeOf({ ...running, syncs: 30, every: DAY });
  const hourly = await outcomeOf({ ...running, syncs: 48, every: HOUR });
  const settled = { endedDaysAgo: SETTLED_DAYS, syncs: 31, every: DAY };
  const quiet = await outcomeOf({ ...settled, data: TWO_YEARS });
  const small = await outcomeOf({ ...settled, data: SMALL });
  const old = await outcomeOf({ ...settled, data: SMALL_AND_OLD });
  const long = await outcomeOf({
    data: { usage: 36_500, costs: 36_500, days: 3650 },
    endedDaysAgo: 0,
    syncs: 0,
    every: DAY,
  });
  return [
    ["rows written for each changed row: costs, 31 daily syncs", ratio(daily, "costs"), "<= 1.60"],
    ["rows written for each changed row: usage, 31 daily syncs", ratio(daily, "usage"), "<= 1.60"],
    [
      "rows written for each changed row: costs, 49 hourly syncs",
      ratio(hourly, "costs"),
      "<= 2.30",
    ],
    [
      "rows written for each changed row: usage, 49 hourly syncs",
      ratio(hourly, "usage"),
      "<= 3.30",
    ],
    [
      "rows written by 31 daily syncs of a settled export",
      datasets.map((name) => `${quiet.counts[name].written} of ${name}`).join(", "),
      "0",
    ],
    ["requests of an idle daily sync: 400 days, 2 rows a day", requestsOf(small), "<= 6"],
    ["requests of an idle daily sync: 850 days, 2 rows a day", requestsOf(old), ""],
    ["requests of an idle daily sync: 850 days, 50 rows a day", requestsOf(quiet), ""],
    ["all states, 2 years of retention", kilobytes(daily), "<= 1 MB"],
    ["all states, 10 years of retention", kilobytes(long), "<= 1 MB"],
  ];
}

const requestsOf = ({ requests, mean }: Outcome): string =>
  `${mean.toFixed(1)} on average, ${requests} at most`;

function ratio({ counts }: Outcome, dataset: Dataset): string {
  const { written, changed, wholeDays } = counts[dataset];
  const per = (rows: number): string => (rows / changed).toFixed(2);
  return `${per(written)} (${number(written)} rows for ${number(changed)}; whole days: ${per(wholeDays)})`;
}

const number = (value: number): string => value.toLocaleString("en");
const kilobytes = ({ stateBytes }: Outcome): string => `${(stateBytes / 1000).toFixed(0)} kB`;

async function outcomeOf({ data, endedDaysAgo, ...times }: Case): Promise<Outcome> {
  const first = requireInstant(FIRST_SYNC);
  const from = floorTo(first, DAY) - (data.days ?? 0) * DAY - endedDaysAgo * DAY;
  const now = formatInstant(first);
  const account = generateAccount("bench", { ...data, from: formatInstant(from), now });
  const provider = createProvider({ accounts: [account], now });
  const { baseUrl } = await provider.listen();
  try {
    const customer = new Customer(baseUrl, provider);
    await customer.sync();
    const changes = new Changes(account, first);
    return await followed({ provider, customer, changes }, times);
  } finally {
    await provider.close();
  }
}

/** Syncs again and again, and adds up. */
async function followed(
  { provider, customer, changes }: Setting,
  { syncs, every }: Pick<Case, "syncs" | "every">,
): Promise<Outcome> {
  const written = { usage: 0, costs: 0 };
  let [requests, sum] = [0, 0];
  for (let sync = 0; sync < syncs; sync++) {
    provider.clock.advance(every);
    const result = await customer.sync();
    changes.follow(provider.clock.now());
    for (const name of datasets) written[name] += result.rows[name];
    requests = Math.max(requests, result.requests);
    sum += result.requests;
  }
  const counts = (name: Dataset): Counts => ({ ...changes.of(name), written: written[name] });
  return {
    counts: { usage: counts("usage"), costs: counts("costs") },
    requests,
    mean: sum / syncs,
    stateBytes: customer.stateBytes,
  };
}
