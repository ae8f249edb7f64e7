/** Schedules that broke earlier versions of the rules, each as a test of its own: the whole engine in virtual time. */
import { expect, test } from "vitest";
import { DAY, HOUR, iso, MINUTE } from "./calendar.ts";
import type { Connection } from "./connection.ts";
import { CALM, type Step } from "./step.ts";
import { problem } from "./provider.ts";
import { whole } from "./faults.ts";
import { quiet } from "./life.ts";
import { FAIR } from "./network.ts";
import type { Item, ReportRow, StateValue } from "./platform.ts";
import { addVersion, type StreamName, type Version } from "./records.ts";
import { killAt, lifeOf, plainRules, scripted, standing } from "./scripted.ts";
import { HONEST } from "./world.ts";

/** Midnight of day `n`; the syncs of a schedule begin around day 0. */
const day = (n: number): number => Date.UTC(2026, 4, 12) + n * DAY;
const days = (from: number, until: number): number[] =>
  Array.from({ length: until - from }, (_, index) => from + index);

/** The platform's state. */
function stateOf(connection: Connection, stream: StreamName): StateValue {
  const stored = connection.states.get(stream);
  if (stored === undefined) throw new Error(`no state of ${stream}`);
  return stored.value;
}

/** The row in the warehouse. */
function row(connection: Connection, stream: StreamName, id: string): Version | undefined {
  return connection.warehouse.rows[stream].get(id);
}

const proves = ({ rows, confirmed }: ReportRow): boolean => rows > 0 && confirmed;

/** A network on which the windows of some days fail after all retries, while other windows are read. */
const failing = (starts: readonly number[], stream = ""): Step["weather"] => ({
  ...FAIR,
  intercept: (url) =>
    url.pathname.endsWith(stream) &&
    starts.includes(Date.parse(url.searchParams.get("start") ?? ""))
      ? { delivery: whole(problem(500, "down")) }
      : undefined,
});

/** A network on which some first pages take a minute. */
const slow = (starts: readonly number[]): Step["weather"] => ({
  ...FAIR,
  latency: 5,
  intercept: (url) =>
    starts.includes(Date.parse(url.searchParams.get("start") ?? ""))
      ? { error: Object.assign(new Error("slow"), { code: "ECONNRESET" }), delay: MINUTE }
      : undefined,
});

const startOn = (n: number): Step["asked"] => ({ ...CALM.asked, startDate: day(n) });

async function settle(connection: Connection, step: Step = CALM): Promise<void> {
  await quiet(connection, step);
  expect(connection.faults, connection.log.join("\n")).toEqual([]);
}

test("a window beyond the position finishes with a lagging available_through, a kill, then rows arrive behind it", async () => {
  const costs = plainRules("costs", { frontier: standing(day(-4)) });
  const lives = [
    ...days(-8, 0).map((n) => lifeOf(costs, `old${n}`, day(n), { at: day(n) + 2 * HOUR })),
    ...days(-4, 0).map((n) =>
      lifeOf(costs, `late${n}`, day(n), { at: day(0) + 12 * HOUR, due: true }),
    ),
  ];
  const connection = scripted(day(0) + 8 * HOUR, [costs], lives);
  const asked = startOn(-8);
  await connection.sync({
    ...CALM,
    asked,
    concurrency: 3,
    weather: slow([day(-8)]),
    end: killAt(
      "costs",
      ({ pass }) =>
        (pass?.reads.length ?? 0) > 0 && JSON.stringify(pass?.reads).includes(iso(day(-1))),
    ),
  });
  expect(stateOf(connection, "costs").pass?.reads).not.toEqual([]);
  connection.scheduler.skipTo(day(0) + 20 * HOUR);
  costs.frontier = HONEST; // the provider has caught up; the rows have come
  await connection.sync({ ...CALM, asked });
  await connection.sync({ ...CALM, asked });
  for (const n of days(-4, 0))
    expect(row(connection, "costs", `late${n}`), `late${n}`).toBeDefined();
  await settle(connection, { ...CALM, asked });
});

