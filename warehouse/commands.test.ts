import { Command as Parser } from "commander";
import { describe, expect, it } from "vitest";
import { addWarehouse, type WarehouseCommand } from "./commands.ts";
import { modelNames } from "./models.ts";
import { hasPassword, passwordsIn } from "./postgres_address.ts";

function parse(line: string): WarehouseCommand | undefined {
  const found: WarehouseCommand[] = [];
  const program = new Parser().exitOverride().configureOutput({ writeErr: () => undefined });
  addWarehouse(program, (command) => found.push(command));
  program.parse(line.split(" "), { from: "user" });
  return found[0];
}

describe("the command line", () => {
  it.each(["sync", "report"])("%s takes a reporting currency, or none", (command) => {
    expect(parse(`${command} --currency EUR`)).toMatchObject({ options: { currency: "EUR" } });
    expect(parse(`${command} --currency none`)).toMatchObject({ options: { currency: "none" } });
    for (const wrong of ["eur", "EURO", "E1R"])
      expect(() => parse(`${command} --currency ${wrong}`)).toThrow("a code such as EUR");
  });

  it("has defaults for everything", () => {
    expect(parse("sync --config c.json")).toEqual({
      kind: "sync",
      options: {
        configs: ["c.json"],
        only: [],
        database: "billing.duckdb",
        report: undefined,
        every: undefined,
        json: false,
        reset: [],
        inputs: {
          teams: undefined,
          budgets: undefined,
          "exchange-rates": undefined,
          invoices: undefined,
          shared: undefined,
        },
      },
    });
    expect(parse("sync")).toMatchObject({ options: { configs: ["config.json"] } });
  });

  it("takes the first month of the fiscal year, from 1 to 12", () => {
    for (const command of ["sync", "report"]) {
      expect(parse(`${command} --fiscal-year-start 10`)).toMatchObject({
        options: { fiscalYearStart: "10" },
      });
      for (const month of ["0", "13", "04", "April"])
        expect(() => parse(`${command} --fiscal-year-start ${month}`)).toThrow("from 1 to 12");
    }
  });

  it("takes several configs, and the names of accounts", () => {
    expect(parse("sync --config a.json --config b.json --only x --only=y")).toMatchObject({
      options: { configs: ["a.json", "b.json"], only: ["x", "y"] },
    });
  });

  it.each([
    ["30m", 1_800_000],
    ["1h", 3_600_000],
    ["2d", 172_800_000],
  ])("--every %s is %i ms", (text, every) => {
    expect(parse(`sync --config c --every ${text}`)).toMatchObject({ options: { every } });
  });

  it.each(["0h", "1", "h", "1.5h", "-1h", "1s", "99999h"])("--every %s is refused", (text) => {
    expect(() => parse(`sync --config c --every=${text}`)).toThrow("30m, 1h or 1d");
  });

  it.each([
    ["--reset", ["usage", "costs"]],
    ["--reset usage", ["usage"]],
    ["--reset=costs", ["costs"]],
  ])("%s reads %j from the beginning", (text, reset) => {
    expect(parse(`sync --config c ${text}`)).toMatchObject({ options: { reset } });
  });

  it("--reset names a stream that has a position", () => {
    expect(() => parse("sync --config c --reset=export_windows")).toThrow("one of usage, costs");
  });

  it("takes the files of inputs, for sync and for report", () => {
    const inputs = {
      teams: "t.csv",
      budgets: "b.csv",
      "exchange-rates": "e.csv",
      invoices: "i.csv",
    };
    const files = "--teams t.csv --budgets b.csv --exchange-rates e.csv --invoices i.csv";
    expect(parse(`sync --config c ${files}`)).toMatchObject({ options: { inputs } });
    expect(parse(`report --database d --schema s ${files}`)).toMatchObject({
      options: { database: "d", schema: "s", out: "report.html", inputs },
    });
  });

  it("costs has a period, and names every fault of its line at once", () => {
    expect(parse("costs")).toEqual({
      kind: "costs",
      options: {
        database: "billing.duckdb",
        by: "model",
        period: { from: undefined, through: undefined },
        month: undefined,
        top: 20,
        format: "text",
      },
    });
    expect(parse("costs --by day --month 2026-02 --json")).toMatchObject({
      options: { by: "day", month: "2026-02-01", top: undefined, format: "json" },
    });
    expect(() => parse("costs --by cat --month 2026-13 --since 2026-02-30 --top 0")).toThrow(
      "--by needs one of model, project, key, team, provider, day, month; --month needs a month such as 2026-10; " +
        "--since needs a day such as 2026-10-01; --month does not go with --since and --until; --top needs a number above 0",
    );
    expect(() => parse("costs --by month --top 3")).toThrow("--top does not go with --by month");
    expect(() => parse("costs --csv --json")).toThrow("--csv does not go with --json");
  });

  it.each([
    [
      "sync --every 5x --reset=labels --currency eur --fiscal-year-start 13 --memory 1 --teams= --only= --database postgresql://a:b@c/d",
      "--only <name> and --teams <file> are missing; --every needs a time such as 30m, 1h or 1d; " +
        "--reset needs one of usage, costs, or nothing for both; --currency needs a code such as EUR, or none; " +
        "--fiscal-year-start needs a month from 1 to 12; --memory needs a size of at least 128MB, such as 512MB or 2GB; " +
        "the address after --database has a password",
    ],
    [
      "report --currency eur --fiscal-year-start 13 --memory 1 --out= --database postgresql://a:b@c/d",
      "--out <file> is missing; --currency needs a code such as EUR, or none; --fiscal-year-start needs a month from 1 to 12; " +
        "--memory needs a size of at least 128MB, such as 512MB or 2GB; the address after --database has a password",
    ],
    [
      "query x --csv --json --database postgresql://a:b@c/d",
      "--csv does not go with --json; the address after --database has a password",
    ],
    ["query x --csv --json --database=", "--database <file> is missing; --csv does not go with"],
    [
      "costs --csv --json --top 0 --month= --database postgresql://a:b@c/d",
      "--month <month> is missing; --top needs a number above 0; --csv does not go with --json; " +
        "the address after --database has a password",
    ],
    [
      "close 2026-13 --by= --database postgresql://a:b@c/d",
      "--by <view> is missing; close needs a month such as 2026-10; the address after --database has a password",
    ],
    [
      "close 2026-13 --by month --reopen --why=",
      "--why <text> is missing; close needs a month such as 2026-10",
    ],
    [
      "init --config - --provider nobody --account=",
      "--account <label> is missing; --config needs the name of the file to write; " +
        "--provider needs one of anthropic, openai, openrouter, interface",
    ],
  ])("%s: each fault is named", (line, faults) => {
    expect(() => parse(line)).toThrow(faults);
  });

  it("close names every fault of its line at once", () => {
    expect(() => parse("close 2026-13 --by week --reopen")).toThrow(
      "close needs a month such as 2026-10; --by needs one of billing-period, month; --reopen and --why belong together",
    );
    expect(() => parse("close 2026-10")).toThrow("--by needs one of billing-period, month");
  });

  it.each([
    [
      "sync --report= --every= --teams=",
      "--report <file> and --every <time> and --teams <file> are",
    ],
    ["sync --reset=", "--reset [stream] is"],
    ["costs --month= --csv", "--month <month> is"],
    ["report --schema= --database=", "--database <place> and --schema <name> are"],
    ["query --database= x", "--database <file> is"],
    ["close 2026-10 --by month --why=", "--why <text> is"],
    ["init --account=", "--account <label> is"],
  ])("%s has a variable that is not set, and is refused", (line, words) => {
    expect(() => parse(line)).toThrow(`${words} missing`);
  });

  it("takes an address as that of a provider of the interface", () => {
    expect(parse("init --base-url https://a.example")).toMatchObject({
      options: { provider: "interface", baseUrl: "https://a.example", config: "config.json" },
    });
    expect(() => parse("init --provider nobody")).toThrow(
      "anthropic, openai, openrouter, interface",
    );
  });
});

