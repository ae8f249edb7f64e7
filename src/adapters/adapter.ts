/**
 * An adapter: a {@link Transport} that answers the three operations of the interface (section 4) from a provider's own
 * reports. A page needs one request to the provider at most, or some more if the provider's pages are empty. The cursor holds all
 * that is needed to go on, also in another process. The pages that an adapter keeps (kept_pages.ts) only save requests.
 */
import { DAY, formatInstant, HOUR, monthStart, parseInstant } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import type { HttpRequest, HttpResponse, Transport } from "../edges.ts";
import { jsonAnswer, problem } from "./answers.ts";
import { type NamesPage, namesOf, namesPage } from "./names.ts";
import { KeptPages } from "./kept_pages.ts";
import { ReportMemory } from "./memory.ts";
import { MissingGroups } from "./missing_groups.ts";
import { PageMaker, type PageOptions } from "./page.ts";
import type { Api, Assumptions, Dataset, ProviderReports, Query, ReportRequest } from "./report.ts";
import { isObject, reportFault, textIn } from "./shape.ts";
import { type Send, sender, type Upstream, type UpstreamOptions } from "./upstream.ts";

export interface AdapterOptions extends UpstreamOptions {
  readonly assumptions: Assumptions;
  /** The account label of the config. It is a part of record ids. */
  readonly label?: string | undefined;
  /** Gets what a person should know while reports are read. No secret. */
  readonly say?: (level: "INFO" | "WARN", message: string) => void;
}

export interface Adapter {
  readonly transport: Transport;
  /** The id of the account, if the provider names it; known after the request for capabilities. */
  readonly account: () => string | undefined;
  /** For the log: the API and the assumptions; known after the request for capabilities. */
  readonly notice: () => string;
  /** For the log, if the API leaves out money; known after the request for capabilities. */
  readonly warning: () => string | undefined;
  /**
   * Lists all names (N1), a page for each request.
   *
   * @param get requests a path under the base URL through the client, and gives the JSON of the answer
   */
  readonly names: (get: (path: string) => Promise<unknown>) => AsyncIterable<NamesPage>;
  /** The notes that the states of the streams keep for the adapter, and its own words about its answers. */
  readonly notes: AdapterNotes;
}

/** The shape of `SourceNotes` in streams/stream.ts. */
interface AdapterNotes {
  readonly recall: (dataset: Dataset, note: string) => void;
  readonly note: (dataset: Dataset) => string | null;
  readonly unprovenBefore: (dataset: Dataset) => number | null;
  readonly lacking: (dataset: Dataset) => readonly Range[];
  readonly changesFrom: (dataset: Dataset, now: number) => number | null;
}

/** Retention counts whole days, so a window may begin this much before the first instant that an API has. Milliseconds. */
const SLACK = 2 * DAY;

const OPERATION = /^(.*)\/v1\/finops\/(?:([a-z]+)\/)?(capabilities|usage|costs|names)$/;

/** Makes the adapter of a provider. */
export function createAdapter(provider: ProviderReports, options: AdapterOptions): Adapter {
  let account: string | undefined;
  let api: Api | undefined;
  let control = "";
  const learn = (found: Api, id: string | undefined, total: string): void => {
    api = found;
    account = id;
    control = total;
  };
  /** How much the provider's clock is ahead of this side's, by its last answer. */
  let skew: number | undefined;
  const providerNow = (): number | undefined =>
    skew === undefined ? undefined : options.now() + skew;
  const kept: PageOptions["kept"] = new KeptPages();
  const memory = new ReportMemory();
  const missingGroups = new MissingGroups();
  const say: PageOptions["say"] = (level, message) => options.say?.(level, message);
  const estimate = estimator(provider, say);
  const send = sender(provider, options);
  return {
    transport: async (request) => {
      const [, base = "", name = "", operation = ""] = OPERATION.exec(request.url.pathname) ?? [];
      const ask: Send = async (asked) => {
        const answer = await send(request, base)(asked);
        if ("now" in answer) skew = answer.now - options.now();
        return answer;
      };
      if (operation === "capabilities")
        return await capabilities(provider, options.assumptions, ask, options.now(), learn);
      if (operation === "names") return await namesPage(provider.names, ask, request.url);
      const asked = provider.apis.find((each) => each.name === name);
      if (asked === undefined || (operation !== "usage" && operation !== "costs"))
        return problem(404, "Not found", "There is no such operation.");
      return await pageOf(provider, asked, operation, options, request, {
        send: ask,
        kept,
        estimate,
        memory,
        missingGroups,
        say,
        providerNow,
      });
    },
    account: () => account,
    notice: () => notice(provider, api ?? provider.apis[0], options.assumptions, control),
    warning: () => warning(provider, api ?? provider.apis[0]),
    names: (get) => namesOf(provider.names, get),
    notes: {
      recall: (dataset, note) => memory.recall(dataset, note),
      note: (dataset) => memory.note(dataset),
      unprovenBefore: (dataset) => memory.unprovenBefore(dataset),
      lacking: (dataset) => memory.lacking(dataset),
      changesFrom: (dataset, now) =>
        earliest(
          unsettledFrom(provider, options.assumptions, dataset, now),
          memory.owedFrom(dataset, now),
        ),
    },
  };
}

