/** Random histories: a refresh leaves some models or days as they are, and still all rows equal those of a whole refresh. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DAY, HOUR } from "../reference_provider/instants.ts";
import { createProvider } from "../reference_provider/provider.ts";
import { Random } from "../simulation/random.ts";
import { seedsOf } from "../simulation/seeds.ts";
import { run } from "../src/connector.ts";
import { hostOf } from "../src/testing_host.ts";
import { VIEWS, writeBook } from "../warehouse/close.ts";
import { Database } from "../warehouse/database.ts";
import { deliver } from "../warehouse/delivery.ts";
import { withoutEmpty } from "../warehouse/empty_models.ts";
import { forgetAnswers } from "../warehouse/kept_answers.ts";
import {
  allModels,
  dropInternal,
  isInternal,
  makeTables,
  modelNames,
} from "../warehouse/models.ts";
import { hasFreshModels, type Made, refreshModels } from "../warehouse/refresh.ts";
import { pageOf } from "../warehouse/report/testing.ts";
import { prepare } from "../warehouse/store.ts";
import { foldVersions } from "../warehouse/versions.ts";
import { hostWith } from "../warehouse/testing.ts";
import { drawRecords } from "./kills/records.ts";
import { bearerConfig } from "./support/config.ts";
import { cost, dayAfter, type Life, usage, type World, world } from "./support/world.ts";

/** The first day lies at the end of a month, so that a history can close this month. */
const FIRST = "2026-02-27";
const MONTH = "2026-02";
const DAYS = 4;
/** The seeds of CI are lived as those of `npm test`. A life that somebody asks for by its number is longer. */
const { SEED, SEEDS = "all" } = process.env;
const IS_WHOLE = SEED !== undefined || SEEDS !== "all";
/** Each step costs two refreshes. */
const STEPS = IS_WHOLE ? 10 : 4;

/** The column in which a newer report differs from the newest one of its day; `moved AS moved` changes nothing. */
const OTHERWISE = [
  "moved AS moved",
  "moved AS moved",
  "moved AS moved",
  "false AS confirmed",
  "true AS moved",
  "true AS shrunk",
  "'zzzzz' AS chain",
  "'second' AS account",
  "covered_through - INTERVAL 6 HOUR AS covered_through",
  "rows + 1 AS rows",
  "false AS inside_window",
  "reading_id || '~' AS rows_reading_id",
  "began_at + INTERVAL 1 DAY AS began_at",
] as const;

/** A newer version of a record on another day: nothing else of its old day has changed. */
const MOVED = `
  INSERT INTO costs
  SELECT * REPLACE ('zzzzzzzzz' || substr(x_ReadingId, 10) AS x_ReadingId, ChargePeriodStart + INTERVAL 1 DAY AS ChargePeriodStart,
                    ChargePeriodEnd + INTERVAL 1 DAY AS ChargePeriodEnd)
  FROM costs WHERE x_RecordId = (SELECT min(x_RecordId) FROM costs)`;
const MOVED_BACK = "DELETE FROM costs WHERE x_ReadingId LIKE 'zzzzzzzzz%'";

/** Changes of rows by hand, which a refresh finds by the content of their days. */
const ROWS_BY_HAND = [
  MOVED,
  MOVED_BACK,
  // A record moves to another day, and back.
  "UPDATE costs SET ChargePeriodStart = ChargePeriodStart - INTERVAL 1 DAY WHERE x_ReadingId = (SELECT max(x_ReadingId) FROM costs)",
  // The newest version of a record goes, and an older one counts again.
  "DELETE FROM costs WHERE x_ReadingId = (SELECT max(x_ReadingId) FROM costs)",
  "DELETE FROM usage WHERE x_ReadingId = (SELECT max(x_ReadingId) FROM usage)",
  "UPDATE costs SET x_CorrectsRecordId = (SELECT min(x_RecordId) FROM costs) WHERE x_RecordId = (SELECT max(x_RecordId) FROM costs)",
  "UPDATE costs SET BillingCurrency = 'EUR', x_ProjectId = 'p' WHERE x_RecordId = (SELECT min(x_RecordId) FROM costs)",
  "UPDATE usage SET ServiceName = 'Other', x_ModelId = 'm' WHERE x_RecordId = (SELECT min(x_RecordId) FROM usage)",
  "UPDATE costs SET ChargePeriodStart = NULL WHERE x_RecordId = (SELECT max(x_RecordId) FROM costs)",
  "UPDATE usage SET x_RecordId = NULL WHERE x_ReadingId = (SELECT min(x_ReadingId) FROM usage)",
] as const;

