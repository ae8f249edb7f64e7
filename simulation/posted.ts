/** For tests: schedules of syncs of charges that may be posted on other days, and the days that the real models do not call proven after them. */
import { date, DAY, HOUR } from "./calendar.ts";
import type { Connection } from "./connection.ts";
import { FAIR } from "./network.ts";
import type { Item, StateValue } from "./platform.ts";
import type { Rules } from "./provider.ts";
import { addVersion, type Life, type StreamName } from "./records.ts";
import { lifeOf, plainRules } from "./scripted.ts";
import { CALM, type Step } from "./step.ts";
import { verdictsOf } from "./testing.ts";
import { ALL_SELECTED } from "./trials.ts";

/** A day, counted from the day of the first sync. */
export const day = (number: number): number => Date.UTC(2026, 4, 12) + number * DAY;
export const numbers = (from: number, until: number): number[] =>
  Array.from({ length: until - from }, (_, index) => from + index);

export const asked = (changes: Partial<Step["asked"]> = {}): Step["asked"] => ({
  ...CALM.asked,
  startDate: day(-20),
  scrubDays: 0,
  reconcileDays: 0,
  ...changes,
});
export const BASE: Step = { ...CALM, concurrency: 1, pageSize: 50, asked: asked() };
export const DEEP: Step = { ...BASE, asked: asked({ reconcileDays: 20 }) };
export const PAGED: Step = { ...DEEP, pageSize: 2 };
/** The state of costs is lost before the sync, and its rows stay. */
export const CLEARED: Partial<Step> = { reset: { stream: "costs", kind: "state" } };
export const DEFAULTS: Step = { ...BASE, asked: CALM.asked };
const UNREPORTED = { ...ALL_SELECTED, reports: false };
export const unreported = (step: Step): Step => ({ ...step, selection: UNREPORTED });

export const livesOn = (rules: Rules, from: number, until: number, count = 1): Life[] =>
  numbers(from, until).flatMap((number) =>
    numbers(0, count).map((index) =>
      lifeOf(rules, `r${number}x${index}`, day(number), { at: day(number) + HOUR, due: false }),
    ),
  );
export function lifeIn(lives: readonly Life[], id: string): Life {
  const life = lives.find((one) => one.id === id);
  if (life === undefined) throw new Error(`no record ${id}`);
  return life;
}
/** A record of one day that only the window of another day shows. `from`: the instant from which the provider shows it. */
export function strayOf(
  rules: Rules,
  of: number,
  posted: number,
  {
    id = "stray",
    from = day(posted) + HOUR,
  }: { readonly id?: string; readonly from?: number } = {},
): Life {
  const life = lifeOf(rules, id, day(of), { at: from, due: false });
  return Object.assign(life, { postedAt: day(posted) });
}
export function restate(
  { world }: Connection,
  life: Life,
  at: number,
  { amount = 9e6, extra = "" }: { readonly amount?: number; readonly extra?: string } = {},
): void {
  const told = { status: life.stream === "costs" ? "final" : null, currency: "USD" } as const;
  addVersion(life, { ...told, at, due: false, amount, extra, granularity: "1d" });
  for (const version of life.versions) world.provider.texts.set(version.text, version);
}

async function syncAt(connection: Connection, at: number, step: Step): Promise<void> {
  connection.scheduler.skipTo(at);
  await connection.sync(step);
}
export const syncsAt = async (
  connection: Connection,
  hours: readonly number[],
  step: Step,
): Promise<void> => {
  for (const hour of hours) await syncAt(connection, day(0) + hour * HOUR, step);
};

/** The days before today that are not proven, of those after a first one. */
export async function unproven(
  connection: Connection,
  stream: StreamName = "usage",
  after = -Infinity,
): Promise<string[]> {
  const verdicts = [...(await verdictsOf(connection, stream)).values()];
  const today = date(connection.scheduler.now);
  return verdicts
    .filter((one) => one.status !== "proven" && one.day < today)
    .filter((one) => Date.parse(one.day) > after)
    .map((one) => `${one.day} ${one.status}: ${one.why}`);
}

/** Whether a day of costs is proven, and the number of its rows. */
export async function verdictOn(
  connection: Connection,
  number: number,
  form: "append" | "dedup" = "append",
): Promise<string> {
  const verdict = (await verdictsOf(connection, "costs", form)).get(date(day(number)));
  return `${verdict?.status} ${verdict?.rows}`;
}

/** Rows of costs that are posted on their days, for 20 days. */
export const posting = (changes: Partial<Rules> = {}): Rules =>
  plainRules("costs", {
    retentionDays: 60,
    selects: "posting",
    maximumWindowDays: 1,
    ...changes,
  });

export const isRowOf =
  (id: string) =>
  (item: Item): boolean =>
    item.kind === "record" && item.text.includes(`"x_RecordId":"${id}"`);
export const isReportOf =
  (number: number) =>
  (item: Item): boolean =>
    item.kind === "report" && item.row.inside_window && item.row.day === date(day(number));
/** Whether the pass of a STATE is within the window that begins on a day. */
export const isOpen =
  (number: number) =>
  ({ pass }: StateValue): boolean =>
    (pass?.open ?? []).some(({ start }) => start.startsWith(date(day(number))));
/** Requests for the window of a day fail. */
export const downOn = (number: number): Step["weather"] => ({
  ...FAIR,
  intercept: (url) =>
    url.searchParams.get("start")?.startsWith(date(day(number))) === true
      ? { error: Object.assign(new Error("down"), { code: "ECONNRESET" }), delay: 100 }
      : undefined,
});