test("finished ranges beyond a failed window, resumed four days later after one of them was restated", async () => {
  const costs = plainRules("costs", { lag: 5 * DAY });
  const lives = days(-8, 1).map((n) =>
    lifeOf(
      costs,
      `row${n}`,
      day(n),
      { at: day(n) + HOUR },
      { at: day(n) + (n === -2 ? 4 : 0.9) * DAY },
    ),
  );
  const connection = scripted(day(0) + HOUR, [costs], lives);
  const step = { ...CALM, asked: { ...startOn(-8), reconcileDays: 0 } };
  await connection.sync({ ...step, concurrency: 8, weather: failing([day(-6)]) });
  expect(stateOf(connection, "costs").pass?.reads.length).toBeGreaterThan(0);
  expect(row(connection, "costs", "row-2")?.index).toBe(0);
  connection.scheduler.skipTo(day(4) + HOUR);
  await connection.sync(step);
  await connection.sync(step);
  expect(row(connection, "costs", "row-2")?.index).toBe(1);
  await settle(connection, step);
});

test("a window whose cursor is always refused ends its stream, and every sibling keeps its own cursor", async () => {
  const usage = plainRules("usage", { refusesCursorsOf: day(-8) });
  const lives = days(-8, -4).flatMap((n) =>
    days(0, 60).map((index) => lifeOf(usage, `row${n} ${index}`, day(n), { at: day(n) + HOUR })),
  );
  const connection = scripted(day(0) + HOUR, [usage], lives);
  const step = { ...CALM, asked: { ...startOn(-8), endDate: day(-4) } };
  const { outcome } = await connection.sync({
    ...step,
    weather: { ...FAIR, intercept: () => undefined },
  });
  expect(outcome).toBe(false);
  expect(connection.faults, connection.log.join("\n")).toEqual([]);
  expect(stateOf(connection, "usage").pass?.open.map(({ start }) => start)).toEqual(
    days(-8, -4).map((n) => iso(day(n))),
  );
  usage.refusesCursorsOf = undefined;
  await settle(connection, step);
});

test("available_through stands still while windows go on", async () => {
  const usage = plainRules("usage", { lag: 2 * HOUR, frontier: standing(day(-3)) });
  const lives = days(-6, 7).map((n) =>
    lifeOf(usage, `row${n}`, day(n), {
      at: Math.max(day(n) + DAY, n < -3 ? 0 : day(6) + HOUR),
      due: true,
    }),
  );
  const connection = scripted(day(0) + HOUR, [usage], lives);
  const step = { ...CALM, asked: { ...startOn(-6), reconcileDays: 0 } };
  for (const n of days(0, 6)) {
    connection.scheduler.skipTo(day(n) + HOUR);
    await connection.sync(step);
    expect(stateOf(connection, "usage").position).toBe(iso(day(-3)));
  }
  usage.frontier = HONEST;
  connection.scheduler.skipTo(day(6) + 3 * HOUR);
  await connection.sync(step);
  for (const n of days(-6, 6)) expect(row(connection, "usage", `row${n}`), `row${n}`).toBeDefined();
  await settle(connection, step);
});

test("the only provisional row lies on the page before the kill", async () => {
  const costs = plainRules("costs", { retentionDays: 120, maximumWindowDays: 31 });
  const lives = days(-90, 0).map((n) =>
    n === -85
      ? lifeOf(
          costs,
          "open",
          day(n),
          { at: day(n), status: "provisional" },
          { at: day(1), status: "final" },
        )
      : lifeOf(costs, `row${n}`, day(n), { at: day(n) }),
  );
  const connection = scripted(day(0) + HOUR, [costs], lives);
  const asked = startOn(-90);
  const hasOpen = (state: StateValue): boolean =>
    JSON.stringify(state.pass?.open ?? []).includes("2.000000") ||
    JSON.stringify(state.pass?.open ?? []).includes(`"${iso(day(-85)).slice(0, 10)}",1`);
  await connection.sync({
    ...CALM,
    asked,
    concurrency: 1,
    pageSize: 1,
    end: killAt("costs", hasOpen),
  });
  expect(hasOpen(stateOf(connection, "costs"))).toBe(true);
  connection.scheduler.skipTo(day(0) + 2 * HOUR);
  await connection.sync({ ...CALM, asked });
  expect(stateOf(connection, "costs").provisional).toEqual([
    [iso(day(-85)).slice(0, 10), 1, { USD: "1" }],
  ]);
  connection.scheduler.skipTo(day(1) + HOUR);
  await connection.sync({ ...CALM, asked });
  expect(row(connection, "costs", "open")?.status).toBe("final");
  expect(stateOf(connection, "costs").provisional).toEqual([]);
  await settle(connection, { ...CALM, asked });
});