/** Further changes of the tables that a person may make by hand. */
const BY_HAND = [
  ...ROWS_BY_HAND,
  "DELETE FROM costs WHERE x_RecordId = (SELECT min(x_RecordId) FROM costs)",
  "UPDATE usage SET ConsumedQuantity = '7.25' WHERE x_RecordId = (SELECT max(x_RecordId) FROM usage)",
  "UPDATE costs SET BilledCost = 'much' WHERE x_RecordId = (SELECT max(x_RecordId) FROM costs)",
  "INSERT INTO ai_billing_teams (label, value, team) VALUES ('project_id', 'p', 'Search')",
  "DELETE FROM export_windows WHERE day = (SELECT max(day) FROM export_windows)",
  "INSERT INTO ai_billing_reporting_currency (currency) VALUES ('USD')",
  "INSERT INTO ai_billing_exchange_rates VALUES ('EUR', 'USD', '2026-01-01', '1.25')",
  "INSERT INTO ai_billing_budgets (month, billing_currency, budget) VALUES ('2026-03', 'USD', '12.5')",
  `INSERT INTO ai_billing_closes (close_id, book_view, book_month, version, closed_at, with_accruals, digest)
   SELECT 'month 2026-02 v1', 'month', DATE '2026-02-01', 1, TIMESTAMP '2026-03-05', false, '' WHERE NOT EXISTS (FROM ai_billing_closes)`,
  "DROP TABLE current_costs",
] as const;

/** A newer report of some days, or a change by hand. Its reading comes before all later ones. */
function disturbance(random: Random, step: number): string {
  if (step === 2) return random.pick(ROWS_BY_HAND);
  if (step > 1 && random.chance(0.3)) return random.pick(BY_HAND);
  const columns = step === 1 ? OTHERWISE[0] : random.pick(OTHERWISE);
  const [name = ""] = /\w+$/.exec(columns) ?? [];
  const others = [
    "id || '-STEP' AS id",
    "reading_id || '~STEP' AS reading_id",
    "began_at + INTERVAL 1 MINUTE AS began_at",
    "ended_at + INTERVAL 1 MINUTE AS ended_at",
    "pass_began_at + INTERVAL 1 MINUTE AS pass_began_at",
  ].filter((each) => !each.endsWith(` AS ${name}`));
  return `
    INSERT INTO export_windows BY NAME
    SELECT * REPLACE (${[columns, ...others].join(", ").replaceAll("STEP", String(step))}) FROM export_windows
    WHERE day >= DATE '${dayAfter(FIRST, random.int(0, DAYS))}' AND dataset <> '${random.pick(["usage", "costs", ""])}'
    QUALIFY row_number() OVER (PARTITION BY dataset, day, inside_window ORDER BY reading_id DESC) = 1`;
}

/** The rows of each model that people query, sorted as text. */
async function rowsOf(
  database: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const name of names) {
    const rows = await database.query(`FROM main.${name}`);
    found.set(name, rows.map((row) => JSON.stringify(row)).toSorted());
  }
  return found;
}

/**
 * Makes a whole refresh, and returns the models whose rows differ before and after it.
 *
 * @param isLast makes all models, also those that must be empty; a longer life always does
 */
async function differing(database: Database, isLast: boolean): Promise<string[]> {
  const names = await modelNames();
  const before = await rowsOf(database, names);
  const all = await allModels();
  const models = isLast || IS_WHOLE ? all : await withoutEmpty(database, all);
  await makeTables(database, models);
  const steps = models.filter(isInternal).map(({ name }) => name);
  await dropInternal(database, steps);
  const after = await rowsOf(database, names);
  return names.filter((name) => before.get(name)?.join("\n") !== after.get(name)?.join("\n"));
}

