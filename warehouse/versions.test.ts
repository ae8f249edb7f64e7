/** Each condition under which a version goes, or stays: one day of costs, read every hour, of which one condition differs at a time. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Database } from "./database.ts";
import { prepare } from "./store.ts";
import { foldVersions } from "./versions.ts";

/** The day of the charges. */
const CHARGED = "2026-03-05";
const NEXT = "2026-03-06";
const BEFORE = "2026-03-04";

let database: Database;

beforeAll(async () => {
  database = await Database.inMemory();
  await prepare(database, [
    { name: "a", base_url: "https://a.example", account: "", granularity: "1d" },
  ]);
  return () => database.close();
});
beforeEach(async () => {
  for (const table of ["usage", "costs", "export_windows"])
    await database.run(`DELETE FROM ${table}`);
});

/** A report of one day by one reading. By default the reading covers the day up to an hour in it, and its rows stand. */
interface Report {
  readonly reading: string;
  readonly rowsOf?: string;
  readonly dataset?: "usage" | "costs";
  readonly chain?: string;
  readonly day?: string;
  /** The UTC day on which the reading began. */
  readonly found?: string;
  readonly from?: string;
  readonly through?: string;
  readonly isInside?: boolean;
  readonly isConfirmed?: boolean;
  readonly isShrunk?: boolean;
}

async function report({
  reading,
  rowsOf = reading,
  dataset = "costs",
  chain = "chain",
  day = CHARGED,
  found = CHARGED,
  from = `${day} 00:00:00`,
  through = `${day} 09:00:00`,
  isInside = true,
  isConfirmed = true,
  isShrunk = false,
}: Report): Promise<void> {
  await database.run(`
    INSERT INTO export_windows BY NAME
    SELECT '${dataset}' AS dataset, DATE '${day}' AS "day", '${reading}' AS reading_id, '${rowsOf}' AS rows_reading_id,
           '${chain}' AS chain, TIMESTAMP '${found} 08:00:00' AS began_at, TIMESTAMP '${from}' AS covered_from,
           TIMESTAMP '${through}' AS covered_through, ${isInside} AS inside_window, ${isConfirmed} AS confirmed,
           ${isShrunk} AS shrunk`);
}

/** A version of the record that a reading wrote. */
const version = (reading: string, day = CHARGED, table = "costs") =>
  database.run(`
    INSERT INTO ${table} BY NAME
    SELECT 'record' AS "x_RecordId", '${reading}' AS "x_ReadingId", TIMESTAMP '${day} 00:00:00' AS "ChargePeriodStart"`);

/** The readings whose versions are left, in their order, after the versions of costs were folded. */
async function kept(): Promise<string> {
  await foldVersions(database, "costs");
  const rows = await database.query('SELECT "x_ReadingId" FROM costs ORDER BY 1');
  return rows.flat().join(" ");
}

/** Readings r1 to r4 of the day, each with a version. Some of the reports differ. */
async function fourReadings(differing: Readonly<Record<string, Partial<Report>>> = {}) {
  for (const reading of ["r1", "r2", "r3", "r4"]) {
    await report({ reading, ...differing[reading] });
    await version(reading);
  }
}

/** A reading that covers the whole day of the charges. */
const WHOLE = { through: `${NEXT} 00:00:00` };

it("of the versions of a day in progress the first and the last stay", async () => {
  await fourReadings();
  expect(await kept()).toBe("r1 r4");
});

it("usage is folded too, and the other stream stays as it is", async () => {
  await fourReadings();
  for (const reading of ["u1", "u2", "u3"]) {
    await report({ reading, dataset: "usage" });
    await version(reading, CHARGED, "usage");
  }
  await foldVersions(database, "usage");
  expect(await database.query('SELECT "x_ReadingId" FROM usage ORDER BY 1')).toEqual([
    ["u1"],
    ["u3"],
  ]);
  expect(await database.query("SELECT count(*) FROM costs")).toEqual([["4"]]);
});

describe("versions of another day of finding", () => {
  it("stay, once a reading of the next day is there", async () => {
    await fourReadings();
    await report({ reading: "r5", found: NEXT });
    await version("r5");
    expect(await kept()).toBe("r1 r2 r3 r4 r5");
  });

  it("are apart from those of today, of which the first stays", async () => {
    await fourReadings();
    for (const reading of ["s1", "s2", "s3"]) {
      await report({ reading, found: NEXT });
      await version(reading);
    }
    expect(await kept()).toBe("r1 r2 r3 r4 s1 s3");
  });

  it("are those of this stream: the other one may have been read on the next day", async () => {
    await fourReadings();
    await report({ reading: "u1", dataset: "usage", found: NEXT });
    expect(await kept()).toBe("r1 r4");
  });
});

