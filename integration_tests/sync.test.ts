/** `sync`, `init`, `query` and `report` as people run them, against the reference provider. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFile, readFile, rm, stat, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LAUNCHER, localEnvironment } from "../bin/process.ts";
import { Database } from "../warehouse/database.ts";
import { summaryLines } from "../warehouse/summary.ts";
import { paintFor } from "../warehouse/text.ts";
import { check } from "./support/connector.ts";
import { serve, type Served, startProvider } from "./support/provider.ts";
import { type Said, Shell } from "./support/shell.ts";
import { cost, usage, world } from "./support/world.ts";

const NOW = "2026-03-10T06:00:00Z";

const account = () =>
  world({
    limits: { retention_days: 40 },
    usage: [usage("u-1", "2026-03-07", "100"), usage("u-2", "2026-03-08", "250.5")],
    costs: [
      cost("c-1", "2026-03-07", "1.25"),
      cost("c-2", "2026-03-08", "0.000000000000000001", { withdrawn_at: "2026-03-11T00:00:00Z" }),
      cost("c-3", "2026-03-08", "7.5", {
        restated: [
          { at: "2026-03-11T01:00:00Z", changes: { BilledCost: "8", EffectiveCost: "8" } },
        ],
      }),
      cost("c-4", "2026-03-10", "3"),
    ],
  });

/** A provider, and a folder with a config for it. */
async function begin(): Promise<{ served: Served; shell: Shell } & AsyncDisposable> {
  const served = await serve(account(), NOW);
  const shell = await Shell.open();
  await writeFile(shell.path("config.json"), JSON.stringify(served.config()));
  const stop = async (): Promise<void> => {
    await shell[Symbol.asyncDispose]();
    await served[Symbol.asyncDispose]();
  };
  return { served, shell, [Symbol.asyncDispose]: stop };
}

const SYNC = ["sync", "--config", "config.json"];

/** A provider, and a folder with its config and the database of a first sync. Tests change at most the clock of the provider. */
let synced: Awaited<ReturnType<typeof begin>>;

beforeAll(async () => {
  synced = await begin();
  expect(await synced.shell.here(SYNC)).toMatchObject({ end: 0 });
});

afterAll(async () => {
  await synced[Symbol.asyncDispose]();
});

/** A folder of its own with copies of the files of {@link synced}. */
async function goOn(): Promise<Shell> {
  const shell = await Shell.open();
  for (const file of ["config.json", "billing.duckdb"])
    await copyFile(synced.shell.path(file), shell.path(file));
  return shell;
}

/** The same for a test that moves the provider's clock, which is set back after it. */
async function goOnLater(): Promise<{ served: Served; shell: Shell } & AsyncDisposable> {
  const { served } = synced;
  const shell = await goOn();
  const stop = async (): Promise<void> => {
    await shell[Symbol.asyncDispose]();
    await served.set(NOW);
  };
  return { served, shell, [Symbol.asyncDispose]: stop };
}

const billed = (shell: Shell): Promise<unknown> =>
  shell.query(
    "SELECT billing_currency AS currency, count(*) AS rows, sum(billed_cost) AS billed_cost, sum(effective_cost) AS effective_cost FROM current_costs GROUP BY ALL",
  );

/** Fails unless the command ended with 1 and one line on stderr. */
function expectOneError({ end, stdout, stderr }: Said, words: RegExp): void {
  expect(stderr).toMatch(words);
  expect({ end, stdout, lines: stderr.trimEnd().split("\n").length }).toEqual({
    end: 1,
    stdout: "",
    lines: 1,
  });
}

