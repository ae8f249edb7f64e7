import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database } from "./database.ts";
import {
  idleBudgets,
  type InputFiles,
  INPUTS,
  readInputs,
  storeFiscalYear,
  storeInputs,
  warnOfBudgets,
} from "./inputs.ts";
import { inputTables } from "./models.ts";
import { CURRENCY_TABLE } from "./reporting.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "inputs-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const NONE: InputFiles = {
  teams: undefined,
  budgets: undefined,
  "exchange-rates": undefined,
  invoices: undefined,
  shared: undefined,
};

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe("inputs", () => {
  it("are text to the last digit, with columns in any order, quotes and Windows line ends", async () => {
    const budgets = await file(
      "budgets.csv",
      '\uFEFFmonth,"team",budget,billing_currency\r\n2026-11,"Care, Support",0.000000000000000001,USD\r\n2026-11,,12,USD\r\n',
    );
    const [rows] = (await readInputs({ ...NONE, budgets })).values();
    expect(rows).toEqual([
      ["Care, Support", "2026-11", "USD", "0.000000000000000001", "", "", ""],
      ["", "2026-11", "USD", "12", "", "", ""],
    ]);
  });

  it("have titles in any case, with spaces around them", async () => {
    const teams = await file("case.csv", '\uFEFFLabel, "VALUE" ,Team \nproject_id,A,Search\n');
    const [rows] = (await readInputs({ ...NONE, teams })).values();
    expect(rows).toEqual([["project_id", "A", "Search", "", ""]]);
  });

  it("may lack optional columns, and have them in any place", async () => {
    const teams = await file(
      "dated.csv",
      "valid_to,label,value,team\n2026-08-31,project_id,a,x\n,project_id,b,y\n",
    );
    const [rows] = (await readInputs({ ...NONE, teams })).values();
    expect(rows).toEqual([
      ["project_id", "a", "x", "", "2026-08-31"],
      ["project_id", "b", "y", "", ""],
    ]);
    const twice = await file("twice.csv", "label,value,team,valid_to,valid_to\n");
    await expect(readInputs({ ...NONE, teams: twice })).rejects.toThrow("valid_to stands twice");
  });

  it("name every fault of every file at once", async () => {
    const teams = await file("teams.csv", "label,value,team\nkey,a,x\nproject_id,,x\n");
    const budgets = await file("short.csv", "team,month,amount\n");
    const invoices = join(folder, "missing.csv");
    const failed = readInputs({
      teams,
      budgets,
      invoices,
      "exchange-rates": folder,
      shared: undefined,
    });
    await expect(failed).rejects.toMatchObject({ code: "invalid_arguments" });
    for (const words of [
      'row "key, a, x": label is none of',
      'row "project_id, , x": value is missing',
      "billing_currency, budget is missing",
      '"amount" is not known',
      "with commas between them",
      "missing.csv: there is no such file or folder",
      `--exchange-rates ${folder}: it is a folder`,
    ]) {
      await expect(failed).rejects.toThrow(words);
    }
  });

  it("name every fault of the rules for shared costs in one error, each rule as a whole", async () => {
    const shared = await file(
      "shared.csv",
      "rule,label,value,method,team,part\n1,charge_category,Tax,percent,Ads,50\n1,charge_category,Tax,percent,Lab,40\n" +
        "2,color,red,evenly,,7\n3,unowned,,by spend,,\n",
    );
    const failed = readInputs({ ...NONE, shared });
    for (const words of [
      'row "1, charge_category, Tax, percent, Ads, 50": the percentages of this rule do not add up to 100',
      'row "1, charge_category, Tax, percent, Lab, 40": the percentages of this rule do not add up to 100',
      'row "2, color, red, evenly, , 7": label is none of charge_category, service_provider_name, account, project_id, workspace_id, ' +
        "api_key_id, model_id, team, unowned; part is only for percent and amount",
    ]) {
      await expect(failed).rejects.toThrow(words);
    }
    await expect(failed).rejects.not.toThrow('row "3');
  });

  it("quote nothing of a file that is no input", async () => {
    for (const text of ['{"access_token":"SeCrEt","b":1}\n', "SeCrEt\n", "a,SeCrEt\nb,c\n"]) {
      const teams = await file("other", text);
      const fault = await readInputs({ ...NONE, teams }).then(String, String);
      expect(fault).toContain("the first line has none of the columns label, value, team");
      expect(fault).not.toContain("SeCrEt");
    }
  });

  it("name every negative budget; a budget of 0 is none", async () => {
    const budgets = await file(
      "negative.csv",
      "team,month,billing_currency,budget\n,2026-11,USD,-1\nCare,2026-12,USD,-0.5\n,2026-12,USD,0\n",
    );
    const failed = readInputs({ ...NONE, budgets });
    await expect(failed).rejects.toThrow('row ", 2026-11, USD, -1": budget is negative');
    await expect(failed).rejects.toThrow('row "Care, 2026-12, USD, -0.5": budget is negative');
    await expect(failed).rejects.not.toThrow("USD, 0");
  });

  it("warn once of all budgets whose team is in no row of teams, or whose currency no cost has", async () => {
    const database = await Database.inMemory();
    for (const table of await inputTables()) await database.run(table);
    await database.run("CREATE TABLE current_costs (billing_currency VARCHAR)");
    const teams = await file("some.csv", "label,value,team\nproject_id,a,Care\n");
    const budgets = await file(
      "unknown.csv",
      "team,month,billing_currency,budget\nCare,2026-11,USD,1\n,2026-11,EUR,9\ncare,2026-11,USD,2.50\nLegal,2026-12,EUR,3\n",
    );
    await storeInputs(database, await readInputs({ ...NONE, teams, budgets }));
    const said: string[] = [];
    await warnOfBudgets(database, (text) => said.push(text));
    expect(said).toEqual([
      expect.stringMatching(
        /^No cost can count against 2 budgets: "Legal, 2026-12, EUR, 3" \(its team .*\), "care, 2026-11, USD, 2.5" \(/,
      ),
    ]);
    await database.run(
      "INSERT INTO ai_billing_teams (label, value, team) VALUES ('project_id', 'b', 'care'), ('project_id', 'c', 'Legal')",
    );
    expect(await idleBudgets(database)).toEqual([]);
    await database.run("INSERT INTO current_costs VALUES ('USD'), (NULL)");
    expect(await idleBudgets(database)).toEqual([
      { given: ", 2026-11, EUR, 9", why: "no cost is in EUR" },
      { given: "Legal, 2026-12, EUR, 3", why: "no cost is in EUR" },
    ]);
    database.close();
  });

  it("say that lines end in two ways", async () => {
    const teams = await file("ends.csv", "label,value,team\r\nproject_id,a,x\nproject_id,b,y\r\n");
    await expect(readInputs({ ...NONE, teams })).rejects.toThrow(
      "ends.csv: some of its lines end with LF and others with CR LF",
    );
  });

  it("say which line is not of the first line's columns, and that a file is not UTF-8", async () => {
    const teams = await file("long.csv", "label,value,team\nproject_id,a,x\nproject_id,b\n");
    const budgets = join(folder, "utf16.csv");
    await writeFile(budgets, Buffer.from("\uFEFFteam,month,billing_currency,budget\n", "utf16le"));
    const failed = readInputs({ ...NONE, teams, budgets });
    await expect(failed).rejects.toThrow("long.csv: line 3 does not have 3 columns");
    await expect(failed).rejects.toThrow("utf16.csv: it is not UTF-8 text");
  });

  it("are the tables that the models read, with the same columns", async () => {
    const statements = await inputTables();
    const settings = statements.findIndex((statement) => statement.includes(CURRENCY_TABLE));
    const typed = (column: string): string => `${column} varchar`;
    expect(statements.slice(0, settings)).toEqual(
      INPUTS.flatMap(({ table, columns, optional }) => [
        `create table if not exists ${table} (${columns.map(typed).join(", ")});`,
        ...optional.map(
          (column) => `alter table ${table} add column if not exists ${typed(column)};`,
        ),
      ]),
    );
  });

  it("keep the first month of the fiscal year until another one comes", async () => {
    const database = await Database.inMemory();
    for (const table of await inputTables()) await database.run(table);
    for (const month of ["4", "10", undefined]) await storeFiscalYear(database, month);
    expect(await database.query("FROM ai_billing_fiscal_year_start")).toEqual([["10"]]);
    database.close();
  });

  it("replace their own rows only", async () => {
    const database = await Database.inMemory();
    for (const table of await inputTables()) await database.run(table);
    const one = await file("one.csv", "label,value,team\nproject_id,a,x\nproject_id,b,y\n");
    const two = await file("two.csv", "label,value,team\nproject_id,a,z\n");
    const rates = await file(
      "rates.csv",
      "from_currency,to_currency,valid_from,rate\nEUR,USD,2026-01-01,1.1\n",
    );
    await storeInputs(database, await readInputs({ ...NONE, teams: one, "exchange-rates": rates }));
    await storeInputs(database, await readInputs({ ...NONE, teams: two }));
    expect(await database.query("FROM ai_billing_teams")).toEqual([
      ["project_id", "a", "z", "", ""],
    ]);
    expect(await database.query("FROM ai_billing_exchange_rates")).toHaveLength(1);
    database.close();
  });
});
