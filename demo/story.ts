/** What the demo shows, and in which order. */
import { Connector, type Delivery, type Stream } from "./connector.ts";
import {
  askedSince,
  provisionalOf,
  type RunningProvider,
  startProvider,
  sumsOf,
} from "./provider.ts";
import { compare, type Comparison, isReconciled, plain } from "./reconciliation.ts";
import * as terminal from "./terminal.ts";
import { type Load, Warehouse } from "./warehouse.ts";

/** The streams that are read. */
const STREAMS: readonly string[] = ["usage", "costs"];

interface Chapter {
  /** What the provider's clock shows. */
  readonly at: string;
  readonly title: string;
  readonly happened: readonly string[];
}

// What is said of each instant is in the data: see the lives of a record in reference_provider/data/README.md.
const CHAPTERS: readonly [Chapter, ...Chapter[]] = [
  {
    at: "2025-10-04T02:00:00Z",
    title: "The first sync",
    happened: [
      "Everything that the provider keeps. Of the two runs of 2025-10-03 one has a provisional cost;",
      "the other one, its usage and its cost, has not been published yet.",
    ],
  },
  {
    at: "2025-10-05T06:00:00Z",
    title: "A day later: late rows",
    happened: [
      "The missing run has appeared, on a day that had been read before. Its cost is an estimate, 0.9 USD.",
    ],
  },
  {
    at: "2025-10-08T06:00:00Z",
    title: "Three days later: the costs settle",
    happened: [
      "Both provisional costs are final and on an invoice; the estimate became 0.8756 USD.",
      "The sum is the real spend, 1724.2103 USD.",
    ],
  },
  {
    at: "2025-10-16T06:00:00Z",
    title: "A week later: a closed period is corrected",
    happened: [
      "A new row gives back 2.6217 USD for use in August, which was billed long ago: out of reach of the",
      "usual look back over three days, found by the deep re-read that each day's first sync makes.",
    ],
  },
];

interface Scene extends RunningProvider {
  readonly connector: Connector;
  readonly warehouse: Warehouse;
}

/**
 * Runs the demo.
 *
 * @param directory where all files go; must exist
 * @param database the DuckDB file
 * @returns whether the warehouse agreed with the provider after every sync
 */
export async function tell(directory: string, database: string): Promise<boolean> {
  const running = await startProvider(CHAPTERS[0].at);
  try {
    const connector = new Connector(directory);
    const streams = await introduce(running, connector);
    const warehouse = await Warehouse.create(database, streams);
    try {
      const scene = { ...running, connector, warehouse };
      let agreed = true;
      for (const [index, chapter] of CHAPTERS.entries()) {
        agreed = (await sync(scene, chapter, index + 1)) && agreed;
      }
      await showCosts(warehouse);
      return (await reconcile(scene)) && agreed;
    } finally {
      warehouse.close();
    }
  } finally {
    await running.provider.close();
  }
}

/** Shows the provider and what the connector says of itself and of it. Gives the streams that are going to be read. */
async function introduce(
  { baseUrl, token }: RunningProvider,
  connector: Connector,
): Promise<readonly Stream[]> {
  terminal.section(
    "The provider",
    "on this machine, with the real spend of reference_provider/data",
  );
  terminal.line(`${baseUrl}, its clock at ${terminal.shortInstant(CHAPTERS[0].at)} UTC`);
  terminal.section("The connector", "bin/source-ai-billing");
  const { connectionSpecification } = await terminal.busy("spec", () => connector.spec());
  const settings = Object.keys(connectionSpecification.properties).length;
  const required = connectionSpecification.required.join(" and ");
  terminal.line(`spec      ${settings} settings, of which ${required} are required`);
  const credentials = { auth_type: "scoped_bearer_token", access_token: token };
  await connector.configure({ base_url: baseUrl, credentials });
  terminal.line(`check     ${await terminal.busy("check", () => connector.check())}`);
  const offered = await terminal.busy("discover", () => connector.discover());
  const streams = offered.filter(({ name }) => STREAMS.includes(name));
  for (const [index, stream] of streams.entries()) {
    terminal.line(`${index === 0 ? "discover" : "        "}  ${describe(stream)}`);
  }
  await connector.choose(streams);
  return streams;
}

function describe(stream: Stream): string {
  const columns = Object.keys(stream.json_schema.properties).length;
  const key = stream.source_defined_primary_key.flat().join(", ");
  const cursor = stream.default_cursor_field.join(", ");
  return `${stream.name}  ${columns} columns, primary key ${key}, cursor ${cursor}`;
}

/** One sync, from the state that the one before it left, and whether the sums agree after it. */
async function sync(
  scene: Scene,
  { at, title, happened }: Chapter,
  number: number,
): Promise<boolean> {
  const { provider, connector, warehouse } = scene;
  provider.clock.set(Date.parse(at));
  terminal.section(`Sync ${number}  ${title}`, `${terminal.shortInstant(at)} UTC`);
  for (const text of happened) terminal.line(text);
  const since = provider.requests().length;
  const delivery = await terminal.busy("reading", (progress) =>
    connector.read((records) => records % 20 === 0 && progress(`${records} records`)),
  );
  const loads = new Map<string, Load>();
  for (const [stream, file] of delivery.files) {
    loads.set(stream, await warehouse.load(stream, file));
  }
  // Now that the records are in the warehouse, and not before.
  await connector.keep(delivery.states);
  for (const warning of delivery.warnings) terminal.remark(warning);
  showSync(askedSince(provider, since), delivery, loads);
  return await showBilled(scene);
}