test("a frozen window whose start falls out of retention before the resume", async () => {
  for (const beforeRetention of ["refuse", "trim"] as const) {
    const usage = plainRules("usage", { retentionDays: 6, maximumWindowDays: 31, beforeRetention });
    const lives = days(-6, 4).map((n) => lifeOf(usage, `row${n}`, day(n), { at: day(n) + HOUR }));
    const connection = scripted(day(0) + HOUR, [usage], lives);
    const end = killAt("usage", ({ pass }) => (pass?.open.length ?? 0) > 0);
    await connection.sync({ ...CALM, concurrency: 1, pageSize: 1, end });
    expect(stateOf(connection, "usage").pass?.open).not.toEqual([]);
    connection.scheduler.skipTo(day(3) + HOUR);
    const { outcome } = await connection.sync(CALM);
    expect(outcome).toBe(true);
    for (const n of days(-2, 3))
      expect(row(connection, "usage", `row${n}`), `row${n}`).toBeDefined();
    await settle(connection);
  }
});

test("a deep re-read killed half way on the day that it would have been recorded", async () => {
  for (const resumedOn of [0, 1]) {
    const costs = plainRules("costs", { retentionDays: 90 });
    const lives = days(-40, 2).map((n) =>
      lifeOf(
        costs,
        `row${n}`,
        day(n),
        { at: day(n) + HOUR },
        ...(n === -30 || n === -20 ? [{ at: day(-1) + 5 * HOUR }] : []),
      ),
    );
    const connection = scripted(day(-2) + HOUR, [costs], lives);
    const asked = startOn(-40);
    await connection.sync({ ...CALM, asked });
    connection.scheduler.skipTo(day(0) + HOUR);
    const reread = (state: StateValue): boolean =>
      JSON.stringify(state.pass?.reads ?? []).includes(iso(day(-25)));
    await connection.sync({ ...CALM, asked, concurrency: 1, end: killAt("costs", reread) });
    expect(stateOf(connection, "costs").reconciled_on).toBe(iso(day(-2)).slice(0, 10));
    connection.scheduler.skipTo(day(resumedOn) + 5 * HOUR);
    await connection.sync({ ...CALM, asked });
    expect(stateOf(connection, "costs").reconciled_on).toBe(iso(day(resumedOn)).slice(0, 10));
    for (const n of [-30, -20]) expect(row(connection, "costs", `row${n}`)?.index).toBe(1);
    await settle(connection, { ...CALM, asked });
  }
});

test("start_date moved earlier, later, and earlier again after rows between have changed", async () => {
  const usage = plainRules("usage", { retentionDays: 60 });
  const lives = days(-40, 6).map((n) =>
    lifeOf(
      usage,
      `row${n}`,
      day(n),
      { at: day(n) + HOUR },
      ...(n === -15 ? [{ at: day(2), due: true }] : []),
    ),
  );
  const connection = scripted(day(0) + HOUR, [usage], lives);
  const syncOn = async (n: number, start: number, end: Step["end"] = {}): Promise<void> => {
    connection.scheduler.skipTo(day(n) + HOUR + connection.log.length * MINUTE);
    await connection.sync({ ...CALM, concurrency: 1, asked: startOn(start), end });
  };
  await syncOn(0, -10);
  expect(row(connection, "usage", "row-15")).toBeUndefined();
  await syncOn(
    0,
    -20,
    killAt("usage", ({ pass }) => (pass?.reads.length ?? 0) > 0),
  ); // the gap, half read
  await syncOn(0, -20);
  expect(row(connection, "usage", "row-15")?.index).toBe(0);
  expect(stateOf(connection, "usage").start).toBe(iso(day(-20)));
  await syncOn(1, -5);
  await syncOn(3, -30);
  expect(row(connection, "usage", "row-15")?.index).toBe(1);
  for (const n of days(-30, 3))
    expect(row(connection, "usage", `row${n}`), `row${n}`).toBeDefined();
  await settle(connection, { ...CALM, asked: startOn(-30) });
});