/** Columns of a cost that the interface does not name. Models of usage read them, too. */
function said(random: Random, { record, ...fate }: Life): Life {
  const columns = random.pick([
    {},
    { ListCost: "8" },
    { ListCost: "9.5", x_TokenKind: "input" },
    { CommitmentDiscountId: "c", x_TokenKind: "input" },
  ]);
  return { ...fate, record: { ...record, ...columns } };
}

/** Records that come late, change, move, vanish, come back under another id, or correct others. */
function drawn(random: Random, now: number): World {
  const { usage: used, costs } = drawRecords(random, {
    first: FIRST,
    now: now + (DAYS - 1) * DAY,
    changing: FIRST,
    until: now + DAYS * 2 * DAY,
    granularity: "1d",
    note: 0,
    monthly: random.chance(0.3),
  });
  const limits = { freshness_lag_minutes: 0, settlement_lag_hours: random.pick([0, 24]) };
  return { usage: used, costs: costs.map((life) => said(random, life)), limits };
}

/** Reads all that the provider has into the database, and lets hours pass. */
type Sync = (hours: number) => Promise<void>;

/** A database, and a provider with these accounts by name. */
async function withAccounts<T>(
  lives: Readonly<Record<string, World>>,
  { now, seed }: { readonly now: number; readonly seed: number },
  work: (database: Database, sync: Sync) => Promise<T>,
): Promise<T> {
  const provider = createProvider({
    accounts: Object.entries(lives).map(([id, life]) => ({ ...world(life), id })),
    now: new Date(now).toISOString(),
    seed,
  });
  const { baseUrl } = await provider.listen();
  const folder = await mkdtemp(join(tmpdir(), "refresh-"));
  const accounts = Object.keys(lives).map((name) => {
    const { token } = provider.issueToken({ account: name });
    const config = bearerConfig(baseUrl, token, { start_date: FIRST, account: name });
    const engine = hostOf({ config });
    const host = hostWith({
      now: () => 0,
      readJson: () => Promise.resolve(config),
      engine: (command, edges) => run(command, { ...engine, ...edges }),
    });
    const place = { name, base_url: baseUrl, account: name, granularity: "1d" };
    return { host, account: { ...place, path: "config", entry: undefined } };
  });
  const database = await Database.open(join(folder, "billing.duckdb"), "write");
  try {
    await prepare(
      database,
      accounts.map(({ account }) => account),
    );
    return await work(database, async (hours) => {
      for (const { account, host } of accounts) await deliver(account, database, host);
      for (const dataset of ["usage", "costs"] as const) await foldVersions(database, dataset);
      provider.clock.advance(hours * HOUR);
    });
  } finally {
    database.close();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A database and a provider of random records. `sync` lets some hours pass. */
async function withDatabase<T>(
  random: Random,
  seed: number,
  work: (database: Database, sync: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const now = Date.parse(FIRST) + DAY;
  const names = random.pick([["one"], ["one", "two"]]);
  const lives = Object.fromEntries(names.map((name) => [name, drawn(random.fork(), now)]));
  return await withAccounts(lives, { now, seed }, (database, sync) =>
    work(database, () => sync(random.pick([1, 9, 24, 40]))),
  );
}

/** Closes the first month by one of the views, or closes it again. The close comes after the newest report and after all books. */
async function closeMonth(random: Random, database: Database): Promise<void> {
  const view = random.pick(VIEWS);
  const [[books = "0", now = ""] = []] = await database.query(`
    SELECT (SELECT count(*) FROM ai_billing_closes WHERE book_view = '${view}'),
           epoch_ms(greatest(DATE '${MONTH}-01' + INTERVAL 1 MONTH, max(ended_at),
                             (SELECT max(closed_at) + INTERVAL 1 SECOND FROM ai_billing_closes)))
    FROM export_windows`);
  const why = books === "0" ? undefined : "it has changed";
  await writeBook(database, { month: MONTH, view, accrue: true, why }, Number(now));
}

/** Lives one history; every second one has books. @returns for each refresh whether all models were made */
async function lived(seed: number): Promise<Made[]> {
  const random = new Random(seed);
  const hasBooks = seed % 2 === 1;
  return await withDatabase(random, seed, async (database, sync) => {
    const made: Made[] = [];
    for (let step = 0; step < STEPS; step++) {
      const isClosed = hasBooks && (step === 1 || (step > 1 && random.chance(0.2)));
      if (isClosed) await closeMonth(random, database);
      if (step === 0 || (step > 1 && random.chance(0.4))) await sync();
      else await database.run(disturbance(random, step));
      made.push(await refreshModels(database));
      const page = await pageOf(database);
      const isLast = step === STEPS - 1;
      expect(await differing(database, isLast), `seed ${seed}, step ${step}`).toEqual([]);
      // This page uses no answer that an earlier page kept. The page of the next step may use the answers of this page.
      await forgetAnswers(database);
      expect(await pageOf(database), `seed ${seed}, step ${step}`).toEqual(page);
    }
    return made;
  });
}

/** A report of each day whose listing moved, so that it proves nothing. */
const UNPROVEN = `
  INSERT INTO export_windows BY NAME
  SELECT * REPLACE (id || '-moved' AS id, reading_id || '~' AS reading_id, true AS moved, false AS confirmed) FROM export_windows`;

test(
  "models are fresh after a refresh, and no longer when a row of any table was changed; a refresh makes the days that a record left or came to, and the statuses of days",
  { timeout: 900_000 },
  async () => {
    await withDatabase(new Random(1), 1, async (database, sync) => {
      await sync();
      expect(await hasFreshModels(database)).toBe(false);
      await refreshModels(database);
      const report = "INSERT INTO export_windows FROM export_windows LIMIT 1";
      const changes = BY_HAND.filter((each) => !ROWS_BY_HAND.some((row) => row === each));
      for (const change of [report, ...changes]) {
        expect(await hasFreshModels(database), `before ${change}`).toBe(true);
        await database.run("BEGIN");
        await database.run(change);
        expect(await hasFreshModels(database), `after ${change}`).toBe(false);
        await database.run("ROLLBACK");
      }
      for (const change of [MOVED, MOVED_BACK, UNPROVEN]) {
        await database.run(change);
        expect(await refreshModels(database), change).toBe("days");
        expect(await differing(database, change === UNPROVEN), change).toEqual([]);
      }
    });
  },
);

/** The tables that a refresh made again as a whole. In all other tables it replaced some rows at most. */
async function tablesMade(database: Database): Promise<readonly string[]> {
  const tables = () =>
    database.query(
      "SELECT table_name, table_oid FROM duckdb_tables() WHERE schema_name = 'main' AND NOT temporary",
    );
  const before = new Map((await tables()).map(([name, id]) => [name, id]));
  expect(await refreshModels(database)).toBe("days");
  return (await tables()).flatMap(([name = "", id]) => (before.get(name) === id ? [] : [name]));
}

/** Three syncs at noon of a day, at noon of the next one, and an hour later find three versions of the first day. */
const RESTATED: World = {
  costs: [
    cost("restated", FIRST, "1", {
      restated: [
        { at: `${dayAfter(FIRST, 2)}T12:30:00Z`, changes: { BilledCost: "2", EffectiveCost: "2" } },
      ],
    }),
    cost(
      "late",
      FIRST,
      "4",
      { visible_from: `${dayAfter(FIRST, 2)}T00:00:00Z` },
      { ServiceProviderName: "Other" },
    ),
  ],
};

/** The report of an earlier reading says one row more than the tables have. The tables have all rows of the newest reading. */
const LOST = `
  INSERT INTO export_windows BY NAME
  SELECT * REPLACE (id || '-more' AS id, reading_id || '~' AS reading_id, rows + 1 AS rows) FROM export_windows
  WHERE dataset = 'costs' AND inside_window AND day = DATE '${FIRST}' AND began_at::DATE = DATE '${dayAfter(FIRST)}'`;

const FOUND = "DELETE FROM export_windows WHERE id LIKE '%-more'";

/** The first readings of costs prove nothing. All of their days were read again later. */
const UNCONFIRMED = `
  UPDATE export_windows SET confirmed = false WHERE dataset = 'costs' AND began_at::DATE = DATE '${dayAfter(FIRST)}'`;

/** No sum of costs depends on a description. */
const DESCRIBED = "UPDATE costs SET ChargeDescription = 'other'";

test(
  "a refresh makes past months again where another cost was found or a reading stood otherwise, and only there",
  { timeout: 900_000 },
  async () => {
    const now = Date.parse(`${dayAfter(FIRST)}T12:00:00Z`);
    await withAccounts({ one: RESTATED }, { now, seed: 1 }, async (database, sync) => {
      await sync(24);
      await sync(1);
      await refreshModels(database);
      const changes: ReadonlyArray<readonly [isPastChanged: boolean, change: () => Promise<void>]> =
        [
          [true, () => sync(1)],
          [true, () => database.run(LOST)],
          [true, () => database.run(FOUND)],
          [true, () => database.run(UNCONFIRMED)],
          [false, () => database.run(DESCRIBED)],
        ];
      for (const [isPastChanged, change] of changes) {
        await change();
        const made = await tablesMade(database);
        expect(await differing(database, change === changes.at(-1)?.[1]), String(change)).toEqual(
          [],
        );
        expect(made.includes("monthly_costs_as_of"), String(change)).toBe(isPastChanged);
      }
    });
  },
);

/**
 * A cost of the first day, with two corrections on later days, which come after the first sync. The newer month is read first, so the
 * correction of the earlier day begins with the amount that the other one left.
 */
const CORRECTED: World = {
  usage: [
    usage("asked", FIRST, "1"),
    usage("answered", dayAfter(FIRST), "2"),
    usage("later", dayAfter(FIRST, 3), "3"),
  ],
  costs: [
    cost("original", FIRST, "10"),
    ...[1, 2].map((number) =>
      cost(
        `correction-${number}`,
        dayAfter(FIRST, number),
        "-2",
        { visible_from: `${dayAfter(FIRST, DAYS + 1)}T00:00:00Z` },
        { ChargeClass: "Correction", x_CorrectsRecordId: "original" },
      ),
    ),
    cost("undated", FIRST, "3"),
    cost("beyond", dayAfter(FIRST), "4"),
    cost("named", dayAfter(FIRST, 3), "5", {}, { x_ModelId: "m" }),
  ],
};

/** Changes that also change rows of other days, or that move a row to a day outside every calendar. */
const FAR = [
  "UPDATE costs SET ChargePeriodStart = NULL WHERE x_RecordId = 'undated'",
  "UPDATE costs SET ChargePeriodStart = TIMESTAMP '20000-01-01' WHERE x_RecordId = 'beyond'",
  "UPDATE costs SET x_ProjectId = 'p' WHERE x_RecordId = 'original'",
  // Until now only costs had this label. From now on the label decides which costs belong to a use, on all days.
  "UPDATE usage SET x_ModelId = 'm' WHERE x_RecordId = 'answered'",
  `UPDATE costs SET BilledCost = '-3', EffectiveCost = '-3' WHERE x_RecordId = 'correction-2'`,
] as const;

test(
  "a refresh makes rows of other days again that follow from a changed one, and those without a day",
  { timeout: 900_000 },
  async () => {
    const now = Date.parse(`${dayAfter(FIRST, DAYS)}T12:00:00Z`);
    await withAccounts({ one: CORRECTED }, { now, seed: 1 }, async (database, sync) => {
      await sync(24);
      await sync(1);
      await refreshModels(database);
      for (const change of FAR) {
        await database.run(change);
        expect(await refreshModels(database), change).toBe("days");
      }
      expect(await differing(database, true)).toEqual([]);
      const corrected = await database.query(
        "SELECT record_id, amount_before, amount FROM cost_changes WHERE kind = 'corrected' ORDER BY 1",
      );
      const amounts = corrected.map(([id = "", ...others]) => [id, ...others.map(Number)]);
      expect(amounts).toEqual([
        ["correction-1", 7, 5],
        ["correction-2", 10, 7],
      ]);
    });
  },
);

test(
  "a refresh that leaves days and models as they are ends with the rows of a whole one",
  { timeout: 900_000 },
  async () => {
    const kinds = new Set<Made>();
    for (const seed of seedsOf(process.env, { few: 1, all: 1 })) {
      for (const made of await lived(seed)) kinds.add(made);
    }
    expect([...kinds]).toEqual(expect.arrayContaining(["all", "days", "proofs"]));
  },
);