function showSync(
  asked: ReturnType<typeof askedSince>,
  { states }: Delivery,
  loads: ReadonlyMap<string, Load>,
): void {
  const rows = STREAMS.map((stream) => {
    const { requests = 0, from = "" } = asked.get(stream) ?? {};
    const { records = 0, added = 0, changed = 0 } = loads.get(stream) ?? {};
    const state = states.find((each) => each.stream.stream_descriptor.name === stream);
    const position = state?.stream.stream_state["position"];
    return [
      stream,
      String(requests),
      from.slice(0, 10),
      String(records),
      String(added),
      String(changed),
      typeof position === "string" ? terminal.shortInstant(position) : "",
    ];
  });
  terminal.table(
    [
      { title: "stream" },
      { title: "requests", align: "right" },
      { title: "read from" },
      { title: "rows read", align: "right" },
      { title: "new", align: "right" },
      { title: "changed", align: "right" },
      { title: "complete through" },
    ],
    rows,
  );
}

/** What has been billed, on both sides, in a line. Gives whether all measures agree, not only the one that is shown. */
async function showBilled({ provider, warehouse }: Scene): Promise<boolean> {
  const comparisons = compare(await warehouse.sums(), sumsOf(provider));
  const { rows, billed } = provisionalOf(provider);
  const aside = rows === 0 ? "all of it final" : `${plain(billed)} of it provisional`;
  for (const { measure, warehouse: ours, provider: theirs, difference } of comparisons) {
    if (!measure.startsWith("billed ")) continue;
    const sign = difference === "0" ? "=" : "≠";
    terminal.line(
      `${measure}: warehouse ${amountOf(ours)} ${sign} provider ${amountOf(theirs)}, ${aside}`,
    );
  }
  const agreed = isReconciled(comparisons);
  if (!agreed) showComparisons(comparisons);
  return agreed;
}

function amountOf(sum: Comparison["warehouse"]): string {
  return sum === null ? "nothing" : plain(sum.amount);
}

async function showCosts(warehouse: Warehouse): Promise<void> {
  const cells = await warehouse.costByMonthAndModel(4, 8);
  const months = [...new Set(cells.map(([, month = ""]) => month))];
  const order = ["earlier", ...months.filter((month) => /^\d/.test(month)).toSorted(), "total"];
  const models = [...new Set(cells.map(([model = ""]) => model))];
  const costs = terminal.atPoint(cells.map(([, , cost = "0"]) => plain(cost)));
  const rows = models.map((model) => [
    model,
    ...order.map((month) => {
      const index = cells.findIndex(([ofModel, ofMonth]) => ofModel === model && ofMonth === month);
      return costs[index] ?? "";
    }),
  ]);
  terminal.section(
    "Cost by month and model",
    "USD billed, by the month of use; from the warehouse",
  );
  const columns = order.map((month) => ({ title: month, align: "right" as const }));
  terminal.table([{ title: "model" }, ...columns], rows);
}

function showComparisons(comparisons: readonly Comparison[]): void {
  terminal.table(
    [
      { title: "measure" },
      { title: "rows", align: "right" },
      { title: "warehouse", align: "right" },
      { title: "rows", align: "right" },
      { title: "provider", align: "right" },
      { title: "difference", align: "right" },
    ],
    comparisons.map(({ measure, warehouse: ours, provider: theirs, difference }) => [
      measure,
      String(ours?.rows ?? 0),
      amountOf(ours),
      String(theirs?.rows ?? 0),
      amountOf(theirs),
      difference,
    ]),
  );
}

/** All sums of both sides, and whether all of them are equal. */
async function reconcile({ provider, warehouse }: Scene): Promise<boolean> {
  const comparisons = compare(await warehouse.sums(), sumsOf(provider));
  terminal.section("Reconciliation", "the warehouse against what the provider says is true");
  showComparisons(comparisons);
  const { spend, corrections } = await warehouse.corrections();
  terminal.line(
    `Billed: ${plain(spend)} USD of real spend, ${plain(corrections)} USD by the correction of a closed period.`,
  );
  const agreed = isReconciled(comparisons);
  const billed = comparisons.find(({ measure }) => measure === "billed USD");
  const [ours, theirs] = [amountOf(billed?.warehouse ?? null), amountOf(billed?.provider ?? null)];
  terminal.verdict(
    agreed,
    agreed
      ? `Reconciled: warehouse ${ours} USD = provider ${theirs} USD, equal to the last digit.`
      : `NOT reconciled: warehouse ${ours} USD, provider ${theirs} USD; every difference stands above.`,
  );
  return agreed;
}