test("available_through a month ahead", async () => {
  const usage = plainRules("usage", { granularity: "1d", frontier: { ...HONEST, kind: "ahead" } });
  const lives = days(-5, 5).map((n) =>
    lifeOf(usage, `row${n}`, day(n), { at: day(n) + 1.9 * DAY }),
  );
  const connection = scripted(day(0) + HOUR, [usage], lives);
  const step = { ...CALM, asked: { ...startOn(-5), reconcileDays: 0 } };
  for (const n of days(0, 7)) {
    connection.scheduler.skipTo(day(n) + HOUR);
    await connection.sync(step);
    expect(Date.parse(stateOf(connection, "usage").position ?? "")).toBeLessThanOrEqual(
      day(n) + HOUR,
    );
  }
  for (const n of days(-5, 5)) expect(row(connection, "usage", `row${n}`), `row${n}`).toBeDefined();
  await settle(connection, step);
});

test("a full refresh whose second attempt finds one stream done and the other half read", async () => {
  const [usage, costs] = [plainRules("usage"), plainRules("costs")];
  const lives = days(-12, 0).flatMap((n) => [
    ...(n > -3 ? [lifeOf(usage, `u${n}`, day(n), { at: day(n) + HOUR })] : []),
    lifeOf(costs, `c${n}`, day(n), { at: day(n) + HOUR }),
  ]);
  const connection = scripted(day(0) + HOUR, [usage, costs], lives, "full_refresh");
  const asked = startOn(-12);
  const both = { ...CALM, asked, concurrency: 2, keepsRows: false };
  await connection.sync({
    ...both,
    end: killAt("costs", ({ pass }) => (pass?.reads.length ?? 0) > 0),
  });
  expect(stateOf(connection, "usage").done).toBe(false);
  await connection.sync({ ...both, weather: failing([day(-3)], "costs") });
  expect(stateOf(connection, "usage").done).toBe(true);
  expect(stateOf(connection, "costs").done).toBe(false);
  const { items, outcome } = await connection.sync({ ...CALM, asked });
  expect(outcome).toBe(true);
  const again = items.filter((item) => item.kind === "record");
  expect(again.some(({ stream }) => stream === "usage")).toBe(false);
  expect(again.length).toBeLessThan(12);
  for (const n of days(-12, 0)) expect(row(connection, "costs", `c${n}`), `c${n}`).toBeDefined();
  expect(connection.faults, connection.log.join("\n")).toEqual([]);
});

test("a provider whose window end counts as inside returns every row of a window's edge twice", async () => {
  for (const concurrency of [1, 2, 8]) {
    const costs = plainRules("costs", { selects: "inclusive", lag: 2 * DAY });
    const lives = days(-6, 1).map((n) => lifeOf(costs, `row${n}`, day(n), { at: day(n) + HOUR }));
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    const step = { ...CALM, concurrency, asked: startOn(-6) };
    const { items } = await connection.sync(step);
    expect(items.filter(({ kind }) => kind === "record")).toHaveLength(7);
    await settle(connection, step);
  }
});

test("a provisional charge over several windows is followed under one day, whichever lane is first", async () => {
  const costs = plainRules("costs", { selects: "overlap", retentionDays: 90 });
  const month = lifeOf(
    costs,
    "month",
    day(-40),
    { at: day(-40), status: "provisional" },
    { at: day(4), due: false },
  );
  const long = { ...month, end: month.start + 20 * DAY, versions: [] };
  for (const { at, status, due } of month.versions) {
    addVersion(long, {
      at,
      due,
      status,
      amount: 1_000_000,
      currency: "USD",
      extra: "",
      granularity: "1d",
    });
  }
  const connection = scripted(day(0) + 3 * HOUR, [costs], [long]);
  const step = { ...CALM, concurrency: 8, asked: startOn(-60) };
  for (const n of days(0, 4)) {
    connection.scheduler.skipTo(day(n) + 3 * HOUR);
    await connection.sync(step);
    expect(stateOf(connection, "costs").provisional).toEqual([
      [iso(month.start).slice(0, 10), 1, { USD: "1" }],
    ]);
  }
  await settle(connection, step);
  expect(row(connection, "costs", "month")?.status).toBe("final");
  expect(stateOf(connection, "costs").provisional).toEqual([]);
});

