import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { parseInstant } from "../src/core/time.ts";
import { state } from "../src/protocol.ts";
import { literal } from "./columns.ts";
import { Database } from "./database.ts";
import { instantOf } from "./lines.ts";
import { Loader } from "./loader.ts";
import { prepare } from "./store.ts";

const OWNER = { name: "a", base_url: "https://a.example", account: "", granularity: "1d" };

let database: Database;
beforeAll(async () => {
  database = await Database.inMemory();
  await prepare(database, [OWNER]);
});
beforeEach(() => database.run("DELETE FROM costs"));
afterAll(() => database.close());

/** The instants of texts to the millisecond, as the database reads them; `null` for those that are none. */
async function instantsOf(texts: readonly string[]): Promise<string[]> {
  const values = texts.map((text, index) => `(${index}, ${literal(text)})`).join(", ");
  const rows = await database.query(
    `SELECT strftime(${instantOf("text")}, '%Y-%m-%dT%H:%M:%S.%gZ') FROM (VALUES ${values}) AS all_(number, text) ORDER BY number`,
  );
  return rows.flat();
}

const INSTANTS = [
  "2026-01-02T03:04:05Z",
  "2026-01-02t03:04:05z",
  "2026-01-02t03:04:05Z",
  "2026-01-02T03:04:05z",
  "2026-01-02T03:04:05+00:00",
  "2026-01-02T03:04:05-00:00",
  "2026-01-02T03:04:05.6Z",
  "2026-01-02T23:59:59.9999999999999Z",
  "2026-01-02T23:59:59.123456+00:00",
  "2026-01-02T23:59:60Z",
  "2026-01-02t23:59:60.75z",
  "2026-01-02T10:20:60+00:00",
  "0000-02-29T00:00:00Z",
  "9999-12-31T23:59:59.9999999Z",
  "2024-02-29T00:00:00Z",
];
const NONE = [
  "2026-01-02T03:04:05+02:00",
  "2026-01-02T03:04:05-00:30",
  "2026-01-02T03:04:05",
  "2026-01-02 03:04:05Z",
  "2026-01-02T3:04:05Z",
  "2026-01-02T 3:04:05Z",
  " 202-01-02T03:04:05Z",
  "-202-01-02T03:04:05Z",
  "2026-01-02T24:00:00Z",
  "2026-01-02T23:60:00Z",
  "2026-01-02T23:59:61Z",
  "2026-01-02T00:00:0.Z",
  "2026-01-02T00:00:00.Z",
  "2026-01-02T00:00:00,5Z",
  "2026-02-29T00:00:00Z",
  "2026-13-01t00:00:00z",
  "2026-01-02T03:04:05Z\n",
  "2026-01-02T03:04:05Zz",
  "2026-01-02",
  "infinity",
  "",
];

const MARKS = Array.from("0123456789TtZz:-+. ");

describe("an instant of the database is that of the engine", () => {
  const asEngine = (text: string): string => {
    const found = parseInstant(text);
    return found === undefined ? "null" : new Date(found).toISOString();
  };

  test.each(INSTANTS)("%j", async (text) => {
    expect(asEngine(text)).not.toBe("null");
    expect(await instantsOf([text])).toEqual([asEngine(text)]);
  });

  test.each(NONE)("none in %j", async (text) => {
    expect([asEngine(text), ...(await instantsOf([text]))]).toEqual(["null", "null"]);
  });

  it("in texts that differ from one of these in a character or two", async () => {
    const changed = fc
      .tuple(
        fc.constantFrom(...INSTANTS, ...NONE),
        fc.array(fc.tuple(fc.nat(24), fc.constantFrom(...MARKS)), { maxLength: 2 }),
      )
      .map(([text, changes]) =>
        changes.reduce((now, [at, mark]) => now.slice(0, at) + mark + now.slice(at + 1), text),
      );
    const texts = fc.sample(changed, 3000);
    expect(await instantsOf(texts)).toEqual(texts.map(asEngine));
  });

  it("with the digits that the column holds", async () => {
    const text = "2026-01-02t03:04:05.123456789z";
    expect(await database.query(`SELECT ${instantOf(literal(text))}`)).toEqual([
      ["2026-01-02 03:04:05.123456"],
    ]);
  });
});

/** Loads a row of costs whose record is this text, as the connector writes lines, and returns values of it. */
async function loaded(record: string, values: string): Promise<readonly string[] | undefined> {
  const loader = new Loader(database, OWNER, () => 0);
  const line = `{"type":"RECORD","record":{"stream":"costs","data":{"x_RecordId":"é"${record},"x_ReadingId":"m0000000aone00"},"emitted_at":1770000000000}}\n`;
  await loader.stage("costs", Buffer.from(line), 1);
  await loader.take(state("costs", {}, 1));
  await loader.commit();
  return (await database.query(`SELECT ${values} FROM costs`))[0];
}

describe("V3: x_ProviderColumns keeps every digit", () => {
  const PRECISE =
    '{"x_Credit":12345678901234567.89,"x_Rate":0.1234567890123456789,"x_Zero":1.10,"x_Big":1E400,"x_Minus":-0}';
  const NESTED = `{"a":1,"x_ProviderColumns":${PRECISE}}`;

  test.each([
    ["of numbers", ',"BilledCost":"1"', PRECISE],
    [
      "beside an object with a member of this name",
      ',"Tags":{"a":1,"x_ProviderColumns":{}}',
      PRECISE,
    ],
    [
      "that repeats an object with a member of this name",
      `,"x_Own":${NESTED}`,
      `{"x_Own":${NESTED}}`,
    ],
    ["around an object with a member of this name", "", `{"x_Own":${NESTED}}`],
    [
      "around the provider's own member of this name",
      "",
      `{"x_Own":1.10,"x_ProviderColumns":${PRECISE}}`,
    ],
    [
      "with other texts than ASCII",
      ',"ChargeDescription":"größer 👍"',
      '{"x_Größe":"👍","x_Rate":1.10}',
    ],
  ])("%s", async (_which, record, columns) => {
    const found = await loaded(`${record},"x_ProviderColumns":${columns}`, "x_ProviderColumns");
    expect(found).toEqual([columns]);
  });

  it("and is null in a record without any, also if another object has a member of this name", async () => {
    const record = ',"Tags":{"a":"1","x_ProviderColumns":"2"},"BilledCost":"1"';
    expect(await loaded(record, "x_ProviderColumns")).toEqual(["null"]);
  });
});

describe("a decimal", () => {
  test.each([
    ['"1.50"', "1.50"],
    ["12345678.1234567891", "12345678.1234567891"],
    ["-0.10", "-0.10"],
    ["1e3", "1e3"],
    [" \t7.5", "7.5"],
    ["true", "true"],
    ["null", "null"],
    [String.raw`"\u0031.5"`, "1.5"],
    [String.raw`"a \"word\""`, 'a "word"'],
    ['""', ""],
    ['{"a":1}', '{"a":1}'],
  ])("that came as %s is kept as it came", async (json, kept) => {
    expect(await loaded(`,"BilledCost":${json}`, "BilledCost")).toEqual([kept]);
  });

  it("that came as a number is null if its digits are not found", async () => {
    const record = ',"x_Own":{"BilledCost":2},"BilledCost":12345678.1234567891';
    expect(await loaded(record, "BilledCost")).toEqual(["null"]);
  });
});