/** The first instant of usage that changes until costs are final; null if the lags tell. */
function unsettledFrom(
  { usageSettlesByMonth = false }: ProviderReports,
  { finalAfterDays }: Assumptions,
  dataset: Dataset,
  now: number,
): number | null {
  return dataset === "usage" && usageSettlesByMonth ? monthStart(now - finalAfterDays * DAY) : null;
}

function earliest(...instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** The most characters of an account's id: it stands in each STATE (S8). */
const MOST_OF_ID = 100;

/** If a provider allows at most this many requests an hour, a line in the log says how long many days take. */
const FEW = 1000;

/** Statuses with which a provider refuses one of its APIs to a key. */
const REFUSED: ReadonlySet<number> = new Set([401, 403, 404]);

/** Finds the first API that accepts the key, and describes its datasets. */
async function capabilities(
  provider: ProviderReports,
  assumptions: Assumptions,
  send: Send,
  now: number,
  learn: (api: Api, account: string | undefined, control: string) => void,
): Promise<HttpResponse> {
  let last: HttpResponse | undefined;
  for (const api of provider.apis) {
    const answer = await probe(api, send, now);
    if ("refused" in answer) {
      last = answer.refused;
      if (REFUSED.has(answer.status) || answer.isNoOffer) continue;
      return last;
    }
    const account = await accountOf(provider, send);
    if (typeof account === "object") return account;
    learn(api, account, await controlOf(provider, send));
    return jsonAnswer(offer(provider, api, assumptions, answer.now), answer.date);
  }
  return last ?? problem(404, "Not found", "The provider has no API.");
}

/** Sends the probe. If a wrong local clock named a day that the provider does not have, the probe goes again by its clock. */
async function probe(api: Api, send: Send, now: number): Promise<Answered> {
  const answer = await answered(send, api.probe(now));
  const isWrong = Math.abs(answer.now - now) > DAY / 2;
  return "refused" in answer && answer.status === 400 && isWrong
    ? await answered(send, api.probe(answer.now))
    : answer;
}

/** The id of the account. Undefined if the provider does not tell it to this key; an answer if a later attempt may succeed. */
async function accountOf(
  { account }: ProviderReports,
  send: Send,
): Promise<string | undefined | HttpResponse> {
  if (account === undefined) return undefined;
  const answer = await answered(send, account);
  if ("refused" in answer) return REFUSED.has(answer.status) ? undefined : answer.refused;
  const id = isObject(answer.body) ? (textIn(answer.body, "id") ?? undefined) : undefined;
  if (id !== undefined && id.length > MOST_OF_ID)
    throw reportFault(`the account's id is longer than ${MOST_OF_ID} characters`);
  return id;
}

/** A sentence with the control total; an empty text if this key gets none. */
async function controlOf({ control }: ProviderReports, send: Send): Promise<string> {
  if (control === undefined) return "";
  const answer = await send(control.request);
  return "body" in answer && isObject(answer.body) ? control.sentence(answer.body) : "";
}

type Answered = Exclude<Upstream, { readonly tooLarge: unknown }>;

async function answered(send: Send, request: ReportRequest): Promise<Answered> {
  const answer = await send(request);
  if ("tooLarge" in answer) throw answer.tooLarge;
  return answer;
}

/** Capabilities (interface sections 2.2 and 2.3). */
function offer(provider: ProviderReports, api: Api, assumptions: Assumptions, now: number) {
  const place = api.name === "" ? "/v1/finops" : `/v1/finops/${api.name}`;
  const bounds = {
    retention_days: api.retentionDays(now),
    maximum_window_days: api.maximumWindowDays,
  };
  return {
    profile_version: "0.1",
    focus_version: "1.4",
    provider: provider.title,
    authorization_methods: ["scoped_bearer_token"],
    datasets: {
      usage: {
        endpoint: `${place}/usage`,
        granularities: api.granularities,
        ...bounds,
        freshness_lag_minutes: assumptions.usageLagHours * 60,
        dimensions: api.dimensions.usage,
      },
      costs: {
        endpoint: `${place}/costs`,
        granularities: ["1d"],
        ...bounds,
        settlement_lag_hours: assumptions.costsLagHours,
        dimensions: api.dimensions.costs,
        currencies: ["USD"],
      },
    },
  };
}

async function pageOf(
  provider: ProviderReports,
  api: Api,
  name: Dataset,
  { assumptions, now, label }: AdapterOptions,
  { url }: HttpRequest,
  parts: Pick<
    PageOptions,
    "send" | "kept" | "estimate" | "memory" | "missingGroups" | "say" | "providerNow"
  >,
): Promise<HttpResponse> {
  const query = queryOf(url.searchParams, name, api);
  if (typeof query === "string") return problem(400, "Invalid query", query);
  const maker = new PageMaker({
    provider,
    api,
    query,
    assumptions,
    label: label ?? null,
    now,
    ...parts,
  });
  if (query.start >= query.end) return maker.empty();
  return await maker.page(url.searchParams.get("cursor"));
}

/** The query of interface sections 4.2 and 4.3, from the API's first day on; a sentence if the query is wrong. */
function queryOf(parameters: URLSearchParams, dataset: Dataset, api: Api): Query | string {
  const start = parseInstant(parameters.get("start") ?? "");
  const end = parseInstant(parameters.get("end") ?? "");
  if (start === undefined || end === undefined) return "start and end must be instants in UTC.";
  if (end <= start) return "end must be after start.";
  if (end - start > api.maximumWindowDays * DAY)
    return `A window has at most ${api.maximumWindowDays} days.`;
  if (api.earliest !== undefined && start < api.earliest - SLACK)
    return `There is nothing of before ${formatInstant(api.earliest)}.`;
  const given = dataset === "usage" ? parameters.get("granularity") : "1d";
  const granularity = api.granularities.find((each) => each === given);
  if (granularity === undefined)
    return `granularity must be one of ${api.granularities.join(", ")}.`;
  const text = parameters.get("limit") ?? "1000";
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 1000) return "limit must be a whole number from 1 to 1000.";
  return { dataset, start: Math.max(start, api.earliest ?? start), end, granularity, limit };
}