test("an outage over provisional days beyond the deep re-read, without a scrub: they are found final as soon as it is over", async () => {
  const outages = [{ start: day(1) + 7 * HOUR, end: day(1) + 9 * HOUR, showsOneOf: Infinity }];
  const costs = plainRules("costs", { retentionDays: 120, maximumWindowDays: 31, outages });
  const lives = days(0, 12).map((n) =>
    lifeOf(
      costs,
      `row${n}`,
      day(-100),
      { at: day(-100), status: "provisional" },
      { at: day(1) + 12 * HOUR, due: false },
    ),
  );
  const connection = scripted(day(0) + 8 * HOUR, [costs], lives);
  const step = { ...CALM, asked: { ...CALM.asked, scrubDays: 0 } };
  for (const n of days(0, 3)) {
    connection.scheduler.skipTo(day(n) + 8 * HOUR);
    const { items } = await connection.sync(step);
    const isDoubted = items.some((item) => item.kind === "report" && item.row.shrunk);
    expect(isDoubted, `day ${n}`).toBe(n === 1);
    expect(stateOf(connection, "costs").provisional, `day ${n}`).toEqual(
      n === 2 ? [] : [[iso(day(-100)).slice(0, 10), 12, { USD: "12" }]],
    );
  }
  for (const { id } of lives) expect(row(connection, "costs", id)?.status).toBe("final");
  await settle(connection, step);
});

test("a charge that began before the start date is restated between any two of its readings: one of its versions is written", async () => {
  const costs = plainRules("costs", { selects: "overlap", retentionDays: 90 });
  const begin = day(0) + 3 * HOUR;
  const told = Array.from({ length: 200 }, (_, n) => ({ at: begin + n * 100, due: false }));
  const long = {
    ...lifeOf(costs, "long", day(-30), { at: day(-30), due: true }, ...told),
    end: day(-3),
  };
  const usual = days(-5, 0).map((n) => lifeOf(costs, `row${n}`, day(n), { at: day(n) + HOUR }));
  const connection = scripted(begin, [costs], [long, ...usual]);
  const step = { ...CALM, asked: startOn(-10), weather: { ...FAIR, latency: 500 } };
  const { outcome } = await connection.sync(step);
  const shown = connection.world.provider.exchanges.flatMap(({ versions }) => versions);
  expect(new Set(shown.filter(({ record }) => record.id === "long")).size).toBeGreaterThan(2);
  expect(outcome).toBe(true);
  expect(row(connection, "costs", "long")?.index).toBeGreaterThan(0);
  expect(stateOf(connection, "costs").pass).toBeUndefined();
  await settle(connection, step);
  expect(row(connection, "costs", "long")?.index).toBe(told.length);
});

test.each(["usage", "costs"] as const)(
  "an old record of %s changes every week, and the scrub finds each change within a month, turn after turn",
  async (stream) => {
    const rules = plainRules(stream, { retentionDays: 90, maximumWindowDays: 31 });
    const changesAt = (n: number): number => day(n + 40) + HOUR;
    const numbers = days(-80, 70);
    const changing = numbers.filter((n) => n % 7 === 0);
    const lives = numbers.map((n) => {
      const later = n % 7 === 0 ? [{ at: changesAt(n), due: false }] : [];
      return lifeOf(rules, `row${n}`, day(n), { at: day(n) + HOUR }, ...later);
    });
    const connection = scripted(day(0) + 8 * HOUR, [rules], lives);
    const step = { ...CALM, asked: { ...CALM.asked, reconcileDays: 2 } };
    for (const n of days(0, 100)) {
      connection.scheduler.skipTo(day(n) + 8 * HOUR);
      await connection.sync(step);
      const missed = changing
        .filter((each) => each > n - 88 && changesAt(each) < day(n - 30))
        .filter((each) => row(connection, stream, `row${each}`)?.index !== 1);
      expect(missed, `day ${n}`).toEqual([]);
    }
    await settle(connection, step);
  },
);