it("records are folded each for itself", async () => {
  await fourReadings();
  await database.run("UPDATE costs SET \"x_RecordId\" = 'another' WHERE \"x_ReadingId\" = 'r2'");
  expect(await kept()).toBe("r1 r2 r4");
});

it("readings follow each other by their ids, in whatever order their rows came", async () => {
  for (const reading of ["r3", "r1", "r4", "r2"]) {
    await report({ reading });
    await version(reading);
  }
  expect(await kept()).toBe("r1 r4");
});

it("a reading of several days has a report of each, and its version counts once", async () => {
  for (const reading of ["r1", "r2", "r3", "r4"]) await report({ reading, day: BEFORE });
  await fourReadings();
  expect(await kept()).toBe("r1 r4");
});

it("a version without a report of its reading stays, and neighbors of it are compared without it", async () => {
  await fourReadings();
  await version("r2-unreported");
  expect(await kept()).toBe("r1 r2-unreported r4");
});

it("the last version before a record moves to another day stays; on the other day the last one stays", async () => {
  for (const [reading, day] of [
    ["r1", CHARGED],
    ["r2", CHARGED],
    ["r3", CHARGED],
    ["r4", BEFORE],
    ["r5", BEFORE],
  ] as const) {
    await report({ reading, day, isConfirmed: day === BEFORE });
    await version(reading, day);
  }
  // The version r4 is not the first of its record.
  expect(await kept()).toBe("r1 r3 r5");
});

it("rows that one reading wrote twice stay both", async () => {
  await fourReadings({ r4: { isConfirmed: false } });
  await version("r4");
  expect(await kept()).toBe("r1 r3 r4 r4");
});

describe("once a reading has covered the whole day of the charge", () => {
  it("each version stays that a later one follows", async () => {
    await fourReadings({ r2: WHOLE });
    expect(await kept()).toBe("r1 r2 r3 r4");
  });

  it("those before it are folded into its own", async () => {
    await fourReadings({ r3: WHOLE });
    expect(await kept()).toBe("r1 r3 r4");
  });

  it("the first such reading counts", async () => {
    await fourReadings({ r2: WHOLE, r4: WHOLE });
    expect(await kept()).toBe("r1 r2 r3 r4");
  });

  it.each<[string, Partial<Report>]>([
    ["of which a second is missing at the end", { through: `${CHARGED} 23:59:59` }],
    ["of which a second is missing at the beginning", { ...WHOLE, from: `${CHARGED} 00:00:01` }],
    ["that shows the day outside of its window", { ...WHOLE, isInside: false }],
    ["of another account", { ...WHOLE, chain: "other" }],
    ["of another day", { ...WHOLE, day: BEFORE, through: `${NEXT} 00:00:00` }],
    ["of the other stream", { ...WHOLE, dataset: "usage" }],
  ])("which no reading does %s", async (_which, differing) => {
    await fourReadings();
    await report({ reading: "r2-more", isConfirmed: false, ...differing });
    expect(await kept()).toBe("r1 r4");
  });
});

describe("the rows that stood at the end of the UTC day stay", () => {
  it.each<[string, Partial<Report>]>([
    ["are not confirmed", { isConfirmed: false }],
    ["have lost rows", { isShrunk: true }],
    ["show the day outside of their windows", { isInside: false }],
    ["find the same rows again", { rowsOf: "r2" }],
    ["are of another account", { chain: "other" }],
    ["are of another day", { day: BEFORE }],
    ["are of the other stream", { dataset: "usage" }],
  ])("when the readings after them %s", async (_which, differing) => {
    for (const reading of ["r1", "r2"]) {
      await report({ reading });
      await version(reading);
    }
    for (const reading of ["r3", "r4"]) {
      await report({ reading, ...differing });
      // This report makes the reading known, and proves nothing of the day. So the version stands nowhere.
      await report({ reading, isConfirmed: false });
      await version(reading);
    }
    expect(await kept()).toBe("r1 r2 r4");
  });
});

it("rows that a later reading proved stand at the end of the day too", async () => {
  await fourReadings({ r2: { isConfirmed: false }, r4: { isConfirmed: false } });
  await database.run("DELETE FROM costs WHERE \"x_ReadingId\" = 'r3'");
  await database.run("UPDATE export_windows SET rows_reading_id = 'r2' WHERE reading_id = 'r3'");
  expect(await kept()).toBe("r1 r2 r4");
});

it("rows that stand on another day of their reading prove nothing of this day", async () => {
  await fourReadings({ r2: { isConfirmed: false } });
  await report({ reading: "r2", day: BEFORE });
  expect(await kept()).toBe("r1 r4");
});

it("accounts with records of one name do not fold each other's versions", async () => {
  for (const [reading, chain] of [
    ["r1", "one"],
    ["r2", "two"],
    ["r3", "one"],
    ["r4", "two"],
  ] as const) {
    await report({ reading, chain });
    await version(reading);
  }
  expect(await kept()).toBe("r1 r2 r3 r4");
});