describe("sync", () => {
  test("day after day: sums are the provider's, and only changes are written", async () => {
    await using begun = await begin();
    const { served, shell } = begun;
    const first = await shell.run([...SYNC, "--report", "report.html"]);
    expect(first).toMatchObject({ end: 0 });
    expect(first.stdout).toMatch(/^usage +2 rows read, 2 new, 0 changed; complete through /m);
    expect(first.stdout).toMatch(/^costs +3 rows read, 3 new, 0 changed; complete through /m);
    expect(first.stdout).toMatch(/^March so far: 8\.75 USD, /m);
    expect(first.stdout).toMatch(/^Proven +costs: \d+ of \d+ days; /m);
    expect(await billed(shell)).toEqual((await served.totals()).costs.currencies);
    expect(await readFile(shell.path("report.html"), "utf8")).toContain("8.750000000000000001");
    for (const name of ["billing.duckdb", "report.html"]) {
      expect((await stat(shell.path(name))).mode & 0o777, `${name} is for its owner only`).toBe(
        0o600,
      );
    }

    await served.set("2026-03-11T06:00:00Z");
    const second = await shell.here([...SYNC, "--json"]);
    const { streams, bills } = JSON.parse(second.stdout);
    expect(streams).toMatchObject([
      { name: "usage", read: 0, added: 0, changed: 0 },
      { name: "costs", added: 1, changed: 1 },
    ]);
    expect(bills).toMatchObject([
      { currency: "USD", billed: "12.25", change: "3.499999999999999999" },
    ]);
    expect(await billed(shell)).toEqual((await served.totals()).costs.currencies);

    const sql = "SELECT kind, record_id, amount_before, amount FROM cost_changes ORDER BY ALL";
    expect(await shell.query(sql)).toEqual([
      { kind: "removed", record_id: "c-2", amount_before: "0.000000000000000001", amount: "0" },
      { kind: "restated", record_id: "c-3", amount_before: "7.5", amount: "8" },
    ]);

    const third = await shell.here(SYNC);
    expect(third.stdout).toMatch(/^costs +0 rows read, 0 new, 0 changed/m);
  });

  test("is refused before anything is read if its report would replace another file", async () => {
    await using shell = await goOn();
    await rm(shell.path("billing.duckdb"));
    const config = await readFile(shell.path("config.json"), "utf8");
    expectOneError(await shell.here([...SYNC, "--report", "config.json"]), /it is a JSON file/);
    expectOneError(await shell.here([...SYNC, "--report", "no/r.html"]), /there is no such folder/);
    expect(await readFile(shell.path("config.json"), "utf8")).toBe(config);
    await expect(stat(shell.path("billing.duckdb"))).rejects.toThrow("ENOENT");
    await copyFile(synced.shell.path("billing.duckdb"), shell.path("billing.duckdb"));
    const report = await shell.here(["report", "--out", "billing.duckdb"]);
    expectOneError(report, /it is a DuckDB database, and a report replaces only a report/);
    expect(await shell.here(["query", "SELECT count(*) FROM costs"])).toMatchObject({ end: 0 });
  });

  test("--reset reads on after a provider's clock was years ahead, and loses no row", async () => {
    await using begun = await goOnLater();
    const { served, shell } = begun;
    await served.set("2030-01-01T06:00:00Z");
    await shell.here(SYNC);
    await served.set("2026-03-11T06:00:00Z");
    const stuck = await shell.here(SYNC);
    expect(stuck).toMatchObject({ end: 1 });
    expect(stuck.stderr).toMatch(/lies in the future of the provider's clock.*sync: --reset/);
    const rows = (): Promise<unknown[]> => shell.query('SELECT "x_RecordId" FROM costs ORDER BY 1');
    const before = await rows();
    expect(await shell.here([...SYNC, "--reset"])).toMatchObject({ end: 0 });
    expect(await rows()).toEqual(expect.arrayContaining(before));
    expect(await billed(shell)).toEqual((await served.totals()).costs.currencies);
    expect((await shell.here(SYNC)).stdout).toMatch(/^costs +0 rows read, 0 new, 0 changed/m);
  });

  test("several accounts in one file: one that fails stops no other, and each is named", async () => {
    await using begun = await goOnLater();
    const { served, shell } = begun;
    await using other = await serve(account(), NOW);
    const accounts = [
      { name: "first", ...served.config() },
      { name: "second", ...other.config() },
    ];
    await writeFile(shell.path("both.json"), JSON.stringify({ accounts }));
    const both = ["sync", "--config", "both.json"];
    const added = await shell.here([...both, "--json"]);
    expect(added).toMatchObject({ end: 0 });
    expect(JSON.parse(added.stdout)).toMatchObject({
      accounts: [
        { name: "first", ok: true, errors: [] },
        { name: "second", ok: true, errors: [] },
      ],
      streams: [
        { account: "first", name: "usage", read: 0 },
        { account: "first", name: "costs", read: 0 },
        { account: "second", name: "usage", added: 2 },
        { account: "second", name: "costs", added: 3 },
      ],
      bills: [
        { name: "first", billed: "8.750000000000000001", change: "0" },
        { name: "second", billed: "8.750000000000000001", change: null },
      ],
    });
    const sql = "SELECT base_url, sum(billed_cost) AS billed FROM current_costs GROUP BY ALL";
    expect(await shell.query(`${sql} ORDER BY ALL`)).toMatchObject([
      { billed: "8.750000000000000001" },
      { billed: "8.750000000000000001" },
    ]);

    await served.set("2026-03-11T06:00:00Z");
    await other.set("2026-03-11T06:00:00Z");
    const wrong = { auth_type: "scoped_bearer_token", access_token: "wrong" };
    const [, second] = accounts;
    const broken = { accounts: [{ ...accounts[0], credentials: wrong }, second] };
    await writeFile(shell.path("both.json"), JSON.stringify(broken));
    const half = await shell.here(both);
    expect(half.end).toBe(1);
    expect(half.stderr).toMatch(/^first: .*token/m);
    expect(half.stdout).toMatch(/^costs +second: \d+ rows read, 1 new, 1 changed/m);
    expect(half.stdout).toMatch(/^Since .*second: March 2026 /m);
    expect(half.stdout).toMatch(/^Not everything was read of first: the next sync/m);

    expectOneError(await shell.here([...both, "--only", "third"]), /"third".* "first", "second"/);
    const only = await shell.here([...both, "--only", "second", "--json"]);
    expect(JSON.parse(only.stdout)).toMatchObject({ ok: true, accounts: [{ name: "second" }] });
  });

  test("reads usage where the token may not read costs, and ends with 1", async () => {
    await using begun = await begin();
    const { served, shell } = begun;
    const scopes = ["billing.account.read", "billing.usage.read"];
    const token = await served.issueToken({ scopes });
    const credentials = { auth_type: "scoped_bearer_token", access_token: token };
    await writeFile(shell.path("config.json"), JSON.stringify(served.config({ credentials })));
    const { end, stdout, stderr } = await shell.here(SYNC);
    expect(end).toBe(1);
    expect(stdout).toMatch(/^usage +2 rows read, 2 new/m);
    expect(stdout).toContain("Not everything was read");
    expect(stderr).toContain("billing.cost.read");
  });

  test("--every goes on until it is stopped, and leaves the database free in between", async () => {
    await using shell = await goOn();
    const { child, said } = shell.start([...SYNC, "--every", "1d", "--json"]);
    if (child.stdout === null) throw new Error("no stdout");
    await once(child.stdout, "data");
    expect(await billed(shell)).toMatchObject([{ rows: 3 }]);
    child.kill("SIGTERM");
    const { end, stderr } = await said;
    expect(end).toBe("SIGTERM");
    expect(stderr).toMatch(/^The run was stopped by SIGTERM/m);
  });

  test("says at once that the provider is down, and when it tries again", async () => {
    await using shell = await Shell.open();
    const variables = { AI_BILLING_BASE_URL: "http://127.0.0.1:1", AI_BILLING_TOKEN: "s3cr3t" };
    const { child, said } = shell.start(["sync"], "", variables);
    if (child.stderr === null) throw new Error("no stderr");
    await once(child.stderr, "data");
    child.kill("SIGTERM");
    const { end, stderr } = await said;
    expect(end).toBe("SIGTERM");
    expect(stderr).toMatch(/^The request failed: the connection was refused\. Trying again in /);
    expect(stderr).not.toContain("\u001B");
  });

  test("says in one line that another process has the database", async () => {
    await using shell = await goOn();
    const database = await Database.open(shell.path("billing.duckdb"), "write");
    const said = await shell.run(SYNC);
    database.close();
    expectOneError(said, /^The database "billing\.duckdb" is open in another process \(PID \d+\)/);
  });

  test("refuses the database of another account, and leaves it as it is", async () => {
    await using shell = await goOn();
    const before = await billed(shell);
    const config = synced.served.config({ account: "other" });
    await writeFile(shell.path("config.json"), JSON.stringify(config));
    expectOneError(
      await shell.here(SYNC),
      /holds data of another account label than the config says/,
    );
    expect(await billed(shell)).toEqual(before);
  });

  test("refuses a file with a table of somebody else that has a name of ours, and leaves it as it is", async () => {
    await using shell = await Shell.open();
    await writeFile(shell.path("config.json"), JSON.stringify(synced.served.config()));
    const database = await Database.open(shell.path("billing.duckdb"), "write");
    await database.run("CREATE TABLE prices AS SELECT 'keep me' AS mine");
    database.close();
    expectOneError(await shell.here(SYNC), /holds the table "prices"\. This program did not make/);
    expect(await shell.query("FROM prices")).toEqual([{ mine: "keep me" }]);
  });

  test("fails as `read` does, and keeps what it had", async () => {
    const { served } = synced;
    await using shell = await Shell.open();
    const credentials = { auth_type: "scoped_bearer_token", access_token: "wrong-token-1234" };
    await writeFile(shell.path("config.json"), JSON.stringify(served.config({ credentials })));
    expectOneError(await shell.here(SYNC), /401|credential|token/i);
    await writeFile(shell.path("billing.duckdb"), "no database at all, just a text of some length");
    await writeFile(shell.path("config.json"), JSON.stringify(served.config()));
    expectOneError(await shell.here(SYNC), /is a text file, no DuckDB database/);
  });
});

describe("an adapter's assumptions", () => {
  test("are said by init and by sync, in words and as JSON", async () => {
    await using served = await startProvider("--as", "openai", "--now", "2026-10-30T09:00:00Z");
    await using shell = await Shell.open();
    const address = ["--provider", "openai", "--base-url", served.baseUrl];
    const line = ["init", ...address, "--start-date", "2026-10-28", "--secret-stdin"];
    const assumed =
      /^(Note {4})?Reading OpenAI's own reports .* before credits and tax. Assumptions: /m;
    expect((await shell.here(line, served.token)).stdout).toMatch(assumed);
    const summary = JSON.parse((await shell.here([...SYNC, "--json"])).stdout);
    expect(summary.notices).toEqual([expect.stringMatching(assumed)]);
    expect(summaryLines(summary, paintFor(false)).join("\n")).toMatch(assumed);
  });
});

test("an account without costs is told so", async () => {
  const whole = world({ usage: [usage("u-1", "2026-03-07", "100")] });
  const datasets = { usage: whole.capabilities.datasets.usage };
  const capabilities = { ...whole.capabilities, datasets };
  await using served = await serve({ ...whole, capabilities }, NOW);
  await using shell = await Shell.open();
  await writeFile(shell.path("config.json"), JSON.stringify(served.config()));
  const { end, stderr } = await shell.here(SYNC);
  expect(end).toBe(0);
  expect(stderr).toContain("The provider offers no costs for this account");
});

test("all files that a line names are checked before anything is read, and one error names all faults", async () => {
  await using shell = await Shell.open();
  await writeFile(shell.path("b.json"), JSON.stringify({ notice_url: "ftp://example.com" }));
  await writeFile(shell.path("teams.csv"), "team\nA\n");
  const files = ["--config", "a.json", "--config", "b.json", "--teams", "teams.csv"];
  const failed = await shell.here(["sync", ...files, "--report", "no/r.html"]);
  expect(failed).toMatchObject({ end: 1, stdout: "" });
  const words = [
    /^The config file "a.json" does not exist/m,
    /^The config "b.json": .*\n- base_url is required/m,
    /--teams teams.csv: /,
    /^notice_url of the config .* cannot be used/m,
    /^The report cannot be written to "no\/r.html"/m,
  ];
  for (const each of words) expect(failed.stderr).toMatch(each);

  const report = await shell.here(["report", "--teams", "teams.csv", "--out", "no/r.html"]);
  for (const each of [/--teams teams.csv: /, /^The report cannot be written to "no\/r.html"/m])
    expect(report.stderr).toMatch(each);
});

describe("init", () => {
  test("checks what it is given, and writes a config for its owner only", async () => {
    const { served } = synced;
    await using shell = await goOn();
    const line = ["init", "--config", "new.json", "--base-url", served.baseUrl, "--secret-stdin"];
    expectOneError(await shell.here(line, "wrong-token-1234"), /401|credential|token/i);
    await expect(stat(shell.path("new.json"))).rejects.toThrow("ENOENT");

    expect(await shell.run(line, `${served.token}\n`)).toMatchObject({ end: 0, stderr: "" });
    expect((await stat(shell.path("new.json"))).mode & 0o777).toBe(0o600);
    const config = await readFile(shell.path("new.json"), "utf8");
    expect((await check(config)).stdout).toContain("SUCCEEDED");

    const again = await shell.here(line, served.token);
    expect(again.end).toBe(1);
    expect(again.stderr).toContain("there is one already");
  });

  test("says which option is missing where there is no terminal to ask at", async () => {
    await using shell = await Shell.open();
    expectOneError(await shell.here(["init"]), /pass --provider and --secret-stdin/);
    expectOneError(await shell.here(["init", "--provider", "openai"]), /pass --secret-stdin/);
  });
});

/** The data of a report. */
const dataOf = async (shell: Shell, file: string): Promise<string> =>
  /id="data">(.*?)<\/script>/s.exec(await readFile(shell.path(file), "utf8"))?.[1] ?? "";

describe("budgets", () => {
  test("of a few teams are compared with the costs of these teams; unknown teams are named at once", async () => {
    const costOf = (id: string, amount: string, project: string) =>
      cost(id, "2026-03-08", amount, {}, { x_ProjectId: project });
    const costs = [costOf("c-1", "10", "p-care"), costOf("c-2", "90", "p-lab")];
    await using served = await serve(world({ costs }), NOW);
    await using shell = await Shell.open();
    await writeFile(shell.path("config.json"), JSON.stringify(served.config()));
    await writeFile(
      shell.path("teams.csv"),
      "Label,Value,Team\nproject_id,p-care,Care\nproject_id,p-lab,Lab\n",
    );
    await writeFile(
      shell.path("budgets.csv"),
      "team,month,billing_currency,budget\nCare,2026-03,USD,50\nLegal,2026-03,USD,5\nSales,2026-04,USD,6\n",
    );
    const inputs = ["--teams", "teams.csv", "--budgets", "budgets.csv"];
    const { end, stderr } = await shell.here([...SYNC, "--report", "report.html", ...inputs]);
    expect(end).toBe(0);
    expect(stderr).toMatch(/"Legal, 2026-03, USD, 5" \(its team .*\), "Sales, 2026-04, USD, 6" \(/);
    const { views, faults } = JSON.parse(await dataOf(shell, "report.html"));
    expect(views[0].headline).toMatchObject({
      toDate: "100",
      budget: { amount: "55", teams: 2, toDate: "10", isOfAll: false },
    });
    expect(faults).toHaveLength(2);

    await writeFile(
      shell.path("budgets.csv"),
      "team,month,billing_currency,budget\n,2026-03,USD,500\nCare,2026-03,USD,50\n",
    );
    const whole = await shell.here([...SYNC, "--report", "report.html", ...inputs]);
    expect(whole.stderr).not.toContain("budget");
    expect(JSON.parse(await dataOf(shell, "report.html")).views[0].headline.budget).toMatchObject({
      amount: "500",
      teams: null,
      toDate: "100",
      isOfAll: true,
    });
  });
});

describe("without a config file", () => {
  test("address and token come from the environment", async () => {
    const { served } = synced;
    await using shell = await goOn();
    await rm(shell.path("config.json"));
    const environment = { AI_BILLING_BASE_URL: served.baseUrl, AI_BILLING_TOKEN: served.token };
    const said = await shell.start(["sync"], "", environment).said;
    expect(said).toMatchObject({ end: 0 });
    expect(said.stdout + said.stderr).not.toContain(served.token);
    expect(await billed(shell)).toEqual((await served.totals()).costs.currencies);
    const refused = await shell.start(["sync"], "", { AI_BILLING_TOKEN: served.token }).said;
    expectOneError(refused, /AI_BILLING_TOKEN is set without an address/);
  });

  test("the whole config comes from a pipe, which gives it once", async () => {
    await using shell = await goOn();
    const line = '"$0" sync --config <(cat config.json) --json';
    const { stdout } = await promisify(execFile)("bash", ["-c", line, LAUNCHER], {
      cwd: shell.folder,
      env: localEnvironment(),
    });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  });

  test("the whole config comes from stdin", async () => {
    const { served } = synced;
    await using shell = await goOn();
    await rm(shell.path("config.json"));
    const config = JSON.stringify(served.config());
    expect(await shell.run(["sync", "--config", "-"], config)).toMatchObject({ end: 0 });
    expect((await shell.run(["check", "--config", "-"], config)).stdout).toContain("SUCCEEDED");
    expect(await shell.run(["conform", "--config", "-", "--only", "CAP-01"], config)).toMatchObject(
      { end: 0 },
    );
    const credentials = {
      auth_type: "oauth2_authorization_code",
      client_id: "client",
      refresh_token: "s3cr3t",
    };
    const renewing = JSON.stringify(served.config({ credentials }));
    expectOneError(
      await shell.run(["sync", "--config", "-"], renewing),
      /^The config from stdin has a refresh token, .* Put the config into a file that this user may write/,
    );
  });
});

describe("query and report", () => {
  test("answer from an existing database", async () => {
    await using shell = await goOn();
    const { stdout } = await shell.run([
      "query",
      "SELECT record_id, billed_cost FROM current_costs ORDER BY 1",
    ]);
    expect(stdout.split("\n")[1]).toBe("c-1                        1.25");
    expect(await shell.run(["report", "--out", "r.html"])).toMatchObject({ end: 0 });
    expect(await readFile(shell.path("r.html"), "utf8")).toContain("source-ai-billing report");
    // With a schema named, the same report is made of a copy of the raw tables.
    expect(await shell.here(["report", "--out", "c.html", "--schema", "main"])).toMatchObject({
      end: 0,
    });
    expect(await dataOf(shell, "r.html")).toBe(await dataOf(shell, "c.html"));
    expectOneError(await shell.here(["query", "DROP TABLE costs"]), /only reads it/);
  });

  test("report on raw tables of another schema, in lower case, with other types", async () => {
    await using shell = await goOn();
    await shell.here(["report", "--out", "own.html"]);
    const other = await Database.open(shell.path("other.duckdb"), "write");
    await other.run(`ATTACH '${shell.path("billing.duckdb")}' AS own (READ_ONLY)`);
    await other.run("CREATE SCHEMA raw");
    for (const table of ["usage", "costs", "export_windows"]) {
      const columns = await other.query(`
        SELECT '"' || column_name || '"' || CASE data_type WHEN 'TIMESTAMP' THEN '::TIMESTAMPTZ' ELSE '' END || ' AS "' || lower(column_name) || '"'
        FROM duckdb_columns() WHERE database_name = 'own' AND schema_name = 'main' AND table_name = '${table}'`);
      await other.run(
        `CREATE TABLE raw."${table.toUpperCase()}" AS SELECT ${columns.join(", ")} FROM own.${table}`,
      );
    }
    other.close();
    const line = ["report", "--database", "other.duckdb", "--out", "other.html"];
    expectOneError(await shell.here(line), /schema "main" of "other.duckdb" has no table costs/);
    expect(await shell.here([...line, "--schema", "raw"])).toMatchObject({ end: 0 });
    expect(await dataOf(shell, "other.html")).toBe(await dataOf(shell, "own.html"));
    expect(await dataOf(shell, "own.html")).toContain("8.750000000000000001");
  });

  test("a query ends with the signal, however long its result is", async () => {
    await using shell = await goOn();
    const line = ["query", "--json", "SELECT * FROM range(100000000000)"];
    const { child, said } = shell.start(line);
    if (child.stdout === null) throw new Error("no stdout");
    await once(child.stdout, "data");
    child.kill("SIGINT");
    expect(await said).toMatchObject({ end: "SIGINT" });
  });

  test.skipIf(process.platform !== "linux")("name a full disk behind stdout alone", async () => {
    await using shell = await goOn();
    const lines = [
      SYNC,
      [...SYNC, "--json"],
      ["costs"],
      ["query", "SELECT 1"],
      ["report", "--out", "r.html"],
    ];
    for (const line of lines) {
      const args = ["-c", '"$0" "$@" > /dev/full', LAUNCHER, ...line];
      const ended = promisify(execFile)("sh", args, { cwd: shell.folder, env: localEnvironment() });
      await expect(ended, line[0]).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/(^|\n)Stdout cannot be written \(ENOSPC[^\n]*\n$/),
      });
      await expect(ended, line[0]).rejects.not.toMatchObject({
        stderr: expect.stringMatching(/went wrong|disk of the database/),
      });
    }
  });

  test("name a database that is not there, and a statement that is wrong", async () => {
    await using shell = await Shell.open();
    expectOneError(await shell.here(["query", "SELECT 1"]), /"billing\.duckdb" cannot be opened/);
    expectOneError(await shell.here(["report"]), /"billing\.duckdb" cannot be opened/);
    expectOneError(
      await shell.run(["sync"]),
      /"config\.json" does not exist\. Make it with `source-ai-billing init`/,
    );
  });
});