test("R4: a process that goes on with a window takes back the proof that a second reading gave its rows", async () => {
  const usage = plainRules("usage", { cursors: "keyset" });
  const lives = days(0, 6).map((index) =>
    lifeOf(
      usage,
      `row${index}`,
      day(-1),
      { at: day(-1) + HOUR },
      ...(index === 4 ? [{ at: day(0) + 2 * HOUR }] : []),
    ),
  );
  const connection = scripted(day(0) + HOUR, [usage], lives);
  const step = { ...CALM, asked: startOn(-1), pageSize: 2 };
  await connection.sync({
    ...step,
    stateInterval: MINUTE,
    keepsRows: false,
    end: { killWhen: (item) => item.kind === "report" && proves(item.row) },
  });
  expect(connection.warehouse.reports.filter(proves)).toMatchObject([{ whole_window: false }]);
  connection.scheduler.skipTo(day(0) + 3 * HOUR);
  await connection.sync(step);
  await settle(connection, step);
});

test("R4: a process that goes on with a window first takes back the proof of a reading that it changes", async () => {
  const costs = plainRules("costs", { cursors: "keyset", still: "day", maximumWindowDays: 31 });
  const [restated, behind] = ["row3", "row4"];
  const lives = days(0, 8).map((index) =>
    lifeOf(
      costs,
      `row${index}`,
      day(index < 4 ? -2 : -1),
      { at: day(-1) + HOUR },
      ...(`row${index}` === restated ? [{ at: day(0) + 2 * HOUR }] : []),
    ),
  );
  const connection = scripted(day(0) + HOUR, [costs], lives);
  const step = { ...CALM, asked: startOn(-2), pageSize: 2, stateInterval: MINUTE };
  await connection.sync({
    ...step,
    keepsRows: false,
    end: { killWhen: (item) => item.kind === "report" && item.row.day === "2026-05-11" },
  });
  expect(connection.warehouse.reports.filter(proves)).toHaveLength(2);
  connection.scheduler.skipTo(day(0) + 3 * HOUR);
  const isBehind = (item: Item): boolean => item.kind === "record" && item.text.includes(behind);
  await connection.sync({ ...step, end: { killWhen: isBehind } });
  expect(row(connection, "costs", restated)?.index).toBe(1);
  await settle(connection, step);
});

/** One day of thirty rows, in pages of twenty, at a provider whose outage leaves one of them. */
function thirty() {
  const usage = plainRules("usage", { cursors: "snapshot" });
  const lives = days(0, 30).map((index) =>
    lifeOf(usage, `row${index}`, day(-3), { at: day(-3) + HOUR }),
  );
  const connection = scripted(day(0) + HOUR, [usage], lives);
  const { scheduler } = connection;
  const goDown = (): void => {
    usage.outages.push({
      start: scheduler.now,
      end: scheduler.now + 40 * MINUTE,
      showsOneOf: 30,
    });
  };
  const asked = { ...startOn(-3), endDate: day(-2) - 1 };
  return { connection, goDown, step: { ...CALM, asked, pageSize: 20 } };
}

/** Two syncs in an outage, and one behind it. */
async function stayDown(connection: Connection, step: Step): Promise<void> {
  for (let sync = 0; sync < 2; sync++) {
    connection.scheduler.skipTo(connection.scheduler.now + 5 * MINUTE);
    await connection.sync(step);
  }
  expect(connection.warehouse.reports.filter(proves)).toEqual([]);
  connection.scheduler.skipTo(connection.scheduler.now + HOUR);
  await connection.sync(step);
  expect(connection.warehouse.reports.filter(proves)).toMatchObject([{ rows: 30 }]);
  await settle(connection, step);
}

test("R8: a day whose first page a killed process has written is not believed to be gone when the window begins again", async () => {
  const { connection, goDown, step } = thirty();
  await connection.sync({
    ...step,
    end: killAt("usage", ({ pass }) => pass?.open.some(({ digests }) => digests?.length) === true),
  });
  expect(connection.warehouse.rows.usage.size).toBe(20);
  goDown();
  connection.world.provider.expireCursors("usage");
  await stayDown(connection, step);
});

test("R8: a day whose first page was written is not believed to be gone when its cursor is refused at once", async () => {
  const { connection, goDown, step } = thirty();
  let isDown = false;
  const weather = {
    ...FAIR,
    intercept: (url: URL) => {
      if (isDown || url.searchParams.get("cursor") === null) return undefined;
      isDown = true;
      goDown();
      return { delivery: whole(problem(400, "cursor-expired")) };
    },
  };
  await connection.sync({ ...step, weather });
  await stayDown(connection, step);
});
