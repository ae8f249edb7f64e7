/** CAP: whether the export does what capabilities say. */
import { labels } from "../../src/generated/labels.ts";
import { broken, passed } from "../check.ts";
import type { Check, Finding, Result } from "../check.ts";
import { Missing } from "../errors.ts";
import { DAY } from "../instants.ts";
import { queryOf } from "../reading.ts";
import { announced, seriesOf } from "../samples.ts";
import type { Session } from "../session.ts";
import {
  eachRecord,
  eachSeries,
  judgedAll,
  nameOf,
  recordsSeen,
  statusOf,
  trial,
} from "./shared.ts";

async function lags(session: Session): Promise<Result> {
  const findings: Finding[] = [];
  const exchange = await session.capabilitiesExchange();
  for (const [dataset, lag] of [
    ["usage", "freshness_lag_minutes"],
    ["costs", "settlement_lag_hours"],
  ] as const) {
    const offer = await session.offer(dataset);
    if (offer === undefined || offer[lag] !== undefined) continue;
    findings.push({ seen: `${dataset} has no ${lag}`, expected: "the lag is announced", exchange });
  }
  return judgedAll(findings);
}

async function currencies(session: Session): Promise<Result> {
  const offered = (await session.offer("costs"))?.["currencies"];
  if (!Array.isArray(offered)) throw new Missing("the member currencies in what is said of costs");
  const records = (await recordsSeen(session)).filter(({ series }) => series.dataset === "costs");
  if (records.length === 0) throw new Missing("cost records");
  return judgedAll(
    eachRecord(records, (seen) => {
      const currency = seen.value?.["BillingCurrency"];
      if (typeof currency !== "string" || !/^[A-Z]{3}$/.test(currency)) return undefined;
      if (offered.includes(currency)) return undefined;
      return {
        seen: `${nameOf(seen)} is billed in ${currency}`,
        expected: `one of the announced currencies: ${offered.map(String).join(", ")}`,
      };
    }),
  );
}

async function dimensions(session: Session): Promise<Result> {
  const records = await recordsSeen(session);
  const findings: Finding[] = [];
  for (const dataset of ["usage", "costs"] as const) {
    const offered = (await session.offer(dataset))?.["dimensions"];
    if (!Array.isArray(offered)) continue;
    const hidden = labels[dataset].filter(({ dimension }) => !offered.includes(dimension));
    const own = records.filter(({ series }) => series.dataset === dataset);
    findings.push(
      ...eachRecord(own, (seen) => {
        const used = hidden.find(({ column }) => typeof seen.value?.[column] === "string");
        return (
          used && {
            seen: `${nameOf(seen)} has ${used.column}`,
            expected: `null or absent, or the dimension ${used.dimension} announced for ${dataset}`,
          }
        );
      }),
    );
  }
  return judgedAll(findings);
}

function offeredIsServed(session: Session): Promise<Result> {
  return eachSeries(session, async (series) => {
    const exchange = await trial(session, series);
    if (exchange.status === 200) return [];
    const seen = `${series.name} answers with ${statusOf(exchange)}`;
    return [{ seen, expected: "status 200", exchange }];
  });
}

async function notOfferedIsRefused(session: Session): Promise<Result> {
  const end = Math.floor((await session.now()) / DAY) * DAY;
  const series = await seriesOf(session);
  const usage = series.find(({ dataset }) => dataset === "usage");
  const window = queryOf(
    { name: "costs", dataset: "costs", granularity: undefined, path: "" },
    { start: end - DAY, end },
    1,
  );
  const asks = [];
  for (const granularity of ["1h", "1d"] as const) {
    if (usage !== undefined && !series.some(({ name }) => name === `usage ${granularity}`))
      asks.push({
        what: `usage at ${granularity}`,
        path: usage.path,
        query: { ...window, granularity },
      });
  }
  if ((await session.offer("costs")) === undefined)
    asks.push({ what: "costs", path: "/v1/finops/costs", query: window });
  if (asks.length === 0) throw new Missing("an account that is not offered everything");
  for (const { what, path, query } of asks) {
    const exchange = await session.ask({ path, query, probe: true });
    // A dataset that does not exist here at all may answer like any unknown address.
    const allowed = what === "costs" ? [400, 403, 404] : [400];
    if (!allowed.includes(exchange.status))
      return broken(
        `${what}, not offered, answers with ${statusOf(exchange)}`,
        `status ${allowed[0]}`,
        exchange,
      );
  }
  return passed;
}

async function windowLimits(session: Session): Promise<Result> {
  for (const dataset of ["usage", "costs"] as const) {
    const window = await announced(session, dataset, "maximum_window_days");
    const retention = await announced(session, dataset, "retention_days");
    if (window === undefined || retention === undefined || window <= retention) continue;
    const seen = `${dataset}: maximum_window_days is ${window}, retention_days is ${retention}`;
    return broken(seen, "a window that fits into retention", await session.capabilitiesExchange());
  }
  return passed;
}

export const offerChecks: readonly Check[] = [
  {
    id: "CAP-08",
    level: "should",
    clause: "2.3, 8",
    title: "Usage announces its freshness lag, costs their settlement lag.",
    protects:
      "A client that does not know how late records come re-reads too little and misses them.",
    mend: "Add freshness_lag_minutes to usage and settlement_lag_hours to costs.",
    run: lags,
  },
  {
    id: "CAP-09",
    level: "must",
    clause: "1, 2.3",
    title: "Cost records are billed in announced currencies.",
    protects: "Budgets by currency miss what is billed in another.",
    mend: "Name every billing currency of the account in datasets.costs.currencies.",
    run: currencies,
  },
  {
    id: "CAP-10",
    level: "should",
    clause: "1, 2.3",
    title: "Records carry announced dimensions only.",
    protects: "A customer who plans by capabilities does not know what the sums can be split by.",
    mend: "Announce the dimension, or leave its column null.",
    run: dimensions,
  },
  {
    id: "CAP-11",
    level: "must",
    clause: "1, 4.2, 4.3",
    title: "Every dataset and granularity on offer is served.",
    protects: "A sync that is set up by capabilities fails on its first request.",
    mend: "Serve it, or take it out of capabilities.",
    run: offeredIsServed,
  },
  {
    id: "CAP-12",
    level: "must",
    clause: "7",
    title: "A request for something that is not offered is a 400.",
    protects: "An answer with no records would look like a day without cost.",
    mend: "Check granularity and dataset against the account's capabilities before answering.",
    run: notOfferedIsRefused,
  },
  {
    id: "CAP-13",
    level: "should",
    clause: "8",
    title: "The largest window is no longer than retention.",
    protects: "A client that asks for one whole window meets the retention edge and is refused.",
    mend: "Announce a maximum_window_days of at most retention_days.",
    run: windowLimits,
  },
];