it("the help of query names every table, and no other", async () => {
  const shown: string[] = [];
  const program = new Parser()
    .exitOverride()
    .configureOutput({ writeOut: (text) => shown.push(text) });
  addWarehouse(program, () => undefined);
  expect(() => program.parse(["query", "--help"], { from: "user" })).toThrow();
  const [, list = ""] = /^Tables.*:\n([^]*?)\n\n/m.exec(shown.join("")) ?? [];
  const named = list.split("\n").flatMap((line) => line.slice(2, 34).trim().split(", "));
  const raw = ["usage", "costs", "export_windows", "labels"];
  expect(named.toSorted()).toEqual([...(await modelNames()), ...raw].toSorted());
});

it.each([
  ["postgresql://me@host/name", false],
  ["postgresql://", false],
  ["billing.duckdb", false],
  ["folder/a:b@c.duckdb", false],
  ["postgresql://me:pw@host/name", true],
  ["POSTGRES://me:p/w@host", true],
  ["postgresql://host/name?password=pw", true],
  ["host=a password=pw", true],
])("a password in %j: %j", (database, expected) => {
  expect(hasPassword(database)).toBe(expected);
});

it.each([
  ["postgresql://me@host/name", []],
  ["postgresql:///name", []],
  ["", []],
  ["postgresql://me:p%40ss@host/name", ["p%40ss", "p@ss"]],
  ["postgresql://me:p:w@host", ["p:w", "p:w"]],
  ["postgres://me:50%@host/name", ["50%", "50%"]],
  ["POSTGRES://me:a@b@host", ["a@b", "a@b"]],
  ["postgres://me:p/w?x@host/name", ["p/w?x", "p/w?x"]],
  ["postgresql://host/name?sslmode=require&password=p%20w", ["p%20w", "p w"]],
  ["postgresql://me:one@host/name?password=two#x", ["one", "one", "two", "two"]],
])("the passwords in %j are masked", (address, expected) => {
  expect(passwordsIn(address)).toEqual(expected);
});
