/** The steps of the demo in their order. */
import { BILLING_PERIOD, type Chapter, CHAPTERS } from "./chapters.ts";
import {
  showBilled,
  showCosts,
  showProof,
  showReconciliation,
  showRemoved,
  showSums,
} from "./closing.ts";
import { Connector, type Delivery, type Stream } from "./connector.ts";
import { type Bill, billOf, currentSums, naiveSums } from "./figures.ts";
import {
  askedSince,
  provisionalOf,
  type RunningProvider,
  startProvider,
  sumsOf,
} from "./provider.ts";
import { compare, type Comparison, isReconciled, plain } from "./reconciliation.ts";
import { reportData } from "./report/data.ts";
import { writeReport } from "./report/write.ts";
import * as terminal from "./terminal.ts";
import { type Load, Warehouse } from "./warehouse.ts";

interface Scene extends RunningProvider {
  readonly connector: Connector;
  readonly streams: readonly Stream[];
  readonly warehouse: Warehouse;
}

/** The folder for the results. */
export interface Places {
  /** The folder of the connector's files; must exist. */
  readonly directory: string;
  readonly database: string;
  readonly report: string;
}

/** The sums of the warehouse and of the provider after a sync. */
interface Outcome {
  readonly at: string;
  readonly title: string;
  readonly comparisons: readonly Comparison[];
  readonly bill: Bill;
}

/**
 * Runs the demo.
 *
 * @returns whether the warehouse agreed with the provider after every sync and proves it at the end
 */
export async function tell({ directory, database, report }: Places): Promise<boolean> {
  const running = await startProvider(CHAPTERS[0].at);
  try {
    const connector = new Connector(directory);
    const streams = await introduce(running, connector);
    const warehouse = await Warehouse.create(database, streams);
    try {
      const scene = { ...running, connector, streams, warehouse };
      const outcomes: Outcome[] = [];
      for (const [index, chapter] of CHAPTERS.entries()) {
        outcomes.push(await sync(scene, chapter, index + 1));
      }
      const right = await conclude(warehouse, outcomes);
      await terminal.busy("the report", () => makeReport(warehouse, outcomes, report));
      return right;
    } finally {
      warehouse.close();
    }
  } finally {
    await running.provider.close();
  }
}

/** Prints the provider, the connector's specification and its check. Returns the streams to read. */
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
  const streams = await terminal.busy("discover", () => connector.discover());
  const names = Math.max(...streams.map(({ name }) => name.length));
  for (const [index, stream] of streams.entries()) {
    terminal.line(`${index === 0 ? "discover" : "        "}  ${describe(stream, names)}`);
  }
  await connector.choose(streams);
  return streams;
}

function describe(stream: Stream, width: number): string {
  const columns = Object.keys(stream.json_schema.properties).length;
  const key = stream.source_defined_primary_key.flat().join(", ");
  return `${stream.name.padEnd(width)}  ${columns} columns, primary key ${key}`;
}

/** One sync, from the state of the previous one. */
async function sync(
  scene: Scene,
  { at, title, happened }: Chapter,
  number: number,
): Promise<Outcome> {
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
  // The records must be in the warehouse before their states are kept.
  await connector.keep(delivery.states);
  for (const warning of delivery.warnings) terminal.remark(warning);
  showSync(scene.streams, askedSince(provider, since), delivery, loads);
  return { at, title, ...(await judge(scene)) };
}

function showSync(
  streams: readonly Stream[],
  asked: ReturnType<typeof askedSince>,
  { states }: Delivery,
  loads: ReadonlyMap<string, Load>,
): void {
  const rows = streams.map(({ name }) => {
    const { requests = "", from = "" } = asked.get(name) ?? {};
    const { records = 0, added = 0, changed = 0 } = loads.get(name) ?? {};
    const state = states.find((each) => each.stream.stream_descriptor.name === name);
    const position = state?.stream.stream_state["position"];
    return [
      name,
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
      { title: "rows written", align: "right" },
      { title: "new", align: "right" },
      { title: "changed", align: "right" },
      { title: "complete through" },
    ],
    rows,
  );
}

/** Compares the raw tables, the views and the provider. Prints one line if they agree. */
async function judge({
  provider,
  warehouse,
}: Scene): Promise<Pick<Outcome, "comparisons" | "bill">> {
  await terminal.busy("asking the views", () => warehouse.look("current_costs", "current_usage"));
  const comparisons = compare({
    naive: await naiveSums(warehouse),
    current: await currentSums(warehouse),
    provider: sumsOf(provider),
  });
  showBilled(comparisons, provisionalOf(provider));
  if (!isReconciled(comparisons)) showSums(comparisons);
  return { comparisons, bill: await billOf(warehouse, BILLING_PERIOD) };
}

/** Prints the final result. Returns whether it is right. */
async function conclude(warehouse: Warehouse, outcomes: readonly Outcome[]): Promise<boolean> {
  await terminal.busy("asking the views", () =>
    warehouse.look("removed_rows", "completeness", "reconciliation"),
  );
  await showCosts(warehouse);
  await showRemoved(warehouse);
  const proven = await showProof(warehouse);
  const comparisons = outcomes.at(-1)?.comparisons ?? [];
  const reconciled = outcomes.every((outcome) => isReconciled(outcome.comparisons));
  return (await showReconciliation(warehouse, comparisons)) && reconciled && proven;
}

/** Writes the report beside the database. */
async function makeReport(
  warehouse: Warehouse,
  outcomes: readonly Outcome[],
  path: string,
): Promise<void> {
  const billed = outcomes.at(-1)?.comparisons.find(({ measure }) => measure === "billed USD");
  const [naive, current, truth] = [billed?.naive, billed?.current, billed?.provider].map((sum) =>
    plain(sum?.amount ?? "0"),
  );
  const data = await reportData(warehouse, {
    billingPeriod: BILLING_PERIOD,
    naive: naive ?? "0",
    current: current ?? "0",
    truth: truth ?? "0",
    syncs: outcomes,
  });
  await writeReport(path, data);
}