/** Says once for each dataset how long many days take, if the provider allows few requests. */
function estimator({ title }: ProviderReports, say: PageOptions["say"]): PageOptions["estimate"] {
  const said = new Set<Dataset>();
  return ({ requests, perMs }, dataset, requestsADay) => {
    const anHour = (requests * HOUR) / perMs;
    if (anHour > FEW || said.has(dataset)) return;
    said.add(dataset);
    const asked = Math.ceil(100 * requestsADay);
    say(
      "INFO",
      `${title} allows about ${Math.round(anHour)} requests an hour to this key. 100 days of ${dataset} like those just read take ` +
        `about ${asked} requests, or ${Math.ceil((60 * asked) / anHour)} minutes. A sync that is stopped goes on where it was.`,
    );
  };
}

function notice(
  provider: ProviderReports,
  api: Api,
  assumptions: Assumptions,
  control: string,
): string {
  const { usageLagHours, costsLagHours, finalAfterDays } = assumptions;
  const more = [provider.remark, control].filter((part) => part !== undefined && part !== "");
  return (
    `Reading ${provider.title}'s own reports with ${api.title}: billed cost before credits and tax. Assumptions: usage is ` +
    `complete after ${usageLagHours} h and costs after ${costsLagHours} h, unless a report says when; costs are final ` +
    `${finalAfterDays} days after their ${provider.finalAfter}. The connector itself makes record ids, update times and billing periods.${more.map((part) => ` ${part}`).join("")}`
  );
}

function warning(
  { title, scope, apis: [first] }: ProviderReports,
  { title: used, leavesOut }: Api,
): string | undefined {
  if (leavesOut === undefined) return undefined;
  const remedy = scope === undefined ? "another key" : `a key with the scope ${scope}`;
  return `${title} refuses ${first.title} to this key, so the connector reads ${used}, which leaves out ${leavesOut}. To have them too, use ${remedy}.`;
}
